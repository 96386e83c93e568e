"""Enumerate a recursive game: all states reachable from a game's initial state, refused early if they are too many."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from math import nan, sqrt
from typing import Any, NamedTuple

from kibitz import core
from kibitz.core.errors import BadGame, short_repr
from kibitz.core.kit.numbers import Bounds
from kibitz.core.seeds import stream
from kibitz.core.specs import constructor_parameters
from kibitz_solve.recursive.building.by_name import Draft
from kibitz_solve.recursive.building.recursive_game import RecursiveGame, States

PLIES, LONGEST = 20_000, 400
"""The number of moves to play in all, and the most in one match."""
PLIES_PER_STATE = 10
"""With a low limit, fewer moves for each state that it allows: listing has decided already."""
STARTS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of states that may be left out at the beginning of a match."""
ESTIMATED_FROM = 2_000
"""Games with fewer states are enumerated faster than estimated."""
REPORT_EVERY = 1_000
"""How often progress is reported, in states."""


def check_size(what: object, states: int, limit: int, known: str = "") -> None:
    """Raise BadGame if there are more states than allowed; *known* says what is known of their number."""
    if states > limit:
        raise BadGame(what, f"it has more than {limit:,} states{known}; {_remedy(what)}")


def _remedy(what: object) -> str:
    """What to do about a game that is too large."""
    if not isinstance(what, core.Game):
        return "give a higher limit"
    sizes = [name for name in constructor_parameters(type(what)) if type(getattr(what, name)) is int]
    smaller = f"choose smaller options ({', '.join(sizes)})" if sizes else "choose smaller options"
    return f"{smaller}, a higher limit (--limit), or an agent that needs no list of states, such as mcts"


def count_states(game: core.Game, limit: int, report: Callable[[str], None] | None, states: int) -> None:
    """Report the number of states listed so far; raises BadGame if there are more than allowed, listed or not."""
    if states == ESTIMATED_FROM or states > limit:
        least = least_states(game, min(PLIES, max(ESTIMATED_FROM, PLIES_PER_STATE * limit)))
        rounded = least - least % 10 ** max(0, len(str(least)) - 2)
        about = f", at least about {rounded:,} by random matches" if least > limit else ""
        check_size(game, max(states, least), limit, about)
    if report is not None and states % REPORT_EVERY == 0:
        report(f"{states:,} states listed")


def least_states(game: core.Game, plies: int = PLIES) -> int:
    """A lower estimate of the number of reachable states with a choice, almost certainly not too high.

    In a small game random matches visit the same states again and again, in a large one hardly ever. Let p be the
    probability that a match visits a state. Two matches share Σp² states on average, and whatever p is, there are at
    least (Σp)² / Σp² states (Cauchy and Schwarz). Matches always share openings, which would hide the variety of later
    states; so the first half of the matches decides from which move on to count states, and the second half counts.
    """
    rng = stream(0, "states", repr(game))
    matches = list(_matches(game, plies, rng))
    start = max(STARTS, key=lambda start: _fewest(matches[::2], start))
    return max(_fewest(matches[1::2], start), len({key for match in matches for key in match}))


def _fewest(matches: list[list[core.Key]], start: int) -> int:
    """The number of states that these matches indicate, from their state number *start* on."""
    visits = [match[start:] for match in matches]
    total = sum(map(len, visits))
    pairs = (total * total - sum(len(visit) ** 2 for visit in visits)) // 2
    met = sum(count * (count - 1) // 2 for count in Counter(key for visit in visits for key in visit).values())
    return int(pairs / (met + 2.0 * sqrt(met) + 3.0))  # few shared states may be luck


def _matches(game: core.Game, plies: int, rng: core.Rng) -> Iterator[list[core.Key]]:
    """The states with a choice in random matches, each once per match, in order."""
    while plies > 0:
        states = list(_states(game, rng))
        plies -= max(len(states), 1)
        yield list(dict.fromkeys(states))


def _states(game: core.Game, rng: core.Rng) -> Iterator[core.Key]:
    """The states with a choice in a random match, in order."""
    state = game.new_initial_state()
    for _ in range(LONGEST):
        if state.current_player() == core.CHANCE:
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(rng.integers(len(outcomes)))][0])
            continue
        options = [state.legal_actions(player) for player in game.movers(state)]
        if not options or not all(map(len, options)):
            return
        yield state.key()
        state.step([legal[int(rng.integers(len(legal)))] for legal in options])


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
        after = successors_from(game, key, state)
        taken += len(after.keys)
        if steps is not None and taken > steps:
            why = f"listing its states takes more than {steps:,} steps of the rules; give a higher limit"
            raise BadGame(game, why)
        return after

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
        after = successors(key, state)
        numbers = list(map(number, after.keys, after.states))
        if state.current_player() == core.CHANCE:
            draft.draw(draft.numbers[key], list(zip(numbers, after.odds, strict=True)), key)
        else:
            draft.choice(key, numbers, after.columns)
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
        state: core.State = self.state(node)
        return state.key()

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
