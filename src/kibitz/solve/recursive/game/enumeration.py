"""Enumerate a recursive game: all states reachable from a game's initial state."""

from collections.abc import Callable, Hashable
from functools import partial
from math import nan
from typing import Any, NamedTuple

from kibitz import core
from kibitz.core.errors import BadGame, short_repr
from kibitz.core.kit.numbers import Bounds
from kibitz.solve.recursive.game.by_name import Draft
from kibitz.solve.recursive.game.game import RecursiveGame, States
from kibitz.solve.recursive.game.sizes import count_states

ENUMERATED_LIMIT = 1_000_000


class Successors(NamedTuple):
    """The successors of a state with their keys, row by row, or with their *odds* if chance draws one."""

    states: list[core.State]
    keys: list[core.Key]
    columns: int = 1
    odds: tuple[float, ...] = ()


def enumerate_game(
    game: core.Game,
    *,
    infinite_play: float = 0.0,
    limit: int = ENUMERATED_LIMIT,
    report: Callable[[str], None] | None = None,
    steps: int | None = None,
) -> RecursiveGame:
    """All states reachable from the initial state, which may be a chance move, within *steps* steps of the rules.

    A game of few states may take millions of steps if both players have many actions or chance has many outcomes.
    """
    taken = 0

    def successors(key: core.Key, state: core.State) -> Successors:
        nonlocal taken
        found = successors_from(game, key, state)
        taken += len(found.keys)
        if steps is not None and taken > steps:
            why = f"listing its states takes more than {steps:,} steps of the rules; give a higher limit"
            raise BadGame(game, why)
        return found

    return enumerated_from(
        game,
        game.new_initial_state(),
        successors,
        payoff,
        infinite_play=infinite_play,
        counted=partial(count_states, game, limit, report),
    )


def enumerated_from(
    game: core.Game,
    start: core.State,
    successors: Callable[[core.Key, core.State], Successors],
    end_bounds: Callable[[core.Key, core.State], Bounds | None],
    *,
    infinite_play: float = 0.0,
    counted: Callable[[int], None],
) -> RecursiveGame:
    """All states reachable from *start* by *successors*; states with *end_bounds* are ends.

    *counted* is called with the number of states so far, and raises if there are too many.
    """
    draft = Draft()
    states = GameStates(game)
    waiting: list[tuple[core.Key, core.State]] = []

    def number(key: core.Key, state: core.State) -> int:
        if key in draft.numbers:
            return draft.numbers[key]
        paid = end_bounds(key, state)
        if paid is not None:
            return draft.end(key, *paid)
        waiting.append((key, state))
        if state.current_player() == core.CHANCE:
            return draft.chance(key)
        states.states.append(state)
        counted(len(states.states))
        return draft.state(key)

    states.root = number(start.key(), start)
    while waiting:
        key, state = waiting.pop()
        found = successors(key, state)
        numbers = list(map(number, found.keys, found.states))
        if state.current_player() == core.CHANCE:
            draft.draw(draft.numbers[key], list(zip(numbers, found.odds, strict=True)), key)
        else:
            draft.choice(key, numbers, found.columns)
    return draft.finish_game(states, infinite_play)


def successors_from(game: core.Game, key: core.Key, state: core.State) -> Successors:
    """The successors of a state that is not an end."""
    if state.current_player() == core.CHANCE:
        outcomes = state.chance_outcomes()
        after = [state.child(action) for action, _ in outcomes]
        return Successors(after, [each.key() for each in after], odds=tuple(odds for _, odds in outcomes))
    rows, columns = (choices(game, state, player) for player in (0, 1))
    after = [_after(state, row, column) for row in rows for column in columns]
    return Successors(after, [each.key() for each in after], len(columns))


def choices(game: core.Game, state: core.State, player: int) -> list[int | None]:
    """A player's legal actions, or a single empty choice if it is not their turn."""
    if player not in game.movers(state):
        return [None]
    legal = list(state.legal_actions(player))
    if not legal:
        raise BadGame(f"state {short_repr(state.key())}", f"{game.player_name(player)} has no legal action")
    return list(legal)


def _after(state: core.State, row: int | None, column: int | None) -> core.State:
    after = state.clone()
    after.step([action for action in (row, column) if action is not None])
    return after


def payoff(key: core.Key, state: core.State) -> Bounds | None:
    """Player 0's payoff of a finished game; None if it goes on."""
    if not state.is_terminal():
        return None
    paid = first_payoff(state.returns(), f"state {short_repr(key)}", "it pays")
    return paid, paid


def endless_payoff(game: core.Game) -> float:
    """Player 0's payoff of play without end, by the game's own `infinite_play`; 0 if it defines none.

    The inherited `infinite_play` is about matches that were cut off: in the middle of a game `returns` need not give
    numbers, and does not give the value of endless play.
    """
    if type(game).infinite_play is core.Game.infinite_play:
        return 0.0
    return first_payoff(game.infinite_play(game.new_initial_state()), game, "infinite_play returns")


def first_payoff(payoffs: Any, where: object, says: str) -> float:
    """Player 0's part of *payoffs*, which must be one number for each of two players, adding up to 0."""
    try:
        first, second = map(float, payoffs)
    except (TypeError, ValueError):
        first = second = nan
    if not abs(first + second) < 1e-9:
        raise BadGame(where, f"{says} {short_repr(payoffs)}, but must be two numbers that add up to 0")
    return first


class RuleStates(States):
    """The states of a game by its own rules."""

    def __init__(self, game: core.Game) -> None:
        self.game = game

    def name(self, node: int) -> Hashable:
        found: core.State = self.state(node)
        return found.key()

    def actions(self, node: int, player: int) -> list[str] | None:
        return action_names(self.game, self.state(node), player)


class GameStates(RuleStates):
    """The states of an enumerated game, with a lookup by state or by key."""

    def __init__(self, game: core.Game) -> None:
        super().__init__(game)
        self.root = 0
        self.states: list[core.State] = []

    def node(self, state: Any) -> int:
        return self.nodes[state.key() if isinstance(state, core.State) else state]

    def state(self, node: int) -> core.State:
        return self.states[node]


def action_names(game: core.Game, state: core.State, player: int) -> list[str]:
    """The notation of a player's choices; a dash if it is not their turn."""
    legal = choices(game, state, player)
    return ["–" if action is None else state.action_to_string(player, action) for action in legal]
