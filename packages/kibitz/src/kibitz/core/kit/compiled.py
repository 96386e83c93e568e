"""A game as compiled kernels, which make search fast.

It is for two-player games without chance or hidden information, whose states are `CompiledState`. A state is a row of
uint64 words; the first `hashed` of them hold everything that changes, the rest are the rules' options. Outcomes are 0
while the game goes on, 1 or 2 if player 0 or 1 has won, 3 for a draw. Values are player 0's.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import TERMINAL, Game, State
from kibitz.core.kernels import machine_code
from kibitz.core.kit.numbers import Evaluation
from kibitz.core.registry import kit_of

Words = NDArray[np.uint64]

MOST_SCORES = 64
"""The largest number of features of a game."""
INT64 = np.dtype(np.int64)
GOES_ON, FIRST_WON, SECOND_WON, DRAWN = 0, 1, 2, 3
RETURNS = ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 0.0))
"""The returns of both players by outcome."""

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
    """`SCORES`: (state, scores) writes the scores of the game's features, at most MOST_SCORES; returns how many. It
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


class CompiledState(State):
    """A state as the words of the game's kernels, which are its rules, compiled or not; a step makes new words."""

    kernels: ClassVar[CompiledGame]

    def __init__(self, game: Game, words: Words, outcome: int = GOES_ON) -> None:
        self.game, self.words, self.outcome = game, words, outcome

    @property
    def player(self) -> int:
        """The player to move; once the game is over, the one whose turn it would be."""
        return int(self.kernels.to_move(self.words))

    def current_player(self) -> int:
        return TERMINAL if self.outcome else self.player

    def is_terminal(self) -> bool:
        return self.outcome != GOES_ON

    def returns(self) -> list[float]:
        return list(RETURNS[self.outcome])

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.outcome or (player is not None and player != self.player):
            return ()
        out = np.empty(self.kernels.most_actions, INT64)
        found: list[int] = out[: machine_code(self.kernels.legal)(self.words, out)].tolist()
        return found

    def apply_action(self, action: int) -> None:
        child = self.words.copy()
        self.outcome = machine_code(self.kernels.play)(self.words, action, child)
        self.words = child

    def clone(self) -> Self:
        return type(self)(self.game, self.words, self.outcome)


def words_of(state: State) -> Words:
    """The words of a state of a game with kernels; copy them to change them."""
    assert isinstance(state, CompiledState), "games with kernels have states of words"
    return state.words


def evaluator(game: Game, evaluation: Evaluation, weights: Sequence[float]) -> Callable[[State], float]:
    """The game's own evaluation with *weights*, by its kernel if there is one."""
    kernels = kit_of(game).kernels
    if kernels is None:
        return lambda state: float(evaluation.evaluate(state, weights))
    kernel, row = kernels.evaluate, np.asarray(weights, np.float64)
    return lambda state: float(kernel(words_of(state), row))
