"""Jamming a radio: a user sends on one of some channels, a jammer disturbs one of some, and channels come and go.

After Zhu, Li, Han and Başar (2010) and the case study of Kwiatkowska, Norman, Parker and Santos (2018). Both choose for
the coming slot, knowing the present one; every channel then changes by itself, and a message arrives if its channel is
free in the coming slot and not jammed. All channels are busy before the first slot: the descriptions leave that open,
and this reading gives both published values.
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Annotated, Literal

from msgspec import Meta

from kibitz import core
from kibitz.games.recursive.rules import Few, Outcomes, Position, Recursive, merge_outcomes

FREE, BUSY = 0, 1


class Jamming(Recursive):
    """Jamming: send on any channel but the last while the jammer disturbs any but the first; channels change.

    *channels*: how many there are. *change*: how likely a channel is to become busy or free. *goal* of the user: the
    `messages` sent in all, or to send in at least `half` of the slots.
    """

    seats = ("user", "jammer")

    def __init__(
        self,
        slots: Few = 5,
        change: core.Probability = 0.75,
        goal: Literal["messages", "half"] = "half",
        channels: Annotated[int, Meta(ge=3, le=6)] = 4,
    ) -> None:
        self.slots, self.change, self.goal, self.channels = slots, change, goal, channels
        most = float(slots) if goal == "messages" else 1.0
        self.utility = (-most, most)

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:  # type: ignore[override]
        return tuple(map(str, self.user_channels)), tuple(map(str, self.jammer_channels))

    @property
    def quantities(self) -> Sequence[str]:  # type: ignore[override]
        return (*(f"busy{channel}" for channel in range(1, self.channels + 1)), "slot", "sent")

    @property
    def user_channels(self) -> range:
        """The channels that the user may choose."""
        return range(1, self.channels)

    @property
    def jammer_channels(self) -> range:
        """The channels that the jammer may choose."""
        return range(2, self.channels + 1)

    def opening(self) -> Position:
        return (*(BUSY,) * self.channels, 0, 0)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        before, (slot, sent) = position[: self.channels], position[self.channels :]
        sending, jammed = self.user_channels[actions[0]], self.jammer_channels[actions[1]]
        return merge_outcomes(
            (
                (*after, slot + 1, sent + (after[sending - 1] == FREE and sending != jammed)),
                prod(
                    self.change if one != other else 1 - self.change for one, other in zip(before, after, strict=True)
                ),
            )
            for after in product((FREE, BUSY), repeat=self.channels)
        )

    def worth(self, position: Position) -> float | None:
        slot, sent = position[self.channels :]
        if self.goal == "half" and 2 * sent >= self.slots:
            return 1.0
        if slot < self.slots:
            return None
        return float(sent) if self.goal == "messages" else 0.0

    def describe(self, position: Position) -> str:
        channels = "".join("-#"[state] for state in position[: self.channels])
        return f"channels {channels}, {position[-1]} sent in {position[-2]} of {self.slots} slots"
