"""The heuristics of a game for planning: its own, and those that follow from its payoffs alone."""

from collections.abc import Callable
from functools import partial
from math import tanh

from kibitz import core
from kibitz.core.kit.compiled import evaluator
from kibitz.core.kit.numbers import Bounds, Heuristic
from kibitz.core.registry import kit_of
from kibitz.solve.recursive.game.enumeration import payoff, ways_from


def heuristics_of(game: core.Game) -> dict[str, Heuristic]:
    """All heuristics of a zero-sum game of two players, the default one first.

    `range` gives the least and the most that the game pays, and `forced` what one round forces by a single action,
    whatever the other does, with the game's first heuristic after that; both are admissible in every game. If a game
    has an evaluation and no heuristics, `estimate` turns it into a guess.
    """
    found, evaluation = dict(kit_of(game).heuristics or {}), kit_of(game).evaluation
    if not found and evaluation is not None and evaluation.scale is not None:
        evaluate = evaluator(game, evaluation, evaluation.check_weights(None))
        found["estimate"] = Heuristic(partial(_estimate, game, evaluate, evaluation.scale), admissible=False)
    found.setdefault("range", Heuristic(partial(_range, game)))
    found["forced"] = Heuristic(partial(_forced_bounds, game, next(each for each in found.values() if each.admissible)))
    return found


def _range(game: core.Game, state: core.State) -> Bounds:
    """The range of the game's payoffs."""
    least, most = game.utility
    return max(least, -most), min(most, -least)


def _estimate(game: core.Game, evaluate: Callable[[core.State], float], scale: float, state: core.State) -> Bounds:
    """The payoff expected from the odds of the game's evaluation."""
    least, most = _range(game, state)
    lead = tanh(evaluate(state) / (2.0 * scale))
    guess = (least + most + lead * (most - least)) / 2.0
    return guess, guess


def _forced_bounds(game: core.Game, beyond: Heuristic, state: core.State) -> Bounds:
    """What each player can force in one round by a single action; *beyond* gives the bounds of states after it."""
    least, most = beyond.bounds(state)
    ways = ways_from(game, state.key(), state)
    after = [_after_chance(game, beyond, *each) for each in zip(ways.keys, ways.states, strict=True)]
    rows = [after[first : first + ways.columns] for first in range(0, len(after), ways.columns)]
    forced = max(min(low for low, _ in row) for row in rows)
    conceded = min(max(row[column][1] for row in rows) for column in range(ways.columns))
    return max(least, forced), min(most, conceded)


def _after_chance(game: core.Game, beyond: Heuristic, key: core.Key, state: core.State) -> Bounds:
    """The bounds of a successor, averaged over chance."""
    if state.current_player() != core.CHANCE:
        return payoff(key, state) or beyond.bounds(state)
    ways = ways_from(game, key, state)
    after = [_after_chance(game, beyond, *each) for each in zip(ways.keys, ways.states, strict=True)]
    low, high = (sum(odds * each[side] for odds, each in zip(ways.odds, after, strict=True)) for side in (0, 1))
    return low, high
