"""Numbers as states of a node: one state per value if there are few values, intervals if there are many.

Either way edges separate the states: the number of a value's state is how many edges are at or below the value. So a
value that was never seen is in the nearest state.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

DECIMALS = 9
"""Numbers that agree to this many decimals count as equal."""


class Discretisation(msgspec.Struct, frozen=True):
    """The states of one number."""

    name: str
    edges: tuple[float, ...]
    values: tuple[float, ...] = ()
    """The value of each state; empty if the states are intervals."""

    @classmethod
    def from_values(cls, name: str, values: ArrayLike, most: int = 16) -> "Discretisation":
        """States for numbers like *values*: at most *most*, intervals of about as many values each (quantiles).

        Numbers that differ by rounding errors count as one.
        """
        rounded = np.round(np.asarray(values, np.float64).ravel(), DECIMALS) + 0.0
        distinct, counts = np.unique(rounded, return_counts=True)
        edges = between(distinct)
        if len(distinct) <= most:
            return cls(name, tuple(edges), tuple(distinct.tolist()))
        return cls(name, tuple(edges[place] for place in quantiles(counts.tolist(), most)))

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.edges) + 1

    def state(self, value: float) -> int:
        """The state of a value. Twin of `slice_kernels.state_of`."""
        return sum(edge <= value for edge in self.edges)

    def states(self, values: ArrayLike) -> NDArray[np.int64]:
        """The states of many values."""
        return np.searchsorted(np.array(self.edges), np.asarray(values, np.float64), side="right")


def quantiles(counts: Sequence[int], most: int) -> list[int]:
    """The values after which to cut, so that at most *most* groups have about equal weight.

    A value with more than its share is a separate group, and the others share the rest.
    """
    cuts: list[int] = []
    left, gathered = sum(counts), 0
    for place, count in enumerate(counts[:-1]):
        gathered += count
        groups = most - len(cuts)
        heavy_next = counts[place + 1] * groups > left
        if groups > 1 and (gathered * groups >= left or (heavy_next and gathered * groups * 2 >= left)):
            cuts.append(place)
            left, gathered = left - gathered, 0
    return cuts


def between(distinct: NDArray[np.float64]) -> list[float]:
    """The middle between each two neighbours; the upper one if they are too close to have a middle."""
    lower, upper = distinct[:-1], distinct[1:]
    middle = (lower + upper) / 2.0
    found: list[float] = np.where(middle > lower, middle, upper).tolist()
    return found


def discretise_scores(scores: NDArray[np.float64], by: Sequence[Discretisation]) -> NDArray[np.int64]:
    """Rows of numbers as rows of states, a column per discretisation."""
    return np.stack([each.states(scores[:, column]) for column, each in enumerate(by)], axis=1)
