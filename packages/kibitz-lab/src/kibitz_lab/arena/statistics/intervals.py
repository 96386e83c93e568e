"""Means of scores with confidence intervals. Blocks are independent, the matches of one block are not.

The mean is over all scores; its error comes from how the sums of whole blocks differ. Two intervals are used:

- Scores between known bounds that vary as wins and losses do: Wilson's interval (1927) for as many wins and losses as
  would have the same error, with Student's quantile.
- Other scores: Hall's transformation (1992), Student's t corrected for skewness; but where all variance comes from two
  or three blocks their skewness says little, and the interval is as wide as Student's too.

Constant scores have no error to be seen. Between known bounds their interval is what Wilson's would be if every block
had been one score; without bounds it is infinite. So it is for one block without bounds; with them it is the bounds.
A score that is nan, infinite or beyond 1e100 makes the mean of its group nan and the interval infinite.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf, isfinite, isnan, nan

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadDefinition

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

    def negative(self) -> "Estimate":
        """The estimate of the negative."""
        bounds = self.bounds and (-self.bounds[1], -self.bounds[0])
        return msgspec.structs.replace(self, mean=-self.mean, low=-self.high, high=-self.low, bounds=bounds)

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


def difference_bounds(bounds: Bounds) -> Bounds:
    """The bounds of a difference of two scores."""
    return bounds[0] - bounds[1], bounds[1] - bounds[0]


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


LARGE = 1e100
FEW = 3.0
"""The effective number of blocks behind the variance: one over the sum of their squared shares of it."""
PROPORTION = 10.0
"""Scores vary as wins and losses do, unless one counts as much as this many wins and losses would."""


def mean_interval(
    scores: ArrayLike, blocks: ArrayLike | None = None, *, level: float = 0.95, bounds: Bounds | None = None
) -> Estimate:
    """The mean of *scores*, clustered by the equally long *blocks*; without them every score is a block.

    >>> str(mean_interval([1, 1, 0, 1, 0, 1, 1, 1], blocks=[0, 0, 1, 1, 2, 2, 3, 3], bounds=(0, 1)))
    '+0.75, 95 % interval 0.28 to 0.96'
    """
    values = np.asarray(scores, dtype=np.float64).ravel()
    if len(values) == 0:
        return NOTHING
    labels = np.arange(len(values)) if blocks is None else np.unique(np.asarray(blocks), return_inverse=True)[1]
    if len(labels) != len(values):
        raise BadDefinition("interval", f"{len(values)} scores cannot be in {len(labels)} blocks; name one for each")
    return Clusters(labels.ravel(), np.zeros(len(values), dtype=np.int64), 1).estimates(values, level, bounds)[0]


class Clusters:
    """Rows by group and block, sorted once for any number of columns of scores."""

    def __init__(self, blocks: NDArray[np.integer], groups: NDArray[np.integer], size: int) -> None:
        """*groups* are numbers below *size*; *blocks* are numbers from 0."""
        self.size, self.groups = size, groups
        many = int(blocks.max()) + 1 if len(blocks) else 1
        keys, self.cluster = np.unique(groups.astype(np.int64) * many + blocks, return_inverse=True)
        self.group = keys // many
        self.matches = np.bincount(groups, minlength=size)
        self.blocks = np.bincount(self.group, minlength=size)
        self.sizes = np.bincount(self.cluster, minlength=len(keys))

    def estimates(self, scores: Floats, level: float = 0.95, bounds: Bounds | None = None) -> Estimates:
        """The mean of the *scores* of every group."""
        check(level, bounds)
        broken = ~(np.abs(scores) < LARGE)
        bad = np.bincount(self.groups[broken], minlength=self.size) > 0
        kept = np.where(broken, 0.0, scores)
        sums = np.bincount(self.cluster, kept, minlength=len(self.group)).astype(np.float64)
        mean = self.total(sums) / np.maximum(self.matches, 1)
        rest = sums - mean[self.group] * self.sizes
        scale = np.zeros(self.size)
        np.maximum.at(scale, self.group, np.abs(sums))
        rest[np.abs(rest) <= 1e-12 * scale[self.group]] = 0.0  # rounding errors are not variance
        blocks, matches = self.blocks, np.maximum(self.matches, 1)
        variance = self.total(rest**2) * blocks / np.maximum(blocks - 1, 1) / matches**2
        rest = np.ldexp(rest, -np.frexp(scale)[1][self.group])  # powers of tiny numbers would vanish
        squares, cubes = self.total(rest**2), self.total(rest**3)
        skewness = cubes / np.where(squares > 0.0, squares, 1.0) ** 1.5 * np.sqrt(blocks)
        quantile = quantiles(level, blocks)
        low, high = hall(mean, variance, skewness, blocks, quantile)
        few = squares**2 < FEW * self.total(rest**4)
        error = np.sqrt(variance) * quantile
        low, high = (
            np.where(few, np.minimum(low, mean - error), low),
            np.where(few, np.maximum(high, mean + error), high),
        )
        if bounds is not None:
            low, high = bounded_interval(mean, variance, low, high, blocks, matches, quantile, bounds)
        unknown = blocks < 2 if bounds is not None else variance == 0.0
        ends = bounds if bounds is not None else (-np.inf, np.inf)
        low, high = np.where(unknown, ends[0], low), np.where(unknown, ends[1], high)
        empty = bad | (self.matches == 0)
        low, high = np.where(empty, -np.inf, low), np.where(empty, np.inf, high)
        return Estimates(np.where(empty, np.nan, mean), low, high, self.matches, self.blocks, level, bounds)

    def total(self, values: Floats) -> Floats:
        """The sum of one value per cluster over the clusters of every group."""
        return np.bincount(self.group, values, minlength=self.size).astype(np.float64)


def hall(mean: Floats, variance: Floats, skewness: Floats, blocks: Counts, quantile: Floats) -> tuple[Floats, Floats]:
    """Ends of Hall's interval (1992, "On the removal of skewness by transformation"); *variance* is the mean's."""
    slope = skewness / np.sqrt(np.maximum(blocks, 1)) / 3.0
    flat = np.abs(slope) < 1e-9
    divisor = np.where(flat, 1.0, slope)

    def inverse(y: Floats) -> Floats:
        return np.where(flat, y, (np.cbrt(1.0 + 3.0 * slope * (y - slope / 2.0)) - 1.0) / divisor)

    error = np.sqrt(variance)
    return mean - error * inverse(quantile), mean - error * inverse(-quantile)


def bounded_interval(
    mean: Floats,
    variance: Floats,
    low: Floats,
    high: Floats,
    blocks: Counts,
    matches: Counts,
    quantile: Floats,
    bounds: Bounds,
) -> tuple[Floats, Floats]:
    """Ends between the *bounds*: Wilson's if scores vary as wins and losses do, else *low* and *high*."""
    least, most = bounds
    span = most - least
    share = np.clip((mean - least) / span, 0.0, 1.0)
    constant = variance == 0.0
    spread = share * (1.0 - share)
    trials = np.where(constant, blocks, spread / np.where(constant, 1.0, variance / span**2))
    trials = np.maximum(trials, 1.0)  # rounding, and scores outside their bounds
    squared = quantile**2 / trials
    middle = (share + squared / 2.0) / (1.0 + squared)
    half = np.sqrt(squared * spread + squared**2 / 4.0) / (1.0 + squared)
    # A constant within the bounds: allow for as many differing blocks as could go unseen, each as far as possible.
    hidden = squared / (1.0 + squared)
    wilson_low = np.where(constant, share * (1.0 - hidden), middle - half)
    wilson_high = np.where(constant, share + (1.0 - share) * hidden, middle + half)
    fine = ~constant & (trials > PROPORTION * matches)
    low = np.where(fine, low, least + span * wilson_low)
    high = np.where(fine, high, least + span * wilson_high)
    return np.clip(low, least, most), np.clip(high, least, most)


def quantiles(level: float, blocks: Counts) -> Floats:
    """Student's quantile of the *level* for every number of blocks; 0 for fewer than two."""
    different, inverse = np.unique(blocks, return_inverse=True)
    found = [student_quantile((1.0 + level) / 2.0, int(n) - 1) if n > 1 else 0.0 for n in different]
    return np.asarray(found)[inverse.reshape(blocks.shape)]


@lru_cache(maxsize=4096)
def student_quantile(share: float, freedom: int) -> float:
    """The *share* quantile of Student's t with *freedom* >= 1 degrees of freedom.

    >>> round(student_quantile(0.975, 9), 6)
    2.262157
    """
    from scipy.special import stdtrit  # it takes longer to import than most commands take to run

    return float(stdtrit(freedom, share))


def check(level: float, bounds: Sequence[float] | None) -> None:
    """Raise BadDefinition for an invalid level or bounds."""
    if not 0.0 < level < 1.0:
        raise BadDefinition("interval", f"a level must be between 0 and 1, such as 0.95, not {level}")
    if bounds is not None and not -np.inf < bounds[0] < bounds[1] < np.inf:
        raise BadDefinition("interval", f"bounds must be finite, the lower one first, not {tuple(bounds)}")
