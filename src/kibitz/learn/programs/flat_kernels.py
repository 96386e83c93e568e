"""Programs as kernels: they evaluate flat arrays of nodes, in batches and inside search."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.learn.expressions import ABSOLUTE, MULTIPLE, SUM, VARIABLE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The columns of a node: its operation, where its feature's steps begin and end, where its children begin and how many
# there are, and the row of its shares. A comparison has two children, for yes and for no.
KIND, FIRST_STEP, LAST_STEP, FIRST_CHILD, CHILDREN, ANSWER, FIELDS = range(7)
LEAF, AT_MOST, ABOVE, AT_LEAST, BELOW, EQUALS, DIFFERS, BY_VALUE = range(8)


@kernel("float64(int64[:, ::1], float64[::1], int64, int64, float64[::1], float64[::1])")
def value_of(steps: Ints, factors: Floats, first: int, last: int, row: Floats, stack: Floats) -> float:
    """The value of a feature for a row, nan if a value it needs is missing. Twin of `Expression.evaluate`."""
    if last - first == 1:  # a single variable, the common case
        return float(row[steps[first, 1]])
    top = -1
    for place in range(first, last):
        operation = steps[place, 0]
        if operation == VARIABLE:
            top += 1
            stack[top] = row[steps[place, 1]]
        elif operation == MULTIPLE:
            stack[top] *= factors[place]
        elif operation == ABSOLUTE:
            stack[top] = abs(stack[top])
        else:
            top -= 1
            stack[top] = stack[top] + stack[top + 1] if operation == SUM else stack[top] - stack[top + 1]
    return float(stack[0])


@kernel("int64(int64, float64, float64)")
def way_of(kind: int, value: float, bound: float) -> int:
    """The child that a value leads to: 0 if the comparison holds, else 1; or the one of its word."""
    if kind == AT_MOST:
        holds = value <= bound
    elif kind == BY_VALUE:
        return int(value)
    elif kind == ABOVE:
        holds = value > bound
    elif kind == AT_LEAST:
        holds = value >= bound
    elif kind == BELOW:
        holds = value < bound
    elif kind == EQUALS:
        holds = value == bound
    else:
        holds = value != bound
    return 0 if holds else 1


@kernel(
    "int64(int64[:, ::1], float64[::1], int64[:, ::1], float64[::1], int64[::1], float64[::1], float64[:, ::1],"
    " float64[::1], float64[::1], int64[::1], float64[::1], float64[::1])"
)
def shares_of(
    nodes: Ints,
    bounds: Floats,
    steps: Ints,
    factors: Floats,
    children: Ints,
    parts: Floats,
    answers: Floats,
    row: Floats,
    stack: Floats,
    waiting: Ints,
    carried: Floats,
    out: Floats,
) -> int:
    """Write the shares of all labels for a row into *out*; return the number of nodes visited.

    *stack*, *waiting* and *carried* are working space from `FlatProgram.room`. Twin of `Program.shares`.
    """
    for label in range(len(out)):
        out[label] = 0.0
    waiting[0], carried[0] = 0, 1.0
    left, seen = 1, 0
    while left > 0:
        left -= 1
        node, weight = waiting[left], carried[left]
        # 1. Go down while the branch is known.
        while nodes[node, KIND] != LEAF:
            seen += 1
            value = value_of(steps, factors, nodes[node, FIRST_STEP], nodes[node, LAST_STEP], row, stack)
            if np.isnan(value):
                break
            node = children[nodes[node, FIRST_CHILD] + way_of(nodes[node, KIND], value, bounds[node])]
        # 2. At a leaf, add its shares.
        if nodes[node, KIND] == LEAF:
            seen += 1
            for label in range(len(out)):
                out[label] += weight * answers[nodes[node, ANSWER], label]
            continue
        # 3. If a value is missing, push all branches, the first on top.
        for way in range(nodes[node, CHILDREN] - 1, -1, -1):
            part = parts[nodes[node, FIRST_CHILD] + way]
            if part > 0.0:
                waiting[left], carried[left] = children[nodes[node, FIRST_CHILD] + way], weight * part
                left += 1
    return seen


@kernel(
    "int64(int64[:, ::1], float64[::1], int64[:, ::1], float64[::1], int64[::1], float64[::1], float64[:, ::1],"
    " float64[:, ::1], float64[::1], int64[::1], float64[::1], float64[:, ::1])"
)
def all_shares(
    nodes: Ints,
    bounds: Floats,
    steps: Ints,
    factors: Floats,
    children: Ints,
    parts: Floats,
    answers: Floats,
    rows: Floats,
    stack: Floats,
    waiting: Ints,
    carried: Floats,
    out: Floats,
) -> int:
    """Write the shares for every row; return the number of nodes visited."""
    seen = 0
    for place in range(len(rows)):
        seen += shares_of(
            nodes, bounds, steps, factors, children, parts, answers, rows[place], stack, waiting, carried, out[place]
        )
    return seen
