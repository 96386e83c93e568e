"""Whom an agent supposes to play against: the types in a model's belief, and the share it does not understand."""

from collections.abc import Hashable

import msgspec

from kibitz import core
from kibitz.core.insight import SupposedPlayer, ranked_claims

DRAWS = 200
"""The worlds that are drawn to see which types there are; the draws are spread evenly, so few are enough."""


class Supposition(msgspec.Struct, frozen=True):
    """A type that an opponent may be of, and how likely it is."""

    probability: float
    type: core.PlayerType


class Suppositions(msgspec.Struct, frozen=True):
    """Who one opponent may be; the probabilities add up to *trust*, the probability that the model understands them."""

    candidates: tuple[Supposition, ...]

    @property
    def trust(self) -> float:
        return sum(each.probability for each in self.candidates)

    def labels(self) -> dict[str, float]:
        """The probabilities by label."""
        probabilities: dict[str, float] = {}
        for each in self.candidates:
            probabilities[each.type.label] = probabilities.get(each.type.label, 0.0) + each.probability
        return probabilities

    def supposed_player(self, player: int) -> SupposedPlayer:
        """The same for explanations."""
        return SupposedPlayer(player, tuple(ranked_claims(self.labels())), self.trust)


def supposed_players(model: core.Model, view: core.State, rng: core.Rng) -> dict[int, Suppositions]:
    """Who each other player may be, by what *model* believes now."""
    worlds = model.sample_worlds(view, DRAWS, rng)
    counted: dict[int, dict[Hashable, tuple[int, core.PlayerType]]] = {}
    for player in range(model.game.players):
        if player != model.seat:
            counted[player] = {}
    for world in worlds:
        for player, each in world.types.items():
            count, kept = counted[player].get(id(each), (0, each))
            counted[player][id(each)] = count + 1, kept
    return {
        player: Suppositions(tuple(Supposition(count / len(worlds), each) for count, each in seen.values()))
        for player, seen in counted.items()
    }


class TypeStrategy(core.Strategy):
    """A type as a strategy, for functions that take one."""

    supposed = False

    def __init__(self, player_type: core.PlayerType) -> None:
        self.player_type = player_type

    def policy(self, view: core.State) -> core.Distribution:
        return self.player_type.policy(view)

    def clone(self) -> "TypeStrategy":
        return self  # it does not change

    def __repr__(self) -> str:
        return self.player_type.label


class RememberingTypeStrategy(TypeStrategy):
    """The same for a type that remembers the match."""

    def observe(self, transition: core.Transition) -> None:
        self.player_type.observe(transition)

    def clone(self) -> "RememberingTypeStrategy":
        copied = RememberingTypeStrategy(self.player_type.copy())
        if hasattr(self, "game"):
            copied.game, copied.player, copied.rng = self.game, self.player, self.rng
        return copied


def as_strategy(player_type: core.PlayerType) -> TypeStrategy:
    """A type as a strategy."""
    return RememberingTypeStrategy(player_type) if player_type.remembers else TypeStrategy(player_type)
