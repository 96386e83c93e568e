"""How the position after each legal action looks to the player who moves, as numbers for the choice learner."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import entries, has_ability, spec_of

Floats = NDArray[np.float64]

MOST = 64
"""The most actions that are looked at; of more, this many at equal distances."""
WINS = "a win at once"


class Successors(NamedTuple):
    """Which numbers there are, and a function that finds them: a row per action, seen from the mover's side."""

    names: tuple[str, ...]
    find: Callable[[core.State, int, Sequence[int]], Floats]


def successors_of(game: core.Game) -> Successors | None:
    """What a game's FEATURES, EVALUATION or HEURISTICS say about successors; None if it offers none that fit.

    They must be of one player against another, with open information and one mover at a time: else the position after
    an action is not known.
    """
    name = spec_of(game).name
    if game.players != 2 or game.hidden or name not in entries("game"):
        return None
    if type(game.new_initial_state()).apply_actions is not core.State.apply_actions:  # all move at once
        return None
    if has_ability(name, "FEATURES"):
        features = ability(name, "FEATURES")
        kernels = ability(name, "KERNELS") if jit_enabled() and has_ability(name, "KERNELS") else None
        if kernels is not None and kernels.scores is not None:
            return Successors((*features.names, WINS), compiled_finder(kernels, len(features.names)))
        return Successors((*features.names, WINS), finder(features.scores, len(features.names)))
    if has_ability(name, "EVALUATION"):
        evaluation = ability(name, "EVALUATION")
        weights = evaluation.check_weights(None)
        return Successors(("value", WINS), finder(lambda state: (evaluation.evaluate(state, weights),), 1))
    if has_ability(name, "HEURISTICS"):
        heuristic = next(iter(ability(name, "HEURISTICS").values()))
        return Successors(("value", WINS), finder(lambda state: (sum(heuristic.bounds(state)) / 2.0,), 1))
    return None


def finder(
    scores: Callable[[core.State], Sequence[float]], count: int
) -> Callable[[core.State, int, Sequence[int]], Floats]:
    """The numbers of positions one by one."""

    def find(view: core.State, player: int, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        for row, action in enumerate(actions):
            child = view.child(action)
            if child.is_terminal():
                found[row, count] = np.sign(child.returns()[0])
            else:
                found[row, :count] = scores(child)
        return found if player == 0 else -found

    return find


def compiled_finder(kernels: object, count: int) -> Callable[[core.State, int, Sequence[int]], Floats]:
    """The same by the game's kernels. A position in which the game is over counts by its features too."""
    from kibitz.core.abilities.compiled import FIRST_WON, SECOND_WON, CompiledGame

    assert isinstance(kernels, CompiledGame)
    value = {FIRST_WON: 1.0, SECOND_WON: -1.0}

    def find(view: core.State, player: int, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        words, child = kernels.encode(view), np.empty(kernels.words, np.uint64)
        for row, action in enumerate(actions):
            outcome = int(kernels.play(words, action, child))
            found[row, count] = value.get(outcome, 0.0)
            kernels.scores(child, found[row, :count])
        return found if player == 0 else -found

    return find
