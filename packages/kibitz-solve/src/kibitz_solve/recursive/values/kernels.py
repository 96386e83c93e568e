"""Recursive games as kernels: matrices from a vector of values, sweeps, and the worklist.

*structure* is `Structure.arrays`. An *operator* is three numbers: a state's new value is
`max(floor, discount * value of its matrix - step)`; a chance move is worth the mean of its outcomes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_lab.equilibria.matrix_kernels import solve_matrix, work_arrays

Floats = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Uint16 = NDArray[np.uint16]
Marks = NDArray[np.uint8]

STRUCTURE = "Tuple((int32[::1], uint16[::1], int32[::1], int32[::1], int32[::1], float64[::1], float64[::1]))"
"""first, columns, successors, chance_first, chance_successors, chance_odds, stage."""
SCRATCH = "Tuple((float64[::1], float64[::1], float64[::1], float64[::1], int64[::1]))"
"""A matrix, the strategies of both players, and the buffers of `solve_matrix`."""
DISCOUNT, STEP, FLOOR = 0, 1, 2
"""The indices of an operator's numbers."""
HEAD, WAITING, SOLVES = 0, 1, 2
"""The indices of a worklist's numbers: its first entry, how many wait, and how many nodes were processed so far."""
ROUNDING = 2.3e-16


@kernel(f"{SCRATCH}(int64, int64)", entry=True)
def scratch_arrays(rows: int, columns: int) -> Any:
    """Buffers for matrices of up to *rows* rows and *columns* columns."""
    work, labels = work_arrays(rows, columns)
    return np.empty(rows * columns), np.empty(rows), np.empty(columns), work, labels


@kernel("int64(uint16[::1], int64)")
def width_of(columns: Uint16, state: int) -> int:
    """The number of columns of a state as int64: 16 bits would overflow."""
    return int(columns[state])


@kernel(f"int64({STRUCTURE}, int64, float64[::1], float64[::1])")
def read_matrix(structure: Any, state: int, values: Floats, entries: Floats) -> int:
    """Write the matrix (3.10) of a state; return how many rows it has."""
    first, columns, successors, _, _, _, stage = structure
    start, end = first[state], first[state + 1]
    for entry in range(start, end):
        entries[entry - start] = values[successors[entry]]
    if len(stage) > 0:
        for entry in range(start, end):
            entries[entry - start] += stage[entry]
    return int((end - start) // width_of(columns, state))


@kernel(f"float64({STRUCTURE}, int64, float64[::1], float64)")
def chance_value(structure: Any, move: int, values: Floats, margin: float) -> float:
    """The mean over chance, plus *margin* times the largest rounding error.

    It averages differences, so that the mean of equal values is exact.
    """
    _, _, _, first, successors, odds, _ = structure
    base = values[successors[first[move]]]
    total = size = 0.0
    for entry in range(first[move] + 1, first[move + 1]):
        change = odds[entry] * (values[successors[entry]] - base)
        total += change
        size += abs(change)
    if size == 0.0:
        return float(base)
    return float(base + total + margin * ROUNDING * ((first[move + 1] - first[move] + 3) * size + abs(base + total)))


@kernel(f"int64({STRUCTURE}, float64[::1], float64)", entry=True)
def settle_chance(structure: Any, values: Floats, margin: float) -> int:
    """Compute all chance moves, which are listed so that those a move leads to come before it."""
    choices, moves = len(structure[1]), len(structure[3]) - 1
    for move in range(moves):
        values[choices + move] = chance_value(structure, move, values, margin)
    return moves


@kernel(f"float64({STRUCTURE}, int64, float64[::1], float64[::1], {SCRATCH})")
def backed_up(structure: Any, node: int, values: Floats, operator: Floats, scratch: Any) -> float:
    """The new value of a node, (3.11), (3.13), (4.9) or (4.3)."""
    columns = structure[1]
    if node >= len(columns):
        return chance_value(structure, node - len(columns), values, 0.0)
    entries, row_mix, column_mix, work, labels = scratch
    rows = read_matrix(structure, node, values, entries)
    value = solve_matrix(entries, rows, width_of(columns, node), row_mix, column_mix, work, labels)
    if np.isnan(value):  # rounding stopped the simplex method: keep the value, and let the certificate judge
        return float(values[node])
    return float(max(operator[FLOOR], operator[DISCOUNT] * value - operator[STEP]))


@kernel(f"float64({STRUCTURE}, float64[::1], float64[::1], uint8[::1], float64[::1], {SCRATCH})")
def sweep(structure: Any, old: Floats, operator: Floats, fixed: Marks, new: Floats, scratch: Any) -> float:
    """One sweep from *old* to *new*, chance moves first; return the largest change of a state.

    With one vector for both it is Gauss and Seidel's, with two Jacobi's. States marked in *fixed* stay.
    """
    choices = len(structure[1])
    moves = settle_chance(structure, old, 0.0)
    for node in range(choices, choices + moves):
        new[node] = old[node]
    largest = 0.0
    for state in range(choices):
        if fixed[state]:
            continue
        value = backed_up(structure, state, old, operator, scratch)
        largest = max(largest, abs(value - old[state]))
        new[state] = value
    return largest


@kernel(f"int64({STRUCTURE}, float64[::1], uint8[::1], float64[::1], float64[::1], {SCRATCH})")
def write_mixes(
    structure: Any, values: Floats, skipped: Marks, row_mixes: Floats, column_mixes: Floats, scratch: Any
) -> int:
    """Write both players' strategies, state after state; return how many games were solved."""
    first, columns = structure[0], structure[1]
    entries, row_mix, column_mix, work, labels = scratch
    row_at = column_at = solved = 0
    for state in range(len(columns)):
        width = width_of(columns, state)
        rows = (first[state + 1] - first[state]) // width
        if not skipped[state]:
            read_matrix(structure, state, values, entries)
            solve_matrix(entries, rows, width, row_mix, column_mix, work, labels)
            solved += 1
            for row in range(rows):
                row_mixes[row_at + row] = row_mix[row]
            for column in range(width):
                column_mixes[column_at + column] = column_mix[column]
        row_at += rows
        column_at += width
    return solved


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], int32[::1])")
def write_predecessors(structure: Any, starts: Int32, seen: Int32, predecessors: Int32) -> int:
    """Write the predecessors of each node, each once; return how many there are.

    With an empty *predecessors* it only writes where they begin; otherwise *starts* holds that already.
    """
    first, columns, successors, chance_first, chance_successors, _, _ = structure
    choices = len(columns)
    seen[:] = -1
    for node in range(choices + len(chance_first) - 1):
        if node < choices:
            listed, start, end = successors, first[node], first[node + 1]
        else:
            listed, start, end = chance_successors, chance_first[node - choices], chance_first[node - choices + 1]
        for entry in range(start, end):
            after = listed[entry]
            if seen[after] != node:
                seen[after] = node
                if len(predecessors) > 0:
                    predecessors[starts[after]] = node
                    starts[after] += 1
                else:
                    starts[after + 1] += 1
    if len(predecessors) > 0:  # every start has moved to its end
        for node in range(len(starts) - 1, 0, -1):
            starts[node] = starts[node - 1]
        starts[0] = 0
    else:
        for node in range(1, len(starts)):
            starts[node] += starts[node - 1]
    return int(starts[-1])


@kernel("int64(int32[::1], uint16[::1], int64[::1])")
def transpose_order(first: Int32, columns: Uint16, order: Int64) -> int:
    """Write the order of entries when every matrix is transposed."""
    for state in range(len(columns)):
        start, width = first[state], width_of(columns, state)
        rows = (first[state + 1] - start) // width
        for row in range(rows):
            for column in range(width):
                order[start + column * rows + row] = start + row * width + column
    return len(order)


@kernel("int64(int32[::1], uint8[::1], int64[::1], int64)")
def enqueue(queue: Int32, queued: Marks, worklist: Int64, node: int) -> int:
    """Put a node at the end of the worklist unless it waits there already; return how many wait."""
    if queued[node] == 0:
        queued[node] = 1
        entry = worklist[HEAD] + worklist[WAITING]
        queue[entry if entry < len(queue) else entry - len(queue)] = node
        worklist[WAITING] += 1
    return int(worklist[WAITING])


@kernel("int64(int32[::1], uint8[::1], int64[::1])")
def dequeue(queue: Int32, queued: Marks, worklist: Int64) -> int:
    """Take the first node off the worklist, which is not empty."""
    node = queue[worklist[HEAD]]
    worklist[HEAD] += 1
    if worklist[HEAD] == len(queue):
        worklist[HEAD] = 0
    worklist[WAITING] -= 1
    worklist[SOLVES] += 1
    queued[node] = 0
    return int(node)


@kernel(
    f"int64({STRUCTURE}, int32[::1], int32[::1], float64[::1], float64[::1], float64, uint8[::1], int32[::1],"
    f" uint8[::1], int64[::1], int64, {SCRATCH})"
)
def process_worklist(
    structure: Any,
    before_first: Int32,
    before: Int32,
    values: Floats,
    operator: Floats,
    tolerance: float,
    fixed: Marks,
    queue: Int32,
    queued: Marks,
    worklist: Int64,
    most: int,
    scratch: Any,
) -> int:
    """Process at most *most* nodes of the list; return how many still wait.

    A node whose value changes by more than *tolerance* puts its predecessors on the list. Nodes marked in *fixed* stay.
    """
    for _ in range(most):
        if worklist[WAITING] == 0:
            break
        node = dequeue(queue, queued, worklist)
        value = backed_up(structure, node, values, operator, scratch)
        if abs(value - values[node]) > tolerance:
            values[node] = value
            for entry in range(before_first[node], before_first[node + 1]):
                if not fixed[before[entry]]:
                    enqueue(queue, queued, worklist, before[entry])
    return int(worklist[WAITING])


@kernel("int64(int32[::1], int32[::1], uint8[::1], uint8[::1], int32[::1], uint8[::1], int64[::1])")
def enqueue_predecessors(
    before_first: Int32, before: Int32, changed: Marks, fixed: Marks, queue: Int32, queued: Marks, worklist: Int64
) -> int:
    """Put the predecessors of all nodes marked in *changed* on the list; return how many wait."""
    for node in range(len(changed)):
        if changed[node]:
            for entry in range(before_first[node], before_first[node + 1]):
                if not fixed[before[entry]]:
                    enqueue(queue, queued, worklist, before[entry])
    return int(worklist[WAITING])


@kernel(f"int64({STRUCTURE}, int32[::1], int32[::1], int32[::1], int32[::1])")
def backward_order(structure: Any, before_first: Int32, before: Int32, left: Int32, order: Int32) -> int:
    """List the nodes so that all successors of a node come before it; return how many could be listed.

    Nodes from which play may enter a cycle cannot be listed.
    """
    live = len(structure[1]) + len(structure[3]) - 1
    for node in range(live):
        for entry in range(before_first[node], before_first[node + 1]):
            left[before[entry]] += 1
    listed = 0
    for node in range(live):
        if left[node] == 0:
            order[listed] = node
            listed += 1
    done = 0
    while done < listed:
        for entry in range(before_first[order[done]], before_first[order[done] + 1]):
            left[before[entry]] -= 1
            if left[before[entry]] == 0:
                order[listed] = before[entry]
                listed += 1
        done += 1
    return listed


@kernel(f"int64({STRUCTURE}, int32[::1], float64[::1], float64[::1], {SCRATCH})")
def induce(structure: Any, order: Int32, low: Floats, high: Floats, scratch: Any) -> int:
    """Compute both bounds of every node, in an order in which all successors of a node come before it.

    Each bound is what a strategy earns against every response, less the largest rounding error.
    """
    columns = structure[1]
    entries, row_mix, column_mix, work, labels = scratch
    for node in order:
        if node >= len(columns):
            low[node] = chance_value(structure, node - len(columns), low, -1.0)
            high[node] = chance_value(structure, node - len(columns), high, 1.0)
            continue
        width = width_of(columns, node)
        rows = read_matrix(structure, node, low, entries)
        solve_matrix(entries, rows, width, row_mix, column_mix, work, labels)
        low[node] = worst_answer(entries, rows, width, row_mix)
        read_matrix(structure, node, high, entries)
        solve_matrix(entries, rows, width, row_mix, column_mix, work, labels)
        turned = work
        for row in range(rows):
            for column in range(width):
                turned[column * rows + row] = -entries[row * width + column]
        high[node] = -worst_answer(turned, width, rows, column_mix)
    return len(order)


@kernel("float64(float64[::1], int64, int64, float64[::1])")
def worst_answer(entries: Floats, rows: int, columns: int, row_mix: Floats) -> float:
    """What the row player's strategy earns against the best column, less the largest rounding error.

    It averages differences from the first row, so that equal entries are exact, and shares that do not quite add up
    to 1 do not matter.
    """
    worst, weight = np.inf, 0.0
    for row in range(rows):
        weight += row_mix[row]
    for column in range(columns):
        base = entries[column]
        total = size = 0.0
        for row in range(1, rows):
            part = row_mix[row] * (entries[row * columns + column] - base)
            total += part
            size += abs(part)
        if size > 0.0:
            base += total / weight
            base -= ROUNDING * ((rows + 6) * size / weight + abs(base))
        worst = min(worst, base)
    return worst
