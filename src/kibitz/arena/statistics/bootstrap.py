"""The paired bootstrap: compares two agents against the same opponents on the same seeds by resampling blocks."""

from math import isfinite, nan

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from kibitz.arena.statistics.estimates import Bounds, Estimate, Floats, percent
from kibitz.arena.statistics.intervals import check, mean_interval
from kibitz.arena.statistics.quantiles import NORMAL, student_quantile
from kibitz.arena.statistics.versus import difference_bounds
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream

AT_ONCE = 2_000_000
"""Blocks drawn at a time, to save memory."""


class PairedDifference(msgspec.Struct, frozen=True):
    """A's scores minus B's, pair by pair, and the share of resamples in which A was ahead (ties count half)."""

    difference: Estimate
    ahead: float
    resamples: int

    def __str__(self) -> str:
        return f"{self.difference}, ahead in {percent(self.ahead)} of {self.resamples} resamples"


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    blocks: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> PairedDifference:
    """Compare scores pair by pair; pairs with the same number in *blocks* are drawn together, *bounds* are a score's.

    The interval is the bias-corrected and accelerated one (Efron 1987) with Student's quantiles, as a resample is drawn
    from as few blocks as there are. If it is undefined (fewer than two blocks, constant differences, a score that is
    not a number) it is `mean_interval`'s, and nan is neither ahead nor behind.
    """
    first, second = (np.asarray(scores, dtype=np.float64).ravel() for scores in (a, b))
    labels = np.arange(len(first)) if blocks is None else np.asarray(blocks).ravel()
    if not len(first) == len(second) == len(labels):
        raise BadDefinition("paired bootstrap", f"{len(first)}, {len(second)} and {len(labels)} values do not pair")
    limits = difference_bounds(bounds) if bounds is not None else None
    plain = mean_interval(first - second, labels, level=level, bounds=limits)
    if not isfinite(plain.mean) or resamples < 1:
        return PairedDifference(plain, nan, 0)
    cluster = np.unique(labels, return_inverse=True)[1].ravel()
    sums, sizes = (np.bincount(cluster, column).astype(np.float64) for column in (first - second, np.ones(len(first))))
    means = resampled_means(sums, sizes, resamples, seed)
    ahead = 1.0 - share_below(means, 0.0)
    rest = sums - plain.mean * sizes
    if plain.blocks < 2 or np.ptp(means) <= 1e-12 * np.abs(means).max():
        return PairedDifference(plain, ahead, resamples)
    low, high = bca_interval(means, plain.mean, rest, level)
    return PairedDifference(msgspec.structs.replace(plain, low=low, high=high), ahead, resamples)


def resampled_means(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """The mean over blocks drawn with replacement, many times."""
    rng = stream(seed, "bootstrap")
    many = len(sums)
    rows = max(1, AT_ONCE // many)
    means = np.empty(resamples)
    for start in range(0, resamples, rows):
        drawn = rng.integers(many, size=(min(rows, resamples - start), many))
        means[start : start + rows] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means


def share_below(means: Floats, value: float) -> float:
    """The fraction of *means* below *value*; ties count half, and rounding errors do not break them."""
    tied = np.abs(means - value) <= 1e-9 * np.abs(means).max()
    return float(np.mean((means < value) & ~tied) + np.mean(tied) / 2.0)


def bca_interval(means: Floats, mean: float, rest: Floats, level: float) -> tuple[float, float]:
    """Efron's interval from the resampled means and every block's contribution to the error."""
    check(level, None)
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
