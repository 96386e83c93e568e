"""Plots scores: accuracy and log loss over the game, the reliability diagram, and models side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.plots.style import COLOURS, MARKERS, canvas, write_picture
from kibitz_lab.arena.plots.charts import reaches
from kibitz_lab.arena.scoring.scores import QuestionScores, Scores
from kibitz_lab.arena.scoring.summary import ScoreRow
from kibitz_lab.arena.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASELINE = "#888888"
LONGEST = 42
"""Longest name of a model in a legend, in characters."""
BARS = (("accuracy", "top-1"), ("top", "top-{top}"), ("brier", "Brier"))


def write_plot(scores: Scores, path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: figure(scores), path)


def figure(scores: Scores) -> "Figure":
    """Four panels for every question: in a square for one, in a row for each of several."""
    asked = [each for each in scores.questions.values() if each.baseline.figures.events]
    height = 4.3 if len(asked) > 1 else 8.0
    whole = canvas(19.0 if len(asked) > 1 else 11.0, height * max(len(asked), 1))
    parts = whole.subfigures(max(len(asked), 1), 1, squeeze=False)[:, 0]
    for question, part in zip(asked, parts, strict=False):
        axes = part.subplots(1, 4) if len(asked) > 1 else part.subplots(2, 2)
        about = f"{', '.join(scores.games)}: {question.question}, {scores.matches} matches"
        part.suptitle(about, fontsize=11, fontweight="bold")
        panels(question, scores.top, list(axes.flat))
        handles, labels = axes.flat[0].get_legend_handles_labels()
        part.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 3))
    return whole


def panels(question: QuestionScores, top: int, axes: list[Any]) -> None:
    """Draw the four panels of a question."""
    accuracy, loss, reliability, bars = axes
    reliability.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, zorder=0)
    for number, row in enumerate(question.rows):
        marker = MARKERS[number % len(MARKERS)]
        style = {"color": BASELINE if row.baseline else COLOURS[number % len(COLOURS)]}
        curve(accuracy, row, "accuracy", marker, style)
        curve(loss, row, "log_loss", marker, style)
        if not row.baseline:
            diagram(reliability, row, marker, style)
        side_by_side(bars, row, number, len(question.rows), style)
    label(accuracy, "Accuracy", "fraction of the game seen", "top-1 accuracy")
    label(loss, "Log loss", "fraction of the game seen", "log loss (nats)")
    label(reliability, "Reliability (area: answers)", "confidence in the likeliest", "how often it was right")
    label(bars, "Side by side (Brier: less is better)", "", "")
    for each in (accuracy, loss):
        each.set_xlim(0.0, 1.0)
    accuracy.set_ylim(-0.03, 1.03)
    loss.set_ylim(bottom=0.0)
    reliability.set_xlim(0.0, 1.02)
    reliability.set_ylim(-0.03, 1.03)
    bars.set_xticks(range(len(BARS)), [words.format(top=top) for _, words in BARS])
    bars.set_ylim(bottom=0.0)
    bars.grid(visible=False, axis="x")


def label(axes: Any, title: str, x: str, y: str) -> None:
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(color="#e8e8e8", linewidth=0.6)


def curve(axes: Any, row: ScoreRow, name: str, marker: str, style: dict[str, Any]) -> None:
    """A figure against the fraction of the game seen, its interval as a band."""
    steps = [((step.low + step.high) / 2, held) for step in row.steps if (held := getattr(step, name)) is not None]
    line = {"marker": marker, "markersize": 4, "linestyle": "--" if row.baseline else "-", **style}
    axes.plot([x for x, _ in steps], [held.mean for _, held in steps], label=short_name(row.model), **line)
    known = [(x, held.low, held.high) for x, held in steps if held.is_finite() and not row.baseline]
    if known:
        axes.fill_between(*zip(*known, strict=True), alpha=0.15, linewidth=0, **style)


def diagram(axes: Any, row: ScoreRow, marker: str, style: dict[str, Any]) -> None:
    """Confidence against how often it was right; the area of a point is the share of answers behind it."""
    bins = [(each.confidence, each.accuracy, each.events) for each in row.calibration.bins if each.accuracy is not None]
    x, y = [confidence for confidence, _, _ in bins], [accuracy.mean for _, accuracy, _ in bins]
    axes.errorbar(x, y, yerr=reaches([each for _, each, _ in bins]), fmt="none", elinewidth=1, alpha=0.7, **style)
    axes.plot(x, y, linewidth=0.8, alpha=0.6, **style)
    most = max((events for _, _, events in bins), default=1)
    sizes = [8.0 + 100.0 * events / most for _, _, events in bins]
    axes.scatter(x, y, s=sizes, marker=marker, alpha=0.75, linewidths=0, **style)


def side_by_side(axes: Any, row: ScoreRow, number: int, many: int, style: dict[str, Any]) -> None:
    """The bars of a model, figure by figure, with their intervals."""
    width = 0.8 / many
    for place, (name, _) in enumerate(BARS):
        held: Estimate | None = getattr(row.figures, name)
        if held is not None:
            x = place - 0.4 + (number + 0.5) * width
            axes.bar(x, held.mean, width * 0.92, alpha=0.85, **style)
            axes.errorbar(x, held.mean, yerr=reaches([held]), color="#222222", elinewidth=1, capsize=2)


def short_name(name: str) -> str:
    """A name that fits into a legend: its middle is left out, because the seat is at the end."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 12]}…{name[-11:]}"
