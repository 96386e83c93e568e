"""What `strategy_filter` holds: worlds, what their players may do next, and caches of that."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from kibitz import core
from kibitz.models.strangers import Stranger

KNOWN, USUAL = 4096, 64
"""How many positions the cache of memoryless strategies holds, and of how many actions; of more, it holds fewer."""


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


class TypePolicies(dict[tuple[int, core.Key], core.Distribution]):
    """A cache of what single strategies without memory would do in recent positions; a copy starts empty."""

    def __deepcopy__(self, memo: dict[int, object]) -> "TypePolicies":
        return TypePolicies()


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

    def stranger_prediction(
        self, stranger: Stranger, view: core.State, policies: Sequence[core.Distribution]
    ) -> core.Distribution:
        """What a stranger would do where the strategies would do this."""
        here = id(stranger), view.key()
        found = self.expected.get(here)
        if found is None:
            if len(self.expected) >= KNOWN:
                self.expected.clear()
            found = self.expected[here] = stranger.predict(view, policies)
        return found

    def teach_copy(
        self, stranger: Stranger, view: core.State, action: int, policies: Sequence[core.Distribution]
    ) -> tuple[float, Stranger]:
        """The probability of a choice by a stranger, and a copy of the stranger after it."""
        here = id(stranger), view.key(), action
        found = self.learned.get(here)
        if found is None:
            copied = stranger.copy()
            found = self.learned[here] = copied.learn(view, action, policies), copied
        return found

    def show_copy(self, stranger: Stranger, told: core.Transition) -> Stranger:
        """A copy of a stranger who has seen an event, one for all worlds in which it looks the same."""
        here = id(stranger), told.actions
        found = self.observed.get(here)
        if found is None:
            found = self.observed[here] = stranger.copy()
            found.observe(told)
        return found


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


def as_seen_by(
    player: int,
    before: core.State,
    after: core.State,
    transition: core.Transition,
    movers: tuple[int, ...],
    actions: tuple[int, ...],
) -> core.Transition:
    """The event as *player* would have seen it in a world."""
    pairs = zip(movers, actions, strict=True)
    seen = tuple(before.seen_action(player, mover, action) for mover, action in pairs)
    seen_states = {"earlier": before.view(player), "later": after.view(player)}
    return msgspec.structs.replace(transition, actions=seen, **seen_states)


def resample_worlds(found: list[World], most: int, rng: core.Rng) -> list[World]:
    """The worlds to keep; if there are more than *most*, a systematic resample."""
    if len(found) <= most:
        return [world for world in found if world.weight > 0.0]
    step = 1.0 / most
    position, passed, kept = rng.random() * step, 0.0, []
    for world in found:
        passed += world.weight
        hits = 0
        while position < passed:
            position += step
            hits += 1
        if hits:
            world.weight = hits * step
            kept.append(world)
    return kept
