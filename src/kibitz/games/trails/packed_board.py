"""A board as kernels take it, and questions about many offers at once."""

from collections.abc import Iterable
from functools import lru_cache
from math import prod

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.games.trails import kernels
from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import Chips
from kibitz.games.trails.kernels import Word
from kibitz.games.trails.state import State


class PackedBoard(msgspec.Struct, frozen=True):
    """What can be reached from every square, one after the other: of square *s* the entries from `bounds[s]` on."""

    gains: NDArray[np.int64]
    needs: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    chip: int

    def best_use(self, square: int, chips: Chips) -> int:
        """The best score from *square* with *chips*."""
        return kernels.best_use(self.gains, self.needs, self.bounds, self.chip, square, word(chips))

    def offer_scores(
        self, squares: tuple[int, int], held: tuple[Chips, Chips], given: NDArray[np.uint64], asked: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The scores of proposer and partner for each of *given* that the proposer gives, for each of *asked*."""
        scores = np.empty((len(given) * len(asked), 2), np.int64)
        own, other = map(word, held)
        kernels.score_offers(self.gains, self.needs, self.bounds, self.chip, *squares, own, other, given, asked, scores)
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
    kernels.subsets(word(chips), found)
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
