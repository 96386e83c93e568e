"""A board as kernels take it, BestUse in compiled code, and questions about many offers at once.

A set of chips is one word, a byte for each colour; all offers are scored in one call.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.trails.board import Board, Chips
from kibitz.games.trails.state import State

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


class PackedBoard(msgspec.Struct, frozen=True):
    """What can be reached from every square, one after the other: of square *s* the entries from `bounds[s]` on."""

    gains: NDArray[np.int64]
    needs: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    chip: int

    def best_use(self, square: int, chips: Chips) -> int:
        """The best score from *square* with *chips*."""
        return best_use(self.gains, self.needs, self.bounds, self.chip, square, word(chips))

    def offer_scores(
        self, squares: tuple[int, int], held: tuple[Chips, Chips], given: NDArray[np.uint64], asked: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The scores of proposer and partner for each of *given* that the proposer gives, for each of *asked*."""
        scores = np.empty((len(given) * len(asked), 2), np.int64)
        own, other = map(word, held)
        score_offers(self.gains, self.needs, self.bounds, self.chip, *squares, own, other, given, asked, scores)
        return scores


def word(chips: Iterable[int]) -> Word:
    """A set of chips in one word, the first colour in the lowest byte."""
    return np.uint64(sum(count << 8 * colour for colour, count in enumerate(chips)))


def chips_of(word: int, colours: int) -> Chips:
    """The chips in a word."""
    return tuple(int(word) >> 8 * colour & 0xFF for colour in range(colours))


def parts(chips: Chips) -> NDArray[np.uint64]:
    """All parts of a set of chips, in the order of the actions that send them."""
    found = np.empty(prod(count + 1 for count in chips), np.uint64)
    subsets(word(chips), found)
    return found


@lru_cache(maxsize=16)
def pack_board(board: Board) -> PackedBoard:
    """A board as kernels take it, made once."""
    frontiers = [board.frontier(square) for square in range(len(board.grid))]
    reaches = [reach for frontier in frontiers for reach in frontier.reaches]
    return PackedBoard(
        gains=np.array([reach.gain for reach in reaches], np.int64),
        needs=np.array([word(reach.need) for reach in reaches], np.uint64),
        bounds=np.cumsum([0, *(len(frontier.reaches) for frontier in frontiers)]).astype(np.int64),
        chip=board.scoring.chip,
    )


def offer_scores(state: State) -> NDArray[np.int64]:
    """The scores of proposer and partner after each legal offer of *state*, if both keep it.

    The rows are in the order of the legal offers.
    """
    pair = state.proposer, state.partner
    squares = state.positions[pair[0]], state.positions[pair[1]]
    held = state.assumed_chips(pair[0]), state.assumed_chips(pair[1])
    return pack_board(state.board).offer_scores(squares, held, *map(parts, held))
