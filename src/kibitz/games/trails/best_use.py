"""BestUse, exact: the best score that a set of chips can reach from a square, and the chips that ways to the goal take.

Dynamic programming over sets of chips (a multi-objective shortest path): a square keeps the sets that pay a way to it
and do not contain one another. Paths with cycles are left out: cutting the cycle out saves chips.
"""

from typing import TYPE_CHECKING

import msgspec

from kibitz.core.errors import BadGame
from kibitz.games.trails.chips import Chips, short, within

if TYPE_CHECKING:
    from kibitz.games.trails.board import Board


MOST_WAYS = 50_000
"""How many ways from one square are kept, of those that do not contain one another."""


class Reach(msgspec.Struct, frozen=True):
    """An end of a path: the chips it takes, the points it adds to those of the chips held, and where it ends."""

    gain: int
    need: Chips
    end: int


class Frontier(msgspec.Struct, frozen=True):
    """All ends worth reaching from one square, the best first, and the sets of chips that pay a way to the goal."""

    reaches: tuple[Reach, ...]
    to_goal: tuple[Chips, ...]
    chip: int
    """Points for each chip that is left."""

    def best(self, chips: Chips) -> Reach:
        """The best end that *chips* pay for."""
        return next(reach for reach in self.reaches if within(reach.need, chips))

    def best_use(self, chips: Chips) -> int:
        """The best score that *chips* can reach."""
        return self.best(chips).gain + self.chip * sum(chips)

    def cheapest(self, chips: Chips, others: Chips | None = None) -> Chips | None:
        """The set that pays a way to the goal and lacks the fewest chips, the first of them.

        With *others*, the missing chips must be among them.
        """
        found, fewest = None, -1
        for need in self.to_goal:
            lacking = short(need, chips)
            if (found is None or sum(lacking) < fewest) and (others is None or within(lacking, others)):
                found, fewest = need, sum(lacking)
        return found


def find_frontier(board: "Board", start: int) -> Frontier:
    """What can be reached from *start* with the chips there are on the board."""
    ways = cheapest_ways(board, start)
    ends = [(board.score(end, (-length(need),)), need, end) for end, needs in ways.items() for need in needs]
    ends.sort(key=lambda reach: (-reach[0], *order(reach[1]), reach[2]))
    kept: list[int] = []
    reaches = []
    for gain, need, end in ends:
        if not is_dominated(need, kept):
            kept.append(need)
            reaches.append(Reach(gain, chips_in(need, board), end))
    to_goal = sorted(ways.get(board.goal, []), key=order)
    return Frontier(tuple(reaches), tuple(chips_in(need, board) for need in to_goal), board.scoring.chip)


GUARD = 0x8080808080808080
"""The highest bit of each byte. A set of chips is one number here, a byte for each colour, as in kernels."""


def is_dominated(need: int, others: list[int]) -> bool:
    """Whether a set contains one of the others: subtracting that one borrows nothing, so the highest bits stay."""
    guarded = need | GUARD
    return any((guarded - less) & GUARD == GUARD for less in others)


def order(need: int) -> tuple[int, bytes]:
    """Sets in order: the smaller first, then by how many chips they have of the first colour, the second …"""
    return length(need), need.to_bytes(8, "little")


def length(need: int) -> int:
    """How many chips there are in a number."""
    return sum(need.to_bytes(8, "little"))


def chips_in(need: int, board: "Board") -> Chips:
    """The chips in a number."""
    return tuple(need.to_bytes(8, "little")[: len(board.colours)])


def cheapest_ways(board: "Board", start: int) -> dict[int, list[int]]:
    """For every square the sets of chips that pay a way to it from *start* and do not contain one another, as numbers.

    Ways are tried by their length, so that no later way is better than one that is kept.
    """
    in_play = sum(held << 8 * colour for colour, held in enumerate(board.in_play))
    ways: dict[int, list[int]] = {start: [0]}
    waiting, total = [(0, start)], 0
    while waiting:
        longer: set[tuple[int, int]] = set()
        for need, square in waiting:
            for target in board.neighbours[square] if square != board.goal else ():
                if target is not None:
                    longer.add((need + (1 << 8 * board.grid[target]), target))
        waiting = []
        for paid, target in sorted(longer):
            known = ways.setdefault(target, [])
            if is_dominated(in_play, [paid]) and not is_dominated(paid, known):
                known.append(paid)
                waiting.append((paid, target))
        total += len(waiting)
        if total > MOST_WAYS:
            why = f"there are more than {MOST_WAYS:,} ways to look at; take fewer squares, colours or chips"
            raise BadGame(f"board {board.name}", why)
    return {square: needs for square, needs in ways.items() if needs}
