"""How the position after each legal action looks to the player who moves, and what the other can make of it.

These are the numbers that the choice learner and the strategies of `dbn` weigh.
"""

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import FIRST_WON, SECOND_WON, CompiledGame
from kibitz.core.kernels import jit_enabled, kernel_argument
from kibitz.core.registry import entries, has_ability, spec_of
from kibitz.models.strangers.reply_kernels import look_at_replies

Floats = NDArray[np.float64]

MOST = 64
"""The most actions that are looked at; of more, this many at equal distances."""
WINS = "a win at once"


Find = Callable[[core.State, Sequence[int]], Floats]


class Successors:
    """Which numbers there are, and what they are in the positions after actions; those found last are kept."""

    def __init__(self, names: tuple[str, ...], compute: Find, replies: Find | None = None) -> None:
        self.names, self.compute, self.replies = names, compute, replies
        self.last: tuple[core.Key, Sequence[int], Floats] | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def find(self, view: core.State, actions: Sequence[int]) -> Floats:
        """A row per action, as player 0 sees it; the last number is 1 for a win and -1 for a loss at once."""
        key = view.key()
        if self.last is None or self.last[0] != key or self.last[1] != actions:
            self.last = key, actions, self.compute(view, actions)
        return self.last[2]

    def find_replies(self, view: core.State, actions: Sequence[int]) -> Floats:
        """A row per action: what the other can make of each feature by one reply, as player 0 sees it.

        First the least that they can leave to the mover, then the most, both equal to the feature if the game is over;
        last whether they can win at once, which is -1 if the mover is player 0 and 1 if not.
        """
        assert self.replies is not None, "only features are looked at after replies"
        return self.replies(view, actions)


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
        names, count = (*features.names, WINS), len(features.names)
        if kernels is not None and kernels.scores is not None:
            return Successors(names, compiled_finder(kernels, count), compiled_replies(kernels, count))
        return Successors(names, finder(features.scores, count), reply_finder(features.scores))
    if has_ability(name, "EVALUATION"):
        evaluation = ability(name, "EVALUATION")
        weights = evaluation.check_weights(None)
        return Successors(
            ("value", WINS), finder(lambda state: (evaluation.evaluate(state, weights),), 1, until_end=True)
        )
    if has_ability(name, "HEURISTICS"):
        heuristic = next(iter(ability(name, "HEURISTICS").values()))
        return Successors(
            ("value", WINS), finder(lambda state: (sum(heuristic.bounds(state)) / 2.0,), 1, until_end=True)
        )
    return None


def finder(scores: Callable[[core.State], Sequence[float]], count: int, until_end: bool = False) -> Find:
    """The numbers of positions one by one; if *until_end*, the scores of positions where the game is over are 0."""

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        for row, action in enumerate(actions):
            child = view.child(action)
            over = child.is_terminal()
            found[row, count] = np.sign(child.returns()[0]) if over else 0.0
            if not (over and until_end):
                found[row, :count] = scores(child)
        return found

    return find


def compiled_finder(kernels: CompiledGame, count: int) -> Find:
    """The same by the game's kernels."""
    value = {FIRST_WON: 1.0, SECOND_WON: -1.0}

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        words, child = kernels.encode(view), np.empty(kernels.words, np.uint64)
        for row, action in zip(found, actions, strict=True):
            row[count] = value.get(kernels.play(words, action, child), 0.0)
            kernels.scores(child, row[:count])
        return found

    return find


def reply_finder(scores: Callable[[core.State], Sequence[float]]) -> Find:
    """What the other can make of positions, one by one."""

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        mover, rows = view.current_player(), []
        for action in actions:
            child = view.child(action)
            replies = [] if child.is_terminal() else [child.child(each) for each in child.legal_actions()]
            after = np.array([scores(each) for each in replies or [child]], dtype=np.float64)
            ends = [after.min(axis=0), after.max(axis=0)]
            beaten = any(each.is_terminal() and each.returns()[1 - mover] > 0.0 for each in replies)
            loss = (2.0 * mover - 1.0) if beaten else 0.0
            rows.append([*ends[mover], *ends[1 - mover], loss])
        return np.array(rows)

    return find


def compiled_replies(kernels: CompiledGame, count: int) -> Find:
    """The same by the game's kernels."""
    legal, play, scores = (kernel_argument(each) for each in (kernels.legal, kernels.play, kernels.scores))

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        found = np.empty((len(actions), 2 * count + 1))
        replies = np.empty(kernels.most_actions, np.int64)
        mover = view.current_player()
        look_at_replies(legal, play, scores, kernels.encode(view), np.array(actions), mover, replies, found)
        return found

    return find
