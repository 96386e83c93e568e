"""Charts for reports and of frontiers of exploitation, the same every time. Needs the extra `plots`."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kibitz.plots.style import COLOURS, MARKERS, canvas, render_figure, write_picture
from kibitz_lab.arena.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kibitz_lab.extensive import Frontier

PANELS = 3
"""The panels of a frontier plot side by side."""


def dots(groups: Mapping[str, Mapping[str, Estimate]], *, label: str) -> "Figure":
    """Estimates with their intervals, a line per name, side by side for every group."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    picture = canvas(7.2, 1.2 + (0.16 * len(groups) + 0.22) * len(names))
    axes = picture.add_subplot()
    step = 0.7 / max(len(groups), 1)
    for number, (group, estimates) in enumerate(groups.items()):
        places = [names.index(name) + (number - (len(groups) - 1) / 2) * step for name in estimates]
        means = np.array([each.mean for each in estimates.values()])
        errors = reaches(list(estimates.values()))
        style: dict[str, Any] = {"color": COLOURS[number % 8], "marker": MARKERS[number % 8]}
        axes.errorbar(means, places, xerr=errors, linestyle="", capsize=2.5, markersize=5, label=group, **style)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)  # the first on top, and room for groups that some names do not have
    axes.grid(axis="x", color="#dddddd")
    axes.set_xlabel(label)
    legend_above(picture, axes, len(groups))
    return picture


def reaches(estimates: Sequence[Estimate]) -> NDArray[np.float64]:
    """The distances of interval ends from their means; 0 if unknown."""
    spread = [[each.mean - each.low, each.high - each.mean] for each in estimates]
    known = np.nan_to_num(np.array(spread).T.reshape(2, -1), posinf=0.0, neginf=0.0)
    return np.asarray(np.maximum(known, 0.0), np.float64)


def legend_above(picture: "Figure", axes: "Axes", entries: int) -> None:
    """One legend above the whole picture."""
    if entries > 1:
        handles, labels = axes.get_legend_handles_labels()
        widest = 0.5 + 0.08 * max(map(len, labels), default=0)  # inches, as letters are set here
        fitting = max(1, int(picture.get_figwidth() / widest))
        picture.legend(handles, labels, loc="outside upper center", ncols=min(entries, 4, fitting))


def vector(draw: "Callable[[], Figure]", name: str) -> str:
    """A picture as an SVG element in our style, independent of the user's settings; the same every time."""
    return embeddable_svg(render_figure(draw).decode(), name)


def embeddable_svg(svg: str, name: str) -> str:
    """An SVG element alone, its ids numbered in order and prefixed by *name*, so that several can share a page."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    numbers = count()
    ids = {old: f"{name}-{next(numbers)}" for old in dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg))}
    svg = re.sub(r'\bid="([^"]+)"', lambda found: f'id="{ids[found[1]]}"', svg)
    return re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + ids.get(found[2], found[2]), svg).strip() + "\n"


def write_frontier_plot(game: str, frontiers: "Sequence[Frontier]", path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: frontier_figure(game, frontiers), path)


def frontier_figure(game: str, frontiers: "Sequence[Frontier]") -> "Figure":
    """A panel for each opponent, a line for each kind of response."""
    across = min(len(frontiers), PANELS)
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
