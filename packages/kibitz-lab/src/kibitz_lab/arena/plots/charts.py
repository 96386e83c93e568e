"""Charts for reports, as files that are the same every time. Needs the extra `plots`."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kibitz.plots.style import COLOURS, MARKERS, canvas, render_figure
from kibitz_lab.arena.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
