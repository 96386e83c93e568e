"""Whom an agent supposes to play against: the types that a model's belief holds, and the share it does not understand."""

from collections.abc import Hashable

import msgspec

from kibitz import core

DRAWS = 200
"""The worlds that are drawn to see which types there are; the draws are spread evenly, so few are enough."""


class Supposition(msgspec.Struct, frozen=True):
    """One way an opponent may play, and how likely it is."""

    share: float
    type: core.PlayerType


class Suppositions(msgspec.Struct, frozen=True):
    """Who one opponent may be; the shares add up to *trust*, the probability that the model understands them."""

    found: tuple[Supposition, ...]

    @property
    def trust(self) -> float:
        return sum(each.share for each in self.found)

    def labels(self) -> dict[str, float]:
        """The shares by label, the largest first."""
        shares: dict[str, float] = {}
        for each in self.found:
            shares[each.type.label] = shares.get(each.type.label, 0.0) + each.share
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def words(self, most: int = 3) -> str:
        """`pennies.heads 80 %, unknown 12 %, not understood 8 %`."""
        named = [f"{label} {share:.0%}" for label, share in list(self.labels().items())[:most] if share >= 0.005]
        rest = 1.0 - self.trust
        return ", ".join([*named, *([f"not understood {rest:.0%}"] if rest >= 0.005 or not named else [])])


def supposed_players(model: core.Model, view: core.State, rng: core.Rng, draws: int = DRAWS) -> dict[int, Suppositions]:
    """Who each other player may be, by what *model* believes now."""
    worlds = model.sample_worlds(view, draws, rng)
    counted: dict[int, dict[Hashable, tuple[int, core.PlayerType]]] = {}
    for player in range(model.game.players):
        if player != model.seat:
            counted[player] = {}
    for world in worlds:
        for player, each in world.types.items():
            count, kept = counted[player].get(id(each), (0, each))
            counted[player][id(each)] = count + 1, kept
    return {
        player: Suppositions(tuple(Supposition(count / len(worlds), each) for count, each in found.values()))
        for player, found in counted.items()
    }


class SupposedPlayer(core.Strategy):
    """A type as a strategy, for functions that take one."""

    supposed = False

    def __init__(self, type: core.PlayerType) -> None:  # noqa: A002
        self.type = type

    def policy(self, view: core.State) -> core.Distribution:
        return self.type.policy(view)

    def clone(self) -> "SupposedPlayer":
        return self  # it does not change

    def __repr__(self) -> str:
        return self.type.label


class RememberingPlayer(SupposedPlayer):
    """The same for a type that remembers the match."""

    def observe(self, transition: core.Transition) -> None:
        self.type.observe(transition)

    def clone(self) -> "RememberingPlayer":
        copied = RememberingPlayer(self.type.copy())
        if hasattr(self, "game"):
            copied.game, copied.player, copied.rng = self.game, self.player, self.rng
        return copied


def as_strategy(type: core.PlayerType) -> SupposedPlayer:  # noqa: A002
    """A type as a strategy."""
    return RememberingPlayer(type) if type.remembers else SupposedPlayer(type)
