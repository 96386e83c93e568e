"""Where units may go: every option is judged on the position before anybody moved, so that no order hinders another.

An option is a number: the area where a unit ends, plus, for a blitz, the area it takes on its way.
"""

from typing import NamedTuple

from kibitz.games.axis.board import FAR, Board, Script
from kibitz.games.axis.units import MOST, Army

COMBAT, NONCOMBAT = "combat", "noncombat"
"""The phases of a turn in which units are ordered. Where moves are not split in two, all are made in the first."""


class Flight(NamedTuple):
    """An aircraft that has fought and must land: where it is, what it is, where from, and how far it can still go."""

    area: int
    kind: int
    origin: int
    left: int


class Post(NamedTuple):
    """A unit that gets an order: where it is, what it is, and where it may go; a flight if it is in the air."""

    area: int
    kind: int
    options: tuple[int, ...]
    flight: Flight | None = None


class Front:
    """A position as one power sees it when a phase begins."""

    def __init__(
        self,
        board: Board,
        power: int,
        forces: tuple[Army, ...],
        owners: tuple[int | None, ...],
        taken: tuple[int, ...] = (),
    ) -> None:
        self.board, self.power, self.forces, self.taken = board, power, forces, taken
        self.count = len(board.powers)
        enemies, friends = board.enemies[power], set(board.friends[power])
        self.held = [owner in friends for owner in owners]
        """Whether the own side owns an area."""
        self.occupied = [False] * len(board.areas)
        """Whether enemies stand there who fight."""
        self.guarded = [False] * len(board.areas)
        """Whether anything of an enemy stands there."""
        for area in board.land:
            base = area * self.count
            for enemy in enemies:
                army = forces[base + enemy]
                if army:
                    self.guarded[area] = True
                    if any(army[kind] for kind in board.fighters):
                        self.occupied[area] = True
        self.homes: list[int] | None = None

    def friendly(self, area: int) -> bool:
        """Whether units may pass and end there in peace."""
        return self.held[area] and not self.occupied[area]

    def posts(self, phase: str, tired: dict[int, Army], flights: tuple[Flight, ...]) -> tuple[Post, ...]:
        """The units that have a choice, in the order they are asked."""
        found: list[Post] = []
        for area in self.board.land:
            army = self.forces[area * self.count + self.power]
            if not army:
                continue
            rested = army if area not in tired else tuple(map(int.__sub__, army, tired[area]))
            for kind, number in enumerate(rested):
                if number:
                    options = self.options(phase, area, kind)
                    if len(options) > 1:
                        found += [Post(area, kind, options)] * number
        for flight in flights:
            found.append(Post(flight.area, flight.kind, tuple(self.airfields(flight.area, flight.left)), flight))
        return tuple(found)

    def airfields(self, origin: int, reach: int) -> list[int]:
        """Where an aircraft may land: with friends, but not where they have only just arrived."""
        distances = self.board.distances[origin]
        return [to for to in self.board.land if distances[to] <= reach and self.friendly(to) and to not in self.taken]

    def options(self, phase: str, origin: int, kind: int) -> tuple[int, ...]:
        """Where a unit may go in a phase, sorted; to stay is always one of them."""
        unit = self.board.units[kind]
        attacks = phase == COMBAT
        moves = phase == NONCOMBAT or not self.board.switches.noncombat
        found = {origin}
        if unit.domain == "air":
            if attacks:
                found.update(self.targets(origin, unit.move, returning=moves))
            if moves:
                found.update(self.airfields(origin, unit.move))
            return tuple(sorted(found))
        for to in self.reached(origin, self.steps(unit.move)):
            if (moves and self.friendly(to)) or (attacks and unit.fights and not self.friendly(to)):
                found.add(to)
        if attacks and unit.blitz and self.board.switches.blitz:
            found.update(self.blitzes(origin))
        return tuple(sorted(found))

    def steps(self, most: int) -> int:
        """How many areas a land unit moves."""
        limit = self.board.switches.steps
        return min(most, limit) if limit else most

    def reached(self, origin: int, steps: int) -> list[int]:
        """The areas a land unit may end in, going through friendly ones."""
        found, edge = [origin], [origin]
        for _ in range(steps):
            passed = [place for place in edge if place == origin or self.friendly(place)]
            edge = []
            for place in passed:
                for to in self.board.ways[place]:
                    if to not in found:
                        found.append(to)
                        edge.append(to)
        return found

    def blitzes(self, origin: int) -> list[int]:
        """The ways of two areas of which the first is hostile, empty and taken."""
        board, found = self.board, []
        blocks = board.switches.factory_blocks
        for via in board.ways[origin]:
            if self.held[via] or self.occupied[via] or (blocks and (board.areas[via].factory or self.guarded[via])):
                continue
            found += [(via + 1) * len(board.areas) + to for to in board.ways[via]]
        return found

    def targets(self, origin: int, most: int, *, returning: bool) -> list[int]:
        """The areas an aircraft may attack and still come home: *returning* to where it started, or to any friend."""
        distances = self.board.distances[origin]
        if returning:
            return [to for to in self.board.land if self.occupied[to] and 2 * distances[to] <= most]
        if self.homes is None:
            self.homes = self.ways_home()
        return [to for to in self.board.land if self.occupied[to] and distances[to] + self.homes[to] <= most]

    def ways_home(self) -> list[int]:
        """How far it is from every occupied area to the next one of the own side."""
        friends = [place for place in self.board.land if self.held[place]]
        distances = self.board.distances
        return [
            min((distances[place][to] for to in friends), default=FAR) if self.occupied[place] else FAR
            for place in range(len(self.board.areas))
        ]


def scripted(script: Script, turn: int, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts with the one option each that a script leaves them."""
    orders = script[turn] if turn < len(script) else ()
    numbers: dict[tuple[int, int], int] = {}
    for post in posts:
        numbers[post.area, post.kind] = numbers.get((post.area, post.kind), 0) + 1
    found, ranks = [], dict.fromkeys(numbers, 0)
    for post in posts:
        group = post.area, post.kind
        chosen, rank = post.area if post.flight is None else post.options[0], ranks[group]
        ranks[group] += 1
        for order in orders:
            if order.origin not in (None, post.area) or order.to not in post.options:
                continue
            staying = order.keep[post.kind] if order.keep else 0
            sent = MOST if order.send is None else order.send[post.kind]
            if rank < min(sent, numbers[group] - staying):
                chosen = order.to
        found.append(post._replace(options=(chosen,)))
    return tuple(found)
