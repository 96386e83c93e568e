"""Matrix games as kernels. A matrix is a flat row of entries; player 0 chooses the row and maximises."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TINY = 2e-15
"""What counts as 0 in a tableau with entries of about 1."""
FEW_ENTRIES = 30
"""Dominated lines are looked for in matrices of at most so many entries."""
PIVOTS, BLAND_PIVOTS = 5, 50
"""The most steps by the fastest rule, then by Bland's, which cannot cycle, per action; after that it has failed."""


@kernel("Tuple((float64[::1], int64[::1]))(int64, int64)", entry=True)
def work_arrays(rows: int, columns: int) -> tuple[Floats, Ints]:
    """Buffers for games of up to *rows* rows and *columns* columns, which the kernels below reuse for every game."""
    return np.empty(2 * (rows + 1) * (columns + 1)), np.empty(2 * (rows + columns), np.int64)


@kernel("float64(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], int64[::1])")
def solve_matrix(
    entries: Floats, rows: int, columns: int, row_mix: Floats, column_mix: Floats, work: Floats, labels: Ints
) -> float:
    """The value of a matrix game; an optimal strategy of each player goes to *row_mix* and *column_mix*.

    NaN if rounding stops the simplex method. Twin of `exact.solve_exactly`.
    """
    # 1. A saddle point: the maximin over rows equals the minimax over columns.
    lower, upper, best_row, best_column = -np.inf, np.inf, 0, 0
    for row in range(rows):
        worst = np.inf
        for column in range(columns):
            worst = min(worst, entries[row * columns + column])
        if worst > lower:
            lower, best_row = worst, row
    for column in range(columns):
        best = -np.inf
        for row in range(rows):
            best = max(best, entries[row * columns + column])
        if best < upper:
            upper, best_column = best, column
    for row in range(rows):
        row_mix[row] = 0.0
    for column in range(columns):
        column_mix[column] = 0.0
    if lower >= upper:
        row_mix[best_row], column_mix[best_column] = 1.0, 1.0
        return lower
    # 2. Without dominated rows and columns most games of two or three actions are two by two. In large games the search
    # takes longer than it saves.
    for row in range(rows):
        labels[row] = row
    for column in range(columns):
        labels[rows + column] = column
    kept = rows << 16 | columns
    if rows * columns <= FEW_ENTRIES:
        kept = drop_dominated(entries, rows, columns, labels)
    kept_rows, kept_columns = kept >> 16, kept & 0xFFFF
    if kept_rows == 2 and kept_columns == 2:
        one, two = labels[0], labels[1]
        left, right = labels[rows], labels[rows + 1]
        a, b = entries[one * columns + left], entries[one * columns + right]
        c, d = entries[two * columns + left], entries[two * columns + right]
        total = (a - b) + (d - c)
        row_mix[one], row_mix[two] = (d - c) / total, (a - b) / total
        column_mix[left], column_mix[right] = (d - b) / total, (a - c) / total
        return float(a - (a - b) * (a - c) / total)
    # 3. Solve all others by linear programming.
    return simplex(entries, rows, columns, kept_rows, kept_columns, row_mix, column_mix, work, labels)


@kernel("int64(float64[::1], int64, int64, int64[::1])")
def drop_dominated(entries: Floats, rows: int, columns: int, labels: Ints) -> int:
    """Repeatedly drop dominated rows and columns from the lists in *labels*.

    Rows are listed from 0 on, columns from *rows* on. Return how many stay, rows << 16 | columns.
    """
    kept_rows, kept_columns, before = rows, columns, 0
    while kept_rows + kept_columns != before:
        before = kept_rows + kept_columns
        kept_rows = drop_worse(entries, labels, 0, kept_rows, columns, rows, kept_columns, 1, 1.0)
        kept_columns = drop_worse(entries, labels, rows, kept_columns, 1, 0, kept_rows, columns, -1.0)
    return kept_rows << 16 | kept_columns


@kernel("int64(float64[::1], int64[::1], int64, int64, int64, int64, int64, int64, float64)")
def drop_worse(
    entries: Floats,
    labels: Ints,
    own: int,
    count: int,
    step: int,
    other: int,
    others: int,
    other_step: int,
    sign: float,
) -> int:
    """Drop the lines, listed from *own* on, that another line dominates; return how many stay.

    *step* and *other_step* are the distances of entries along both lists; *sign* is -1 for the minimiser.
    """
    index = count - 1
    while index >= 0:
        line = labels[own + index] * step
        for rival in range(count):
            worse = rival != index
            against = labels[own + rival] * step
            for cross in range(others if worse else 0):
                at = labels[other + cross] * other_step
                if sign * entries[line + at] > sign * entries[against + at]:
                    worse = False
                    break
            if worse:
                for later in range(own + index, own + count - 1):
                    labels[later] = labels[later + 1]
                count -= 1
                break
        index -= 1
    return count


@kernel(
    "float64(float64[::1], int64, int64, int64, int64, float64[::1], float64[::1], float64[::1], int64[::1])",
)
def simplex(
    entries: Floats,
    rows: int,
    columns: int,
    kept_rows: int,
    kept_columns: int,
    row_mix: Floats,
    column_mix: Floats,
    work: Floats,
    labels: Ints,
) -> float:
    """The value by the simplex method in a condensed tableau, for the rows and columns listed in *labels*."""
    # 1. Entries scaled to [1, 2], right sides 1, objective -1. The tableau is kept in *work*, a row at a time.
    low, high = np.inf, -np.inf
    for row in range(kept_rows):
        for column in range(kept_columns):
            entry = entries[labels[row] * columns + labels[rows + column]]
            low, high = min(low, entry), max(high, entry)
    scale, width = high - low, kept_columns + 1
    for row in range(kept_rows):
        for column in range(kept_columns):
            entry = entries[labels[row] * columns + labels[rows + column]]
            work[row * width + column] = 1.0 + (entry - low) / scale
        work[row * width + kept_columns] = 1.0
    bottom = kept_rows * width
    for column in range(kept_columns):
        work[bottom + column] = -1.0
    work[bottom + kept_columns] = 0.0
    # 2. The labels at the side (rows' slacks at first: -1 - row) and on top (columns).
    side, top = rows + columns, rows + columns + kept_rows
    for row in range(kept_rows):
        labels[side + row] = -1 - row
    for column in range(kept_columns):
        labels[top + column] = column
    # 3. Pivots.
    actions = kept_rows + kept_columns
    for step in range(BLAND_PIVOTS * actions):
        chosen, least = -1, -TINY
        for column in range(kept_columns):
            cost = work[bottom + column]
            if step < PIVOTS * actions:
                if cost < least:
                    chosen, least = column, cost
            elif cost < -TINY and (chosen < 0 or labels[top + column] < labels[top + chosen]):
                chosen = column
        if chosen < 0:
            return read_tableau(kept_rows, kept_columns, rows, columns, low, scale, row_mix, column_mix, work, labels)
        out, ratio = -1, np.inf
        for row in range(kept_rows):
            entry = work[row * width + chosen]
            if entry > TINY:
                share = work[row * width + kept_columns] / entry
                if share < ratio or (share == ratio and labels[side + row] < labels[side + out]):
                    out, ratio = row, share
        if out < 0:
            return np.nan
        pivot_at(work, kept_rows, width, out, chosen)
        labels[side + out], labels[top + chosen] = labels[top + chosen], labels[side + out]
    return np.nan


@kernel("int64(float64[::1], int64, int64, int64, int64)", lean=True)
def pivot_at(work: Floats, last: int, width: int, out: int, chosen: int) -> int:
    """Exchange row *out* and column *chosen* of a tableau of rows 0 to *last*."""
    pivot, copied = work[out * width + chosen], work[(last + 1) * width : (last + 2) * width]
    for column in range(width):
        copied[column] = work[out * width + column] / pivot
    for row in range(last + 1):
        line = work[row * width : row * width + width]
        entry = line[chosen]
        if row == out:
            for column in range(width):
                line[column] = copied[column]
            line[chosen] = 1.0 / pivot
        else:
            if entry != 0.0:
                for column in range(width):  # without a test for the chosen column, so that it runs on vectors
                    line[column] -= entry * copied[column]
            line[chosen] = -entry / pivot
    return last


@kernel(
    "float64(int64, int64, int64, int64, float64, float64, float64[::1], float64[::1], float64[::1], int64[::1])",
)
def read_tableau(
    kept_rows: int,
    kept_columns: int,
    rows: int,
    columns: int,
    low: float,
    scale: float,
    row_mix: Floats,
    column_mix: Floats,
    work: Floats,
    labels: Ints,
) -> float:
    """Write the strategies of a finished tableau; return the value."""
    width, bottom = kept_columns + 1, kept_rows * (kept_columns + 1)
    side, top = rows + columns, rows + columns + kept_rows
    row_total = column_total = 0.0
    for row in range(kept_rows):
        label, amount = labels[side + row], work[row * width + kept_columns]
        if label >= 0 and amount > TINY:  # a rounding residue would look like a way out of every cycle
            column_mix[labels[rows + label]] = amount
            column_total += amount
    for column in range(kept_columns):
        label, amount = labels[top + column], work[bottom + column]
        if label < 0 and amount > TINY:
            row_mix[labels[-1 - label]] = amount
            row_total += amount
    for row in range(kept_rows):
        row_mix[labels[row]] /= row_total
    for column in range(kept_columns):
        column_mix[labels[rows + column]] /= column_total
    return float(low + (1.0 / work[bottom + kept_columns] - 1.0) * scale)


@kernel("float64(float64[::1], int64, int64, float64[::1], float64[::1])")
def duality_gap(entries: Floats, rows: int, columns: int, row_mix: Floats, column_mix: Floats) -> float:
    """The duality gap of two strategies: the best row's payoff less the best column's; 0 at the optimum."""
    best, worst = -np.inf, np.inf
    for row in range(rows):
        total = 0.0
        for column in range(columns):
            total += entries[row * columns + column] * column_mix[column]
        best = max(best, total)
    for column in range(columns):
        total = 0.0
        for row in range(rows):
            total += entries[row * columns + column] * row_mix[row]
        worst = min(worst, total)
    return best - worst


@kernel("int64(float64[:, ::1], int64, int64, float64[::1], float64[:, ::1], float64[:, ::1], float64[::1])")
def solve_batch(
    games: Floats, rows: int, columns: int, values: Floats, row_mixes: Floats, column_mixes: Floats, gaps: Floats
) -> int:
    """Solve many games of one shape, each a row of *games*; return how many."""
    work, labels = work_arrays(rows, columns)
    for game in range(len(games)):
        entries, row_mix, column_mix = games[game], row_mixes[game], column_mixes[game]
        values[game] = solve_matrix(entries, rows, columns, row_mix, column_mix, work, labels)
        gaps[game] = duality_gap(entries, rows, columns, row_mix, column_mix)
    return len(games)


@kernel("Tuple((float64, float64, float64, float64))(float64[:, ::1], float64[::1])")
def solve_one(matrix: Floats, mixes: Floats) -> tuple[float, float, float, float]:
    """The value of one game, its gap, and its least and largest entry; both strategies go to *mixes*."""
    rows, columns = matrix.shape
    entries, (work, labels) = matrix.ravel(), work_arrays(rows, columns)
    value = solve_matrix(entries, rows, columns, mixes[:rows], mixes[rows:], work, labels)
    gap = duality_gap(entries, rows, columns, mixes[:rows], mixes[rows:])
    return value, gap, entries.min(), entries.max()
