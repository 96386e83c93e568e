"""Markov decision processes whose play lasts longer than doubles can tell, as kernels.

Values are *pairs* of doubles, a number and its tail, which together have about 32 digits. Equations are solved without
subtractions, after Grassmann, Taksar and Heyman (1985), so that the chance of leaving may be as small as one likes.
"""

from kibitz.core.kernels import kernel
from kibitz.solve.recursive.values.kernels import Floats, Int64

SPLITTER = 134217729.0
"""2**27 + 1: splits a double into two halves whose products are exact (Dekker 1971)."""


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
