"""How likely an attack is under an explanation: the weighting of Khan's program, and the thesis's alternatives.

All count attacks: *total* that a player may choose from and *consistent* ones among them. Each returns what one
consistent and one inconsistent attack count for (Khan 2013, 3.3.1.3, 3.3.3.1 and 6.1).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

Weighting: TypeAlias = Literal[
    "base", "uniform", "flat", "proportional", "proportional-printed", "tiered", "dynamic", "split"
]
LEFT = 1e-9
"""What is always left for inconsistent actions, however many consistent ones there are."""
FLAT = 0.98
TIERS = ((1 / 10, 0.4), (1 / 4, 0.3), (1 / 2, 0.2), (1.0, 0.1))
"""The fewer attacks are consistent, the more one of them says: up to this share of all, this weight."""


class Pending(NamedTuple):
    """The attacks that are open to a player, as one explanation sees them."""

    total: int
    consistent: int
    owned: float = 0.0
    """The player's share of the explanation's territories."""

    @property
    def share(self) -> float:
        """The part of all attacks that is consistent."""
        return self.consistent / self.total if self.total else 0.0


class Factors(NamedTuple):
    """What one consistent and one inconsistent attack count for."""

    consistent: float
    inconsistent: float


def base_weight(weight: float, pending: Pending) -> float:
    """What every attack counts for when *weight* is added to each consistent one (algorithm 3.3.3)."""
    return (1.0 - weight * pending.consistent) / max(1, pending.total)


def base(weight: float, pending: Pending) -> Factors:
    """The weight on top of what is left for all (algorithm 3.3.5), never more than there is."""
    weight = min(weight, (1.0 - LEFT) / pending.consistent) if pending.consistent else weight
    left = base_weight(weight, pending)
    return Factors(left + weight, left)


def uniform(weight: float, pending: Pending) -> Factors:
    """All attacks alike, so that they are no evidence."""
    return Factors(1.0 / max(1, pending.total), 1.0 / max(1, pending.total))


def flat(weight: float, pending: Pending) -> Factors:
    """The same factors whatever the choices were."""
    return Factors(1.0, FLAT)


def proportional(weight: float, pending: Pending) -> Factors:
    """The more attacks are consistent, the less each says."""
    share = 0.1 * pending.share
    return Factors(1.0 - share, 0.9 - share)


def proportional_printed(weight: float, pending: Pending) -> Factors:
    """The same as printed (6.1), where the two are swapped."""
    return Factors(*reversed(proportional(weight, pending)))


def by_tier(weight: float, pending: Pending) -> Factors:
    """A weight by how many attacks are consistent."""
    return base(next(tier for share, tier in TIERS if pending.share <= share), pending)


def dynamic_weight(share: float, owned: float) -> float:
    """The weight of Khan's later program.

    >>> f"{dynamic_weight(1 / 13, 9 / 10):.4f} {dynamic_weight(12 / 13, 4 / 10):.5f}"
    '0.0831 0.00308'
    """
    return 0.1 * (1.0 - share) * owned


def dynamic(weight: float, pending: Pending) -> Factors:
    """A weight that grows with what is held, and falls with how many attacks are consistent."""
    return base(dynamic_weight(pending.share, pending.owned), pending)


def split(weight: float, pending: Pending) -> Factors:
    """The weight split among the consistent attacks, and the rest among the others."""
    if not 0 < pending.consistent < pending.total:
        return uniform(weight, pending)
    return Factors(weight / pending.consistent, (1.0 - weight) / (pending.total - pending.consistent))


WEIGHTINGS: dict[Weighting, Callable[[float, Pending], Factors]] = {
    "base": base,
    "uniform": uniform,
    "flat": flat,
    "proportional": proportional,
    "proportional-printed": proportional_printed,
    "tiered": by_tier,
    "dynamic": dynamic,
    "split": split,
}
