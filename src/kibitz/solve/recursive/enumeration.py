"""Recursive games enumerated: all that can be reached from a game's initial state."""

from collections.abc import Hashable
from typing import Any

from kibitz import core
from kibitz.core.errors import BadGame, shown
from kibitz.solve.recursive.draft import Draft
from kibitz.solve.recursive.model import RecursiveGame, check_size

ENUMERATED_LIMIT = 1_000_000


def enumerated(game: core.Game, *, infinite_play: float = 0.0, limit: int = ENUMERATED_LIMIT) -> RecursiveGame:
    """All that can be reached from the initial state, which may be a chance move."""
    draft = Draft()
    states = GameStates(game)
    waiting: list[core.State] = []

    def number(state: core.State) -> int:
        key = state.key()
        if key in draft.numbers:
            return draft.numbers[key]
        current = state.current_player()
        if current == core.TERMINAL:
            return draft.end(key, _payoff(state), key)
        waiting.append(state)
        if current == core.CHANCE:
            return draft.chance(key)
        states.states.append(state)
        check_size(game, len(states.states), limit)
        return draft.state(key)

    states.root = number(game.new_initial_state())
    while waiting:
        state = waiting.pop()
        key = state.key()
        if state.current_player() == core.CHANCE:
            outcomes = [(number(state.child(action)), odds) for action, odds in state.chance_outcomes()]
            draft.draw(draft.numbers[key], outcomes, key)
            continue
        rows, columns = (choices(game, state, player) for player in (0, 1))
        successors = [number(_after(state, row, column)) for row in rows for column in columns]
        draft.choice(key, successors, len(columns))
    return draft.finished(states, infinite_play)


def choices(game: core.Game, state: core.State, player: int) -> list[int | None]:
    """What a player may choose: his legal actions, or nothing where it is not his turn."""
    if player not in game.movers(state):
        return [None]
    legal = list(state.legal_actions(player))
    if not legal:
        raise BadGame(f"state {shown(state.key())}", f"{game.player_name(player)} has no legal action")
    return list(legal)


def _after(state: core.State, row: int | None, column: int | None) -> core.State:
    after = state.clone()
    after.step([action for action in (row, column) if action is not None])
    return after


def _payoff(state: core.State) -> float:
    returns = state.returns()
    if not abs(sum(returns)) < 1e-9:
        raise BadGame(f"state {shown(state.key())}", f"it pays {returns}, which do not add up to 0")
    return float(returns[0])


class GameStates:
    """The states of a game that was enumerated; they are found by state or by key."""

    def __init__(self, game: core.Game) -> None:
        self.game, self.root = game, 0
        self.states: list[core.State] = []
        self.nodes: dict[core.Key, int] = {}

    def node(self, state: Any) -> int:
        return self.nodes[state.key() if isinstance(state, core.State) else state]

    def name(self, node: int) -> Hashable:
        return self.states[node].key()

    def state(self, node: int) -> core.State:
        return self.states[node]

    def actions(self, node: int, player: int) -> list[str] | None:
        return action_names(self.game, self.states[node], player)


def action_names(game: core.Game, state: core.State, player: int) -> list[str]:
    """The notation of what a player may choose; a dash where it is not his turn."""
    legal = choices(game, state, player)
    return ["–" if action is None else state.action_to_string(player, action) for action in legal]
