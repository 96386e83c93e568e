"""The operator of a sweep, the result of iteration, and its deadline."""

import time
from collections.abc import Callable

import msgspec
import numpy as np

from kibitz.core.agent import Clock
from kibitz.core.errors import BadGame
from kibitz.solve.recursive.game.game import Floats

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


class Deadline:
    """Says when to stop, and reports progress."""

    def __init__(
        self,
        seconds: float | None = None,
        told: Callable[[str], None] | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.clock, self.told = Clock(seconds, now), told

    def within(self, seconds: float | None) -> "Deadline":
        """A deadline of its own for a part of the work, by the same clock."""
        return Deadline(seconds, now=self.clock.now)

    def has_passed(self) -> bool:
        return self.clock.remaining() <= 0.0

    def elapsed_seconds(self) -> float:
        return self.clock.elapsed_seconds()

    def seconds_left(self) -> float | None:
        """The seconds left; None without a limit."""
        seconds = self.clock.remaining()
        return None if seconds == np.inf else seconds

    def tell(self, words: str) -> None:
        if self.told is not None:
            self.told(words)
