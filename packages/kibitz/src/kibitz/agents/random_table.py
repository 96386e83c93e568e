"""The agent `random_table`: a fixed random policy for every situation, for players that no model has seen before."""

from hashlib import blake2b
from typing import Annotated, Literal

import msgspec

from kibitz import core
from kibitz.core.seeds import stream

MOST = 64
"""Most actions that get a probability of their own; the others share REST."""
REST = 0.1


class RandomTable(core.Strategy):
    """Has a random probability for each action in each situation, the same whenever that situation occurs again.

    A situation is what this player sees (*by* view), or what everyone did in the last *memory* events, chance aside
    (*by* history). The probabilities are random numbers to the power *sharpness*; *seed* chooses the table.
    """

    def __init__(
        self,
        by: Literal["view", "history"] = "view",
        memory: Annotated[int, msgspec.Meta(ge=0, le=20)] = 1,
        sharpness: Annotated[float, msgspec.Meta(ge=0.0, le=50.0)] = 2.0,
        seed: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] = 0,
    ) -> None:
        self.by, self.memory, self.sharpness, self.seed = by, memory, sharpness, seed

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.history: tuple[tuple[int | None, ...], ...] = ()

    def observe(self, transition: core.Transition) -> None:
        if transition.player != core.CHANCE and self.memory:
            self.history = (*self.history, self.seen_from_here(transition))[-self.memory :]

    def seen_from_here(self, transition: core.Transition) -> tuple[int | None, ...]:
        """The actions of an event, this player's first, so that the table is the same in every seat."""
        if transition.player == core.SIMULTANEOUS:
            return (*transition.actions[self.player :], *transition.actions[: self.player])
        return (int(transition.player == self.player), *transition.actions)

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        situation = view.key() if self.by == "view" else self.history
        rng = stream(self.seed, "table", blake2b(repr((situation, len(legal))).encode(), digest_size=8).hexdigest())
        if len(legal) <= MOST:
            named, rest = list(legal), 0.0
        else:
            named, rest = sorted({legal[int(rng.random() * len(legal))] for _ in range(MOST)}), REST
        weights = [max(rng.random(), 1e-9) ** self.sharpness for _ in named]
        total = sum(weights)
        return core.Distribution(
            {action: (1.0 - rest) * weight / total for action, weight in zip(named, weights, strict=True)}, legal, rest
        )
