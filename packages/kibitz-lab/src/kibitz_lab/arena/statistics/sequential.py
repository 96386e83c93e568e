"""A sequential test in both directions, with an interval that is valid after every block.

Four claims are bet on: the mean is more than 0, less than 0, less than *least*, more than -*least*. A bet's capital is
the mixture, over several sizes d of the difference, of capitals that grow by log(1 + b (x - m)) with every score x.
The stake b = d / (v + d²), with the variance v of the blocks so far, makes that the growth of the log-likelihood ratio
of d against 0 to second order; as b is chosen before x is seen, the capital does not grow on average if the claim is
wrong, whatever the distribution (Waudby-Smith & Ramdas 2024). Half of it is staked on *least* itself, the other half
on a quarter and a half of it, and on its doubles up to the largest possible, so that a large difference is found soon
and a small one at last (a mixture test: Robbins 1970). A mixture of fair games is a fair game, so each capital reaches
2 / alpha with probability alpha / 2 at most if its claim is wrong (Ville 1939).

The same bets against any value m instead of 0 leave the values that could not be ruled out. They hold the true mean at
all times with probability 1 - alpha, whenever you stop (a confidence sequence: Waudby-Smith & Ramdas 2024). The claims
follow from the interval: 0 outside of it, or -*least* and *least* both outside.
"""

from math import log

import numpy as np

from kibitz.core.errors import BadDefinition
from kibitz_lab.arena.statistics.intervals import Bounds, Estimate, Floats, check

BOLD = 0.75
"""The largest share of its capital that a bet may lose."""
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
"""Signs of the four claims: more than 0, less than 0, less than the least, more than minus the least."""
FINEST = 4.0
"""The smallest difference bet on is *least* divided by this."""
HALVINGS = 30
"""Precision of an interval's ends, as a share of the bounds."""


class Sequential:
    """Takes independent block scores one by one; its claims and its interval are valid whenever you stop.

    *bounds* are the lowest and highest score, *width* is a half width that the interval should be able to reach.

    >>> test = Sequential(0.2, bounds=(-2.0, 2.0))
    >>> for score in [1.0, 2.0, 0.0] * 10:
    ...     test.add(score)
    >>> test.above, test.below, test.alike, str(test.estimate(2))
    (True, False, False, '+1.00, 95 % interval 0.42 to 1.47')
    """

    def __init__(
        self, least: float, *, alpha: float = 0.05, bounds: Bounds = (-1.0, 1.0), width: float | None = None
    ) -> None:
        check(1.0 - alpha, bounds)
        if not (bounds[0] < -least < 0.0 < least < bounds[1]):
            most = min(-bounds[0], bounds[1])
            raise BadDefinition("comparison", f"the least difference must be between 0 and {most:g}, not {least:g}")
        if width is not None and not 0.0 < width < bounds[1] - bounds[0]:
            raise BadDefinition("comparison", f"a half width must be between 0 and {bounds[1]:g}, not {width:g}")
        self.least, self.alpha, self.bounds, self.width = least, alpha, bounds, width
        self.gaps = gaps(least, bounds, width)
        others = len(self.gaps) - 1
        self.weights = np.log(np.where(self.gaps == least, 0.5, 0.5 / others))
        self.scores: list[float] = []
        self.variances: list[float] = []
        """The variance estimate before every score."""
        self.mean = self.squares = 0.0
        self.values = np.array([0.0, 0.0, -least, -least])
        """The threshold that each claim's signed mean exceeds."""
        self.reach = self.values - np.array([bounds[0], -bounds[1], -bounds[1], bounds[0]])
        self.capital = np.zeros((4, len(self.gaps)))
        self.ratios = np.zeros(4)
        """Current log-likelihood ratios of the four claims."""
        self.peaks = np.zeros(4)

    @property
    def limit(self) -> float:
        """The log-likelihood ratio that decides."""
        return log(2.0 / self.alpha)

    @property
    def blocks(self) -> int:
        """The number of scores so far."""
        return len(self.scores)

    @property
    def above(self) -> bool:
        """Whether the mean is more than 0."""
        return bool(self.peaks[0] >= self.limit)

    @property
    def below(self) -> bool:
        """Whether the mean is less than 0."""
        return bool(self.peaks[1] >= self.limit)

    @property
    def alike(self) -> bool:
        """Whether the mean is less than the least difference, either way."""
        return bool(min(self.peaks[2], self.peaks[3]) >= self.limit)

    @property
    def is_decided(self) -> bool:
        """Whether any claim is decided."""
        return self.above or self.below or self.alike

    def add(self, score: float) -> None:
        """Take the score of the next block."""
        low, high = self.bounds
        if not low <= score <= high:
            raise BadDefinition("comparison", f"a block score of {score:g} is not within {self.bounds}")
        variance = self.variance()
        bets = np.minimum(self.gaps / (variance + self.gaps**2), BOLD / self.reach[:, None])
        self.capital += np.log1p(bets * (SIGNS * score - self.values)[:, None])
        self.ratios = log_weighted_sum(self.capital, self.weights[None, :], axis=1)
        self.peaks = np.maximum(self.peaks, self.ratios)
        self.scores.append(score)
        self.variances.append(variance)
        step = score - self.mean
        self.mean += step / self.blocks
        self.squares += step * (score - self.mean)

    def variance(self) -> float:
        """The variance of the scores so far, plus a share of the largest possible one that fades as 1 / blocks²."""
        seen = max(self.blocks, 1)
        return self.squares / seen + (self.bounds[1] - self.bounds[0]) ** 2 / 4.0 / seen**2

    def interval(self, blocks: int | None = None) -> tuple[float, float]:
        """The means that are not ruled out after *blocks* blocks, by default all."""
        low, high = self.bounds
        scores, variances = (np.array(column[:blocks]) for column in (self.scores, self.variances))
        if not len(scores):
            return self.bounds
        return self._lower(scores, variances, low, high), -self._lower(-scores, variances, -high, -low)

    def _lower(self, scores: Floats, variances: Floats, low: float, high: float) -> float:
        """The largest mean that is ruled out as too low: the capital against a mean falls as the mean rises."""
        bets = self.gaps[:, None] / (variances[None, :] + self.gaps[:, None] ** 2)

        def ruled_out(mean: float) -> bool:
            bold = BOLD / max(mean - low, 1e-12 * (high - low))
            capital = np.cumsum(np.log1p(np.minimum(bets, bold) * (scores - mean)), axis=1)
            return bool(log_weighted_sum(capital, self.weights[:, None], axis=0).max() >= self.limit)

        if not ruled_out(low):
            return low
        start, end = low, high
        for _ in range(HALVINGS):
            middle = (start + end) / 2.0
            start, end = (middle, end) if ruled_out(middle) else (start, middle)
        return start

    def estimate(self, matches: int = 1) -> Estimate:
        """The mean of the scores with the interval; a block has *matches* matches."""
        low, high = self.interval()
        return Estimate(self.mean, low, high, self.blocks * matches, self.blocks, 1.0 - self.alpha, self.bounds)


def gaps(least: float, bounds: Bounds, width: float | None) -> Floats:
    """The differences that are bet on, *least* among them."""
    found = [least]
    while found[0] > min(least / FINEST, width or least):
        found.insert(0, found[0] / 2.0)
    while 2.0 * found[-1] < bounds[1]:
        found.append(2.0 * found[-1])
    return np.array(found)


def log_weighted_sum(capital: Floats, weights: Floats, axis: int) -> Floats:
    """The log of the weighted sum of capitals given as logs."""
    terms = capital + weights
    most = terms.max(axis=axis, keepdims=True)
    total: Floats = np.log(np.exp(terms - most).sum(axis=axis)) + most.squeeze(axis)
    return total
