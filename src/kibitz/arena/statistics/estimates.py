"""Estimates: a mean with its interval."""

from collections.abc import Iterator
from math import inf, isfinite, isnan, nan

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class Estimate(msgspec.Struct, frozen=True):
    """A mean with its interval. Without scores the mean is nan; an unknown error is -inf to inf."""

    mean: float
    low: float
    high: float
    matches: int
    """Number of scores in the mean; an agent with two seats in a match has two."""
    blocks: int
    """Number of independent blocks among them."""
    level: float = 0.95

    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return isfinite(self.low) and isfinite(self.high)

    def __str__(self) -> str:
        if isnan(self.mean):
            return "no score"
        interval = f"{_interval_text(self)}" if self.is_finite() else "interval unknown"
        return f"{self.mean:+.{digits(self)}f}, {interval}"


NOTHING = Estimate(nan, -inf, inf, 0, 0)


class Estimates(msgspec.Struct, frozen=True):
    """Many estimates as arrays."""

    mean: Floats
    low: Floats
    high: Floats
    matches: Counts
    blocks: Counts
    level: float

    def __getitem__(self, place: int) -> Estimate:
        mean, low, high = (float(column[place]) for column in (self.mean, self.low, self.high))
        return Estimate(mean, low, high, int(self.matches[place]), int(self.blocks[place]), self.level)

    def __len__(self) -> int:
        return len(self.mean)

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.mean, self.low, self.high, self.matches, self.blocks)
        for mean, low, high, matches, blocks in zip(*(column.tolist() for column in columns), strict=True):
            yield Estimate(mean, low, high, matches, blocks, self.level)


def digits(estimate: Estimate) -> int:
    """Decimals to print: two digits of the interval's half width, at least 2 and at most 6."""
    half = (estimate.high - estimate.low) / 2
    if not isfinite(half) or half <= 0.0:
        return 2
    return int(min(max(1 - np.floor(np.log10(half)), 2), 6))


def _interval_text(estimate: Estimate) -> str:
    places = digits(estimate)
    return f"{percent(estimate.level)} interval {estimate.low:.{places}f} to {estimate.high:.{places}f}"


def percent(share: float) -> str:
    """A share in words: `95 %`."""
    return f"{100 * share:.4g} %"
