"""Finds the information set of a player in a live match, event by event."""

from kibitz.core.transition import Transition
from kibitz.solve.extensive.table import InformationTable


class InformationTracker:
    """Follows what *player* sees of one match; make one per match.

    `observe` takes every transition that an agent gets, its own moves and chance included.
    """

    def __init__(self, table: InformationTable, player: int) -> None:
        self.table, self.player = table, player
        self.moment: int | None = 0
        """What the player saw so far, as a number; None after the end, or an event that the table lacks."""

    def observe(self, transition: Transition) -> None:
        """Take note of an event, as the player sees it."""
        if self.moment is not None:
            token = transition.player, transition.actions, transition.after.key()
            self.moment = self.table.memories[self.player].get((self.moment, token))

    @property
    def information_set(self) -> int | None:
        """The information set in which the player chooses now; None if it is not their turn, or not in the table."""
        return None if self.moment is None else self.table.moments[self.player].get(self.moment)
