"""Bounds of large games by sweeps alone, on all cores.

1. Values at a discount, by sweeps from 0.
2. For each player, sweeps with their own rule: a discount where they are ahead, none where they are behind, and a small
   cost of every round. At its fixed point the mixes prove the values, whatever the other does (Everett 1957).
3. States whose value is not proved go back to the bound they had, until all others are.
"""

import numpy as np

from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.proofs.bounds import Bounds
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Deadline

SLOW = 0.05
"""Sweeps are given up if they still change more than this part of all states that are open."""
ETAS, COST, DRIFT = (1e-4, 1e-6, 1e-8), 0.02, 1.0 + 1e-6
"""The distances of the discounts from 1, one after another; what a round costs, in units of these; and how many
costs a bound may fall in a sweep and still be proved: where play may wait, it falls by one for ever."""
MOST_SWEEPS, OWN_SWEEPS, SWEEPS_BETWEEN, PATIENT_TESTS, MOST_TESTS = 150, 150, 8, 3, 30
"""The most sweeps of either kind, how many are between two tests, after how many tests states are put back, and the
most tests."""


class Sweeping:
    """The sweeps of one game, which improve its bounds."""

    def __init__(self, game: RecursiveGame, bounds: Bounds, width: float, deadline: Deadline) -> None:
        from kibitz_solve.recursive.values import block_kernels  # loads the parallel kernels

        self.game, self.bounds, self.width, self.deadline = game, bounds, width, deadline
        self.kernels, self.shape = block_kernels, game.largest_shape()
        self.arrays, self.old = game.structure.arrays, np.empty(game.nodes)
        self.fixed = (bounds.low == bounds.high).astype(np.uint8)
        self.fixed[game.choices : game.live] = 0

    def run(self) -> None:
        """Improve the bounds until they are narrow, the time is over, or sweeps are too slow."""
        values = np.clip(0.0, self.bounds.low, self.bounds.high)
        for eta in ETAS:
            before = self._mean_width()
            vectors = self._discounted_vectors(values, eta)
            if self._are_slow(values, COST * eta):
                break
            for player, vector in enumerate(vectors):
                self._prove(player, vector.copy(), eta)
            if self.bounds.width() <= self.width or self.deadline.has_passed() or self._mean_width() > 0.9 * before:
                break

    def _are_slow(self, values: Floats, tolerance: float) -> bool:
        """Whether the last sweep still changed many states."""
        changed = np.abs(values - self.old)[: self.game.choices] > tolerance
        return float(changed.sum()) > SLOW * float((self.fixed[: self.game.choices] == 0).sum())

    def _discounted_vectors(self, values: Floats, eta: float) -> tuple[Floats, Floats]:
        """The discounted values that both players start from: two vectors if values outside a table differ."""
        game = self.game
        self._sweep(values, np.array([0.0, eta, 0.0]), values, 0.1 * COST * eta, MOST_SWEEPS)
        if game.exact_ends:
            return values, values
        above = values.copy()
        above[game.live :] = game.high
        self._sweep(above, np.array([0.0, eta, 0.0]), above, 0.1 * COST * eta, MOST_SWEEPS)
        return values, above

    def _prove(self, player: int, values: Floats, eta: float) -> None:
        """Sweeps by a player's own rule; then put back what is not proved."""
        sign, bound, failed = 1.0 - 2.0 * player, self.bounds.of(player), np.zeros(self.game.choices, np.uint8)
        numbers, cost = np.array([sign, eta, COST * eta]), COST * eta
        self._sweep(values, numbers, bound, DRIFT * cost, OWN_SWEEPS)
        fixed = self.fixed.copy()
        for number in range(MOST_TESTS):
            kernels.settle_chance(self.arrays, values, -sign)
            wrong = self.kernels.find_failures(self.arrays, values, fixed, bound, sign, *self.shape, failed)
            if wrong == 0:
                break
            if self.deadline.has_passed():
                return
            if number >= PATIENT_TESTS:
                states = np.flatnonzero(failed)
                values[states], fixed[states] = bound[states], 1
            self._sweep(values, numbers, bound, 0.0, SWEEPS_BETWEEN, fixed)
        else:
            return
        self.bounds.improve(player, values, None)

    def _sweep(
        self, values: Floats, numbers: Floats, bound: Floats, tolerance: float, most: int, fixed: Marks | None = None
    ) -> None:
        for number in range(most):
            kernels.settle_chance(self.arrays, values, 0.0)
            change = self.kernels.sweep_blocks(
                self.arrays, values, self.old, self.fixed if fixed is None else fixed, numbers, bound, *self.shape
            )
            if change <= tolerance or self.deadline.has_passed():
                break
            if number % 20 == 0:
                width = self.bounds.width()
                self.deadline.tell(f"widest interval {width:.3g}, sweep {number}, changes up to {change:.1e}")
        kernels.settle_chance(self.arrays, values, 0.0)

    def _mean_width(self) -> float:
        return float(np.minimum(self.bounds.widths(), 1e6).mean())
