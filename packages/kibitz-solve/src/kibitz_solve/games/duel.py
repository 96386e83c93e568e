"""A duel of tanks: advance, retreat or fire one of a few shells, which hit more surely the nearer the other is."""

from itertools import product
from typing import Annotated

from msgspec import Meta

from kibitz_solve.games.rules import Few, Outcomes, Position, Recursive, clip_value, merge_outcomes

ADVANCE, RETREAT, FIRE = 0, 1, 2
MOVES = (-1, 1, 0)
"""What each action does to the distance."""
Shells = Annotated[int, Meta(ge=0, le=20)]


class Duel(Recursive):
    """A duel of tanks: a shell hits with probability 1 at distance 0, less by equal steps, never at *reach* or beyond.

    Both move, at most to the *distance* they began at, then both fire. The only survivor wins; neither wins where both
    are hit or no shells are left.
    """

    seats = ("west", "east")
    names = (("advance", "retreat", "fire"), ("advance", "retreat", "fire"))
    quantities = ("distance", "shells", "other_shells", "alive", "other_alive")

    def __init__(self, distance: Few = 4, reach: Few = 6, shells: tuple[Shells, Shells] = (2, 2)) -> None:
        self.distance, self.reach, self.shells = distance, reach, shells

    def opening(self) -> Position:
        return self.distance, *self.shells, 1, 1

    def options(self, position: Position, player: int) -> range:
        return range(FIRE + (position[1 + player] > 0))

    def accuracy(self, distance: int) -> float:
        """How likely a shell is to hit."""
        return max(0.0, 1.0 - distance / self.reach)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        fires = [action == FIRE for action in actions]
        distance = clip_value(position[0] + sum(MOVES[action] for action in actions), 0, self.distance)
        shells = [position[1 + player] - fires[player] for player in (0, 1)]
        hits = [self.accuracy(distance) * fired for fired in fires]
        survivals = [((0, hits[1 - player]), (1, 1.0 - hits[1 - player])) for player in (0, 1)]
        return merge_outcomes(
            ((distance, *shells, alive, other_alive), share * other_share)
            for (alive, share), (other_alive, other_share) in product(*survivals)
        )

    def payoff(self, position: Position) -> float | None:
        _, shells, other_shells, alive, other_alive = position
        if alive and other_alive and shells + other_shells:
            return None
        return float(alive - other_alive)

    def describe(self, position: Position) -> str:
        distance, *shells, alive, other_alive = position
        tanks = [f"{count} shells" if up else "wreck" for count, up in zip(shells, (alive, other_alive), strict=True)]
        return f"distance {distance}: west {tanks[0]}, east {tanks[1]}"
