"""Values with 32 digits as kernels, for play that lasts longer than doubles can tell.

Values are *pairs* of doubles, a number and its tail, which together have about 32 digits. Equations are solved without
subtractions, after Grassmann, Taksar and Heyman (1985), so that the chance of leaving may be as small as one likes.
"""

from typing import Any

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.solve.recursive.values.kernels import STRUCTURE, Floats, Int64, Marks, width_of

SPLITTER = 134217729.0
"""2**27 + 1: splits a double into two halves whose products are exact (Dekker 1971)."""
NOTHING = 1e-30
"""What counts as 0 in a tableau of pairs with entries of about 1."""
FAST_PIVOTS, MOST_PIVOTS = 30, 200
"""The most pivots by the fastest rule, and in all: after the first, Bland's rule, which cannot cycle."""


@kernel("Tuple((float64, float64))(float64, float64, float64, float64)")
def add_pairs(one: float, one_tail: float, other: float, other_tail: float) -> tuple[float, float]:
    """The sum of two pairs."""
    total = one + other
    part = total - one
    lost = (one - (total - part)) + (other - part) + one_tail + other_tail
    found = total + lost
    return found, lost - (found - total)


@kernel("Tuple((float64, float64))(float64, float64, float64)")
def scale_pair(factor: float, number: float, tail: float) -> tuple[float, float]:
    """A pair times a double."""
    product = factor * number
    wide, other = SPLITTER * factor, SPLITTER * number
    high, top = wide - (wide - factor), other - (other - number)
    low, bottom = factor - high, number - top
    lost = ((high * top - product) + high * bottom + low * top) + low * bottom + factor * tail
    found = product + lost
    return found, lost - (found - product)


@kernel(
    "int64(int64[::1], int64[::1], float64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1])"
)
def write_gains(
    first: Int64,
    owners: Int64,
    paid: Floats,
    targets: Int64,
    odds: Floats,
    numbers: Floats,
    tails: Floats,
    gains: Floats,
) -> int:
    """Write what every choice gains on average over its owner's value; return how many there are.

    The outcomes of a choice begin at its *first*; owners and targets are places in *numbers* and *tails*.
    """
    for choice in range(len(owners)):
        here = owners[choice]
        total, tail = paid[choice], 0.0
        for place in range(first[choice], first[choice + 1]):
            after = targets[place]
            if after != here:
                change, rest = add_pairs(numbers[after], tails[after], -numbers[here], -tails[here])
                change, rest = scale_pair(odds[place], change, rest)
                total, tail = add_pairs(total, tail, change, rest)
        gains[choice] = total + tail
    return len(owners)


@kernel("int64(float64[:, ::1], float64[::1])")
def eliminate(moves: Floats, leaving: Floats) -> int:
    """Eliminate one state after another, the last first; return how many could not be left, which should be 0.

    *moves* holds probabilities between different states, *leaving* those of ending. Afterwards, column k above the
    diagonal holds the factors of state k, row k left of it its moves, and the diagonal the chance of leaving it.
    """
    stuck = 0
    for state in range(len(leaving) - 1, -1, -1):
        total = leaving[state]
        for other in range(state):
            total += moves[state, other]
        moves[state, state] = total
        if total <= 0.0:
            stuck += 1
            continue
        for before in range(state):
            if moves[before, state] > 0.0:
                factor = moves[before, state] / total
                moves[before, state] = factor
                for other in range(state):
                    if other != before:
                        moves[before, other] += factor * moves[state, other]
                leaving[before] += factor * leaving[state]
    return stuck


@kernel("int64(float64[:, ::1], float64[::1])")
def substitute(moves: Floats, values: Floats) -> int:
    """Replace what every state pays by its value, after `eliminate`; return how many states there are."""
    count = len(values)
    for state in range(count - 1, -1, -1):
        for before in range(state):
            values[before] += moves[before, state] * values[state]
    for state in range(count):
        total = values[state]
        for other in range(state):
            total += moves[state, other] * values[other]
        values[state] = total / moves[state, state]
    return count


@kernel("int64(float64[::1], float64[::1], float64[::1])")
def add_to_pairs(numbers: Floats, tails: Floats, added: Floats) -> int:
    """Add doubles to pairs; return how many."""
    for place in range(len(added)):
        numbers[place], tails[place] = add_pairs(numbers[place], tails[place], added[place], 0.0)
    return len(added)


@kernel("Tuple((float64, float64))(float64, float64, float64, float64)")
def multiply_pairs(one: float, one_tail: float, other: float, other_tail: float) -> tuple[float, float]:
    """The product of two pairs."""
    number, tail = scale_pair(one, other, other_tail)
    return add_pairs(number, tail, one_tail * other, 0.0)


@kernel("Tuple((float64, float64))(float64, float64, float64, float64)")
def divide_pairs(one: float, one_tail: float, other: float, other_tail: float) -> tuple[float, float]:
    """The quotient of two pairs."""
    first = one / other
    number, tail = scale_pair(-first, other, other_tail)
    number, tail = add_pairs(one, one_tail, number, tail)
    second = number / other
    further, rest = scale_pair(-second, other, other_tail)
    number, tail = add_pairs(number, tail, further, rest)
    found, lost = add_pairs(first, 0.0, second, 0.0)
    return add_pairs(found, lost, number / other, 0.0)


@kernel(
    "Tuple((float64, float64))"
    "(float64[:, ::1], float64[:, ::1], int64, int64, float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])"
)
def solve_pair_matrix(
    entries: Floats,
    tails: Floats,
    rows: int,
    columns: int,
    row_mix: Floats,
    column_mix: Floats,
    work: Floats,
    work_tails: Floats,
) -> tuple[float, float]:
    """The value of a matrix game of pairs; an optimal strategy of each player goes to *row_mix* and *column_mix*.

    NaN if the simplex method does not end. Twin of `exact.solve_exactly`.
    """
    labels = np.empty(rows + columns, np.int64)
    work[:rows, :columns], work_tails[:rows, :columns] = entries[:rows, :columns], tails[:rows, :columns]
    row_mix[:rows], column_mix[:columns] = 0.0, 0.0
    if not find_basis(work, work_tails, rows, columns, labels):
        return np.nan, 0.0
    # Pivots may be small, so what the tableau holds is rounded; the equations of the strategies that it found are not.
    chosen_rows, chosen_columns = np.empty(rows, np.int64), np.empty(columns, np.int64)
    count = used = 0
    for row in range(rows):
        if labels[row] < columns:
            chosen_columns[used] = labels[row]
            used += 1
    for column in range(columns):
        if labels[rows + column] >= columns:
            chosen_rows[count] = labels[rows + column] - columns
            count += 1
    base = entries[chosen_rows[0], chosen_columns[0]]
    value = tail = 0.0
    for player in range(2):
        for line in range(count):
            for other in range(count):
                row, column = (line, other) if player == 1 else (other, line)
                place, across = chosen_rows[row], chosen_columns[column]
                work[line, other], work_tails[line, other] = add_pairs(
                    entries[place, across], tails[place, across], -base, 0.0
                )
            work[line, count], work_tails[line, count] = -1.0, 0.0
            work[line, count + 1], work_tails[line, count + 1] = 0.0, 0.0
            work[count, line], work_tails[count, line] = 1.0, 0.0
        work[count, count], work_tails[count, count] = 0.0, 0.0
        work[count, count + 1], work_tails[count, count + 1] = 1.0, 0.0
        if not solve_pair_equations(work, work_tails, count + 1):
            return np.nan, 0.0
        for line in range(count):
            if player == 0:
                row_mix[chosen_rows[line]] = max(0.0, work[line, count + 1])
            else:
                column_mix[chosen_columns[line]] = max(0.0, work[line, count + 1])
        value, tail = work[count, count + 1], work_tails[count, count + 1]
    return add_pairs(value, tail, base, 0.0)


@kernel("boolean(float64[:, ::1], float64[:, ::1], int64)")
def solve_pair_equations(system: Floats, tails: Floats, count: int) -> bool:
    """Replace the last column of linear equations by their solution; return False if they have none."""
    for step in range(count):
        best = step
        for line in range(step + 1, count):
            if abs(system[line, step]) > abs(system[best, step]):
                best = line
        if system[best, step] == 0.0:
            return False
        for column in range(step, count + 1):
            system[step, column], system[best, column] = system[best, column], system[step, column]
            tails[step, column], tails[best, column] = tails[best, column], tails[step, column]
        for line in range(count):
            if line != step and system[line, step] != 0.0:
                factor, rest = divide_pairs(
                    system[line, step], tails[line, step], system[step, step], tails[step, step]
                )
                for column in range(step + 1, count + 1):
                    taken, lost = multiply_pairs(factor, rest, system[step, column], tails[step, column])
                    system[line, column], tails[line, column] = add_pairs(
                        system[line, column], tails[line, column], -taken, -lost
                    )
    for line in range(count):
        system[line, count], tails[line, count] = divide_pairs(
            system[line, count], tails[line, count], system[line, line], tails[line, line]
        )
    return True


@kernel("boolean(float64[:, ::1], float64[:, ::1], int64, int64, int64[::1])")
def find_basis(entries: Floats, tails: Floats, rows: int, columns: int, labels: Int64) -> bool:
    """Find an optimal basis by the simplex method in a condensed tableau, which takes the place of the matrix.

    Labels below *columns* are columns, others rows. Those of the side come first: its columns are in the strategy of
    player 1, and the rows on top in that of player 0. False if it does not end. As `matrix_kernels.simplex`.
    """
    least, most = entries[0, 0], entries[0, 0]
    for row in range(rows):
        for column in range(columns):
            least, most = min(least, entries[row, column]), max(most, entries[row, column])
    span = max(most - least, 1e-12)  # tails alone may differ
    # 1. The tableau: entries from 1 to 2, right sides of 1, and a last row of -1.
    for row in range(rows):
        for column in range(columns):
            number, tail = add_pairs(entries[row, column], tails[row, column], -least, 0.0)
            number, tail = divide_pairs(number, tail, span, 0.0)
            entries[row, column], tails[row, column] = add_pairs(1.0, 0.0, number, tail)
        entries[row, columns], tails[row, columns] = 1.0, 0.0
        labels[row] = columns + row
    for column in range(columns):
        entries[rows, column], tails[rows, column] = -1.0, 0.0
        labels[rows + column] = column
    entries[rows, columns], tails[rows, columns] = 0.0, 0.0
    # 2. Pivots, until no column of the last row is below 0.
    for pivots in range(MOST_PIVOTS + 1):
        entering, lowest = -1, -NOTHING
        for column in range(columns):
            if entries[rows, column] < lowest:
                entering = column
                if pivots > FAST_PIVOTS:
                    break
                lowest = entries[rows, column]
        if entering < 0:
            return True
        leaving, nearest, rest = -1, np.inf, 0.0
        for row in range(rows):
            if entries[row, entering] > NOTHING:
                ratio, tail = divide_pairs(
                    entries[row, columns], tails[row, columns], entries[row, entering], tails[row, entering]
                )
                nearer = (nearest - ratio) + (rest - tail)
                if leaving < 0 or nearer > 0.0 or (nearer == 0.0 and labels[row] < labels[leaving]):
                    leaving, nearest, rest = row, ratio, tail
        if leaving < 0 or pivots == MOST_PIVOTS:
            return False
        turn_tableau(entries, tails, rows, columns, leaving, entering)
        labels[leaving], labels[rows + entering] = labels[rows + entering], labels[leaving]
    return False


@kernel("int64(float64[:, ::1], float64[:, ::1], int64, int64, int64, int64)")
def turn_tableau(entries: Floats, tails: Floats, rows: int, columns: int, leaving: int, entering: int) -> int:
    """One pivot of a condensed tableau of pairs; return the number of entries."""
    pivot, pivot_tail = entries[leaving, entering], tails[leaving, entering]
    for row in range(rows + 1):
        if row == leaving:
            continue
        factor, rest = divide_pairs(entries[row, entering], tails[row, entering], pivot, pivot_tail)
        for column in range(columns + 1):
            if column != entering and factor != 0.0:
                taken, lost = multiply_pairs(factor, rest, entries[leaving, column], tails[leaving, column])
                entries[row, column], tails[row, column] = add_pairs(
                    entries[row, column], tails[row, column], -taken, -lost
                )
        entries[row, entering], tails[row, entering] = -factor, -rest
    for column in range(columns + 1):
        if column != entering:
            entries[leaving, column], tails[leaving, column] = divide_pairs(
                entries[leaving, column], tails[leaving, column], pivot, pivot_tail
            )
    entries[leaving, entering], tails[leaving, entering] = divide_pairs(1.0, 0.0, pivot, pivot_tail)
    return (rows + 1) * (columns + 1)


@kernel(f"int64({STRUCTURE}, float64[::1], float64[::1], uint8[::1])")
def settle_pairs(structure: Any, numbers: Floats, tails: Floats, fixed: Marks) -> int:
    """Compute all chance moves that are not fixed, none of which leads to another; return how many there are."""
    _, columns, _, first, successors, odds, _ = structure
    choices, moves = len(columns), len(first) - 1
    for move in range(moves):
        if fixed[choices + move]:
            continue
        base, base_tail = numbers[successors[first[move]]], tails[successors[first[move]]]
        total, tail = base, base_tail
        for place in range(first[move], first[move + 1]):
            change, rest = add_pairs(numbers[successors[place]], tails[successors[place]], -base, -base_tail)
            change, rest = scale_pair(odds[place], change, rest)
            total, tail = add_pairs(total, tail, change, rest)
        numbers[choices + move], tails[choices + move] = total, tail
    return moves


@kernel(
    f"int64({STRUCTURE}, float64[::1], float64[::1], int64[::1], float64, UniTuple(int64[::1], 2), "
    "UniTuple(float64[::1], 2), float64[::1])"
)
def write_pair_residuals(
    structure: Any,
    numbers: Floats,
    tails: Floats,
    active: Int64,
    eta: float,
    starts: tuple[Int64, Int64],
    mixes: tuple[Floats, Floats],
    residuals: Floats,
) -> int:
    """Write the strategies at the active states, and how much a sweep changes each; return how many games failed.

    *starts* and *mixes* are those of both players.
    """
    first, widths, successors, _, _, _, stage = structure
    size = 2
    for state in active:
        size = max(size, starts[0][state + 1] - starts[0][state] + 2, starts[1][state + 1] - starts[1][state] + 2)
    entries, rests = np.empty((size, size)), np.empty((size, size))
    work, work_tails, failed = np.empty((size, size)), np.empty((size, size)), 0
    for place in range(len(active)):
        state = active[place]
        width = width_of(widths, state)
        height = (first[state + 1] - first[state]) // width
        for pair in range(first[state], first[state + 1]):
            row, column = (pair - first[state]) // width, (pair - first[state]) % width
            number, tail = numbers[successors[pair]], tails[successors[pair]]
            if len(stage) > 0:
                number, tail = add_pairs(number, tail, stage[pair], 0.0)
            entries[row, column], rests[row, column] = number, tail
        row_mix = mixes[0][starts[0][state] : starts[0][state + 1]]
        column_mix = mixes[1][starts[1][state] : starts[1][state + 1]]
        value, rest = solve_pair_matrix(entries, rests, height, width, row_mix, column_mix, work, work_tails)
        if np.isnan(value):
            failed += 1
            continue
        lost, less = scale_pair(-eta, value, rest)
        value, rest = add_pairs(value, rest, lost, less)
        value, rest = add_pairs(value, rest, -numbers[state], -tails[state])
        residuals[place] = value + rest
    return failed
