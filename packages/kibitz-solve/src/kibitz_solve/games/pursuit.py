"""Pursuit on a grid by a pursuer that is fast and steers badly: Right Turn, and the chauffeur of Isaacs (1965).

A position is where the pursuer stands as the evader sees it, turned so that the pursuer faces north: (x, y).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from kibitz.core.errors import BadSpec
from kibitz_solve.games.rules import Position, Recursive, State

FORWARD, RIGHT, LEFT = 0, 1, 2
SPEED, REACH = 2, 1
"""Steps the pursuer makes in a move, and how near it must get, diagonally too."""
FLIGHT = ((0, -1), (0, 1), (-1, 0), (1, 0))
"""What the evader's step to the north, south, east or west does to where the pursuer is."""
Radius = Annotated[int, Meta(ge=2, le=2000)]
Coordinate = Annotated[int, Meta(ge=-2000, le=2000)]


class Pursuit(Recursive):
    """A pursuit on a board of *radius* squares around the evader, who is safe outside it."""

    names: tuple[Sequence[str], Sequence[str]] = (("F", "R"), ("N", "S", "E", "W"))
    quantities: Sequence[str] = ("x", "y")
    radius: int
    start: tuple[int, int]

    def new_initial_state(self) -> State:
        if max(map(abs, self.start)) > self.radius:
            raise BadSpec(repr(self), f"start lies outside the board, which goes from {-self.radius} to {self.radius}")
        return super().new_initial_state()

    def opening(self) -> Position:
        return self.start

    def payoff(self, position: Position) -> float | None:
        distance = max(abs(position[0]), abs(position[1]))
        if distance <= REACH:
            return 1.0
        return 0.0 if distance > self.radius else None


class RightTurn(Pursuit):
    """Right Turn: the orc runs two squares straight on or to its right, the monkey one square anywhere, at once.

    Beyond *radius* the monkey is safe, which is what the infinite plane is worth there (Keffer 2013, Algorithm 1).
    """

    seats = ("orc", "monkey")

    def __init__(self, radius: Radius = 10, start: tuple[Coordinate, Coordinate] = (-4, 0)) -> None:
        self.radius, self.start = radius, start

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        x, y = position
        return place_after_drive(*place_after_flight(x, y, actions[1]), actions[0])

    def describe(self, position: Position) -> str:
        return f"orc at ({position[0]}, {position[1]}) facing north, monkey at the origin"


class Chauffeur(Pursuit):
    """The chauffeur: Right Turn in turns, the car first; *turns* says whether it can turn left as well.

    With `right` it is the hamstrung squad car, with `both` the homicidal chauffeur on a grid (Isaacs 1965).
    """

    seats = ("chauffeur", "pedestrian")
    names = (("F", "R", "L"), ("N", "S", "E", "W"))
    quantities = ("x", "y", "mover")

    def __init__(
        self,
        turns: Literal["right", "both"] = "both",
        radius: Radius = 10,
        start: tuple[Coordinate, Coordinate] = (-4, 0),
    ) -> None:
        self.turns, self.radius, self.start = turns, radius, start

    def opening(self) -> Position:
        return (*self.start, 0)

    def mover(self, position: Position) -> int:
        return position[2]

    def options(self, position: Position, player: int) -> range:
        return range(3 if self.turns == "both" else 2) if player == 0 else range(4)

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        x, y, mover = position
        return (*(place_after_drive, place_after_flight)[mover](x, y, actions[0]), 1 - mover)

    def describe(self, position: Position) -> str:
        return f"car at ({position[0]}, {position[1]}) facing north, {self.seats[position[2]]} to move"


def place_after_flight(x: int, y: int, direction: int) -> tuple[int, int]:
    """Where the pursuer is after the evader's step."""
    dx, dy = FLIGHT[direction]
    return x + dx, y + dy


def place_after_drive(x: int, y: int, move: int) -> tuple[int, int]:
    """Where the pursuer is after its own move, the board turned so that it faces north again."""
    if move == FORWARD:
        return x, y + SPEED
    return (-y, x + SPEED) if move == RIGHT else (y, SPEED - x)
