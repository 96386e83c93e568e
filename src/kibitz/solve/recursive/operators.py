"""What a sweep does to a state, what iteration reached, and when it stops."""

from collections.abc import Callable

import msgspec
import numpy as np

from kibitz.core.clocks import Clock
from kibitz.core.errors import BadGame
from kibitz.solve.recursive.model import Floats

SMALLEST_ETA = 64 * 2.0**-53
"""A discount nearer to 1 than this drowns in rounding; see the page on recursive games."""


class Operator(msgspec.Struct, frozen=True):
    """What a sweep does to a state: `max(floor, discount * value of its matrix - step)`."""

    discount: float = 1.0
    step: float = 0.0
    floor: float = -np.inf

    def __post_init__(self) -> None:
        if not 0.0 < self.discount <= 1.0:
            raise BadGame("the discount", f"it lies between 0 and 1, not at {self.discount}")
        if 0.0 < 1.0 - self.discount < SMALLEST_ETA:
            raise BadGame("the discount", f"{self.discount!r} is nearer to 1 than rounding allows; take 1 - 1e-8")
        if not self.step >= 0.0:
            raise BadGame("the step", f"it is at least 0, not {self.step}")

    @property
    def numbers(self) -> Floats:
        return np.array([self.discount, self.step, self.floor])


def survival_operator(beta: float) -> Operator:
    """(3.13): what comes later is worth a little less."""
    return Operator(discount=beta)


def speed_operator(delta: float) -> Operator:
    """(4.9): every round costs *delta*, and nothing is worth less than 0."""
    return Operator(step=delta, floor=0.0)


class IterationResult(msgspec.Struct, frozen=True):
    """What iteration reached: values of all nodes, how far they are from standing still, and what it took.

    *residual* is the largest change of one more sweep. It is no error bound; `certify` gives those.
    """

    values: Floats
    residual: float
    solves: int
    finished: bool


class Deadline:
    """Says when to stop, and tells how far things are."""

    def __init__(self, seconds: float | None = None, told: Callable[[str], None] | None = None) -> None:
        self.clock, self.told = Clock(seconds), told

    def has_passed(self) -> bool:
        return self.clock.remaining() <= 0.0

    def elapsed_seconds(self) -> float:
        return self.clock.elapsed_seconds()

    def seconds_left(self) -> float | None:
        """Seconds that are left; None where there is no end to them."""
        seconds = self.clock.remaining()
        return None if seconds == np.inf else seconds

    def tell(self, words: str) -> None:
        if self.told is not None:
            self.told(words)
