"""Numbers as states of a node: one state per value where there are few, intervals where there are many.

Either way the states are told apart by edges: a value is in the state whose number is how many edges are at or below
it. A value that was never seen is thus in the nearest state.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray


class Discretisation(msgspec.Struct, frozen=True):
    """The states of one number."""

    name: str
    edges: tuple[float, ...]
    values: tuple[float, ...] = ()
    """The value of each state; nothing where the states are intervals."""

    @classmethod
    def fitted(cls, name: str, values: ArrayLike, most: int = 16) -> "Discretisation":
        """States for numbers like *values*: at most *most*, intervals of about as many values each (quantiles)."""
        numbers = np.sort(np.asarray(values, np.float64).ravel())
        distinct = np.unique(numbers)
        if len(distinct) <= most:
            return cls(name, tuple(between(distinct)), tuple(distinct.tolist()))
        wanted = np.quantile(numbers, np.arange(1, most) / most, method="inverted_cdf")
        upper = np.searchsorted(distinct, np.unique(wanted), side="right")  # an edge behind each quantile
        return cls(name, tuple(between(distinct)[place - 1] for place in upper if place < len(distinct)))

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.edges) + 1

    def state(self, value: float) -> int:
        """The state of a value. Twin of the first step of `slice_kernels.likelihood`."""
        return sum(edge <= value for edge in self.edges)

    def states(self, values: ArrayLike) -> NDArray[np.int64]:
        """The states of many values."""
        return np.searchsorted(np.array(self.edges), np.asarray(values, np.float64), side="right")

    def label(self, state: int) -> str:
        """A state in words."""
        if self.values:
            return f"{self.values[state]:g}"
        low = f"from {self.edges[state - 1]:g}" if state else ""
        high = f"below {self.edges[state]:g}" if state < len(self.edges) else ""
        return f"{low} {high}".strip()


def between(distinct: NDArray[np.float64]) -> list[float]:
    """The middle between each two neighbours; the upper one where they are too close to have a middle."""
    lower, upper = distinct[:-1], distinct[1:]
    middle = (lower + upper) / 2.0
    found: list[float] = np.where(middle > lower, middle, upper).tolist()
    return found


def discretised(scores: NDArray[np.float64], by: Sequence[Discretisation]) -> NDArray[np.int64]:
    """Rows of numbers as rows of states, a column per discretisation."""
    return np.stack([each.states(scores[:, column]) for column, each in enumerate(by)], axis=1)
