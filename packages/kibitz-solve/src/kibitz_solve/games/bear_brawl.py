"""Bear Brawl (Keffer 2013, section 2.2): heroes want a magic powder, bears guard it.

A position holds the heroes' hit points, the bears' hit points, the heroes' places and the bears' places; with one of
each on a line that is the (u, v, x, y) of 1D1H1B, and `follow` is Algorithm 2.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz_solve.games.rules import Endless, Payoffs, Position, Recursive, State, clip_value, when_lost

Cell: TypeAlias = tuple[int, ...]
HERO, BEAR = 0, 1
MOVES = {1: ("L", "R", "A"), 2: ("L", "R", "D", "U", "A")}
STEPS: dict[int, tuple[Cell, ...]] = {1: ((-1,), (1,), (0,)), 2: ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))}
"""By the number of dimensions; the last move of each is the attack."""
Band = Annotated[int, Meta(ge=1, le=3)]
HitPoints = Annotated[int, Meta(ge=1, le=99)]


class BearBrawl(Recursive):
    """Bear Brawl: stand on unguarded powder, or kill all bears, before the heroes are dead.

    All move, then all attack: an attack costs every opponent on the same cell a hit point. If both sides die at once
    the bears win. *powder*: its cells; none: the origin. *edge*: a move into the wall stays put (`clip`) or is
    `illegal`, or there is no wall (`unbounded`). *start*: a whole position; none: heroes far left, bears far right.
    """

    seats = ("hero", "bear")

    def __init__(
        self,
        hero_hp: HitPoints = 3,
        bear_hp: HitPoints = 2,
        radius: core.Count = 5,
        dimensions: Literal[1, 2] = 1,
        heroes: Band = 1,
        bears: Band = 1,
        powder: tuple[Cell, ...] = (),
        edge: Literal["clip", "illegal", "unbounded"] = "clip",
        payoffs: Payoffs = "survival",
        endless: Endless = 0.0,
        start: tuple[int, ...] = (),
    ) -> None:
        self.hero_hp, self.bear_hp, self.radius, self.dimensions = hero_hp, bear_hp, radius, dimensions
        self.heroes, self.bears, self.powder, self.edge = heroes, bears, powder, edge
        self.payoffs, self.endless, self.start = payoffs, endless, start
        self.counts = heroes, bears
        self.moves, self.steps = MOVES[dimensions], STEPS[dimensions]
        self.attack, self.rest = len(self.moves) - 1, len(self.moves)
        self.cells = powder or ((0,) * dimensions,)
        self.quantities = self._quantities()

    def _quantities(self) -> tuple[str, ...]:
        """u, v, x, y for one of each on a line (Keffer 2013), else names that say whose they are."""
        if self.counts == (1, 1) and self.dimensions == 1:
            return "u", "v", "x", "y"
        fighters = [
            f"{side}{number + 1}"
            for side, count in zip(self.seats, self.counts, strict=True)
            for number in range(count)
        ]
        places = [f"{fighter}_{axis}" for fighter in fighters for axis in "xy"[: self.dimensions]]
        return *(f"{fighter}_hp" for fighter in fighters), *places

    @property
    def action_bound(self) -> int:  # type: ignore[override]
        return int((self.rest + 1) ** max(self.counts))

    def new_initial_state(self) -> State:
        state = super().new_initial_state()
        length = sum(self.counts) * (1 + self.dimensions)
        if len(state.position) != length:
            raise BadSpec(
                repr(self), f"start needs {length} numbers: hit points of heroes and bears, then their places"
            )
        for side, most in enumerate((self.hero_hp, self.bear_hp)):
            if not all(0 <= points <= most for points in self.hit_points(state.position, side)):
                raise BadSpec(repr(self), f"start gives the {self.seats[side]} hit points outside 0 to {most}")
        places = [*self.places(state.position, HERO), *self.places(state.position, BEAR), *self.cells]
        if any(len(place) != self.dimensions or self.beyond(place) for place in places):
            raise BadSpec(repr(self), f"a place has {self.dimensions} coordinates from {-self.radius} to {self.radius}")
        return state

    def opening(self) -> Position:
        if self.start:
            return self.start
        west, east = ((sign * self.radius, *(0,) * (self.dimensions - 1)) for sign in (-1, 1))
        points = (*(self.hero_hp,) * self.heroes, *(self.bear_hp,) * self.bears)
        return (*points, *west * self.heroes, *east * self.bears)

    def hit_points(self, position: Position, side: int) -> Position:
        """The hit points of one side."""
        return position[: self.heroes] if side == HERO else position[self.heroes : sum(self.counts)]

    def places(self, position: Position, side: int) -> list[Cell]:
        """Where the fighters of one side are."""
        first = sum(self.counts) + (self.heroes * self.dimensions if side == BEAR else 0)
        ends = range(first, first + self.counts[side] * self.dimensions, self.dimensions)
        return [position[begin : begin + self.dimensions] for begin in ends]

    def beyond(self, place: Cell) -> bool:
        """Whether a place is behind the wall."""
        return self.edge != "unbounded" and any(abs(coordinate) > self.radius for coordinate in place)

    def bases(self, side: int) -> list[int]:
        """The actions of a side: a number with one digit per fighter, a move, or rest for a dead one."""
        return [self.rest + 1] * self.counts[side]

    def options(self, position: Position, player: int) -> list[int]:
        fighters = zip(self.hit_points(position, player), self.places(position, player), strict=True)
        digits = {str(number): self.choices(*fighter) for number, fighter in enumerate(fighters)}
        return list(core.ProductActions(digits, self.bases(player)))

    def choices(self, points: int, place: Cell) -> list[int]:
        """The moves of one fighter."""
        if not points:
            return [self.rest]
        walled = self.edge == "illegal"
        return [
            move for move, step in enumerate(self.steps) if not (walled and self.beyond(cell_after_step(place, step)))
        ]

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        chosen = [core.digits(action, self.bases(side)) for side, action in enumerate(actions)]
        points = [self.hit_points(position, side) for side in (HERO, BEAR)]
        places = [
            [
                self.cell_after_move(place, move)
                for place, move in zip(self.places(position, side), chosen[side], strict=True)
            ]
            for side in (HERO, BEAR)
        ]
        left = [
            max(
                0,
                hp
                - sum(move == self.attack and at == place for move, at in zip(chosen[foe], places[foe], strict=True)),
            )
            for side, foe in ((HERO, BEAR), (BEAR, HERO))
            for hp, place in zip(points[side], places[side], strict=True)
        ]
        return (*left, *(coordinate for side in places for place in side for coordinate in place))

    def cell_after_move(self, place: Cell, move: int) -> Cell:
        """Where a move leads."""
        if move == self.rest:
            return place
        moved = cell_after_step(place, self.steps[move])
        if self.edge == "unbounded":
            return moved
        return tuple(clip_value(coordinate, -self.radius, self.radius) for coordinate in moved)

    def payoff(self, position: Position) -> float | None:
        heroes, bears = ({*self.standing(position, side)} for side in (HERO, BEAR))
        if not heroes:
            return when_lost(self.payoffs)
        return 1.0 if not bears or any(cell in heroes - bears for cell in self.cells) else None

    def standing(self, position: Position, side: int) -> list[Cell]:
        """Where one side's living fighters are."""
        fighters = zip(self.hit_points(position, side), self.places(position, side), strict=True)
        return [place for points, place in fighters if points]

    def action_name(self, player: int, action: int) -> str:
        return " ".join((*self.moves, "-")[digit] for digit in core.digits(action, self.bases(player)))

    def describe(self, position: Position) -> str:
        words = []
        for side, name in enumerate(self.seats):
            for points, place in zip(self.hit_points(position, side), self.places(position, side), strict=True):
                words.append(f"{name} with {points} at {place if self.dimensions == 2 else place[0]}")
        return ", ".join(words)


def cell_after_step(place: Cell, step: Sequence[int]) -> Cell:
    """The cell a step away."""
    return tuple(one + other for one, other in zip(place, step, strict=True))
