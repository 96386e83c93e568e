"""Plots the beliefs of models over the course of a match."""

from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.core.errors import BadRecord
from kibitz.core.insight import Belief
from kibitz.core.records import Record
from kibitz.plots.style import COLOURS, canvas, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_beliefs(record: Record, path: Path | str) -> None:
    """Write a plot of every model's beliefs about every player, event by event, as SVG or PNG."""
    courses = beliefs_over_time(record)
    if not courses:
        raise BadRecord(str(path), "no model watched this match; name one with --model")
    write_picture(lambda: beliefs_figure(courses), path)


def beliefs_over_time(record: Record) -> dict[str, list[Belief]]:
    """For each model and player: the belief at first and after every event, if it ever changed."""
    found: dict[str, list[Belief]] = {}
    for held in (record.header.beliefs, *(entry.beliefs for entry in record.entries)):
        for label, beliefs in held.items():
            for player, belief in enumerate(beliefs):
                found.setdefault(f"{label} of {record.header.agents[player]} (player {player})", []).append(belief)
    return {title: course for title, course in found.items() if any(belief != course[0] for belief in course)}


def beliefs_figure(courses: dict[str, list[Belief]]) -> "Figure":
    """A panel for each, with a line for each of the likeliest labels."""
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
