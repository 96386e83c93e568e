"""The discounted path: the values at discounts nearer and nearer to 1, each found from the one before.

Later payoffs are worth `1 - eta` per round. The values change little from one eta to the next if it falls by a small
factor, so that Newton's method, started at the last values, needs a few steps each time; where it does not arrive, eta
falls by less. `LongPath` does the same in whole numbers.
"""

from collections.abc import Callable

import numpy as np

from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.chains import newton_values
from kibitz_solve.recursive.values.kernels import DISCOUNT, FLOOR, STEP, Marks, scratch_arrays
from kibitz_solve.recursive.values.operators import Deadline, IterationResult, Operator

LAST_DIGIT, PATIENCE, SWEEPS = 2.0**-52, 8, 100
"""A residual that counts as none, in units of the values, so that costs near 0 keep their digits; the steps without
progress after which the method ends; and the sweeps that help it."""


class Newton:
    """Newton's method (Pollatschek and Avi-Itzhak 1969) for fixed points of operators, on the states not *fixed*."""

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
            while idle < PATIENCE and not self.deadline.has_passed():
                if best <= max(tolerance, LAST_DIGIT * float(np.abs(kept[self.active]).max(initial=0.0))):
                    break
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

    def _step(self, operator: Floats, values: Floats) -> Floats:
        """The values if both players keep for ever what they do at *values*."""
        improved = newton_values(self.game, values, self.fixed, float(operator[DISCOUNT]), float(operator[STEP]))
        least, most = self.game.bounds if operator[STEP] == 0.0 else (-np.inf, self.game.bounds[1])
        improved[self.active] = np.clip(improved[self.active], max(least, operator[FLOOR]), most)
        kernels.settle_chance(self.arrays, improved, 0.0)
        return improved

    def _residual(self, operator: Floats, values: Floats) -> float:
        """The most that a sweep changes a state."""
        self.solves += len(self.active)
        return kernels.sweep(self.arrays, values, operator, self.fixed, values.copy(), self.scratch)


FIRST_ETA, LAST_ETA, RATIO = 0.1, 1e-14, 4.0
"""Where the path begins and ends, and by how much eta falls between two points of its history."""
PRECISE, ENOUGH, ROUNDING = 1e-4, 1e-3, 4e-16
"""The residual to aim at and the one to accept, in units of eta; and the residual that rounding leaves."""
SMALLEST_RATIO, GROWTH = 1.02, 1.5
"""The path ends where even so small a change of eta cannot be followed; the power by which the change grows again."""


class DiscountedPath:
    """A path of values, whatever numbers they are: eta falls by as much as can be followed, at most to *goal*."""

    smallest_ratio, largest_ratio = SMALLEST_RATIO, RATIO

    def __init__(self, eta: float, ratio: float, deadline: Deadline) -> None:
        self.eta, self.ratio, self.deadline = eta, ratio, deadline

    def move_to(self, eta: float) -> bool:
        """Find the values at a discount from the last ones, which stay if that fails; return whether it succeeds."""
        raise NotImplementedError

    def descend(self, goal: float) -> bool:
        """Follow the path until eta is *goal*; return False if it cannot be followed so far."""
        while self.eta > goal and not self.deadline.has_passed():
            if self.move_to(max(self.eta / self.ratio, goal)):
                self.ratio = min(self.largest_ratio, self.ratio**GROWTH)
            else:
                self.ratio **= 0.5
                if self.ratio < self.smallest_ratio:
                    return False
        return self.eta <= goal


def discount_numbers(eta: float) -> Floats:
    """The numbers of the operator of discounted play."""
    return np.array([1.0 - eta, 0.0, -np.inf])


class Path(DiscountedPath):
    """The values of the nodes that are not *fixed*, in doubles.

    *operator_at* gives the operator of an eta, and *scale* says how large payoffs are.
    """

    def __init__(
        self,
        game: RecursiveGame,
        fixed: Marks,
        start: Floats,
        deadline: Deadline,
        operator_at: Callable[[float], Floats] = discount_numbers,
        scale: float = 1.0,
    ) -> None:
        super().__init__(FIRST_ETA, RATIO, deadline)
        self.steps, self.operator_at, self.scale = Newton(game, fixed, deadline), operator_at, scale
        self.values = start.copy()
        self.history: list[Floats] = []
        self.etas: list[float] = []
        """The values at the points of the path, and where these are."""

    def begin(self) -> None:
        """The first point: sweeps, which a large discount makes fast, then Newton's method."""
        self.values = self.steps.sweep_often(self.operator_at(self.eta), self.values)
        self.values, _ = self._converge(self.eta)
        self._remember()

    def next_point(self) -> bool:
        """Follow the path until eta has fallen by `RATIO`; return False if it cannot be followed so far."""
        arrives = self.descend(self.eta / RATIO)
        if self.ratio >= SMALLEST_RATIO:
            self._remember()
        return arrives

    def move_to(self, eta: float) -> bool:
        values, residual = self._converge(eta)
        if residual > self._enough(eta):
            return False
        self.values, self.eta = values, eta
        return True

    def _remember(self) -> None:
        self.history.append(self.values)
        self.etas.append(self.eta)

    def _converge(self, eta: float) -> tuple[Floats, float]:
        """The best values found at a discount, and their residual."""
        precise = self.scale * max(PRECISE * eta, ROUNDING)
        return self.steps.converge(self.operator_at(eta), self.values, precise, self._enough(eta))

    def _enough(self, eta: float) -> float:
        return self.scale * max(ENOUGH * eta, 8 * ROUNDING)


def newton(game: RecursiveGame, operator: Operator, start: Floats, fixed: Marks, deadline: Deadline) -> IterationResult:
    """The fixed point of an operator on the states not marked in *fixed*, by way of larger losses if need be."""
    loss = max(1.0 - operator.discount, operator.step)
    scale = max(float(np.abs(game.low).max(initial=0.0)), float(np.abs(game.structure.stage).max(initial=0.0)))

    def losing(eta: float) -> Floats:
        numbers = operator.numbers
        numbers[DISCOUNT] = 1.0 - eta if operator.discount < 1.0 else 1.0
        numbers[STEP] = eta if operator.step > 0.0 else 0.0
        return numbers

    path, near = Path(game, fixed, start, deadline, losing, scale), ENOUGH * scale * (loss or ENOUGH)
    values, residual = path.steps.converge(operator.numbers, start, 0.0, near)
    if residual > near and loss > 0.0:
        path.begin()
        path.descend(loss)
        values, residual = path.steps.converge(operator.numbers, path.values, 0.0, near)
    return IterationResult(values, residual, path.steps.solves, finished=bool(residual < 1e-12))
