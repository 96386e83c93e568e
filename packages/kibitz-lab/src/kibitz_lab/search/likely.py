"""Rules that say which of several siblings count as likely (Pedersen 2008, section 11.1); `asymmetric` needs one.

A rule takes a list of likelihoods, which need not add up to 1; most rules use only their order and ties. It learns
what was played, and starts again with every game.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.specs import Configurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Share = Annotated[float, Meta(gt=0.0, le=1.0)]
ROUNDING = 1e-13
"""The tolerance of sums: half of four equal numbers is half, in whatever order they are added up."""


def pessimistic_ratios(likelihoods: Sequence[float]) -> list[Fraction]:
    """pr(L, L_i) = |{p in L : p >= L_i}| / |L| of each (formula 11.1), as exact fractions.

    >>> [str(ratio) for ratio in pessimistic_ratios([1e-6, 1e-8, 1e-8, 1e-10])]
    ['1/4', '3/4', '3/4', '1']
    """
    ranked = sorted(likelihoods, reverse=True)
    last = {likelihood: place for place, likelihood in enumerate(ranked, 1)}
    return [Fraction(last[likelihood], len(ranked)) for likelihood in likelihoods]


class LikelyRule(Configurable, ABC):
    """Says which siblings are likely."""

    def begin(self, rng: core.Rng) -> None:
        """Start a new game: forget everything."""
        self.rng = rng

    @abstractmethod
    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        """Whether each sibling counts as likely. All False means that the rule abstains."""

    def observe_choice(self, likelihoods: Sequence[float], chosen: int) -> None:
        """Learn which sibling was played."""


class MaxRatio(LikelyRule):
    """Siblings with a pessimistic ratio below a constant are likely, the thesis's MAX_PR."""

    def __init__(self, max_pr: Share = 0.3) -> None:
        self.max_pr = max_pr

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        return [ratio < self.max_pr for ratio in pessimistic_ratios(likelihoods)]


class SeenBefore(LikelyRule):
    """Siblings with a pessimistic ratio below 1 that was already played in this game are likely.

    Equal ratios are equal whatever the number of siblings: 2/4 is 1/2.
    """

    def begin(self, rng: core.Rng) -> None:
        super().begin(rng)
        self.histogram: Counter[Fraction] = Counter()
        """How often each ratio was played, 1 included (figure 11.1 leaves it out)."""

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        return [ratio < 1 and self.histogram[ratio] > 0 for ratio in pessimistic_ratios(likelihoods)]

    def observe_choice(self, likelihoods: Sequence[float], chosen: int) -> None:
        self.histogram[pessimistic_ratios(likelihoods)[chosen]] += 1

    def table(self, most: int) -> "NDArray[np.bool_]":
        """The same for kernels: true at [r, c] if rank r among c siblings is likely, up to *most* siblings."""
        import numpy as np

        found = np.zeros((most + 1, most + 1), np.bool_)
        for ratio, count in self.histogram.items():
            for times in range(1, most // ratio.denominator + 1 if count and ratio < 1 else 1):
                found[times * ratio.numerator, times * ratio.denominator] = True
        return found


class Mass(LikelyRule):
    """The likeliest siblings that together have at least this share of the probability; ties are in or out together."""

    def __init__(self, mass: Share = 0.6) -> None:
        self.mass = mass

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        total = sum(likelihoods)
        if total <= 0.0 or min(likelihoods) == max(likelihoods):
            return [False] * len(likelihoods)
        reached, least = 0.0, 0.0
        for likelihood in sorted(likelihoods, reverse=True):
            if reached >= self.mass * total * (1.0 - ROUNDING):
                break
            reached, least = reached + likelihood, likelihood
        return [likelihood >= least for likelihood in likelihoods]


class RandomLike(LikelyRule):
    """A control: as many siblings as another rule would name, drawn at random."""

    def __init__(self, rule: LikelyRule) -> None:
        self.rule = rule

    def begin(self, rng: core.Rng) -> None:
        super().begin(rng)
        self.rule.begin(rng)

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        named = self.rule.likely(likelihoods)
        return [named[place] for place in self.rng.permutation(len(named)).tolist()]

    def observe_choice(self, likelihoods: Sequence[float], chosen: int) -> None:
        self.rule.observe_choice(likelihoods, chosen)
