"""The bootstrap over units: resamples whole games, or whole blocks of games, and computes every mean again."""

from collections.abc import Sequence
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from kibitz.core.seeds import stream
from kibitz_lab.arena.statistics.intervals import Bounds, Counts, Estimate, Floats, mean_interval, student_quantile

NORMAL = NormalDist()
RESAMPLES = 2000
"""The default number of resamples."""

Line = list[Estimate | None]


class Resampling:
    """The same draws for every figure, so that figures of models on the same games can be compared."""

    def __init__(self, units: int, *, resamples: int = RESAMPLES, level: float = 0.95, seed: int = 0) -> None:
        self.units, self.resamples, self.level, self.seed = units, resamples, level, seed

    @cached_property
    def draw_counts(self) -> Floats:
        """The number of draws of each unit in each resample."""
        rng, drawn = stream(self.seed, "scores"), np.empty((self.resamples, self.units))
        for row in drawn:
            row[:] = np.bincount(rng.integers(self.units, size=self.units), minlength=self.units)
        return drawn

    def totals(self, sums: Floats) -> Floats:
        """Columns of sums per unit, added up in every resample; the same on every processor.

        BLAS adds in an order that depends on the processor, so the sums are rounded to multiples of a power of two
        that is large enough for every order to be exact.
        """
        most = np.abs(sums).max(axis=0, initial=0.0) * self.units
        grid = np.ldexp(1.0, np.maximum(np.frexp(most)[1], -900) - 52)
        found: Floats = (self.draw_counts @ np.rint(sums / grid)) * grid
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

        The interval is Efron's (1987), with Student's quantiles, as a resample is drawn from as few units as there
        are; if nothing varies it is `mean_interval`'s, and with *exact* it has no width: nothing is random.
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


def share_below(means: Floats, value: float) -> float:
    """The fraction of *means* below *value*; ties count half, and rounding errors do not break them."""
    tied = np.abs(means - value) <= 1e-9 * np.abs(means).max()
    return float(np.mean((means < value) & ~tied) + np.mean(tied) / 2.0)


def bca_interval(means: Floats, mean: float, rest: Floats, level: float) -> tuple[float, float]:
    """Efron's interval from the resampled means and every block's contribution to the error."""
    many, resamples = len(rest), len(means)
    bias = NORMAL.inv_cdf(min(max(share_below(means, mean), 0.5 / resamples), 1.0 - 0.5 / resamples))
    acceleration = float(np.sum(rest**3) / (6.0 * np.sum(rest**2) ** 1.5))
    wide = student_quantile((1.0 + level) / 2.0, many - 1) * (many / (many - 1)) ** 0.5
    ends = []
    for z in (bias - wide, bias + wide):
        scaled = 1.0 - acceleration * z
        ends.append(NORMAL.cdf(bias + z / scaled) if scaled > 0.0 else float(z > 0.0))
    low, high = np.quantile(means, ends)
    return float(low), float(high)
