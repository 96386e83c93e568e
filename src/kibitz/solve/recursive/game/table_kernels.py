"""Kernels that turn a game's table of states into a structure."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kit import state_table as tables

WIDTH = (1 << tables.COLUMN_BITS) - 1
LIVE, PAIRS, ENDS, WRONG = range(4)
"""The counts of `read_table`; the last is the number of an invalid state."""
FINE, BAD_STATE, TOO_MANY_PAYOFFS, TOO_MANY_PAIRS = range(4)
"""The verdicts of `read_table`."""


@kernel(
    f"int64(FunctionType({tables.SUCCESSORS}), FunctionType({tables.PAYOFF}), int64[::1], int64, int32[::1],"
    " int32[::1], uint16[::1], int32[::1], int32[::1], float64[::1], int64[::1])"
)
def read_table(
    successors: Any,
    payoff: Any,
    parameters: NDArray[np.int64],
    most_pairs: int,
    nodes: NDArray[np.int32],
    first: NDArray[np.int32],
    columns: NDArray[np.uint16],
    written: NDArray[np.int32],
    numbers: NDArray[np.int32],
    ends: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Give every state its node, ends as -1 - their place in *ends*, which gets every payoff once.

    The states that go on get their number, shape and the numbers of their successors, which `place_successors` turns
    into nodes.
    """
    found = np.empty(most_pairs, np.int64)
    counts[:] = 0
    for number in range(len(nodes)):
        shape = successors(parameters, number, found)
        if shape == 0:
            end = end_of(payoff(parameters, number), ends, counts)
            if end < 0:
                counts[WRONG] = number
                return BAD_STATE if end == -1 else TOO_MANY_PAYOFFS
            nodes[number] = -1 - end
            continue
        live, at, width = counts[LIVE], counts[PAIRS], shape & WIDTH
        pairs = (shape >> tables.COLUMN_BITS) * width
        if at + pairs > len(written):
            return TOO_MANY_PAIRS
        wrong = pairs <= 0 or pairs > most_pairs
        for place in range(0 if wrong else pairs):
            wrong = wrong or found[place] < tables.OUTSIDE or found[place] >= len(nodes)
            written[at + place] = found[place]
        if wrong:
            counts[WRONG] = number
            return BAD_STATE
        nodes[number], first[live], columns[live], numbers[live] = live, at, width, number
        counts[LIVE] += 1
        counts[PAIRS] += pairs
    first[counts[LIVE]] = counts[PAIRS]
    return FINE


@kernel("int64(float64, float64[::1], int64[::1])")
def end_of(paid: float, ends: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """The place of a payoff in *ends*, which gets it if it is new; -1 if it is not a number, -2 if *ends* is full."""
    if not np.isfinite(paid):
        return -1
    for place in range(counts[ENDS]):
        if ends[place] == paid:
            return place
    if counts[ENDS] == len(ends):
        return -2
    ends[counts[ENDS]] = paid
    counts[ENDS] += 1
    return int(counts[ENDS] - 1)


@kernel("int64(int32[::1], int32[::1], int64, int64)")
def place_successors(nodes: NDArray[np.int32], written: NDArray[np.int32], live: int, outside: int) -> int:
    """Turn the numbers of successors into nodes, in place; ends come after the *live* states."""
    for place in range(len(written)):
        node = nodes[written[place]] if written[place] >= 0 else -1 - outside
        written[place] = node if node >= 0 else live - 1 - node
    return len(written)


@kernel(f"int64(FunctionType({tables.SUCCESSORS}), int64[::1], int64, int32[::1], int64[::1])")
def list_successors(
    successors: Any,
    parameters: NDArray[np.int64],
    most_pairs: int,
    numbers: NDArray[np.int32],
    written: NDArray[np.int64],
) -> int:
    """Write the numbers of all successors, state after state; return how many there are."""
    found = np.empty(most_pairs, np.int64)
    at = 0
    for number in numbers:
        shape = successors(parameters, number, found)
        pairs = (shape >> tables.COLUMN_BITS) * (shape & WIDTH)
        written[at : at + pairs] = found[:pairs]
        at += pairs
    return at
