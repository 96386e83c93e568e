"""Strategies of repeated games as tables, for the ability `POLICIES`.

A table has states; each says what it plays, and which state follows what both did. Strategies that remember the last
rounds, finite-state machines and lookup tables are all of this form.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

DRAWN, UNIFORM = -1, -2
"""What a state plays if it is no certain action: one drawn with the state's shares, or any."""
MOST_STATES = 5000
"""The most states of a table."""


class RoundTable(msgspec.Struct, frozen=True, eq=False):
    """A strategy as a table, for a player with as many actions as the columns of *shares*."""

    plays: NDArray[np.int64]
    """For each state the action it plays, or DRAWN, or UNIFORM; the first state is the start."""
    shares: NDArray[np.float64]
    """For each state the probability of each action; used if it is DRAWN."""
    nexts: NDArray[np.int64]
    """For each state, own action and action of the other, the next state."""


def table_of(
    start: Hashable,
    follow: Callable[[Any, int, int], Hashable],
    shares: Callable[[Any], Sequence[float]],
    counts: tuple[int, int],
) -> RoundTable | None:
    """The table of the strategy that begins in the memory *start*; None if it has more than MOST_STATES states.

    *follow* is the memory after a round of (memory, own action, other's action), *shares* the probabilities of the
    actions in a memory. *counts* are the numbers of actions, its own first.
    """
    numbers, waiting = {start: 0}, [start]
    nexts, found = [], []
    for memory in waiting:
        found.append(list(shares(memory)))
        row = []
        for own, other in product(range(counts[0]), range(counts[1])):
            after = follow(memory, own, other)
            if after not in numbers:
                if len(numbers) == MOST_STATES:
                    return None
                numbers[after] = len(numbers)
                waiting.append(after)
            row.append(numbers[after])
        nexts.append(row)
    plays = [each.index(1.0) if 1.0 in each else DRAWN for each in found]
    following = np.array(nexts, np.int64).reshape(len(plays), *counts)
    return RoundTable(np.array(plays, np.int64), np.array(found, np.float64), following)
