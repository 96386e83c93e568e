"""Recursive games enumerated: all that can be reached from a game's initial state."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

from kibitz import core
from kibitz.core.errors import BadGame, shown
from kibitz.core.heuristics import Bounds
from kibitz.solve.recursive.draft import Draft
from kibitz.solve.recursive.model import RecursiveGame, check_size

ENUMERATED_LIMIT = 1_000_000


class Ways(NamedTuple):
    """Where a state leads: its successors with their keys, row by row, or with their *odds* where chance draws one."""

    states: list[core.State]
    keys: list[core.Key]
    columns: int = 1
    odds: tuple[float, ...] = ()


def enumerated(
    game: core.Game, *, infinite_play: float = 0.0, limit: int = ENUMERATED_LIMIT, steps: int | None = None
) -> RecursiveGame:
    """All that can be reached from the initial state, which may be a chance move, by so many *steps* of the rules."""
    ways = partial(ways_from, game) if steps is None else CountedWays(game, steps)
    return enumerated_from(game, game.new_initial_state(), ways, payoff, infinite_play=infinite_play, limit=limit)


def enumerated_from(
    game: core.Game,
    start: core.State,
    ways: Callable[[core.Key, core.State], Ways],
    worth: Callable[[core.Key, core.State], Bounds | None],
    *,
    infinite_play: float = 0.0,
    limit: int = ENUMERATED_LIMIT,
) -> RecursiveGame:
    """All that can be reached from *start* by its *ways*, as far as *worth* does not make an end of a state."""
    draft = Draft()
    states = GameStates(game)
    waiting: list[tuple[core.Key, core.State]] = []

    def number(key: core.Key, state: core.State) -> int:
        if key in draft.numbers:
            return draft.numbers[key]
        paid = worth(key, state)
        if paid is not None:
            return draft.end(key, *paid)
        waiting.append((key, state))
        if state.current_player() == core.CHANCE:
            return draft.chance(key)
        states.states.append(state)
        check_size(game, len(states.states), limit)
        return draft.state(key)

    states.root = number(start.key(), start)
    while waiting:
        key, state = waiting.pop()
        found = ways(key, state)
        numbers = list(map(number, found.keys, found.states))
        if state.current_player() == core.CHANCE:
            draft.draw(draft.numbers[key], list(zip(numbers, found.odds, strict=True)), key)
        else:
            draft.choice(key, numbers, found.columns)
    return draft.finished(states, infinite_play)


def ways_from(game: core.Game, key: core.Key, state: core.State) -> Ways:
    """Where a state leads that is no end."""
    if state.current_player() == core.CHANCE:
        outcomes = state.chance_outcomes()
        after = [state.child(action) for action, _ in outcomes]
        return Ways(after, [each.key() for each in after], odds=tuple(odds for _, odds in outcomes))
    rows, columns = (choices(game, state, player) for player in (0, 1))
    after = [_after(state, row, column) for row in rows for column in columns]
    return Ways(after, [each.key() for each in after], len(columns))


class CountedWays:
    """`ways_from` as long as it takes no more than *steps* of the rules; BadGame after that.

    A game of few states may take millions of steps, where both have many actions or chance many outcomes.
    """

    def __init__(self, game: core.Game, steps: int) -> None:
        self.game, self.steps, self.taken = game, steps, 0

    def __call__(self, key: core.Key, state: core.State) -> Ways:
        found = ways_from(self.game, key, state)
        self.taken += len(found.keys)
        if self.taken > self.steps:
            why = f"to list it takes more than {self.steps:,} steps of the rules; give a higher limit"
            raise BadGame(self.game, why)
        return found


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


def payoff(key: core.Key, state: core.State) -> Bounds | None:
    """What a finished game pays player 0; None where it goes on."""
    if not state.is_terminal():
        return None
    returns = state.returns()
    if not abs(sum(returns)) < 1e-9:
        raise BadGame(f"state {shown(key)}", f"it pays {returns}, which do not add up to 0")
    return float(returns[0]), float(returns[0])


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
