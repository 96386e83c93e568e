"""Newton's method for the values of recursive games (Pollatschek and Avi-Itzhak 1969), where sweeps converge slowly."""

import numpy as np

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.chains import newton_values
from kibitz.solve.recursive.values.kernels import DISCOUNT, FLOOR, STEP, Marks, scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline

ROUNDING, PATIENCE, SWEEPS = 2.0**-52, 8, 100
"""A residual that counts as none, in units of the values, so that costs near 0 keep their digits; the steps without
progress after which the method ends; and the sweeps that help it."""


class Newton:
    """Steps towards the fixed points of operators, on the states not marked in *fixed*."""

    def __init__(self, game: RecursiveGame, fixed: Marks, deadline: Deadline) -> None:
        self.game, self.fixed, self.deadline, self.solves = game, fixed, deadline, 0
        self.arrays, self.scratch = game.structure.arrays, scratch_arrays(*game.largest_shape())
        self.active = np.flatnonzero(fixed[: game.choices] == 0)

    def converge(self, operator: Floats, values: Floats, tolerance: float, enough: float) -> tuple[Floats, float]:
        """The best values found, and their residual; sweeps help if steps leave more than *enough*."""
        kept = values.copy()
        kernels.settle_chance(self.arrays, kept, 0.0)
        best = self._residual(operator, kept)
        for with_sweeps in (False, True):
            values, idle = kept, 0
            if with_sweeps:  # leave values that hardly change but are wrong
                values = self.sweep_often(operator, self._step(operator, kept))
            while best > max(tolerance, self._rounding(kept)) and idle < PATIENCE and not self.deadline.has_passed():
                values = self._step(operator, values)
                residual = self._residual(operator, values)
                idle = 0 if residual < 0.5 * best else idle + 1
                if residual < best:
                    kept, best = values, residual
            if best <= enough or self.deadline.has_passed():
                break
        return kept, best

    def sweep_often(self, operator: Floats, values: Floats) -> Floats:
        """The values after many sweeps, in their place."""
        for _ in range(SWEEPS):
            kernels.sweep(self.arrays, values, operator, self.fixed, values, self.scratch)
        kernels.settle_chance(self.arrays, values, 0.0)
        return values

    def _rounding(self, values: Floats) -> float:
        return ROUNDING * float(np.abs(values[self.active]).max(initial=0.0))

    def _step(self, operator: Floats, values: Floats) -> Floats:
        """The values if both players keep for ever what they do at *values*."""
        found = newton_values(self.game, values, self.fixed, float(operator[DISCOUNT]), float(operator[STEP]))
        least, most = self.game.bounds if operator[STEP] == 0.0 else (-np.inf, self.game.bounds[1])
        found[self.active] = np.clip(found[self.active], max(least, operator[FLOOR]), most)
        kernels.settle_chance(self.arrays, found, 0.0)
        return found

    def _residual(self, operator: Floats, values: Floats) -> float:
        """The most that a sweep changes a state."""
        self.solves += len(self.active)
        return kernels.sweep(self.arrays, values, operator, self.fixed, values.copy(), self.scratch)
