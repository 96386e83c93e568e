"""Slotted ALOHA with exponential backoff: two users, one message each, one channel, and a deadline for the first.

After the case study of Kwiatkowska, Norman, Parker and Santos (2019). Its description leaves open what a slot is. Here
a user who is ready sends or waits; a message gets through with probability q, or q / 2 where both send; after the k-th
failure he sits out one slot and as many more as chance draws from 0 to 2^k - 1. That makes the start worth 0.981174 at
the published parameters, where 0.980945 is published.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.games.recursive.rules import Few, Outcomes, Position, Recursive, merged

WAIT, SEND = 0, 1
READY, SENT = 0, -1
"""Slots to sit out: none; none any more."""


class Aloha(Recursive):
    """ALOHA: get one message through before the *deadline* while another user is in the way.

    *backoff*: after so many failures the range of slots to sit out grows no more.
    """

    seats = ("user 1", "user 2")
    names = (("wait", "send"), ("wait", "send"))
    quantities = ("failures", "out", "other_failures", "other_out", "slot")

    def __init__(
        self, backoff: Annotated[int, Meta(ge=1, le=6)] = 2, deadline: Few = 8, q: core.Probability = 0.9
    ) -> None:
        self.backoff, self.deadline, self.q = backoff, deadline, q

    def opening(self) -> Position:
        return 0, READY, 0, READY, 0

    def options(self, position: Position, player: int) -> range:
        return range(2 if position[2 * player + 1] == READY else 1)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        odds = self.q / max(1, sum(actions))
        users = [
            self.afterwards(position[2 * player], position[2 * player + 1], actions[player], odds) for player in (0, 1)
        ]
        return merged(
            ((*one, *other, position[4] + 1), share * other_share)
            for (one, share), (other, other_share) in product(*users)
        )

    def afterwards(self, failures: int, left: int, action: int, odds: float) -> Iterator[tuple[Position, float]]:
        """What may become of a user: his failures so far, and the slots he sits out."""
        if action == WAIT:
            yield (failures, left - (left > 0)), 1.0
            return
        yield (0, SENT), odds
        failures = min(self.backoff, failures + 1)
        for slots in range(2**failures):
            yield (failures, 1 + slots), (1.0 - odds) / 2**failures

    def worth(self, position: Position) -> float | None:
        if position[1] == SENT:
            return 1.0
        return 0.0 if position[4] >= self.deadline else None

    def describe(self, position: Position) -> str:
        users = []
        for name, failures, left in zip(self.seats, position[0:4:2], position[1:4:2], strict=True):
            doing = {READY: "ready", SENT: "done"}.get(left, f"out for {left}")
            users.append(f"{name} {doing} after {failures} failures")
        return f"slot {position[4]} of {self.deadline}: {', '.join(users)}"
