"""Pictures of results, for which matplotlib is needed (the extra `plots`)."""

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.arena.statistics import Sequential
from kibitz.core.errors import MissingPackage, Unwritable

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
"""After Okabe & Ito (2008): told apart with any colour vision."""
POINTS = 120
"""Places at which the interval is drawn."""


def plotting() -> Any:
    """matplotlib, without a window and with the same bytes every time."""
    try:
        import matplotlib
    except ImportError:
        raise MissingPackage("matplotlib", "plots") from None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "kibitz", "svg.fonttype": "none", "font.size": 9.0})
    from matplotlib.figure import Figure

    return Figure


def plot_comparison(test: Sequential, title: str, path: Path | str) -> None:
    """Draw the estimate with its interval and the log-likelihood ratios, block by block, as SVG."""
    figure = plotting()(figsize=(7.0, 5.5), layout="constrained")
    estimate, evidence = figure.subplots(2, 1, sharex=True)
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
    try:
        figure.savefig(path, format="svg", metadata={"Date": None})
    except OSError as error:
        raise Unwritable(path, (error.strerror or str(error)).lower()) from None
