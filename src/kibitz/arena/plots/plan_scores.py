"""Plots scores of plan recognition: figures against the share observed, log loss, and the reliability diagram."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.arena.plots.scores import diagram_of, label
from kibitz.arena.plots.style import COLOURS, MARKERS, canvas, write_picture
from kibitz.arena.scoring.plan_scores import PlanScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = (
    ("top_1", "likeliest goal is true"),
    ("precision", "precision of goals"),
    ("recall", "recall of goals"),
    ("parameter_precision", "precision of parameters"),
    ("parameter_recall", "recall of parameters"),
)


def write_plan_plot(scores: PlanScores, path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: figure(scores), path)


def figure(scores: PlanScores) -> "Figure":
    """Three panels: figures from 0 to 1, the log loss, and the reliability diagram."""
    whole = canvas(15.0, 4.8)
    shares, loss, reliability = whole.subplots(1, 3)
    for number, (name, words) in enumerate(CURVES):
        curve(shares, scores, name, words, number)
    shares.set_ylim(-0.03, 1.03)
    label(shares, f"{scores.traces} traces", "share of the observations seen", "")
    shares.legend(loc="lower right", fontsize=8)
    curve(loss, scores, "log_loss", "log loss", 0)
    loss.set_ylim(bottom=0.0)
    label(loss, "Log loss", "share of the observations seen", "log loss (nats)")
    reliability.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, zorder=0)
    diagram_of(reliability, scores.calibration, MARKERS[0], {"color": COLOURS[0]})
    label(reliability, "Reliability (area: answers)", "probability of the likeliest goal", "how often it was true")
    for each in (shares, loss):
        each.set_xlim(0.0, 1.02)
    return whole


def curve(axes: Any, scores: PlanScores, name: str, words: str, number: int) -> None:
    """A figure against the share of the observations, with its interval as a band."""
    known = [(step.share, held) for step in scores.steps if (held := getattr(step, name)) is not None]
    if not known:
        return
    colour = COLOURS[number]
    x = [share for share, _ in known]
    axes.plot(x, [held.mean for _, held in known], marker=MARKERS[number], markersize=4, color=colour, label=words)
    drawn = [(share, held) for share, held in known if held.is_finite()]
    low, high = [held.low for _, held in drawn], [held.high for _, held in drawn]
    axes.fill_between([share for share, _ in drawn], low, high, color=colour, alpha=0.12, linewidth=0)
