"""The discounted path of a few states in pairs of doubles, where eta is smaller than doubles allow.

What a discount of eta leaves of a value is about a power of it: the square root where play waits once, the fourth root
where it waits twice. With 32 digits eta falls to 1e-26 instead of 1e-14, which makes the difference small enough.
"""

import numpy as np

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import pair_kernels
from kibitz.solve.recursive.values.chains import joint_moves
from kibitz.solve.recursive.values.kernels import Int64, Marks
from kibitz.solve.recursive.values.operators import Deadline

MOST_STATES = 300
"""The equations are dense, so that more states would take too long."""
LAST_ETA, RATIO, SMALLEST_RATIO = 1e-26, 8.0, 1.003
"""Where the path ends, by how much eta falls at most, and where even so small a change cannot be followed."""
ENOUGH, ROUNDING, STEPS = 1e-3, 1e-31, 20
"""The residual to accept in units of eta, the one that rounding leaves, and the most steps at one eta."""


class PrecisePath:
    """The values of the states that are not *fixed*, and both players' strategies, along the path."""

    def __init__(self, game: RecursiveGame, fixed: Marks, start: Floats, eta: float, deadline: Deadline) -> None:
        self.game, self.fixed, self.deadline, self.eta, self.ratio = game, fixed, deadline, eta, RATIO
        self.active = np.flatnonzero(fixed[: game.choices] == 0).astype(np.int64)
        self.place = np.full(game.nodes, -1, np.int64)
        self.place[self.active] = np.arange(len(self.active))
        self.numbers, self.tails = start.copy(), np.zeros(game.nodes)
        self.mixes = np.zeros(game.mix_starts(0)[-1]), np.zeros(game.mix_starts(1)[-1])
        self.history: list[tuple[Floats, Floats]] = []
        self.etas: list[float] = []
        """Both players' strategies at the points of the path, and where these are."""

    def can_begin(self) -> bool:
        """Whether the states are few, no chance move leads to another, and the first point is found."""
        game = self.game
        after = game.structure.chance_successors
        if not 0 < len(self.active) <= MOST_STATES or ((after >= game.choices) & (after < game.live)).any():
            return False
        return self._move_to(self.eta)

    def descend(self) -> bool:
        """Go to the next point of the path; return False if it cannot be followed, or ends."""
        while self.ratio >= SMALLEST_RATIO and self.eta > LAST_ETA and not self.deadline.has_passed():
            if self._move_to(self.eta / self.ratio):
                self.ratio = min(RATIO, self.ratio**1.5)
                return True
            self.ratio **= 0.5
        return False

    def _move_to(self, eta: float) -> bool:
        """Newton's method at a discount, from the values at the one before, which stay if it fails."""
        numbers, tails = self.numbers.copy(), self.tails.copy()
        mixes = np.zeros_like(self.mixes[0]), np.zeros_like(self.mixes[1])
        residuals = np.zeros(len(self.active))
        for _ in range(STEPS):
            pair_kernels.settle_pairs(self.game.structure.arrays, numbers, tails, self.fixed)
            failed = pair_kernels.write_pair_residuals(
                self.game.structure.arrays,
                numbers,
                tails,
                self.active,
                eta,
                (self.game.mix_starts(0), self.game.mix_starts(1)),
                mixes,
                residuals,
            )
            largest = float(np.abs(residuals).max())
            if failed or not np.isfinite(largest):
                return False
            if largest <= max(ENOUGH * eta, ROUNDING):
                self.numbers, self.tails, self.eta, self.mixes = numbers, tails, eta, mixes
                self.history.append(mixes)
                self.etas.append(eta)
                return True
            step = self._step(mixes, eta, residuals)
            if step is None:
                return False
            moved, rest = numbers[self.active], tails[self.active]
            pair_kernels.add_to_pairs(moved, rest, step)
            numbers[self.active], tails[self.active] = moved, rest
        return False

    def _step(self, mixes: tuple[Floats, Floats], eta: float, residuals: Floats) -> Floats | None:
        """Newton's step: the equations of both fixed strategies, solved without subtractions."""
        game, count = self.game, len(self.active)
        source, odds, after, _ = joint_moves(game, mixes[0], mixes[1], self.active)
        source, odds, after = self._through_chance(source, odds, after)
        inner = self.place[after] >= 0
        moves, leaving = np.zeros((count, count)), np.full(count, eta)
        np.add.at(moves, (source[inner], self.place[after[inner]]), (1.0 - eta) * odds[inner])
        np.add.at(leaving, source[~inner], (1.0 - eta) * odds[~inner])
        np.fill_diagonal(moves, 0.0)
        step = residuals.copy()
        if pair_kernels.eliminate(moves, leaving):
            return None
        pair_kernels.substitute(moves, step)
        return step if np.isfinite(step).all() else None

    def _through_chance(self, source: Int64, odds: Floats, after: Int64) -> tuple[Int64, Floats, Int64]:
        """The transitions with every open chance move replaced by its outcomes."""
        game, structure = self.game, self.game.structure
        met = (after >= game.choices) & (after < game.live)
        met[met] = self.fixed[after[met]] == 0
        if not met.any():
            return source, odds, after
        first = structure.chance_first[after[met] - game.choices].astype(np.int64)
        counts = structure.chance_first[after[met] - game.choices + 1] - first
        outcome = np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
        return (
            np.concatenate([source[~met], np.repeat(source[met], counts)]),
            np.concatenate([odds[~met], np.repeat(odds[met], counts) * structure.chance_odds[outcome]]),
            np.concatenate([after[~met], structure.chance_successors[outcome].astype(np.int64)]),
        )
