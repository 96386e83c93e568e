"""The worklist of value iteration: states whose successors have changed wait to be solved again."""

import numpy as np

from kibitz.solve.recursive.game.game import Floats, Predecessors, RecursiveGame, predecessors_of
from kibitz.solve.recursive.values import kernels
from kibitz.solve.recursive.values.kernels import HEAD, SOLVES, WAITING, Marks, scratch_arrays
from kibitz.solve.recursive.values.operators import Deadline, IterationResult, Operator

SOLVES_PER_CALL = 200_000
"""Matrix games per kernel call; in between, the program checks time, progress and Ctrl-C."""


class Worklist:
    """States whose successors have changed, first in, first out."""

    def __init__(self, game: RecursiveGame, values: Floats, fixed: Marks, before: Predecessors | None = None) -> None:
        self.game, self.values, self.fixed = game, values, fixed
        self.before = before or predecessors_of(game)
        self.queue = np.empty(max(game.live, 1), np.int32)
        self.queued = np.zeros(game.nodes, np.uint8)
        self.numbers = np.zeros(3, np.int64)

    def fill_all(self) -> None:
        """Put all nodes that are not fixed on the list."""
        waiting = np.flatnonzero(self.fixed[: self.game.live] == 0)
        self.queue[: len(waiting)] = waiting
        self.queued[waiting] = 1
        self.numbers[HEAD], self.numbers[WAITING] = 0, len(waiting)

    def add_predecessors(self, changed: Marks) -> None:
        """Put all predecessors of the marked nodes on the list."""
        kernels.enqueue_predecessors(
            self.before.first, self.before.nodes, changed, self.fixed, self.queue, self.queued, self.numbers
        )

    def run(self, operator: Operator, tolerance: float, deadline: Deadline, sweeps: float = np.inf) -> IterationResult:
        """Process the list, as far as time and about *sweeps* sweeps' worth of matrix games allow."""
        scratch, most = scratch_arrays(*self.game.largest_shape()), sweeps * self.game.live
        while self.numbers[WAITING] and self.numbers[SOLVES] < most and not deadline.has_passed():
            kernels.work_off(
                self.game.structure.arrays,
                self.before.first,
                self.before.nodes,
                self.values,
                operator.numbers,
                tolerance,
                self.fixed,
                self.queue,
                self.queued,
                self.numbers,
                SOLVES_PER_CALL,
                scratch,
            )
            deadline.tell(f"{int(self.numbers[SOLVES]):,} games solved, {int(self.numbers[WAITING]):,} waiting")
        finished = not self.numbers[WAITING]
        return IterationResult(self.values, tolerance if finished else np.inf, int(self.numbers[SOLVES]), finished)
