"""The other players of one simulation, each by the type that a model drew for them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kibitz import core
from kibitz.core.errors import error_text

if TYPE_CHECKING:
    from kibitz_lab.search.mcts.tree import Node

Types = Mapping[int, core.PlayerType]
"""Who the other players are; players that are missing are not known."""

COST = 20
"""The plies that a question to a type counts as."""


class PlayerTypeError(Exception):
    """A type that a model drew has failed."""


class SimulatedPlayers:
    """The players whom a model understands. A type with a memory is copied only when it is asked something new."""

    def __init__(self, game: core.Game, types: Types, state: core.State) -> None:
        self.game, self.types = game, types
        self.following = False
        for each in types.values():
            self.following = self.following or each.remembers
        self.before = state.clone() if self.following else state
        self.events: list[tuple[int, tuple[int, ...], core.State, core.State]] = []
        """What happened: who moved, the actions, and the states around it."""
        self.copies: dict[int, core.PlayerType] = {}
        self.heard: dict[int, int] = {}
        """How many of the events each copy has observed."""
        self.cost = 0
        """The plies that the questions so far count as."""

    def step(self, state: core.State, actions: list[int]) -> None:
        """Play *actions* and remember them if a type needs that."""
        if not self.following:
            state.step(actions)
            return
        mover = state.current_player()
        state.step(actions)
        after = state.clone()
        self.events.append((mover, tuple(actions), self.before, after))
        self.before = after

    def policy_at(
        self,
        player: int,
        node: "Node",
        state: core.State,
        known: "dict[tuple[core.PlayerType, Node], core.Distribution]",
    ) -> core.Distribution:
        """What the type of *player* does at a node, which holds all that they know; asked once, then remembered."""
        here = self.types[player], node
        found = known.get(here)
        if found is None:
            found = known[here] = self.policy(player, state)
        return found

    def policy(self, player: int, state: core.State) -> core.Distribution:
        """What the type of *player* does now."""
        self.cost += COST
        try:
            return self.current_type(player).policy(state)
        except Exception as error:
            raise PlayerTypeError(error_text(error)) from error

    def current_type(self, player: int) -> core.PlayerType:
        """The type of *player*, which has observed all that happened in this simulation."""
        if not self.types[player].remembers:
            return self.types[player]
        found = self.copies.get(player)
        if found is None:
            found = self.copies[player] = self.types[player].copy()
        for event in self.events[self.heard.get(player, 0) :]:
            found.observe(seen_transition(self.game, player, *event))
        self.heard[player] = len(self.events)
        return found


def seen_transition(
    game: core.Game, player: int, mover: int, actions: tuple[int, ...], before: core.State, after: core.State
) -> core.Transition:
    """An event between two full states as *player* sees it."""
    if not game.hidden:
        return core.Transition(0, mover, actions, before, after)
    movers = game.movers(before) or (core.CHANCE,)
    seen = tuple([before.seen_action(player, each, action) for each, action in zip(movers, actions, strict=True)])
    return core.Transition(0, mover, seen, before.view(player), after.view(player))
