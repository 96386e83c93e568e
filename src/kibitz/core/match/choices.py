"""Choices: which actions of a recorded or resumed match were chosen, and which were given, drawn or a default."""

from collections.abc import Sequence

import msgspec

from kibitz.core.game import CHANCE

RESIGNED = "resigned"
"""The kind of fault of a player who resigns."""


class Fault(msgspec.Struct, frozen=True):
    """A player's failure: an error, an illegal or late action (the default was played instead), or resigning."""

    player: int
    kind: str
    message: str


class PastEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the record of an event holds of it: enough to have it happen again."""

    ply: int
    player: int
    actions: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    chosen: tuple[bool, ...] = ()
    """Whether each player chose their action; present if there are faults. Of other events the header says it, and the
    faults before them."""


class Choices:
    """Says of each event which of its players chose, from what the header of a record holds and from the faults.

    Given events, drawn opening moves, and the default actions of players who failed or have forfeited are not chosen.
    """

    def __init__(self, players: int, *, given: int, opening: int, strikes: int) -> None:
        self.given, self.opening, self.strikes = given, opening, strikes
        self.moves = 0
        self.struck = [0] * players
        self.forfeited: set[int] = set()

    def of(self, movers: Sequence[int], event: PastEvent) -> tuple[bool, ...]:
        """Whether each of *movers* chose; empty if all did, or if chance moved. Call it for every event, in order.

        Records without `chosen` do not tell a fault in a choice from a fault after one, so there every fault counts as
        one in a choice.
        """
        for fault in event.faults:
            self.struck[fault.player] += self.strikes if fault.kind == RESIGNED else 1
            if self.struck[fault.player] >= self.strikes:
                self.forfeited.add(fault.player)
        if movers[0] == CHANCE:
            return ()
        drawn = event.ply >= self.given and self.moves < self.opening
        self.moves += drawn
        if drawn or event.ply < self.given:
            return (False,) * len(movers)
        if not event.faults and not self.forfeited:
            return ()
        failed = {fault.player for fault in event.faults} | self.forfeited
        chosen = event.chosen or tuple(player not in failed for player in movers)
        return () if all(chosen) else chosen
