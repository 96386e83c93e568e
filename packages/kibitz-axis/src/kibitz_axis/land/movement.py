"""Where units may go: every option is judged on the position before any unit moved, so that no order hinders another.

An option is a number: the area where a unit ends, plus, for a blitz, the area it takes on its way.
"""

from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from kibitz_axis.land.board import FAR, Board, Script
from kibitz_axis.units import MOST, Army

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
        enemies, allies, powers = board.enemies[power], set(board.friends[power]), len(board.powers)
        self.held = [owner in allies for owner in owners]
        """Whether the own side owns an area."""
        self.occupied = [False] * len(board.areas)
        """Whether enemies that fight stand there."""
        self.guarded = [False] * len(board.areas)
        """Whether anything of an enemy stands there."""
        for area in board.land:
            for enemy in enemies:
                army = forces[area * powers + enemy]
                if army:
                    self.guarded[area] = True
                    self.occupied[area] |= any(army[kind] for kind in board.fighters)
        self.friends = [held and not occupied for held, occupied in zip(self.held, self.occupied, strict=True)]
        """Whether units may pass and end there in peace."""

    def posts(self, phase: str, tired: dict[int, Army], flights: tuple[Flight, ...]) -> tuple[Post, ...]:
        """The units that have a choice, in the order they are asked."""
        found: list[Post] = []
        powers, gaits = len(self.board.powers), self.board.gaits
        for area in self.board.land:
            army = self.forces[area * powers + self.power]
            if not army:
                continue
            rested = army if area not in tired else tuple(map(int.__sub__, army, tired[area]))
            known: dict[int, tuple[int, ...]] = {}
            for kind, number in enumerate(rested):
                if number:
                    gait = gaits[kind]
                    if gait not in known:
                        known[gait] = self.options(phase, area, kind)
                    if len(known[gait]) > 1:
                        found += [Post(area, kind, known[gait])] * number
        for flight in flights:
            found.append(Post(flight.area, flight.kind, tuple(self.airfields(flight.area, flight.left)), flight))
        return tuple(found)

    def airfields(self, origin: int, reach: int) -> list[int]:
        """Where an aircraft may land: with friends, but not in areas taken this turn."""
        distances = self.board.distances[origin]
        return [to for to in self.fields if distances[to] <= reach]

    def options(self, phase: str, origin: int, kind: int) -> tuple[int, ...]:
        """Where a unit may go in a phase, sorted; it may always stay."""
        unit, friends = self.board.units[kind], self.friends
        attacks = phase == COMBAT
        moves = phase == NONCOMBAT or not self.board.switches.noncombat
        if unit.domain == "air":
            found = self.airfields(origin, unit.move) if moves else []
            found += self.targets(origin, unit.move, returning=moves) if attacks else []
        else:
            attacks = attacks and unit.fights
            found = [
                to for to in self.reachable_areas(origin, self.steps(unit.move)) if (moves if friends[to] else attacks)
            ]
            if attacks and unit.blitz and self.board.switches.blitz:
                found += self.blitzes(origin)
        return tuple(sorted({origin, *found}))

    def steps(self, most: int) -> int:
        """How many areas a land unit moves."""
        limit = self.board.switches.steps
        return min(most, limit) if limit else most

    def reachable_areas(self, origin: int, steps: int) -> Collection[int]:
        """The areas a land unit may end in, going through friendly ones."""
        by_land = self.board.by_land
        if steps == 1:
            return by_land[origin]
        found, edge = {origin}, [origin]
        for _ in range(steps):
            near = {to for place in edge for to in by_land[place]} - found
            found |= near
            edge = [place for place in near if self.friends[place]]
        return found

    def blitzes(self, origin: int) -> list[int]:
        """The ways of two areas of which the first is hostile, empty and taken."""
        board, found = self.board, []
        blocks = board.switches.factory_blocks
        for via in board.by_land[origin]:
            if self.held[via] or self.occupied[via] or (blocks and (board.areas[via].factory or self.guarded[via])):
                continue
            found += [(via + 1) * len(board.areas) + to for to in board.by_land[via]]
        return found

    def targets(self, origin: int, most: int, *, returning: bool) -> list[int]:
        """The areas an aircraft may attack and still return from: *returning* to where it started, or to any friend."""
        distances = self.board.distances[origin]
        if returning:
            return [to for to in self.homes if 2 * distances[to] <= most]
        return [to for to, home in self.homes.items() if distances[to] + home <= most]

    @cached_property
    def fields(self) -> list[int]:
        """The areas of the own side where aircraft may land."""
        return [to for to in self.board.land if self.friends[to] and to not in self.taken]

    @cached_property
    def homes(self) -> dict[int, int]:
        """The distance from every area where enemies stand to the nearest one of the own side."""
        distances, fields = self.board.distances, self.fields
        return {
            place: min(map(distances[place].__getitem__, fields), default=FAR)
            for place in self.board.land
            if self.occupied[place]
        }


def scripted_posts(script: Script, turn: int, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts, each with the one option that a script allows."""
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
