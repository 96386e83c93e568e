"""Plots how likely each swing of a contest is."""

from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.arena.plots.style import COLOURS, canvas, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kibitz.core.abilities.odds import Odds


def write_profit_plot(contest: str, odds: "Odds", counted_in: str, path: Path | str) -> None:
    """Write the figure as SVG or PNG, by the file's extension, atomically."""
    write_picture(lambda: profit_figure(contest, odds, counted_in), path)


def profit_figure(contest: str, odds: "Odds", counted_in: str) -> "Figure":
    """A bar for every swing, losses of the attacker in another colour, and a line at the mean."""
    figure = canvas(7.0, 3.8)
    axes = figure.add_subplot()
    values, chances = [swing for swing, _ in odds.profits], [100.0 * chance for _, chance in odds.profits]
    axes.bar(values, chances, width=0.8, color=[COLOURS[0] if value >= 0 else COLOURS[1] for value in values])
    axes.axvline(odds.swing.mean, color="#555555", linewidth=1, linestyle="--")
    axes.set(xlabel=f"swing in {counted_in}, mean {odds.swing.mean:+.2f}", ylabel="probability in %")
    axes.set_title(contest if len(contest) <= 70 else f"{contest[:69]}…", fontsize=10)
    return figure
