"""Plots a comparison: the estimate with its interval, and the evidence, block by block."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kibitz.arena.plots.style import BLUE, GREEN, ORANGE, canvas, write_picture
from kibitz.arena.statistics import Sequential

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 120
"""Number of points at which the interval is drawn."""


def plot_comparison(test: Sequential, title: str, path: Path | str) -> None:
    """Write the estimate with its interval and the log-likelihood ratios, block by block, as SVG or PNG."""
    write_picture(lambda: figure(test, title), path)


def figure(test: Sequential, title: str) -> "Figure":
    """The estimate above the evidence."""
    drawn = canvas(7.0, 5.5)
    estimate, evidence = drawn.subplots(2, 1, sharex=True)
    blocks = np.unique(np.linspace(1, test.blocks, min(POINTS, test.blocks)).astype(int))
    ends = np.array([test.interval(int(count)) for count in blocks])
    means = np.cumsum(test.scores) / np.arange(1, test.blocks + 1)
    estimate.fill_between(blocks, ends[:, 0], ends[:, 1], color=BLUE, alpha=0.2, linewidth=0)
    estimate.plot(np.arange(1, test.blocks + 1), means, color=BLUE)
    estimate.axhline(0.0, color="black", linewidth=0.8)
    for value in (-test.least, test.least):
        estimate.axhline(value, color="gray", linewidth=0.8, linestyle=":")
    estimate.set_ylabel("difference per match")
    estimate.set_title(title)
    again = Sequential(test.least, alpha=test.alpha, bounds=test.bounds, width=test.width)
    rows = []
    for score in test.scores:
        again.add(score)
        rows.append((again.ratios[0], again.ratios[1], min(again.ratios[2:])))
    claims = ((BLUE, "first better"), (ORANGE, "second better"), (GREEN, f"within {test.least:g}"))
    for column, (colour, claim) in zip(np.array(rows).T, claims, strict=True):
        evidence.plot(np.arange(1, test.blocks + 1), column, color=colour, label=claim)
    evidence.axhline(test.limit, color="black", linewidth=0.8, linestyle="--")
    evidence.set_ylim(bottom=-test.limit)
    evidence.set_ylabel("log-likelihood ratio")
    evidence.set_xlabel("blocks")
    evidence.legend(loc="best")
    return drawn
