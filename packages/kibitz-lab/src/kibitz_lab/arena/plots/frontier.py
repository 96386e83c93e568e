"""Plots the frontier of exploitation: what responses to a model earn, against what they give up if it is wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.plots.style import COLOURS, MARKERS, canvas, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kibitz_lab.extensive import Frontier

COLUMNS = 3


def write_frontier_plot(game: str, frontiers: "Sequence[Frontier]", path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: frontier_figure(game, frontiers), path)


def frontier_figure(game: str, frontiers: "Sequence[Frontier]") -> "Figure":
    """A panel for each opponent, a line for each kind of response."""
    across = min(len(frontiers), COLUMNS)
    down = -(-len(frontiers) // across)
    figure = canvas(max(4.0 * across, 5.0), 3.4 * down + 0.8)
    figure.suptitle(f"Exploitation and risk in {game}", fontsize=11, fontweight="bold")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for frontier, axes in zip(frontiers, panels, strict=False):
        for number, (method, points) in enumerate(frontier.points.items()):
            ordered = sorted(points, key=lambda point: (point.given_up, point.earned))
            axes.plot(
                [point.given_up for point in ordered],
                [point.earned for point in ordered],
                color=COLOURS[number],
                marker=MARKERS[number],
                markersize=4,
                linewidth=1.2,
                label=method,
            )
        axes.axhline(frontier.value, color="#bbbbbb", linewidth=1, zorder=0)
        axes.set_title(frontier.opponent)
        axes.set_xlabel("given up against anyone, at most")
        axes.set_ylabel("earned from the opponent")
    for axes in panels[len(frontiers) :]:
        axes.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure
