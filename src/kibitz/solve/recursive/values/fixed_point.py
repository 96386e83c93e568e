"""Numbers of any precision as integers: matrix games and linear equations where doubles have too few digits.

A number is an integer in units of `2**-bits`. Sums and differences are exact; quotients are rounded down.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ldexp
from typing import NamedTuple

DOUBLE_BITS = 53
MOST_BASES = 1_000
"""Larger matrices have more bases than can be tried one after another."""
Basis = tuple[tuple[int, ...], tuple[int, ...]]
"""The rows and the columns, equally many, that both players mix."""


class IntegerGame(NamedTuple):
    """The solution of a matrix game of integers: shares of the basis and the value, all to be divided by *total*."""

    rows: list[int]
    columns: list[int]
    total: int
    value: int
    basis: Basis


def to_fixed(number: float, bits: int) -> int:
    """A double, rounded down."""
    numerator, denominator = number.as_integer_ratio()
    return (numerator << bits) // denominator


def to_double(number: int, bits: int) -> float:
    """The nearest double."""
    return number / (1 << bits)


def to_doubles(number: int, bits: int) -> Iterator[float]:
    """Doubles that add up to a number: the first is not above it, and all others are above 0."""
    while True:
        shift = max(0, abs(number).bit_length() - DOUBLE_BITS)
        top = number >> shift
        yield ldexp(top, shift - bits)
        number -= top << shift
        if not number:
            return


def lagrange_weights(places: Sequence[float], goal: float, bits: int) -> list[int]:
    """What to multiply the values of a polynomial at some places by, to add up to its value at *goal*."""
    exact, found = [Fraction(float(place)) for place in places], []
    for place in exact:
        weight = Fraction(1)
        for other in exact:
            if other != place:
                weight *= (Fraction(float(goal)) - other) / (place - other)
        found.append((weight.numerator << bits) // weight.denominator)
    return found


@cache
def bases(rows: int, columns: int) -> list[Basis]:
    """All bases of a matrix, the smallest first."""
    return [
        (chosen, across)
        for size in range(1, min(rows, columns) + 1)
        for chosen in combinations(range(rows), size)
        for across in combinations(range(columns), size)
    ]


def has_few_bases(rows: int, columns: int) -> bool:
    """Whether all bases of a matrix can be tried."""
    count = product = 1
    for size in range(1, min(rows, columns) + 1):
        product = product * (rows - size + 1) * (columns - size + 1) // (size * size)
        count += product
    return count <= MOST_BASES


def solve_game(matrix: Sequence[Sequence[int]], basis: Basis | None) -> IntegerGame:
    """Solve a matrix game exactly, by the basis given if it is optimal, or else by the first that is."""
    found = solve_at(matrix, basis) if basis is not None else None
    if found is not None:
        return found
    for each in bases(len(matrix), len(matrix[0])):
        found = solve_at(matrix, each)
        if found is not None:
            return found
    raise ArithmeticError("a matrix game without a solution")


def solve_at(matrix: Sequence[Sequence[int]], basis: Basis) -> IntegerGame | None:
    """The solution by a basis; None if it is not optimal."""
    chosen, across = basis
    base = matrix[chosen[0]][across[0]]
    rows = equalizer([[matrix[row][column] - matrix[row][across[0]] for column in across[1:]] for row in chosen])
    columns = equalizer([[matrix[row][column] - matrix[chosen[0]][column] for row in chosen[1:]] for column in across])
    if rows is None or columns is None:
        return None
    worth = sum(share * (matrix[row][across[0]] - base) for share, row in zip(rows, chosen, strict=True))
    for column in range(len(matrix[0])):
        got = sum(share * (matrix[row][column] - base) for share, row in zip(rows, chosen, strict=True))
        if got < worth:
            return None
    for line in matrix:
        got = sum(share * (line[column] - base) for share, column in zip(columns, across, strict=True))
        if got > worth:
            return None
    total = sum(rows)  # that of the columns is the same determinant
    return IntegerGame(rows, columns, total, worth + base * total, basis)


def equalizer(differences: Sequence[Sequence[int]]) -> list[int] | None:
    """The mix of lines whose differences cancel, up to a factor; None if there is none or a share is below 0."""
    mix = [
        (-1) ** line * determinant([*differences[:line], *differences[line + 1 :]]) for line in range(len(differences))
    ]
    total = sum(mix)
    if total < 0:
        mix = [-share for share in mix]
    return mix if total and min(mix) >= 0 else None


def determinant(matrix: Sequence[Sequence[int]]) -> int:
    """By the minors of its first column."""
    if not matrix:
        return 1
    if len(matrix) == 1:
        return matrix[0][0]
    return sum(
        (-1) ** line * row[0] * determinant([each[1:] for other, each in enumerate(matrix) if other != line])
        for line, row in enumerate(matrix)
        if row[0]
    )


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
