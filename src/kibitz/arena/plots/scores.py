"""Plots scores: accuracy and log loss over the game, the reliability diagram, and models side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.arena.plots.style import COLOURS, MARKERS, canvas, write_picture
from kibitz.arena.scoring.calibration import Calibration
from kibitz.arena.scoring.scores import QuestionScores, Scores
from kibitz.arena.scoring.summary import ScoreRow
from kibitz.arena.statistics import Estimate

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
    for number, row in enumerate(question.rows):
        style = {"color": colour(number, row), "linestyle": "--" if row.baseline else "-"}
        curve(accuracy, row, "accuracy", MARKERS[number % len(MARKERS)], style)
        curve(loss, row, "log_loss", MARKERS[number % len(MARKERS)], style)
        if not row.baseline:
            diagram(reliability, row, MARKERS[number % len(MARKERS)], style)
    label(accuracy, "Accuracy", "fraction of the game seen", "top-1 accuracy")
    accuracy.set_ylim(-0.03, 1.03)
    label(loss, "Log loss", "fraction of the game seen", "log loss (nats)")
    loss.set_ylim(bottom=0.0)
    for each in (accuracy, loss):
        each.set_xlim(0.0, 1.0)
    reliability.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, zorder=0)
    reliability.set_xlim(0.0, 1.02)
    reliability.set_ylim(-0.03, 1.03)
    label(reliability, "Reliability (area: answers)", "confidence in the likeliest", "how often it was right")
    side_by_side(bars, question, top)


def colour(number: int, row: ScoreRow) -> str:
    """The colour of a row."""
    return BASELINE if row.baseline else COLOURS[number % len(COLOURS)]


def label(axes: Any, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#e8e8e8", linewidth=0.6)


def curve(axes: Any, row: ScoreRow, name: str, marker: str, style: dict[str, Any]) -> None:
    """A figure against the fraction of the game seen, its interval as a band."""
    steps = [(step, getattr(step, name)) for step in row.steps if getattr(step, name) is not None]
    x = [(step.low + step.high) / 2 for step, _ in steps]
    axes.plot(x, [held.mean for _, held in steps], marker=marker, markersize=4, label=short_name(row.model), **style)
    known = [(place, held) for place, (_, held) in zip(x, steps, strict=True) if held.is_finite()]
    if not row.baseline:
        low, high = [held.low for _, held in known], [held.high for _, held in known]
        axes.fill_between([place for place, _ in known], low, high, color=style["color"], alpha=0.15, linewidth=0)


def diagram(axes: Any, row: ScoreRow, marker: str, style: dict[str, Any]) -> None:
    """Confidence against how often it was right, for one row."""
    diagram_of(axes, row.calibration, marker, style)


def diagram_of(axes: Any, calibration: Calibration, marker: str, style: dict[str, Any]) -> None:
    """Confidence against how often it was right; the area of a point is the share of answers behind it."""
    bins = [each for each in calibration.bins if each.accuracy is not None and each.confidence is not None]
    most = max((each.events for each in bins), default=1)
    x = [each.confidence for each in bins]
    y = [each.accuracy.mean for each in bins if each.accuracy is not None]
    ends = [spread(each.accuracy) for each in bins if each.accuracy is not None]
    below, above = [low for low, _ in ends], [high for _, high in ends]
    axes.errorbar(x, y, yerr=(below, above), fmt="none", ecolor=style["color"], elinewidth=1, alpha=0.7)
    axes.plot(x, y, color=style["color"], linewidth=0.8, alpha=0.6)
    sizes = [8.0 + 100.0 * each.events / most for each in bins]
    axes.scatter(x, y, s=sizes, color=style["color"], marker=marker, alpha=0.75, linewidths=0)


def side_by_side(axes: Any, question: QuestionScores, top: int) -> None:
    """Bars of all models, figure by figure, with their intervals."""
    rows = question.rows
    width = 0.8 / len(rows)
    for number, row in enumerate(rows):
        for place, (name, _) in enumerate(BARS):
            held: Estimate | None = getattr(row.figures, name)
            if held is not None:
                x = place - 0.4 + (number + 0.5) * width
                low, high = spread(held)
                axes.bar(x, held.mean, width * 0.92, color=colour(number, row), alpha=0.85)
                axes.errorbar(x, held.mean, yerr=([low], [high]), color="#222222", elinewidth=1, capsize=2)
    label(axes, "Side by side (Brier: less is better)", "", "")
    axes.set_xticks(range(len(BARS)), [words.format(top=top) for _, words in BARS])
    axes.set_ylim(bottom=0.0)
    axes.grid(visible=False, axis="x")


def spread(held: Estimate) -> tuple[float, float]:
    """The distances of an interval's ends from its mean; 0 if unknown."""
    return (max(0.0, held.mean - held.low), max(0.0, held.high - held.mean)) if held.is_finite() else (0.0, 0.0)


def short_name(name: str) -> str:
    """A name that fits into a legend: its middle is left out, because the seat is at the end."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 12]}…{name[-11:]}"
