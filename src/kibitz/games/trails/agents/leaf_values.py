"""What the leaves of a negotiator's tree are worth: BestUse, as in Pozin (2010), or what a model has learned."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from kibitz import core
from kibitz.games.trails.agents.modelled_line import ModelledLine
from kibitz.games.trails.chips import Chips
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import ACCEPT, Offer, State

LeafKind = Literal["best_use", "learned"]
Worth: TypeAlias = Callable[[Chips, Chips], float]
"""By what is sent and what is received."""


@runtime_checkable
class ValuesPositions(Protocol):
    """A model that says what a player will earn, seen after an exchange."""

    def value(self, view: State, player: int) -> float: ...


class LeafValue(Protocol):
    """Says what the positions are worth in which a round may leave the agent."""

    most_parts: int
    """How many ways of sending a part of a promise are considered."""

    def rejection_value(self, situation: Situation) -> float:
        """The value where nothing is exchanged."""

    def deal_value(self, situation: Situation, offer: Offer) -> Worth:
        """The value after a deal, by what is sent and received of it."""


class BestUseLeaf(msgspec.Struct, frozen=True):
    """The agent's BestUse: its score if the game ended there."""

    most_parts: int = 1_000_000

    def rejection_value(self, situation: Situation) -> float:
        return situation.own.best_use

    def deal_value(self, situation: Situation, offer: Offer) -> Worth:
        return situation.use_after


class LearnedLeaf(msgspec.Struct, frozen=True):
    """What a model expects the agent to earn in the end, by how games went on from there."""

    model: Any
    most_parts: int = 3

    def rejection_value(self, situation: Situation) -> float:
        state = situation.view.clone()
        state.start_moving()
        return float(self.model.value(state, situation.own.player))

    def deal_value(self, situation: Situation, offer: Offer) -> Worth:
        line = ModelledLine(situation.view, self.model).after(situation.view.offers().of(*offer)).after(ACCEPT)
        own, other = situation.own.player, situation.other.player
        sendings = line.state.legal_actions(own)
        assert isinstance(sendings, core.ProductActions)

        def worth(sent: Chips, received: Chips) -> float:
            actions = [0] * line.state.board.players
            actions[own], actions[other] = sendings.action(sent), sendings.action(received)
            after = line.after(*actions)
            if after.state.is_terminal():
                return after.state.returns()[own]
            return float(after.model.value(after.state, own))  # type: ignore[attr-defined]

        return worth
