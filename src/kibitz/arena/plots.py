"""Pictures of results, for which matplotlib is needed (the extra `plots`)."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kibitz.arena.pictures import BLUE, COLOURS, GREEN, ORANGE, canvas, write_picture
from kibitz.arena.statistics import Sequential
from kibitz.core.errors import BadRecord
from kibitz.core.insight import Belief
from kibitz.core.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 120
"""Places at which the interval is drawn."""


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


def plot_beliefs(record: Record, path: Path | str) -> None:
    """Write what every watcher of a match believed of every player, event by event, as SVG or PNG."""
    courses = beliefs_over_time(record)
    if not courses:
        raise BadRecord(str(path), "nobody watched this match; name a model with --model")
    write_picture(lambda: beliefs_figure(courses), path)


def beliefs_over_time(record: Record) -> dict[str, list[Belief]]:
    """Of each watcher and each player he judged: the belief at first and after every event, if it ever changed."""
    found: dict[str, list[Belief]] = {}
    for held in (record.header.beliefs, *(entry.beliefs for entry in record.entries)):
        for label, beliefs in held.items():
            for player, belief in enumerate(beliefs):
                found.setdefault(f"{label} of {record.header.agents[player]} (player {player})", []).append(belief)
    return {title: course for title, course in found.items() if any(belief != course[0] for belief in course)}


def beliefs_figure(courses: dict[str, list[Belief]]) -> "Figure":
    """A panel for each, with a line for each of the likeliest explanations."""
    drawn = canvas(8.0, 0.6 + 2.6 * len(courses))
    for axes, (title, course) in zip(drawn.subplots(len(courses), squeeze=False).flat, courses.items(), strict=True):
        names = dict.fromkeys(name for belief in course for name in belief)
        most = {name: max(belief.get(name, 0.0) for belief in course) for name in names}
        likeliest = sorted(names, key=lambda name: -most[name])[: len(COLOURS)]
        for name, colour in zip(likeliest, COLOURS, strict=False):
            shares = [belief.get(name, 0.0) for belief in course]
            axes.step(range(len(course)), shares, where="post", color=colour, label=name)
        axes.set(title=title, ylim=(0.0, 1.02), xlabel="event", ylabel="belief")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    return drawn
