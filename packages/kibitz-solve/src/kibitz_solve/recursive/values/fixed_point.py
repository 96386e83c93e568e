"""Numbers of any precision as integers, and linear equations where doubles have too few digits.

A number is an integer in units of `2**-bits`. Sums and differences are exact; quotients are rounded down.
"""

from collections.abc import Callable, Iterator
from math import ldexp

DOUBLE_BITS = 53
ExactValue = Callable[[int, int], int]
"""What a node is worth, in units of `2**-bits`: node, bits."""


def to_fixed(number: float, bits: int) -> int:
    """A double, rounded down."""
    numerator, denominator = number.as_integer_ratio()
    return (numerator << bits) // denominator


def to_doubles(number: int, bits: int) -> Iterator[float]:
    """Doubles that add up to a number: the first is not above it, and all others are above 0."""
    while True:
        shift = max(0, abs(number).bit_length() - DOUBLE_BITS)
        top = number >> shift
        yield ldexp(top, shift - bits)
        number -= top << shift
        if not number:
            return


def chain_values(moves: list[dict[int, int]], leaving: list[int], paid: list[int], bits: int) -> list[int] | None:
    """The values of a Markov chain whose states pay *paid* in each round; None if play may never end.

    *moves* holds the probabilities between different states, *leaving* those of ending, and all arguments are
    overwritten. States with few neighbours are eliminated first. Nothing is subtracted, so small chances of ending keep
    their precision (Grassmann, Taksar and Heyman 1985).
    """
    before: list[set[int]] = [set() for _ in moves]
    for state, row in enumerate(moves):
        for after in row:
            before[after].add(state)
    order, left, totals = [], set(range(len(moves))), [0] * len(moves)
    while left:
        state = min(left, key=lambda each: len(moves[each]) * len(before[each]))
        left.discard(state)
        order.append(state)
        row = moves[state]
        total = totals[state] = leaving[state] + sum(row.values())
        if total <= 0:
            return None
        for after in row:
            before[after].discard(state)
        for source in before[state]:
            known = moves[source]
            factor = (known.pop(state) << bits) // total
            for after, chance in row.items():
                if after != source:
                    known[after] = known.get(after, 0) + (factor * chance >> bits)
                    before[after].add(source)
            leaving[source] += factor * leaving[state] >> bits
            paid[source] += factor * paid[state] >> bits
    values = [0] * len(moves)
    for state in reversed(order):
        gained = (paid[state] << bits) + sum(chance * values[after] for after, chance in moves[state].items())
        values[state] = gained // totals[state]
    return values
