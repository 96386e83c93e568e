"""Littman's soccer (1994): two players on a 4 × 5 field, one ball, moves carried out in random order."""

from typing import Literal

from kibitz import core
from kibitz_solve.games.rules import Outcomes, Position, Recursive, merge_outcomes

COLUMNS, ROWS = 5, 4
GOAL_ROWS = (1, 2)
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (0, 0))
KICK_OFF = (1, 2, 3, 1)
"""Columns and rows of both players; a half turn of the field changes one into the other."""
WON: Position = (1,)
LOST: Position = (-1,)
DRAWN: Position = (0,)


class Soccer(Recursive):
    """Soccer: carry the ball off the other end between the goal posts; walking into the other loses the ball.

    *draw*: how likely every round is to end the match without a goal. *ball*: whose it is at first.
    """

    seats = ("west", "east")
    names = (("N", "S", "E", "W", "stand"), ("N", "S", "E", "W", "stand"))
    quantities = ("x", "y", "other_x", "other_y", "ball")

    def __init__(self, draw: core.Probability = 0.1, ball: Literal["random", "west", "east"] = "random") -> None:
        self.draw, self.ball = draw, ball

    def openings(self) -> Outcomes:
        owners = [owner for owner, name in enumerate(self.seats) if self.ball in ("random", name)]
        return [((*KICK_OFF, owner), 1 / len(owners)) for owner in owners]

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        found = [(DRAWN, self.draw)]
        for first in (0, 1):
            after = position
            for player in (first, 1 - first):
                after = position_after_step(after, player, STEPS[actions[player]])
            found.append((after, (1.0 - self.draw) / 2))
        return merge_outcomes(found)

    def payoff(self, position: Position) -> float | None:
        return float(position[0]) if len(position) == 1 else None

    def describe(self, position: Position) -> str:
        if len(position) == 1:
            return {WON: "west scores", LOST: "east scores", DRAWN: "no goal"}[position]
        x, y, other_x, other_y, ball = position
        return f"west on ({x}, {y}), east on ({other_x}, {other_y}), {self.seats[ball]} has the ball"


def position_after_step(position: Position, player: int, step: tuple[int, int]) -> Position:
    """The position after *player* has carried out their step."""
    if len(position) == 1:
        return position
    places, ball = [position[0:2], position[2:4]], position[4]
    x, y = places[player][0] + step[0], places[player][1] + step[1]
    if x == (COLUMNS, -1)[player] and y in GOAL_ROWS and ball == player:
        return (WON, LOST)[player]
    if (x, y) == places[1 - player]:
        return (*position[:4], 1 - player)
    if 0 <= x < COLUMNS and 0 <= y < ROWS:
        places[player] = (x, y)
    return (*places[0], *places[1], ball)
