"""What `strategy_filter` holds: worlds, what their players may do next, and caches of that."""

from typing import NamedTuple

import msgspec

from kibitz import core
from kibitz.models.strangers import Stranger


class Policies(NamedTuple):
    """What players would do in a position: by each strategy, and in general; and the nodes this took."""

    meant: list[core.Distribution]
    anything: core.Distribution
    """What a slip leads to."""
    cost: int


class PolicyCache(dict[tuple[int, core.Key], Policies]):
    """A cache of what the strategies would do in recent positions; a copy starts empty."""

    def __deepcopy__(self, memo: dict[int, object]) -> "PolicyCache":
        return PolicyCache()


class MomentCache:
    """What was worked out since the last event about strangers, who are shared by worlds that look alike to them."""

    def __init__(self) -> None:
        self.policies = PolicyCache()
        self.expected: dict[tuple[int, core.Key], core.Distribution] = {}
        self.learned: dict[tuple[int, core.Key, int], tuple[float, Stranger]] = {}
        self.observed: dict[tuple[int, tuple[int | None, ...]], Stranger] = {}
        self.given: dict[int, list[tuple[float, float]]] = {}
        """For each world, the probability that predictions gave to what a mover chose and all see, and its weight."""

    def __deepcopy__(self, memo: dict[int, object]) -> "MomentCache":
        return MomentCache()


class Outcome(NamedTuple):
    """What a mover may have done, its probability, and the mover's posterior and stranger after it."""

    action: int
    probability: float
    posterior: list[float]
    stranger: Stranger | None = None
    given: float = 0.0
    """Its probability where hypotheses count as they do in predictions."""


class World(msgspec.Struct):
    """A state the match may be in: its weight, each player's strategies with their memory, and how likely each is."""

    weight: float
    state: core.State
    copies: list[list[core.Strategy]]
    posteriors: list[list[float]]
    strangers: list[Stranger]
    """Each player as one who follows none of the strategies."""
