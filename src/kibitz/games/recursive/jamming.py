"""Jamming a radio: a user sends on one of some channels, a jammer disturbs one of some, and channels come and go.

After Zhu, Li, Han and Başar (2010) and the case study of Kwiatkowska, Norman, Parker and Santos (2018). Both choose for
the coming slot, knowing the present one; every channel then changes by itself, and a message arrives if its channel is
free in the coming slot and not jammed. All channels are busy before the first slot: the descriptions leave that open,
and this reading gives both published values.
"""

from itertools import product
from math import prod
from typing import Literal

from kibitz import core
from kibitz.games.recursive.rules import Few, Outcomes, Position, Recursive, merge_outcomes

CHANNELS = 4
FREE, BUSY = 0, 1
USERS, JAMMERS = (1, 2, 3), (2, 3, 4)
"""The channels each may choose."""


class Jamming(Recursive):
    """Jamming: send on channels 1 to 3 while the jammer disturbs one of 2 to 4; channels change by themselves.

    *change*: how likely a channel is to become busy or free. *goal* of the user: the `messages` sent in all, or to send
    in at least `half` of the slots.
    """

    seats = ("user", "jammer")
    names = (tuple(map(str, USERS)), tuple(map(str, JAMMERS)))
    quantities = (*(f"busy{channel}" for channel in range(1, CHANNELS + 1)), "slot", "sent")

    def __init__(
        self, slots: Few = 5, change: core.Probability = 0.75, goal: Literal["messages", "half"] = "half"
    ) -> None:
        self.slots, self.change, self.goal = slots, change, goal
        most = float(slots) if goal == "messages" else 1.0
        self.utility = (-most, most)

    def opening(self) -> Position:
        return (*(BUSY,) * CHANNELS, 0, 0)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        before, (slot, sent) = position[:CHANNELS], position[CHANNELS:]
        sending, jammed = USERS[actions[0]], JAMMERS[actions[1]]
        return merge_outcomes(
            (
                (*after, slot + 1, sent + (after[sending - 1] == FREE and sending != jammed)),
                prod(
                    self.change if one != other else 1 - self.change for one, other in zip(before, after, strict=True)
                ),
            )
            for after in product((FREE, BUSY), repeat=CHANNELS)
        )

    def worth(self, position: Position) -> float | None:
        slot, sent = position[CHANNELS:]
        if self.goal == "half" and 2 * sent >= self.slots:
            return 1.0
        if slot < self.slots:
            return None
        return float(sent) if self.goal == "messages" else 0.0

    def describe(self, position: Position) -> str:
        channels = "".join("-#"[state] for state in position[:CHANNELS])
        return f"channels {channels}, {position[-1]} sent in {position[-2]} of {self.slots} slots"
