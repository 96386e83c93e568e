"""The ability `KERNELS`: a game as compiled kernels. Define it to make search fast.

It is for two-player games without chance or hidden information. A state is a row of uint64 words; the first `hashed`
of them hold everything that changes, the rest are the rules' options. Outcomes are 0 while the game goes on, 1 or 2
if player 0 or 1 has won, 3 for a draw. Values are player 0's.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.game import Game, State
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import has_ability, spec_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
else:
    Words = Any

MOST_SCORES = 64
"""The largest number of features of a game."""
GOES_ON, FIRST_WON, SECOND_WON, DRAWN = 0, 1, 2, 3

LEGAL = "int64(uint64[:], int64[:])"
PLAY = "int64(uint64[:], int64, uint64[:])"
EXPAND = "int64(uint64[:], float64[:], float64, int64[:], uint64[:, :], float64[:], int64[:])"
EVALUATE = "float64(uint64[:], float64[:])"
TO_MOVE = "int64(uint64[:])"
ROLLOUT = "int64(uint64[:], uint64[:])"
SCORES = "int64(uint64[:], float64[:])"
LIKELIHOODS = "int64(float64[:, ::1], int64, int64, int64, int64[::1], float64[::1], float64[:, ::1], float64[:])"
SETTLE = "float64(float64[:], int64, int64, int64[::1], float64[::1], float64[:, ::1])"
"""The signatures of the kernels below, for `@kernel` and for the kernels that take them as arguments."""


class CompiledGame(msgspec.Struct, frozen=True):
    """A game as kernels over words."""

    words: int
    hashed: int
    most_actions: int
    """The largest number of legal actions of a state."""
    action_bound: int
    """Every action is below this number."""
    encode: Callable[[State], Words]
    """Makes the words of a state."""
    legal: Any
    """`LEGAL`: (state, actions) writes the legal actions, sorted; returns how many."""
    play: Any
    """`PLAY`: (state, action, child) writes the child; returns its outcome."""
    expand: Any
    """`EXPAND`: (state, weights, enough, actions, children, values, outcomes) does all that for every action; returns
    how many. It may stop after a child that is not terminal and is worth *enough* to the mover."""
    evaluate: Any
    """`EVALUATE`: (state, weights) is the value for player 0."""
    to_move: Any
    """`TO_MOVE`: (state) is the player to move."""
    rollout: Any
    """`ROLLOUT`: (state, draws) plays at random to the end, in place; returns outcome + 4 * plies."""
    scores: Any = None
    """`SCORES`: (state, scores) writes the scores of the ability `FEATURES`, at most MOST_SCORES; returns how many. It
    is optional."""


class CompiledModel(msgspec.Struct, frozen=True):
    """A model's belief about one player, as kernels that a search calls for every child.

    The rows of *path* up to *row* are the positions so far; those after them are free for the line being searched.
    A search calls `likelihoods` with `row + 1` for the children of the root; to enter one, it calls `settle` for it,
    and its children are in `row + 2`.
    """

    player: int
    likelihoods: Any
    """`LIKELIHOODS`: (scores, count, mover, row, integers, numbers, path, found) writes to *found* the likelihood of
    each position that *mover* may move to after the rows before *row*; *scores* has a row for each, which is
    overwritten. Equal positions get equal numbers."""
    settle: Any
    """`SETTLE`: (scores, mover, row, integers, numbers, path) writes row *row* for a position that *mover* has moved
    to, so that others can follow it; returns its likelihood."""
    integers: Any
    numbers: Any
    path: Any
    row: int


def evaluator(game: Game, weights: Sequence[float]) -> Callable[[State], float]:
    """The game's own evaluation with *weights*, compiled if there is a kernel for it."""
    name = spec_of(game).name
    if jit_enabled() and has_ability(name, "KERNELS"):
        import numpy as np

        kernels: CompiledGame = ability(name, "KERNELS")
        row = np.asarray(weights, np.float64)
        return lambda state: float(kernels.evaluate(kernels.encode(state), row))
    evaluation = ability(name, "EVALUATION")
    return lambda state: float(evaluation.evaluate(state, weights))
