"""Scores of all offers at once: a board as kernels take it, and the few offers that are worth making.

A set of chips is one word, a byte for each colour; all offers are scored in one call. `Bargains` holds the best offer
for each level of the other player's gain.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import inf, prod
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_trails.board import Board, Chips
from kibitz_trails.offers import Offer
from kibitz_trails.rules import State
from kibitz_trails.situation import Situation

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


RATIOS = (0.0, 1.0, 2.0)
"""Levels of the least chips that they should receive for each that they give."""


class Bargains:
    """The offers that the other player gains by if both keep them, and the proposer if the proposer pays nothing.

    `own` and `other` are what both gain if both keep the offer, `robbing` the proposer's gain if only the other keeps
    it, and `ratio` the chips the other receives for each that they give.
    """

    def __init__(self, board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> None:
        given, asked = (parts(side) for side in limit_chips(*held))
        scores = pack_board(board).offer_scores(places, held, given, asked)
        gains = scores - scores[0]
        robbing = gains[: len(asked), 0]  # the first of all sets to give is nothing
        found = np.flatnonzero((gains[:, 1] > 0) & (np.tile(robbing, len(given)) > 0))
        first, second = np.divmod(found, len(asked))
        self.colours = len(held[0])
        self.given, self.asked = given[first], asked[second]
        self.own, self.other, self.robbing = gains[found, 0], gains[found, 1], robbing[second]
        sizes = [side.view(np.uint8).reshape(-1, 8).sum(axis=1) for side in (given, asked)]  # a byte for each colour
        self.ratio = sizes[0][first] / sizes[1][second]
        self.size = sizes[1][second]
        """How many chips the other gives."""

    def best(
        self, kept: bool, least: float = 1, ratio: float = 0.0, fair: bool = False, most: float = inf
    ) -> Offer | None:
        """The best offer for the proposer, of equals the best for the other, if the proposer means to keep it, or not.

        The other must gain *least* points, receive *ratio* chips for each, give at most *most* chips, and if *fair*
        gain the more of the two.
        """
        fits = (self.other >= least) & (self.ratio >= ratio) & (self.size <= most)
        if kept:
            fits &= self.own > 0
        if fair:
            fits &= self.other >= self.own
        if not fits.any():
            return None
        worth = np.where(fits, (self.own if kept else self.robbing) * 1000 + self.other, -1)
        best = worth.argmax()
        return Offer(chips_of(self.given[best], self.colours), chips_of(self.asked[best], self.colours))

    def front(self, gains: tuple[int, ...]) -> list[Offer]:
        """The best offer for every level of what the other player may want, each once."""
        levels = product((False, True), gains, RATIOS, (False, True))
        return [offer for offer in dict.fromkeys(self.best(*level) for level in levels) if offer is not None]


@lru_cache(maxsize=8)
def bargains(board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> Bargains:
    """The offers of a position; they take megabytes, so few are kept."""
    return Bargains(board, places, held)


@lru_cache(maxsize=4096)
def front(
    board: Board, places: tuple[int, int], held: tuple[Chips, Chips], gains: tuple[int, ...]
) -> tuple[Offer, ...]:
    """The offers worth making in a position, for some levels of what the other gains."""
    return tuple(bargains(board, places, held).front(gains))


@lru_cache(maxsize=4096)
def best_squeeze(board: Board, places: tuple[int, int], held: tuple[Chips, Chips], kept: bool) -> Offer | None:
    """The best offer for the proposer that the other gains anything from."""
    return bargains(board, places, held).best(True) if kept else best_robbery(board, places, held)


def best_robbery(board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> Offer | None:
    """The best offer for a proposer who pays nothing. Twin of `Bargains.best(kept=False)`.

    More chips are never worth less, so the other gains most if all that the proposer holds is offered to them.
    """
    given, asked = limit_chips(*held)
    wanted = parts(asked)
    packed, whole = pack_board(board), np.array([word(given)])
    nothing = packed.offer_scores(places, held, whole * 0, wanted)
    gains = packed.offer_scores(places, held, whole, wanted)[:, 1] - nothing[0, 1]
    robbing = nothing[:, 0] - nothing[0, 0]
    worth = np.where((gains > 0) & (robbing > 0), robbing * 1000 + gains, -1)
    best = worth.argmax()
    return Offer(given, chips_of(wanted[best], len(given))) if worth[best] > 0 else None


def pair_of(situation: Situation) -> tuple[Board, tuple[int, int], tuple[Chips, Chips]]:
    """Where both stand and what they hold, the proposer first."""
    own, other = situation.own, situation.other
    return situation.board, (own.place, other.place), (own.chips, other.chips)


MOST_OFFERS = 200_000
"""How many offers are considered."""


def limit_chips(given: Chips, asked: Chips) -> tuple[Chips, Chips]:
    """Both sets with the chips of each colour capped, so that there are at most `MOST_OFFERS` offers."""
    most = max(*given, *asked)
    while prod(held + 1 for held in (*given, *asked)) > MOST_OFFERS:
        most -= 1
        given, asked = (tuple(min(held, most) for held in side) for side in (given, asked))
    return given, asked
