"""Transition: one event as an observer sees it; agents and models get one for every event."""

import msgspec

from kibitz.core.game import CHANCE, SIMULTANEOUS, State


class Transition(msgspec.Struct, frozen=True, gc=False):
    """One event as its observer may see it. `after` is the next event's `before`: clone a view before stepping it.

    `player` is who acted, or CHANCE, or SIMULTANEOUS; `actions` holds one action, or one per player if all moved at
    once. An action that the observer may not see is None.
    """

    ply: int
    player: int
    actions: tuple[int | None, ...]
    before: State
    after: State

    @property
    def movers(self) -> tuple[int, ...]:
        """The players who acted; none for chance."""
        if self.player == SIMULTANEOUS:
            return tuple(range(len(self.actions)))
        return () if self.player == CHANCE else (self.player,)

    def action_of(self, player: int) -> int | None:
        """The action of *player* (or CHANCE); None if they did not act or it is hidden."""
        if self.player == SIMULTANEOUS:
            return self.actions[player]
        return self.actions[0] if player == self.player else None
