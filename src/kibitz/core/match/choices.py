"""Choices: which actions of a recorded or resumed match were chosen, and which were given, drawn or a default."""

from collections.abc import Sequence
from typing import Protocol

from kibitz.core.game import CHANCE

RESIGNED = "resigned"
"""The kind of fault of a player who resigns."""


class AnyFault(Protocol):
    """A player's fault, as `core.match.Fault` holds it."""

    @property
    def player(self) -> int: ...
    @property
    def kind(self) -> str: ...


class Choices:
    """Says of each event which of its players chose, from what the header of a record holds and from the faults.

    Given events, drawn opening moves, and the default actions of players who failed or have forfeited are not chosen.
    """

    def __init__(self, players: int, *, given: int, opening: int, strikes: int) -> None:
        self.given, self.opening, self.strikes = given, opening, strikes
        self.moves = 0
        self.struck = [0] * players

    def of(
        self, ply: int, movers: Sequence[int], faults: Sequence[AnyFault], recorded: tuple[bool, ...] = ()
    ) -> tuple[bool, ...]:
        """Whether each of *movers* chose; empty if all did, or if chance moved. Call it for every event, in order.

        *recorded* says it of an event with faults. Records without it do not tell a fault in a choice from a fault
        after one, so there every fault counts as one in a choice.
        """
        for fault in faults:
            self.struck[fault.player] += self.strikes if fault.kind == RESIGNED else 1
        if movers[0] == CHANCE:
            return ()
        drawn = ply >= self.given and self.moves < self.opening
        self.moves += drawn
        if drawn or ply < self.given:
            return (False,) * len(movers)
        failed = {fault.player for fault in faults}
        failed |= {player for player, count in enumerate(self.struck) if count >= self.strikes}
        chosen = recorded or tuple(player not in failed for player in movers)
        return () if all(chosen) else chosen
