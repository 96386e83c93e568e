"""Transition: one event as an observer sees it; agents and models get one for every event."""

import msgspec

from kibitz.core.game import CHANCE, SIMULTANEOUS, State


class Transition(msgspec.Struct, frozen=True, gc=False):
    """One event as its observer may see it. `after` is the next event's `before`: clone a view before stepping it.

    `player` is who acted, or CHANCE, or SIMULTANEOUS; `actions` holds one action, or one per player if all moved at
    once. An action that the observer may not see is None. `chosen` says of each of them whether its player chose it;
    empty: all did. Given and drawn opening moves, and the default action of a player who failed or has forfeited, were
    not chosen: they change the position and say nothing about the player.
    """

    ply: int
    player: int
    actions: tuple[int | None, ...]
    before: State
    after: State
    chosen: tuple[bool, ...] = ()

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

    def chose(self, player: int) -> bool:
        """Whether *player* acted in this event, by their own choice."""
        if player not in self.movers:
            return False
        return not self.chosen or self.chosen[player if self.player == SIMULTANEOUS else 0]
