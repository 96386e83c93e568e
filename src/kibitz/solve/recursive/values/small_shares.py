"""Strategies beyond the end of the discounted path, where eta is smaller than doubles allow.

Near the limit every share is about `constant * eta**power`, with a power of 0 for those that stay. Both are read off
the path, so that the shares at any smaller eta follow.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats

DUST = 1e-13
"""Smaller shares are what rounding leaves."""
DENOMINATORS, NEAR = (1, 2, 3, 4, 6, 8), 0.02
"""Powers are simple fractions, such as a half where play waits once and a quarter where it waits twice; a measured one
is the first that is so near."""


class ShareLaws(msgspec.Struct, frozen=True):
    """The logarithm of every share's constant, and its power; shares of 0 have a constant of 0."""

    constants: Floats
    powers: Floats

    def at(self, eta: float, starts: NDArray[np.int64]) -> Floats:
        """The shares at a given eta."""
        with np.errstate(under="ignore"):
            shares: Floats = np.exp(np.minimum(self.constants + self.powers * np.log(eta), 0.0))
        sums = np.add.reduceat(shares, starts[:-1]) if len(shares) else shares
        whole = np.repeat(np.where(sums > 0.0, sums, 1.0), np.diff(starts))
        found: Floats = shares / whole
        return found


def share_laws(mixes: list[Floats], etas: list[float], depth: int) -> ShareLaws:
    """Read the laws off strategies along the path, by extrapolation of the constants, *depth* times."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(each) for each in mixes]
        slope = (logs[-1] - logs[-2]) / np.log(etas[-1] / etas[-2])
        powers = simple_fractions(np.where(np.isfinite(slope), np.maximum(slope, 0.0), 0.0))
        points = [each - powers * np.log(eta) for each, eta in zip(logs, etas, strict=True)]
    last = points[-1]
    for _ in range(depth):
        if len(points) >= 3:
            points = [extrapolated_limit(*each) for each in zip(points, points[1:], points[2:], strict=False)]
    return ShareLaws(np.where(np.isfinite(points[-1]), points[-1], last), powers)


def simple_fractions(numbers: Floats) -> Floats:
    """The nearest fractions of small denominators."""
    found = np.round(numbers * DENOMINATORS[-1]) / DENOMINATORS[-1]
    for denominator in reversed(DENOMINATORS):
        near = np.round(numbers * denominator) / denominator
        found = np.where(np.abs(near - numbers) < NEAR, near, found)
    return found


def extrapolated_limit(first: Floats, second: Floats, third: Floats) -> Floats:
    """Aitken's limit of a sequence whose differences fall by a constant factor; where they do not, its last entry."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        before, after = second - first, third - second
        limit = third - after * after / (after - before)
        falls = (np.abs(after) > 1e-15) & (np.abs(after) < 0.98 * np.abs(before))
    found: Floats = np.where(falls & np.isfinite(limit), limit, third)
    return found


def without_small_shares(mixes: Floats, least: Floats, starts: NDArray[np.int64]) -> Floats:
    """The strategies without shares below *least*; a state whose shares are all so small keeps its largest."""
    kept = np.where(mixes < least, 0.0, mixes)
    counts = np.diff(starts)
    sums = np.add.reduceat(kept, starts[:-1])
    whole = np.repeat(sums > 0.0, counts)
    kept = np.where(whole, kept, mixes)
    sums = np.repeat(np.add.reduceat(kept, starts[:-1]), counts)
    found: Floats = np.divide(kept, sums, out=np.zeros_like(kept), where=sums > 0.0)
    return found


def without_dust(mixes: Floats, starts: NDArray[np.int64]) -> Floats:
    """The strategies without the tiny shares that rounding leaves: such exits make equations singular."""
    return without_small_shares(mixes, np.full(len(mixes), DUST), starts) if len(mixes) else mixes
