"""Sweeps of large games on all cores, and the test of bounds, as kernels.

States are swept in blocks, each by one core: a state sees the new values of its own block and the old ones of all
others, so that the result does not depend on the number of cores.
"""

from typing import Any

import numpy as np

from kibitz.core.kernels import jit_enabled, kernel
from kibitz_lab.equilibria.matrix_kernels import solve_matrix
from kibitz_solve.recursive.values.kernels import ROUNDING, STRUCTURE, Floats, Marks, scratch_arrays, width_of

if jit_enabled():
    from numba import prange
else:
    prange = range

BLOCKS = 64
"""Into how many blocks the states are divided."""
SIGN, ETA, COST = 0, 1, 2
"""The indices of a sweep's numbers: whose bound it computes (1: player 0's, -1: player 1's, 0: discounted values), the
distance of the discount from 1, and what a round costs the owner of the bound."""


@kernel(
    f"float64({STRUCTURE}, float64[::1], float64[::1], uint8[::1], float64[::1], float64[::1], int64, int64)",
    parallel=True,
)
def sweep_blocks(
    structure: Any,
    values: Floats,
    old: Floats,
    fixed: Marks,
    numbers: Floats,
    bound: Floats,
    most_rows: int,
    most_columns: int,
) -> float:
    """One sweep of *values* in place, with *old* as a copy of them; return the largest change.

    States marked in *fixed* stay. A bound never becomes worse than *bound*.
    """
    first, columns, successors, _, _, _, stage = structure
    choices, sign, eta, cost = len(columns), numbers[SIGN], numbers[ETA], numbers[COST]
    old[:] = values
    changes = np.zeros(BLOCKS)
    for block in prange(BLOCKS):
        begin, end = choices * block // BLOCKS, choices * (block + 1) // BLOCKS
        entries, row_mix, column_mix, work, labels = scratch_arrays(most_rows, most_columns)
        largest = 0.0
        for state in range(begin, end):
            if fixed[state]:
                continue
            start, width = first[state], width_of(columns, state)
            for entry in range(start, first[state + 1]):
                after = successors[entry]
                entries[entry - start] = values[after] if begin <= after < end else old[after]
                if len(stage) > 0:
                    entries[entry - start] += stage[entry]
            rows = (first[state + 1] - start) // width
            value = solve_matrix(entries, rows, width, row_mix, column_mix, work, labels)
            if np.isnan(value):
                continue
            if sign == 0.0:
                value = (1.0 - eta) * value
            else:
                value -= sign * cost
                if sign * value > 0.0:
                    value -= eta * value
                if sign * value < sign * bound[state]:
                    value = bound[state]
            largest = max(largest, abs(value - old[state]))
            values[state] = value
        changes[block] = largest
    return float(changes.max())


@kernel(f"int64({STRUCTURE}, float64[::1], uint8[::1], float64[::1], float64, int64, int64, uint8[::1])", parallel=True)
def find_failures(
    structure: Any,
    values: Floats,
    fixed: Marks,
    bound: Floats,
    sign: float,
    most_rows: int,
    most_columns: int,
    failed: Marks,
) -> int:
    """Mark the states whose value is better than *bound* but not proved by their best mix; return how many.

    The proof requires that, against every response, the value does not fall on average in one round, and rises where it
    is above 0 (both seen from the owner): then play cannot stay for ever where it is above 0. A margin covers rounding.
    """
    first, columns, successors, _, _, _, stage = structure
    choices = len(columns)
    failures = np.zeros(BLOCKS, np.int64)
    for block in prange(BLOCKS):
        entries, row_mix, column_mix, work, labels = scratch_arrays(most_rows, most_columns)
        for state in range(choices * block // BLOCKS, choices * (block + 1) // BLOCKS):
            failed[state] = 0
            here = values[state]
            if fixed[state] or sign * here <= sign * bound[state]:
                continue
            start, width = first[state], width_of(columns, state)
            rows = (first[state + 1] - start) // width
            for entry in range(start, first[state + 1]):
                entries[entry - start] = values[successors[entry]] + (stage[entry] if len(stage) > 0 else 0.0)
            solve_matrix(entries, rows, width, row_mix, column_mix, work, labels)
            own, answers = (rows, width) if sign > 0.0 else (width, rows)
            for answer in range(answers):
                total = size = least = 0.0
                for action in range(own):
                    pair = action * width + answer if sign > 0.0 else answer * width + action
                    change = values[successors[start + pair]] - here
                    spread = abs(change)
                    if len(stage) > 0:
                        change += stage[start + pair]
                        spread += abs(stage[start + pair])
                    share = row_mix[action] if sign > 0.0 else column_mix[action]
                    part = share * sign * change
                    total += part
                    size += share * spread
                    least = min(least, part)
                if least < 0.0:
                    total -= (own + 4) * ROUNDING * size
                if not (total > 0.0 or (total == 0.0 and sign * here <= 0.0)):
                    failed[state] = 1
                    failures[block] += 1
                    break
    return int(failures.sum())
