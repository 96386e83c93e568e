"""Payoffs: the matrix of every agent's mean return against every other."""

from math import isnan

import msgspec
import numpy as np

from kibitz.core import drawing
from kibitz_lab.arena.statistics.intervals import Bounds, Clusters, Estimate, Estimates, Floats
from kibitz_lab.arena.statistics.summary import Results, result_columns

LOW, MIDDLE, HIGH = (0xD5, 0x5E, 0x00), (0xF7, 0xF7, 0xF7), (0x00, 0x72, 0xB2)
"""Orange to blue over white, after Okabe & Ito (2008): distinct for any colour vision."""


class Payoffs(msgspec.Struct, frozen=True):
    """Mean returns of the row's agent in matches with the column's."""

    names: tuple[str, ...]
    cells: Estimates
    """Row by row."""

    def __getitem__(self, who: tuple[str, str]) -> Estimate:
        row, column = (self.names.index(name) for name in who)
        return self.cells[row * len(self.names) + column]

    def matrix(self) -> Floats:
        """The means, nan if two never met."""
        return self.cells.mean.reshape(len(self.names), len(self.names))

    def heat(self) -> Floats:
        """The means scaled from 0 (lowest) to 1 (highest); ½ if all are the same."""
        means = self.matrix()
        seen = means[~np.isnan(means)]
        least, most = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)
        return (means - least) / (most - least) if most > least else means * 0.0 + 0.5

    def picture(self) -> drawing.Drawing:
        """The matrix as a drawing, for `core.drawing.svg`; the title of a cell says its interval."""
        names = self.names
        wide = max([2.0, *(0.22 * len(name) for name in names)])
        shapes: list[drawing.AnyShape] = []
        heats, means = self.heat(), self.matrix()
        for row, name in enumerate(names):
            shapes.append(drawing.Label(id=f"row-{row}", x=wide / 2, y=row + 1.5, text=name, size=0.35))
            shapes.append(drawing.Label(id=f"column-{row}", x=(row + 1.5) * wide, y=0.5, text=name, size=0.35))
            for column, other in enumerate(names):
                if isnan(means[row, column]):
                    continue
                estimate = self[name, other]
                x, y, heat = (column + 1) * wide, row + 1.0, float(heats[row, column])
                title = f"{name} against {other}: {estimate}, {estimate.matches} matches in {estimate.blocks} blocks"
                place, fill = f"{row}-{column}", tint(heat)
                shapes.append(drawing.Rect(id=f"cell-{place}", x=x, y=y, width=wide, fill=fill, title=title))
                ink = "#ffffff" if abs(heat - 0.5) > 0.4 else "ink"
                words = f"{means[row, column]:.3g}"
                shapes.append(
                    drawing.Label(id=f"mean-{place}", x=x + wide / 2, y=y + 0.5, text=words, size=0.35, fill=ink)
                )
        size = len(names) + 1.0
        return drawing.Drawing(size * wide, size, tuple(shapes), caption="mean return of row against column")


def payoffs(results: Results, *, bounds: Bounds | None = None) -> Payoffs:
    """The payoff matrix of all agents; *bounds* are a return's, None derives them from wins, draws and losses."""
    table = result_columns(results)
    left, right = table.pairs()
    size = len(table.names)
    clusters = Clusters(table.block[left], table.agent[left] * size + table.agent[right], size * size)
    return Payoffs(tuple(table.names), clusters.estimates(table.score[left], bounds=bounds or table.bounds()))


def tint(heat: float) -> str:
    """A colour from orange, 0, over white to blue, 1."""
    end, share = (HIGH, 2.0 * heat - 1.0) if heat >= 0.5 else (LOW, 1.0 - 2.0 * heat)
    return "#" + "".join(f"{round(m + (e - m) * share):02x}" for m, e in zip(MIDDLE, end, strict=True))
