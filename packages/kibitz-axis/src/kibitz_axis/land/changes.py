"""The changes of a turn: units that arrive, battles that wait, and areas that change hands; `rules` applies them."""

from collections.abc import Sequence
from typing import NamedTuple

from kibitz_axis.land.board import NOBODY, Board
from kibitz_axis.land.movement import Flight, Post
from kibitz_axis.units import Army


class Fight(NamedTuple):
    """A battle that waits: where, who attacks, their aircraft, and where they withdraw to."""

    area: int
    attackers: Army
    flights: tuple[Flight, ...]
    back: int

    def flying(self, kind: int) -> list[Flight]:
        """Its aircraft of one kind, those with the longest range left first: they are lost last."""
        return sorted((flight for flight in self.flights if flight.kind == kind), key=lambda flight: -flight.left)


class Arrivals:
    """Units that arrive in one area in one phase."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.counts = [0] * len(board.units)
        self.flights: list[Flight] = []
        self.origins: list[int] = []

    def join(self, post: Post, to: int) -> None:
        """Add a unit that arrives."""
        self.counts[post.kind] += 1
        unit = self.board.units[post.kind]
        if unit.domain == "air":
            left = unit.move - self.board.distances[post.area][to]
            self.flights.append(Flight(to, post.kind, post.area, left))
        else:
            self.origins.append(post.area)

    def fight(self, area: int) -> Fight:
        """The battle they begin; they withdraw to the first area one of them came from."""
        return Fight(area, tuple(self.counts), tuple(sorted(self.flights)), min(self.origins, default=-1))


class TurnChanges:
    """Armies and owners while they change."""

    def __init__(
        self,
        board: Board,
        forces: Sequence[Army],
        owners: Sequence[int | None],
        tired: Sequence[tuple[int, Army]],
        taken: Sequence[int],
    ) -> None:
        self.board = board
        self.forces, self.owners, self.tired, self.taken = list(forces), list(owners), dict(tired), set(taken)

    def add(self, area: int, power: int, kind: int, number: int = 1) -> None:
        """Add units of a power to an area, or remove them."""
        place = area * len(self.board.powers) + power
        army = list(self.forces[place] or (0,) * len(self.board.units))
        army[kind] += number
        self.forces[place] = tuple(army) if any(army) else NOBODY

    def arrive(self, area: int, power: int, army: Army) -> None:
        """Move an army into an area that no enemy defends; it takes the area if hostile, and counts as moved."""
        place = area * len(self.board.powers) + power
        self.forces[place] = add_armies(self.forces[place], army)
        self.tired[area] = add_armies(self.tired.get(area, NOBODY), army)
        self.take(area, power)

    def take(self, area: int, power: int) -> None:
        """Give a hostile area to its captor, with what can only be captured; an ally's own area returns to the ally."""
        owner, friends = self.owners[area], self.board.friends[power]
        if owner in friends:
            return
        first = self.board.areas[area].owner
        self.owners[area] = first if first in friends else power
        self.taken.add(area)
        for enemy in self.board.enemies[power]:
            for kind, number in enumerate(self.forces[area * len(self.board.powers) + enemy]):
                if number:
                    self.add(area, enemy, kind, -number)
                    self.add(area, power, kind, number)
                    self.tired[area] = add_armies(
                        self.tired.get(area, NOBODY), _only(kind, number, len(self.board.units))
                    )

    def lose(self, area: int, powers: Sequence[int], before: Army, after: Army) -> None:
        """Remove what was lost from the armies of several powers, the first of them first."""
        for kind in self.board.fighters:
            lost = before[kind] - after[kind]
            for power in powers:
                army = self.forces[area * len(self.board.powers) + power]
                gone = min(lost, army[kind] if army else 0)
                if gone:
                    self.add(area, power, kind, -gone)
                    lost -= gone


def add_armies(one: Army, other: Army) -> Army:
    """Two armies as one; either may be NOBODY."""
    return tuple(map(int.__add__, one, other)) if one and other else one or other


def _only(kind: int, number: int, kinds: int) -> Army:
    return tuple(number if each == kind else 0 for each in range(kinds))
