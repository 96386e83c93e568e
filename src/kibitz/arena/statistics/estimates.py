"""Estimates: a mean with its interval."""

from collections.abc import Iterator
from math import inf, isfinite, isnan, nan

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Bounds = tuple[float, float]

LEAST_BLOCKS = 5
"""The fewest independent blocks that an interval should have."""
MOST_NEEDED = 1_000_000


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
    bounds: Bounds | None = None
    """The least and the largest possible score, if both are known; no interval goes beyond them."""

    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return isfinite(self.low) and isfinite(self.high)

    def is_vacuous(self) -> bool:
        """Whether the interval says nothing: an end is unknown, or it is all that is possible."""
        if self.bounds is None or not self.is_finite():
            return not self.is_finite()
        return self.high - self.low >= (self.bounds[1] - self.bounds[0]) * (1.0 - 1e-9)

    def within(self, bounds: Bounds) -> "Estimate":
        """The same with an interval between *bounds*, of which an end may be infinite.

        The true mean does not lie beyond them, so the rest of the interval holds it as often as the whole.

        >>> print(Estimate(130.0, -767.0, 400.0, 4, 2).within((-80.0, 220.0)))
        +130.00, too few games to say (3 more needed)
        """
        low, high = max(self.low, bounds[0]), min(self.high, bounds[1])
        known = bounds if all(map(isfinite, bounds)) else None
        return msgspec.structs.replace(self, low=low, high=high, bounds=known)

    def missing_blocks(self, least: int = LEAST_BLOCKS) -> int:
        """How many more blocks an interval that says nothing needs to say something."""
        if self.blocks < least or self.bounds is None:
            return max(least - self.blocks, 1) if self.blocks < least else self.blocks
        return self.blocks_for((self.bounds[1] - self.bounds[0]) / 4.0)

    def blocks_for(self, half: float) -> int:
        """How many more blocks make the interval as narrow as *half* to each side, rounded to two digits.

        >>> Estimate(0.5, 0.3, 0.7, 100, 100).blocks_for(0.1)
        300
        """
        if half <= 0.0:
            return MOST_NEEDED
        more = min(float(MOST_NEEDED), self.blocks * (((self.high - self.low) / 2.0 / half) ** 2 - 1.0))
        return max(1, int(f"{more:.0f}") if more < 100.0 else int(float(f"{more:.1e}")))

    def interval_text(self, places: int) -> str:
        """`0.12 to 0.50`, or how many games are missing if the interval says nothing."""
        if self.is_vacuous():
            return too_few(self.missing_blocks())
        return f"{self.low:z.{places}f} to {self.high:z.{places}f}"

    def __str__(self) -> str:
        if isnan(self.mean):
            return "no score"
        what = "" if self.is_vacuous() else f"{percent(self.level)} interval "
        return f"{self.mean:+.{digits(self)}f}, {what}{self.interval_text(digits(self))}"


NOTHING = Estimate(nan, -inf, inf, 0, 0)


class Estimates(msgspec.Struct, frozen=True):
    """Many estimates as arrays."""

    mean: Floats
    low: Floats
    high: Floats
    matches: Counts
    blocks: Counts
    level: float
    bounds: Bounds | None = None

    def __getitem__(self, place: int) -> Estimate:
        mean, low, high = (float(column[place]) for column in (self.mean, self.low, self.high))
        return Estimate(mean, low, high, int(self.matches[place]), int(self.blocks[place]), self.level, self.bounds)

    def __len__(self) -> int:
        return len(self.mean)

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.mean, self.low, self.high, self.matches, self.blocks)
        for mean, low, high, matches, blocks in zip(*(column.tolist() for column in columns), strict=True):
            yield Estimate(mean, low, high, matches, blocks, self.level, self.bounds)


def digits(estimate: Estimate) -> int:
    """Decimals to print: two digits of the interval's half width, at least 2 and at most 6."""
    half = (estimate.high - estimate.low) / 2
    if not isfinite(half) or half <= 0.0:
        return 2
    return int(min(max(1 - np.floor(np.log10(half)), 2), 6))


def too_few(needed: int) -> str:
    """What stands in place of an answer.

    >>> too_few(40)
    'too few games to say (40 more needed)'
    """
    return f"too few games to say ({'over ' if needed >= MOST_NEEDED else ''}{min(needed, MOST_NEEDED):,} more needed)"


def percent(share: float) -> str:
    """A share in words: `95 %`."""
    return f"{100 * share:.4g} %"
