"""Plots how much a program loses as it becomes shorter."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.arena.plots.style import BLUE, ORANGE, canvas, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_shortening_plot(
    game: str, curve: Sequence[tuple[int, float]], chosen: tuple[int, float], path: Path | str
) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: shortening_figure(game, curve, chosen), path)


def shortening_figure(game: str, curve: Sequence[tuple[int, float]], chosen: tuple[int, float]) -> "Figure":
    """The certified loss from the start over the number of answers, and the program that was chosen."""
    figure = canvas(5.6, 3.6)
    axes = figure.subplots()
    axes.plot([answers for answers, _ in curve], [loss for _, loss in curve], color=BLUE, drawstyle="steps-post")
    axes.plot([chosen[0]], [chosen[1]], color=ORANGE, marker="o", linestyle="none")
    axes.annotate(f"{chosen[0]} answers, {chosen[1]:.3g}", chosen, xytext=(6, 6), textcoords="offset points")
    axes.set_title(f"Shorter programs for {game}")
    axes.set_xlabel("answers")
    axes.set_ylabel("certified loss from the start, at most")
    return figure
