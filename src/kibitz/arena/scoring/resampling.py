"""The bootstrap over units: resamples whole games, or whole blocks of games, and computes every mean again."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.statistics.bootstrap import bca_interval
from kibitz.arena.statistics.estimates import Bounds, Counts, Estimate, Floats
from kibitz.arena.statistics.intervals import mean_interval
from kibitz.core.seeds import stream

AT_ONCE = 8_000_000
"""Weights multiplied at a time, to save memory."""
CACHED = 24_000_000
"""The most weights that are kept as floats: those of 12,000 matches, in 192 MB."""

Line = list[Estimate | None]


class Resampling:
    """The same draws for every figure, so that figures of models on the same games can be compared."""

    def __init__(self, units: int, *, resamples: int = 2000, level: float = 0.95, seed: int = 0) -> None:
        self.units, self.resamples, self.level, self.seed = units, resamples, level, seed

    @cached_property
    def draw_counts(self) -> NDArray[np.uint8]:
        """The number of draws of each unit in each resample."""
        rng = stream(self.seed, "scores")
        drawn = np.empty((self.resamples, self.units), dtype=np.uint8)
        for row in drawn:
            row[:] = np.minimum(np.bincount(rng.integers(self.units, size=self.units), minlength=self.units), 255)
        return drawn

    @cached_property
    def parts(self) -> list[Floats] | None:
        """The draws as floats, if they are few enough to be cached."""
        return [self.draw_counts.astype(np.float64)] if self.draw_counts.size <= CACHED else None

    def totals(self, sums: Floats) -> Floats:
        """Columns of sums per unit, added up in every resample; the same on every processor.

        BLAS adds in an order that depends on the processor, so the sums are rounded to multiples of a power of two
        that is large enough for every order to be exact.
        """
        rows = max(1, AT_ONCE // max(self.units, 1))
        starts = range(0, self.resamples, rows)
        parts = self.parts or (self.draw_counts[at : at + rows].astype(np.float64) for at in starts)
        most = np.abs(sums).max(axis=0, initial=0.0) * self.units
        grid = np.ldexp(1.0, np.maximum(np.frexp(most)[1], -900) - 52)
        multiples = np.rint(sums / grid)
        found: Floats = np.concatenate([part @ multiples for part in parts]) * grid
        return found

    def estimates(
        self,
        columns: Sequence[tuple[Floats, Bounds | None]],
        units: Counts,
        groups: Counts | None = None,
        size: int = 1,
        *,
        exact: bool = False,
    ) -> list[Line]:
        """The mean of every column in every group below *size* (none is -1); None if a group is empty.

        The interval is Efron's (1987), as in `paired_bootstrap`; if nothing varies it is `mean_interval`'s, and with
        *exact* it has no width: nothing is random.
        """
        groups = np.zeros(len(units), dtype=np.int64) if groups is None else groups
        inside = groups >= 0
        cells = units[inside] * size + groups[inside]

        def unit_sums(values: Floats) -> Floats:
            return np.bincount(cells, values, minlength=self.units * size).reshape(self.units, size).astype(np.float64)

        sizes = unit_sums(np.ones(len(cells)))
        sums = [unit_sums(values[inside]) for values, _ in columns]
        totals = self.totals(np.hstack([sizes, *sums])).reshape(self.resamples, len(columns) + 1, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = totals[:, 1:] / totals[:, :1]
        found: list[Line] = []
        for group in range(size):
            where = inside if size == 1 else groups == group
            line: Line = []
            for place, (values, bounds) in enumerate(columns):
                own = Sums(sums[place][:, group], sizes[:, group], means[:, place, group])
                line.append(self.estimate(own, values[where], units[where], bounds, exact=exact))
            found.append(line)
        return found

    def estimate(
        self, own: "Sums", values: Floats, units: Counts, bounds: Bounds | None, *, exact: bool
    ) -> Estimate | None:
        """One mean with its interval; *values* and *units* are what it is the mean of."""
        total = float(own.sizes.sum())
        if total == 0.0:
            return None
        mean = float(own.sums.sum()) / total
        present = own.sizes > 0.0
        blocks = int(present.sum())
        means = own.means[np.isfinite(own.means)]
        rest = (own.sums - mean * own.sizes)[present]
        if blocks < 2 or len(means) < 2 or np.abs(rest).max() <= 1e-9 * np.abs(own.sums).max():
            if exact:
                return Estimate(mean, mean, mean, int(total), blocks, self.level)
            return mean_interval(values, units, level=self.level, bounds=bounds)
        low, high = bca_interval(means, mean, rest, self.level)
        return Estimate(mean, low, high, int(total), blocks, self.level).within(bounds or (-np.inf, np.inf))


class Sums(NamedTuple):
    """The sum of every unit, its number of values, and the mean in every resample."""

    sums: Floats
    sizes: Floats
    means: Floats
