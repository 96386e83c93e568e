"""Robot coordination: two robots cross a grid in opposite directions, and a step may go astray.

After the case study of Kwiatkowska, Norman, Parker and Santos (2019). Player 0 wants to reach its corner; player 1,
which has a corner of its own to reach, is assumed to obstruct as much as it can.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

from msgspec import Meta

from kibitz import core
from kibitz.games.recursive.rules import Outcomes, Position, Recursive, clip_value, merge_outcomes

STEPS = ((0, 1), (1, 0), (1, 1))
"""Along the second axis, along the first, along both; towards player 0's goal."""
DONE, WAIT = len(STEPS), len(STEPS) + 1
DELAY = 9
"""How many rounds more a move takes after a crash: 10 in all."""


class Robots(Recursive):
    """Two robots cross a grid; with probability *q* a step goes astray to an adjacent direction.

    *crash*: player 0 has `lost` when both stand on one square, or both `wait` for 9 rounds. *deadline*: player 0 must
    arrive within this many rounds; 0: any time.
    """

    seats = ("robot 1", "robot 2")
    names = (("n", "e", "ne", "done", "wait"), ("s", "w", "sw", "done", "wait"))
    quantities = ("x", "y", "other_x", "other_y", "waiting", "left")
    utility = (-1.0, 1.0)

    def __init__(
        self,
        size: Annotated[int, Meta(ge=2, le=20)] = 5,
        q: core.Probability = 0.1,
        crash: Literal["lost", "wait"] = "lost",
        deadline: Annotated[int, Meta(ge=0, le=1000)] = 0,
    ) -> None:
        self.size, self.q, self.crash, self.deadline = size, q, crash, deadline

    def opening(self) -> Position:
        far = self.size - 1
        return 0, 0, far, far, 0, self.deadline or -1

    def options(self, position: Position, player: int) -> list[int]:
        if position[4]:
            return [WAIT]
        to_go = self.to_go(position, player)
        steps = [step for step, (dx, dy) in enumerate(STEPS) if dx <= to_go[0] and dy <= to_go[1]]
        return steps or [DONE]

    def to_go(self, position: Position, player: int) -> tuple[int, int]:
        """How far *player* is from its goal along each axis."""
        x, y = position[2 * player : 2 * player + 2]
        far = self.size - 1
        return (far - x, far - y) if player == 0 else (x, y)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        waiting, left = position[4], position[5]
        if waiting:
            return (((*position[:4], waiting - 1, left - (left > 0)), 1.0),)
        landings = [self.landings(position, player, actions[player]) for player in (0, 1)]
        return merge_outcomes(
            (self.arrival_position(one, other, left - (left > 0)), share * other_share)
            for (one, share), (other, other_share) in product(*landings)
        )

    def landings(self, position: Position, player: int, action: int) -> Iterator[tuple[Position, float]]:
        """The squares a step of *player* may end on."""
        x, y = position[2 * player : 2 * player + 2]
        if action == DONE:
            yield (x, y), 1.0
            return
        sign, far = 1 - 2 * player, self.size - 1
        dx, dy = STEPS[action]
        astray = [(dx, 0), (0, dy)] if dx and dy else [(dx or side, dy or side) for side in (-1, 1)]
        for (right, up), share in [((dx, dy), 1.0 - self.q), *((step, self.q / 2) for step in astray)]:
            yield (clip_value(x + sign * right, 0, far), clip_value(y + sign * up, 0, far)), share

    def arrival_position(self, one: Position, other: Position, left: int) -> Position:
        """The position with the robots on these squares."""
        crashed = one == other and self.crash == "wait"
        return (*one, *other, DELAY if crashed else 0, left)

    def worth(self, position: Position) -> float | None:
        if self.to_go(position, 0) == (0, 0):
            return 1.0
        crashed = position[:2] == position[2:4] and self.crash == "lost"
        return 0.0 if crashed or position[5] == 0 else None

    def describe(self, position: Position) -> str:
        x, y, other_x, other_y, waiting, left = position
        words = f"robot 1 on ({x}, {y}), robot 2 on ({other_x}, {other_y})"
        words += f", {waiting} rounds to wait" if waiting else ""
        return words + (f", {left} rounds left" if left >= 0 else "")
