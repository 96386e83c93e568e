"""BestUse in compiled code: a set of chips is one word, a byte for each colour; all offers are scored in one call."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Word: TypeAlias = Any
"""A set of chips; a uint64 in compiled code."""
Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]

LANE = np.uint64(8)
BYTE = np.uint64(0xFF)
ONE, ZERO = np.uint64(1), np.uint64(0)
GUARD = np.uint64(0x8080808080808080)
"""The highest bit of each byte, which no count of chips uses: it stays where a subtraction borrows nothing."""
EVEN = np.uint64(0x00FF00FF00FF00FF)
PAIRS = np.uint64(0x0001000100010001)


@kernel("int64(uint64)")
def count(chips: Word) -> int:
    """How many chips there are in all."""
    pairs = (chips & EVEN) + ((chips >> LANE) & EVEN)
    return np.int64((pairs * PAIRS) >> np.uint64(48))  # type: ignore[return-value]


@kernel("int64(int64[::1], uint64[::1], int64[::1], int64, int64, uint64)", entry=True)
def best_use(gains: Numbers, needs: Words, bounds: Numbers, chip: int, square: int, chips: Word) -> int:
    """The best score from *square* with *chips*. Twin of `Frontier.best_use`."""
    entry = np.uint64(bounds[square])  # unsigned, so that Numba makes no check for negative indices
    guarded = chips | GUARD
    while (guarded - needs[entry]) & GUARD != GUARD:
        entry += ONE
    return gains[entry] + chip * count(chips)  # type: ignore[no-any-return]


@kernel("int64(uint64, uint64[:])")
def subsets(chips: Word, found: Words) -> int:
    """Write every part of *chips*, in the order of the actions that send them; return how many."""
    found[0] = ZERO
    total = 1
    for colour in range(7, -1, -1):  # the last colour counts fastest
        lane = LANE * np.uint64(colour)
        most = np.int64((chips >> lane) & BYTE)
        for number in range(1, most + 1):
            for place in range(total):
                found[number * total + place] = found[place] + (np.uint64(number) << lane)
        total *= int(most) + 1
    return total


@kernel(
    "int64(int64[::1], uint64[::1], int64[::1], int64, int64, int64, uint64, uint64, uint64[::1], uint64[::1],"
    " int64[:, ::1])"
)
def score_offers(
    gains: Numbers,
    needs: Words,
    bounds: Numbers,
    chip: int,
    own_square: int,
    other_square: int,
    own: Word,
    other: Word,
    given: Words,
    asked: Words,
    scores: Numbers,
) -> int:
    """Write what both would have if an offer were kept, for each of *given* and each of *asked*; return how many."""
    row = 0
    for gift in given:
        for price in asked:
            scores[row, 0] = best_use(gains, needs, bounds, chip, own_square, own - gift + price)
            scores[row, 1] = best_use(gains, needs, bounds, chip, other_square, other + gift - price)
            row += 1
    return row
