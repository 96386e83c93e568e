"""BestUse, exactly: of all paths from a square only those matter that no other path beats at no more chips.

Dynamic programming over sets of chips (a multi-objective shortest path): a square keeps the sets that pay a way to it
and do not contain one another. Cutting a cycle out of a path saves chips, so nothing is lost by never walking in one.
"""

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import msgspec

from kibitz.games.trails.chips import Chips, short, within

if TYPE_CHECKING:
    from kibitz.games.trails.board import Board


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
        """The best score that can be had with *chips*."""
        return self.best(chips).gain + self.chip * sum(chips)

    def cheapest(self, chips: Chips, others: Chips | None = None) -> Chips | None:
        """The set that pays a way to the goal and lacks the fewest chips, the first of them.

        Where *others* are given, what is lacking must be among them.
        """
        found, fewest = None, -1
        for need in self.to_goal:
            lacking = short(need, chips)
            if (found is None or sum(lacking) < fewest) and (others is None or within(lacking, others)):
                found, fewest = need, sum(lacking)
        return found


def explored(board: "Board", start: int) -> Frontier:
    """What can be reached from *start* with the chips there are on the board."""
    ways = cheapest_ways(board, start)
    reaches = [
        Reach(board.score(end, tuple(-one for one in need)), need, end) for end, needs in ways.items() for need in needs
    ]
    reaches.sort(key=lambda reach: (-reach.gain, sum(reach.need), reach.need, reach.end))
    kept: list[Reach] = []
    for reach in reaches:
        if not any(within(better.need, reach.need) for better in kept):
            kept.append(reach)
    to_goal = sorted(ways.get(board.goal, []), key=lambda need: (sum(need), need))
    return Frontier(tuple(kept), tuple(to_goal), board.scoring.chip)


def cheapest_ways(board: "Board", start: int) -> dict[int, list[Chips]]:
    """For every square the sets of chips that pay a way to it from *start* and do not contain one another.

    Ways are looked at by their length, so that none that is kept is ever beaten by a later one.
    """
    nothing = (0,) * len(board.colours)
    ways: dict[int, list[Chips]] = {}
    waiting = [(0, nothing, start)]
    while waiting:
        length, need, square = heappop(waiting)
        if any(within(less, need) for less in ways.get(square, ())):
            continue
        ways.setdefault(square, []).append(need)
        if square == board.goal:
            continue
        for target in board.neighbours[square]:
            if target is not None:
                colour = board.grid[target]
                if need[colour] < board.in_play[colour]:
                    paid = (*need[:colour], need[colour] + 1, *need[colour + 1 :])
                    heappush(waiting, (length + 1, paid, target))
    return ways
