"""The rules of cops and robber: the robber chooses a start; then cops and robber move in turn until a catch or escape.

A turn of the cops is one order per cop, and all are carried out together. Cops are all the same: a state says where
cops stand and which orders were given, not which cop is which.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.kit.numbers import Evaluation
from kibitz.core.kit.positions import Units
from kibitz_lab.games.cops.graphs import Shape, distances, ways

COPS, ROBBER = 0, 1
NOWHERE = -1
"""Where the robber is before choosing a start."""


class State(core.State):
    """Where the cops and the robber are, the orders of this turn, and how many turns the cops have had."""

    def __init__(self, game: "Cops") -> None:
        self.game, self.ways = game, ways(game.graph, game.size)
        self.cops: tuple[int, ...] = (0,) * game.cops
        self.robber, self.player, self.turn = NOWHERE, ROBBER, 0
        self.orders: tuple[int, ...] = ()

    def is_caught(self) -> bool:
        """Whether a cop stands where the robber is."""
        return self.robber in self.cops

    def current_player(self) -> int:
        over = self.is_caught() or (self.player == COPS and self.turn == self.game.turns)
        return core.TERMINAL if over else self.player

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.is_terminal() or player not in (None, self.player):
            return ()
        return self.options(len(self.orders))

    def options(self, unit: int) -> Sequence[int]:
        """Where a unit of the player who moves may go: it stays, or takes one step."""
        if self.player == ROBBER and self.robber == NOWHERE:
            return range(len(self.ways))
        place = self.cops[unit] if self.player == COPS else self.robber
        return sorted((place, *self.ways[place]))

    def apply_action(self, action: int) -> None:
        if self.player == ROBBER:
            self.robber, self.player = action, COPS
        elif len(self.orders) + 1 < len(self.cops):
            self.orders = (*self.orders, action)
        else:
            self.cops, self.orders = tuple(sorted((*self.orders, action))), ()
            self.player, self.turn = ROBBER, self.turn + 1

    def returns(self) -> list[float]:
        won = 0.0 if not self.is_terminal() else 1.0 if self.is_caught() else -1.0
        return [won, 0.0 - won]

    def key(self) -> core.Key:
        given = tuple(sorted(zip(self.cops, self.orders, strict=False)))
        return self.cops, self.robber, self.player, self.turn, given

    def action_to_string(self, player: int, action: int) -> str:
        if player == ROBBER:
            return f"robber {action}" if action == self.robber or self.robber == NOWHERE else f"robber > {action}"
        place = self.cops[len(self.orders)]
        return f"cop {place} stays" if action == place else f"cop {place} > {action}"

    def __str__(self) -> str:
        begun = f"robber {self.robber}" if self.robber != NOWHERE else "the robber may begin anywhere"
        told = f", orders {' '.join(map(str, self.orders))}" if self.orders else ""
        return f"cops {' '.join(map(str, self.cops))}; {begun}; turn {self.turn} of {self.game.turns}{told}"


class Cops(core.Game):
    """Cops and robber on a graph: the cops win if one of them reaches the robber in time."""

    def __init__(
        self,
        graph: Shape = "grid",
        size: Annotated[int, Meta(ge=2, le=30)] = 3,
        cops: Annotated[int, Meta(ge=1, le=6)] = 2,
        turns: Annotated[int, Meta(ge=1, le=200)] = 8,
    ) -> None:
        self.graph, self.size, self.cops, self.turns = graph, size, cops, turns
        self.action_bound = len(ways(graph, size))

    def new_initial_state(self) -> State:
        return State(self)

    def player_name(self, player: int) -> str:
        return ("cops", "robber")[player]


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    """How near the cops are to the robber, from -1 to 0, and 1 after a catch."""
    assert isinstance(state, State)
    if state.is_terminal() or state.robber == NOWHERE:
        return state.returns()[COPS]
    far = distances(state.ways)[state.robber]
    return -weights[0] * sum(far[cop] for cop in state.cops) / (len(state.cops) * max(map(max, distances(state.ways))))


def units(state: core.State) -> list[str]:
    """The units of the player who moves."""
    assert isinstance(state, State)
    if state.is_terminal():
        return []
    return [f"cop {place}" for place in state.cops] if state.player == COPS else ["robber"]


def options(state: core.State, unit: int) -> Sequence[int]:
    """Where one of them may go."""
    assert isinstance(state, State)
    return state.options(unit)


def next_unit(state: core.State) -> int:
    """The number of the unit that gets its order next."""
    assert isinstance(state, State)
    return len(state.orders)


UNITS = Units(units, options, next_unit)
EVALUATION = Evaluation((1.0,), evaluate)
