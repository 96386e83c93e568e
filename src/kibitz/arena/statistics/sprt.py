"""A sequential test: stop as soon as it is clear whether A is better than B by a margin.

A generalised sequential probability ratio test that keeps its error rates without knowing the distribution. With a
known variance v and small differences, the log-likelihood ratio of mean d1 against d0 grows by

    b (x - d0) - b² v / 2,  b = (d1 - d0) / v

with every block score x, which is log(1 + b (x - d0)) to second order. The latter is the growth of the log
capital of a gambler who stakes b on more than d0. If the mean is d0 or less, that game is not in their favour, whatever
the distribution, as long as b was chosen before x was seen; so their capital ever reaches 1 / alpha with probability
alpha at most (Ville 1939; as a test of means: Waudby-Smith & Ramdas 2024). We stake that b, with the variance of the
blocks so far, and against d1 in the same way. The error rates hold from the first block on, for one-sided and skewed
scores too, for which a likelihood ratio with an estimated variance errs early.
"""

from math import inf, log, log1p, log10
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kibitz.arena.statistics.estimates import Floats
from kibitz.arena.statistics.intervals import Bounds, check
from kibitz.arena.statistics.table import Results, result_columns
from kibitz.arena.statistics.versus import difference_bounds, meetings
from kibitz.core.errors import BadDefinition

Decision = Literal["better", "not better", "undecided"]

BOLD = 0.75
"""The largest share of its capital that a bet may lose."""


class Sprt:
    """Takes independent block scores (such as means of differences) one by one and says when they suffice.

    *bounds* are the lowest and highest block score. If the mean is *d0* or less, `better` is wrong with probability
    *alpha* at most; if it is *d1* or more, `not better` is with *beta* at most. In between, either may result.

    >>> test = Sprt(d1=0.2, bounds=(-2.0, 2.0))
    >>> [test.add(score) for score in (2.0, 0.0, 2.0)], round(test.llr, 2), round(test.progress(), 2)
    (['undecided', 'undecided', 'undecided'], 0.27, 0.09)
    """

    def __init__(
        self,
        d1: float,
        d0: float = 0.0,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        bounds: Bounds = (-1.0, 1.0),
    ) -> None:
        check(1.0 - alpha, bounds)
        check(1.0 - beta, bounds)
        if not bounds[0] < d0 < d1 < bounds[1]:
            raise BadDefinition("sequential test", f"d0 and d1 must rise within {bounds}, not {d0:g} and {d1:g}")
        self.d1, self.d0, self.alpha, self.beta, self.bounds = d1, d0, alpha, beta, bounds
        self.blocks = 0
        self.state: Decision = "undecided"
        self.pro = self.contra = 0.0
        """Log capital of the bets on more than d0 and on less than d1."""
        self.mean = self.squares = 0.0

    @property
    def llr(self) -> float:
        """The log-likelihood ratio, evidence for d1 if positive and for d0 if negative."""
        return self.pro if self.pro >= self.contra else -self.contra

    @property
    def limits(self) -> tuple[float, float]:
        """The ratios that decide: `not better` at the first, `better` at the second."""
        return log(self.beta), -log(self.alpha)

    def progress(self) -> float:
        """The progress towards the nearer decision, from 0 to 1."""
        if self.state != "undecided":
            return 1.0
        return min(1.0, max(0.0, self.pro / self.limits[1], self.contra / -self.limits[0]))

    def add(self, score: float) -> Decision:
        """Take the score of the next block. A decision is final."""
        low, high = self.bounds
        if not low <= score <= high:
            raise BadDefinition("sequential test", f"a block score of {score} is not within {self.bounds}")
        gap = self.d1 - self.d0
        bet = gap / (self.variance() + gap * gap)
        self.pro += log1p(min(bet, BOLD / (self.d0 - low)) * (score - self.d0))
        self.contra += log1p(min(bet, BOLD / (high - self.d1)) * (self.d1 - score))
        self.blocks += 1
        step = score - self.mean
        self.mean += step / self.blocks
        self.squares += step * (score - self.mean)
        if self.state == "undecided" and self.pro >= self.limits[1]:
            self.state = "better"
        elif self.state == "undecided" and self.contra >= -self.limits[0]:
            self.state = "not better"
        return self.state

    def add_all(self, scores: ArrayLike) -> Decision:
        """Take block scores in order until they decide."""
        for score in np.asarray(scores, dtype=np.float64).tolist():
            if self.add(score) != "undecided":
                break
        return self.state

    def variance(self) -> float:
        """The variance of the scores so far, plus a share of the largest possible one that fades as 1 / blocks²."""
        seen = max(self.blocks, 1)
        largest = (self.bounds[1] - self.bounds[0]) ** 2 / 4.0
        return self.squares / seen + largest / seen**2

    def __str__(self) -> str:
        low, high = self.limits
        return f"{self.state} after {self.blocks} blocks: log ratio {self.llr:.2f} between {low:.2f} and {high:.2f}"


def sprt(
    results: Results,
    a: str,
    b: str,
    d1: float,
    d0: float = 0.0,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    bounds: Bounds = (-1.0, 1.0),
) -> Sprt:
    """The test of A's returns minus B's, over the blocks both played in, in order; *bounds* are a return's.

    It stops at the deciding block and ignores later ones.
    """
    differences, blocks = meetings(result_columns(results), a, b)
    test = Sprt(d1, d0, alpha=alpha, beta=beta, bounds=difference_bounds(bounds))
    test.add_all(block_means(differences, blocks))
    return test


def block_means(scores: ArrayLike, blocks: ArrayLike) -> Floats:
    """The mean score of every block, in the order of the blocks' numbers."""
    labels = np.unique(np.asarray(blocks), return_inverse=True)[1].ravel()
    return np.bincount(labels, np.asarray(scores, dtype=np.float64)) / np.maximum(np.bincount(labels), 1)


def difference_of_elo(elo: float, win: float = 1.0, loss: float = -1.0) -> float:
    """The expected difference of two players' returns for an Elo difference, if a match is won or lost.

    >>> round(difference_of_elo(100), 3)
    0.56
    """
    expected = 1.0 / (1.0 + 10.0 ** (-elo / 400.0))
    return float((win - loss) * (2.0 * expected - 1.0))


def elo_of_difference(difference: float, win: float = 1.0, loss: float = -1.0) -> float:
    """The Elo difference for an expected difference of two players' returns; infinite if all is won or lost."""
    expected = (difference / (win - loss) + 1.0) / 2.0
    if not 0.0 < expected < 1.0:
        return inf if expected >= 1.0 else -inf
    return -400.0 * log10(1.0 / expected - 1.0)
