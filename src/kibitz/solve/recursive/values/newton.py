"""Newton's method for the values of recursive games, for when sweeps converge slowly."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.chains import joint_moves, mixes_at, solved_chain
from kibitz.solve.recursive.values.kernels import Marks, scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline, IterationResult, Operator

ENOUGH, PATIENCE, MOST_STEPS, MOST_SWEEPS = 2.0**-52, 6, 100, 256
"""Newton's method ends at this residual, or when it has not fallen for so many steps, or after so many in all; and how
many sweeps at a time help it."""
NEAR = 1e-3
"""A residual below this part of the discount is near the end: the error of values is below this part of the payoffs."""


def newton(game: RecursiveGame, operator: Operator, start: Floats, fixed: Marks, deadline: Deadline) -> IterationResult:
    """Pollatschek and Avi-Itzhak's method (1969), guarded, on the states not marked in *fixed*.

    It fixes both players' strategies at the current values, which leaves linear equations. It accepts their solution if
    all values go on rising, or falling, towards the fixed point, or if the residual falls. If this leads to values that
    hardly change but are far from the fixed point, it starts again and uses the first rule alone.
    """
    climb = NewtonIteration(game, operator, start, fixed, deadline)
    if not climb.boldly():
        climb.carefully()
    kernels.settle_chance(game.structure.arrays, climb.values, 0.0)
    return IterationResult(climb.values, climb.best, climb.solves, finished=bool(climb.best < 1e-12))


class NewtonIteration:
    """The state of Newton's method on the way to a fixed point."""

    def __init__(
        self, game: RecursiveGame, operator: Operator, start: Floats, fixed: Marks, deadline: Deadline
    ) -> None:
        self.game, self.operator, self.start, self.fixed, self.deadline = game, operator, start, fixed, deadline
        self.active = np.flatnonzero(fixed[: game.live] == 0)
        self.scratch = scratch_arrays(*game.largest_shape())
        least, self.most = game.bounds if operator.step == 0.0 else (-np.inf, game.bounds[1])
        self.least = max(least, operator.floor)
        scale = max(np.abs(game.low).max(initial=0.0), np.abs(game.structure.stage).max(initial=0.0))
        self.near = NEAR * float(scale) * (max(1.0 - operator.discount, operator.step) or NEAR)
        self.values, self.best, self.solves = start.copy(), np.inf, 0

    @property
    def rounding(self) -> float:
        """A change that counts as none; it shrinks with the values, so that costs near 0 keep their digits."""
        return ENOUGH * float(np.abs(self.values[self.active]).max(initial=0.0))

    def boldly(self) -> bool:
        """Use the direction or the residual until it falls no more; return whether that came near the fixed point."""
        stuck = 0
        for _ in range(MOST_STEPS):
            if stuck == PATIENCE or self.best <= self.rounding or self.deadline.has_passed():
                break
            after, residual, onward = self.newton_sweep()
            after_old, old_residual = self.plain_sweep(self.values)
            if not onward and old_residual < residual:
                after, residual = after_old, old_residual
            stuck = 0 if onward or residual < (1.0 - NEAR) * self.best else stuck + 1
            self.values, self.best = after, residual if onward else min(self.best, residual)
        return self.best <= self.near

    def carefully(self) -> None:
        """Start again and use the direction alone, with as many sweeps in between as needed."""
        self.values, self.best, sweeps = self.start.copy(), np.inf, 1
        for _ in range(MOST_STEPS):
            after, residual, onward = self.newton_sweep()
            if onward:
                self.values, self.best, sweeps = after, residual, 1
            for _ in range(0 if onward else sweeps):
                self.values, self.best = self.plain_sweep(self.values)
            sweeps = 1 if onward else min(2 * sweeps, MOST_SWEEPS)
            if self.best <= self.near or self.deadline.has_passed():
                break
        self.start = self.values
        self.boldly()

    def newton_sweep(self) -> tuple[Floats, float, bool]:
        """A sweep after Newton's step, its largest change, and whether all values go on in one direction."""
        solved = _policy_values(self.game, self.operator, self.values, self.fixed, self.active)
        solved[self.active] = np.clip(solved[self.active], self.least, self.most)
        after, residual = self.plain_sweep(solved)
        onward = self._rising(self.values, solved, after) or self._rising(after, solved, self.values)
        return after, residual, onward and residual > self.rounding

    def plain_sweep(self, values: Floats) -> tuple[Floats, float]:
        """One sweep of *values*, and the largest change."""
        after = values.copy()
        self.solves += len(self.active)
        arrays = self.game.structure.arrays
        return after, kernels.sweep(arrays, values, self.operator.numbers, self.fixed, after, self.scratch)

    def _rising(self, *vectors: Floats) -> bool:
        """Whether each vector is nowhere below the one before, up to rounding."""
        return all(bool((after >= before - self.rounding).all()) for before, after in pairwise(vectors))


def _policy_values(
    game: RecursiveGame, operator: Operator, values: Floats, fixed: Marks, active: NDArray[np.int64]
) -> Floats:
    """The values when both players keep their current strategies for ever."""
    from scipy.sparse import csr_array

    rows, columns = mixes_at(game, values, fixed)
    chosen, odds, after, stage = joint_moves(game, rows, columns, active)
    place = np.full(game.nodes, -1, np.int64)
    place[active] = np.arange(len(active))
    inner = place[after] >= 0
    discount = np.where(active < game.choices, operator.discount, 1.0)
    step = np.where(active < game.choices, operator.step, 0.0)
    moves = csr_array((odds[inner], (chosen[inner], place[after[inner]])), shape=(len(active), len(active)))
    paid = np.bincount(chosen[~inner], odds[~inner] * values[after[~inner]], minlength=len(active)) + stage
    solved = values.copy()
    found = solved_chain(csr_array(moves.multiply(discount[:, None])), discount * paid - step)
    solved[active] = np.where(np.isfinite(found), found, values[active])
    return solved
