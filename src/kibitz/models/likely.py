"""Which of some siblings count as likely, by how likely each is relative to the others (Pedersen 2008, section 11.1).

A rule answers for a list of likelihoods, which need not add up to 1; only their order and ties matter to most. It is
told what was played, and begun again for every game.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.registry.specs import Configurable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Share = Annotated[float, Meta(gt=0.0, le=1.0)]
ROUNDING = 1e-13
"""By so much a sum may fall short of what it should be: half of four alike is half, however they are added up."""


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
        """Forget everything: a new game begins."""
        self.rng = rng

    @abstractmethod
    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        """Whether each sibling counts as likely. All False is to abstain."""

    def observe_choice(self, likelihoods: Sequence[float], chosen: int) -> None:
        """Be told which sibling was played."""


class MaxRatio(LikelyRule):
    """Likely is what has a pessimistic ratio below a constant, the thesis's MAX_PR."""

    def __init__(self, max_pr: Share = 0.3) -> None:
        self.max_pr = max_pr

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        return [ratio < self.max_pr for ratio in pessimistic_ratios(likelihoods)]


class SeenBefore(LikelyRule):
    """Likely is what has a pessimistic ratio below 1 that has been played already in this game.

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
        """The same for kernels: whether rank r among c siblings is likely, at [r, c], up to *most* siblings."""
        import numpy as np

        found = np.zeros((most + 1, most + 1), np.bool_)
        for ratio, count in self.histogram.items():
            for times in range(1, most // ratio.denominator + 1 if count and ratio < 1 else 1):
                found[times * ratio.numerator, times * ratio.denominator] = True
        return found


class Mass(LikelyRule):
    """Likely are the likeliest that together have at least so much of the probability; ties stand or fall together."""

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
    """A control: as many siblings as another rule would name, but any of them."""

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
