"""Slotted ALOHA with exponential backoff: two users, one message each, one channel, and a deadline for the first.

After the case study of Kwiatkowska, Norman, Parker and Santos (2019) and its published value. A message gets through
with probability q, and each of two sent at once with q / 4. After their k-th failure a user draws from 0 to 2^k - 1 how
many slots to sit out, and then has to send; only a 0 after the first failure leaves them ready to choose. A user who is
ready may wait, but not more than twice before a try.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.games.recursive.rules import Few, Outcomes, Position, Recursive, merge_outcomes

WAIT, SEND = 0, 1
SENT = -1
"""Stands in place of the slots to sit out: the message is through."""
MOST_WAITS = 2
"""How often a user may wait before a try."""
READY = ("has to send", "may wait once", "may wait twice")
"""What a user who sits out no slot may do, by the waits left."""
USER = 3
"""The numbers of a position that belong to a user: failures, slots to sit out, waits left."""


class Aloha(Recursive):
    """ALOHA: get one message through before the *deadline* while another user is in the way.

    *backoff*: after this many failures the range of slots to sit out stops growing. *q*: the probability that a message
    with the channel to itself gets through.
    """

    seats = ("user 1", "user 2")
    names = (("wait", "send"), ("wait", "send"))
    quantities = ("failures", "out", "waits", "other_failures", "other_out", "other_waits", "slot")

    def __init__(
        self, backoff: Annotated[int, Meta(ge=1, le=6)] = 2, deadline: Few = 8, q: core.Probability = 0.9
    ) -> None:
        self.backoff, self.deadline, self.q = backoff, deadline, q

    def opening(self) -> Position:
        return 0, 0, MOST_WAITS, 0, 0, MOST_WAITS, 0

    def options(self, position: Position, player: int) -> range:
        _, out, waits = user(position, player)
        if out != 0:
            return range(WAIT, WAIT + 1)
        return range(WAIT if waits else SEND, SEND + 1)

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        odds = self.q / 4.0 if actions == (SEND, SEND) else self.q
        users = [self.afterwards(user(position, player), actions[player], odds) for player in (0, 1)]
        return merge_outcomes(
            ((*one, *other, position[-1] + 1), share * other_share)
            for (one, share), (other, other_share) in product(*users)
        )

    def afterwards(self, before: Position, action: int, odds: float) -> Iterator[tuple[Position, float]]:
        """The numbers a user may have after a slot, and how likely each is."""
        failures, out, waits = before
        if action == WAIT:
            yield ((failures, out, waits - 1) if out == 0 else (failures, out - (out > 0), waits)), 1.0
            return
        yield (0, SENT, 0), odds
        failed = min(self.backoff, failures + 1)
        for slots in range(2**failed):
            yield (failed, slots, MOST_WAITS if slots == failures == 0 else 0), (1.0 - odds) / 2**failed

    def worth(self, position: Position) -> float | None:
        if position[1] == SENT:
            return 1.0
        return 0.0 if position[-1] >= self.deadline else None

    def describe(self, position: Position) -> str:
        users = []
        for player, name in enumerate(self.seats):
            failures, out, waits = user(position, player)
            doing = {0: READY[waits], SENT: "is done"}.get(out, f"is out for {out}")
            users.append(f"{name} {doing} after {failures} failures")
        return f"slot {position[-1]} of {self.deadline}: {', '.join(users)}"


def user(position: Position, player: int) -> Position:
    """A user's failures, slots to sit out and waits left."""
    return position[USER * player : USER * (player + 1)]
