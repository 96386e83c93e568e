"""Heuristics of any game: its own, and those that follow from its payoffs alone."""

from collections.abc import Callable, Mapping
from functools import partial
from math import tanh

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import evaluator
from kibitz.core.abilities.evaluation import Evaluation
from kibitz.core.abilities.heuristics import Bounds, Heuristic
from kibitz.core.registry import entries, has_ability, spec_of
from kibitz.solve.recursive.enumeration import payoff, ways_from


def heuristics_of(game: core.Game) -> dict[str, Heuristic]:
    """All heuristics of a game of two players that is zero-sum, the one to take where none is named first.

    `range` says what the game pays at all, and `forced` what one round forces by a single action, whatever the other
    does, before the game's first heuristic is asked; both are admissible in every game. Where a game has an evaluation
    instead of heuristics of its own, `estimate` makes a guess of that.
    """
    name = spec_of(game).name
    registered = name in entries("game")
    own: Mapping[str, Heuristic] = ability(name, "HEURISTICS") if registered and has_ability(name, "HEURISTICS") else {}
    found = dict(own)
    if not own and registered and has_ability(name, "EVALUATION"):
        evaluation: Evaluation = ability(name, "EVALUATION")
        if evaluation.scale is not None:
            evaluate = evaluator(game, evaluation.check_weights(None))
            found["estimate"] = Heuristic(partial(_estimate, game, evaluate, evaluation.scale), admissible=False)
    found.setdefault("range", Heuristic(partial(_range, game)))
    found["forced"] = Heuristic(partial(_forced_bounds, game, next(each for each in found.values() if each.admissible)))
    return found


def _range(game: core.Game, state: core.State) -> Bounds:
    """What the game pays at all: nobody earns more than the most there is, nor less than the least."""
    least, most = game.utility
    return max(least, -most), min(most, -least)


def _estimate(game: core.Game, evaluate: Callable[[core.State], float], scale: float, state: core.State) -> Bounds:
    """What the game's evaluation makes the odds, as a payoff."""
    least, most = _range(game, state)
    lead = tanh(evaluate(state) / (2.0 * scale))
    guess = (least + most + lead * (most - least)) / 2.0
    return guess, guess


def _forced_bounds(game: core.Game, beyond: Heuristic, state: core.State) -> Bounds:
    """What each player can force in one round by a single action, all that goes on after it left to *beyond*."""
    least, most = beyond.bounds(state)
    ways = ways_from(game, state.key(), state)
    after = [_after_chance(game, beyond, *each) for each in zip(ways.keys, ways.states, strict=True)]
    rows = [after[first : first + ways.columns] for first in range(0, len(after), ways.columns)]
    forced = max(min(low for low, _ in row) for row in rows)
    conceded = min(max(row[column][1] for row in rows) for column in range(ways.columns))
    return max(least, forced), min(most, conceded)


def _after_chance(game: core.Game, beyond: Heuristic, key: core.Key, state: core.State) -> Bounds:
    """What a successor is worth, on average where chance decides what it is."""
    if state.current_player() != core.CHANCE:
        return payoff(key, state) or beyond.bounds(state)
    ways = ways_from(game, key, state)
    after = [_after_chance(game, beyond, *each) for each in zip(ways.keys, ways.states, strict=True)]
    low, high = (sum(odds * each[side] for odds, each in zip(ways.odds, after, strict=True)) for side in (0, 1))
    return low, high
