"""The discounted path: the values at discounts nearer and nearer to 1, each found from the one before.

Later payoffs are worth `1 - eta` per round. The values change little from one eta to the next if it falls by a small
factor, so that Newton's method, started at the last values, needs a few steps each time. A step that helps one strongly
connected component of play may harm another, so each component has its own step length.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.chains import joint_moves, mixes_at, solved_chain
from kibitz.solve.recursive.values.kernels import Marks, scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline
from kibitz.solve.recursive.values.small_shares import extrapolated_limit

FIRST_ETA, LAST_ETA, RATIO = 0.1, 1e-14, 4.0
"""Where the path begins and ends, and by how much eta falls between two points of its history."""
SWEEPS = 100
"""Sweeps before the first point of the path."""
PRECISE, ENOUGH, ROUNDING = 1e-4, 1e-3, 4e-16
"""The residual to aim at and the one to accept, in units of eta; and the residual that rounding leaves."""
PATIENCE, SEARCHES = 8, 6
"""Full steps without progress before step lengths are searched for, and how many such searches."""
SHORTEN, SHORTENINGS = 0.4, 7
"""By how much a step becomes shorter, and how often."""
CERTAIN = 1e-12
"""Probabilities that sum to 1 up to this are complete."""
SMALLEST_RATIO = 1.02
"""The path ends where even so small a change of eta cannot be followed."""


class Path:
    """The values of the nodes that are not *fixed*, along the path."""

    def __init__(self, game: RecursiveGame, fixed: Marks, start: Floats, deadline: Deadline) -> None:
        self.game, self.fixed, self.deadline = game, fixed, deadline
        self.arrays, self.scratch = game.structure.arrays, scratch_arrays(*game.largest_shape())
        self.active = np.flatnonzero(fixed[: game.choices] == 0)
        self.place = np.full(game.nodes, -1, np.int64)
        self.place[self.active] = np.arange(len(self.active))
        self.chance = _chance_outcomes(game)
        self.values, self.eta, self.residual, self.ratio = start.copy(), FIRST_ETA, np.inf, RATIO
        self.history: list[Floats] = []
        self.etas: list[float] = []
        """The values at the points of the path, and where these are."""

    def begin(self) -> None:
        """The first point: sweeps, which a large discount makes fast, then Newton's method."""
        operator = np.array([1.0 - self.eta, 0.0, -np.inf])
        for _ in range(SWEEPS):
            kernels.sweep(self.arrays, self.values, operator, self.fixed, self.values, self.scratch)
        self.values, self.residual = self._converge(self.values, self.eta, 2)
        self._remember()

    def resume(self, values: Floats, points: int) -> None:
        """Go on from the values after so many points."""
        self.values, self.eta = values.copy(), FIRST_ETA / RATIO**points
        self._remember()

    def descend(self) -> bool:
        """Follow the path until eta has fallen by `RATIO`; return False if it cannot be followed so far."""
        goal = self.eta / RATIO
        while self.eta > goal and not self.deadline.has_passed():
            eta = max(self.eta / self.ratio, goal)
            values, residual = self._converge(self.values, eta, 1 if self.ratio > RATIO**0.25 else 2)
            if residual <= max(ENOUGH * eta, 8 * ROUNDING):
                self.values, self.eta, self.residual = values, eta, residual
                self.ratio = min(RATIO, self.ratio**1.5)
            else:
                self.ratio **= 0.5
            if self.ratio < SMALLEST_RATIO:
                return False
        self._remember()
        return not self.deadline.has_passed()

    def _remember(self) -> None:
        self.history.append(self.values)
        self.etas.append(self.eta)

    def limits(self, most: int = 9) -> list[Floats]:
        """Guesses of the limit of the values: Aitken's extrapolation of the history, repeated."""
        points, found = self.history[-most:], []
        while len(points) >= 3:
            points = [extrapolated_limit(*each) for each in zip(points, points[1:], points[2:], strict=False)]
            found.append(points[-1])
        return found

    def _converge(self, values: Floats, eta: float, rounds: int) -> tuple[Floats, float]:
        """The best values found at a discount, and their residual."""
        tolerance, kept = max(PRECISE * eta, ROUNDING), values.copy()
        kernels.settle_chance(self.arrays, kept, 0.0)
        best = self._largest(self._residuals(kept, eta))
        for _ in range(rounds):
            values, idle = kept, 0
            while best > tolerance and idle < PATIENCE and not self.deadline.has_passed():
                values = self._shifted_values(values, self._step(values, eta)[0])
                residual = self._largest(self._residuals(values, eta))
                idle = 0 if residual < 0.5 * best else idle + 1
                if residual < best:
                    kept, best = values, residual
            for _ in range(SEARCHES):
                if best <= tolerance or self.deadline.has_passed():
                    return kept, best
                values, residual = self._searched_step(kept, eta, tolerance)
                if residual >= best:
                    break
                kept, best = values, residual
        if best > max(ENOUGH * eta, 8 * ROUNDING) and not self.deadline.has_passed():
            return self._converge_from_sweeps(kept, best, eta, tolerance)
        return kept, best

    def _converge_from_sweeps(self, kept: Floats, best: float, eta: float, tolerance: float) -> tuple[Floats, float]:
        """Leave values that hardly change but are wrong: a step, sweeps from there, and steps again."""
        operator = np.array([1.0 - eta, 0.0, -np.inf])
        values = self._shifted_values(kept, self._step(kept, eta)[0])
        for _ in range(SWEEPS):
            kernels.sweep(self.arrays, values, operator, self.fixed, values, self.scratch)
        for _ in range(PATIENCE):
            residual = self._largest(self._residuals(values, eta))
            if residual < best:
                kept, best = values, residual
            if best <= tolerance or self.deadline.has_passed():
                break
            values = self._shifted_values(values, self._step(values, eta)[0])
        return kept, best

    def _step(self, values: Floats, eta: float) -> tuple[Floats, Any]:
        """Newton's step (Pollatschek and Avi-Itzhak 1969) at the active states, and the moves of the joint chain."""
        from scipy.sparse import csr_array

        game, count = self.game, len(self.active)
        rows, columns = mixes_at(game, values, self.fixed)
        source, odds, after, stage = joint_moves(game, rows, columns, self.active)
        worth = stage + np.bincount(source, odds * values[after], minlength=count)
        moves = csr_array((odds, (source, after)), shape=(count, game.nodes))
        if self.chance is not None:
            moves = moves + moves[:, game.choices : game.live] @ self.chance
        moves = csr_array((1.0 - eta) * moves[:, self.active])
        step = solved_chain(moves, (1.0 - eta) * worth - values[self.active])
        least, most = game.bounds
        step = np.where(np.isfinite(step), step, 0.0)
        return np.clip(values[self.active] + step, least, most) - values[self.active], moves

    def _searched_step(self, values: Floats, eta: float, tolerance: float) -> tuple[Floats, float]:
        """A step whose length is shortened, component by component, until the squared residual falls there.

        A component whose play leads to others goes no further than they do (after Filar and Tolwinski 1991).
        """
        from scipy.sparse.csgraph import connected_components

        step, moves = self._step(values, eta)
        count, component = connected_components(moves, connection="strong")
        sources, targets = (component[each] for each in moves.nonzero())
        between = sources != targets
        links = np.unique(np.stack([sources[between], targets[between]]), axis=1)
        before = np.bincount(component, self._residuals(values, eta) ** 2, minlength=count)
        lengths, found, residuals = np.ones(count), values, np.full(len(self.active), np.inf)
        for _ in range(SHORTENINGS):
            held = _least_downstream(lengths, links)
            found = self._shifted_values(values, held[component] * step)
            residuals = self._residuals(found, eta)
            after = np.bincount(component, residuals**2, minlength=count)
            worse = (after > np.maximum((1.0 - 0.5 * lengths) * before, tolerance**2)) & (held >= lengths)
            if not worse.any():
                break
            lengths[worse] *= SHORTEN
        return found, self._largest(residuals)

    def _shifted_values(self, values: Floats, step: Floats) -> Floats:
        moved = values.copy()
        moved[self.active] += step
        kernels.settle_chance(self.arrays, moved, 0.0)
        return moved

    def _residuals(self, values: Floats, eta: float) -> Floats:
        """How much a sweep changes each active state."""
        after = values.copy()
        kernels.sweep(self.arrays, values, np.array([1.0 - eta, 0.0, -np.inf]), self.fixed, after, self.scratch)
        found: Floats = (after - values)[self.active]
        return found

    @staticmethod
    def _largest(residuals: Floats) -> float:
        return float(np.abs(residuals).max(initial=0.0))


def _chance_outcomes(game: RecursiveGame) -> Any | None:
    """The probabilities with which each chance move leads to nodes that are none; None without chance moves."""
    from scipy.sparse import csr_array

    structure, moves = game.structure, game.live - game.choices
    if not moves:
        return None
    shape = (moves, game.nodes)
    every = csr_array((structure.chance_odds, structure.chance_successors, structure.chance_first), shape=shape)
    nested = every[:, game.choices : game.live]
    inside = np.zeros(game.nodes)
    inside[: game.choices], inside[game.live :] = 1.0, 1.0
    outside = csr_array(every.multiply(inside[None, :]))
    found = outside
    while nested.nnz and found.sum(axis=1).min() < 1.0 - CERTAIN:
        found = csr_array(outside + nested @ found)
    return found


def _least_downstream(lengths: Floats, links: NDArray[np.int64]) -> Floats:
    """For every component, the least length of all components that its play leads to, and its own."""
    while True:
        held = lengths.copy()
        np.minimum.at(held, links[0], lengths[links[1]])
        if (held == lengths).all():
            return held
        lengths = held
