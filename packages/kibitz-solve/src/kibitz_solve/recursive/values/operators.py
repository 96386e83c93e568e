"""The operator of a sweep, the worklist that applies it, the result of iteration, and its deadline."""

from collections.abc import Callable
from time import perf_counter

import msgspec
import numpy as np

from kibitz.core.agent import Clock, Now
from kibitz.core.errors import BadGame
from kibitz_solve.recursive.building.recursive_game import Floats, Predecessors, RecursiveGame, predecessors_of
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.kernels import HEAD, SOLVES, WAITING, Marks, scratch_arrays

Report = Callable[[str], None]
"""Is called with a line of progress."""
SMALLEST_ETA = 64 * 2.0**-53
"""Rounding spoils discounts nearer to 1 than this; see the page on recursive games."""


class Operator(msgspec.Struct, frozen=True):
    """What a sweep does to a state: `max(floor, discount * value of its matrix - step)`."""

    discount: float = 1.0
    step: float = 0.0
    floor: float = -np.inf

    def __post_init__(self) -> None:
        if not 0.0 < self.discount <= 1.0:
            raise BadGame("the discount", f"it must lie between 0 and 1, not at {self.discount}")
        if 0.0 < 1.0 - self.discount < SMALLEST_ETA:
            raise BadGame("the discount", f"{self.discount!r} is nearer to 1 than rounding allows; use 1 - 1e-8")
        if not self.step >= 0.0:
            raise BadGame("the step", f"it must be at least 0, not {self.step}")

    @property
    def numbers(self) -> Floats:
        return np.array([self.discount, self.step, self.floor])


def survival_operator(beta: float) -> Operator:
    """(3.13): later payoffs are worth a little less."""
    return Operator(discount=beta)


def speed_operator(delta: float) -> Operator:
    """(4.9): every round costs *delta*, and nothing is worth less than 0."""
    return Operator(step=delta, floor=0.0)


class IterationResult(msgspec.Struct, frozen=True):
    """The result of iteration: values of all nodes, their residual, and the work it took.

    *residual* is the largest change of one more sweep. It is not an error bound; `certify` gives those.
    """

    values: Floats
    residual: float
    solves: int
    finished: bool


class Deadline(Clock):
    """Says when to stop, and reports progress."""

    __slots__ = ("report",)

    def __init__(self, seconds: float | None = None, report: Report | None = None, now: Now = perf_counter) -> None:
        super().__init__(seconds, now)
        self.report = report

    def within(self, seconds: float | None) -> "Deadline":
        """A deadline of its own for a part of the work, by the same clock."""
        return Deadline(seconds, now=self.now)

    def has_passed(self) -> bool:
        return self.remaining() <= 0.0

    def seconds_left(self) -> float | None:
        """The seconds left; None without a limit."""
        return None if self.allowance is None else self.remaining()

    def tell(self, words: str) -> None:
        if self.report is not None:
            self.report(words)


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
            kernels.process_worklist(
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
