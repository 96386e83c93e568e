"""What a match loop yields and receives: requests and their replies, events, moments, and the result."""

from typing import TYPE_CHECKING, final

import msgspec

from kibitz.core.game import CHANCE, Observer, Position, State, Transition
from kibitz.core.insight import Beliefs, Insight
from kibitz.core.records import Record
from kibitz.core.records.records import Fault

if TYPE_CHECKING:
    from kibitz.core.match.watchers import Watchers


class Request(msgspec.Struct, frozen=True, gc=False):
    """Asks *player* for an action on *view*, which they may keep, within *allowance* seconds (None: no limit)."""

    player: int
    position: Position
    allowance: float | None
    ply: int
    bank: float | None = None
    """Seconds left for the whole game; None without a limit."""

    @property
    def view(self) -> State:
        """What the player sees, made each time it is asked for."""
        return self.position.state.view(self.player)


class Reply(msgspec.Struct, frozen=True, gc=False):
    """The answer to a Request: an action and the seconds it took, or an error."""

    action: object = None
    seconds: float = 0.0
    error: str | None = None


NO_REPLY = Reply()
"""The reply of a player who has forfeited and is not asked."""
Requests = tuple[Request, ...]
"""Requests that are made at once."""


@final
class Event(msgspec.Struct, gc=False):
    """Everything that happened at one ply: for the record and for `transition`, never for a player."""

    ply: int
    player: int
    movers: tuple[int, ...]
    """The player of each of `actions`, CHANCE included."""
    actions: tuple[int, ...]
    before: Position
    after: Position
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    chosen: tuple[bool, ...] = ()
    """Whether each of `movers` chose their action; empty if all did, or if chance moved."""

    def choices(self) -> list[tuple[int, int]]:
        """The players who chose, each with their action."""
        chosen = self.chosen or (self.player != CHANCE,) * len(self.movers)
        return [pair for pair, own in zip(zip(self.movers, self.actions, strict=True), chosen, strict=True) if own]

    def transition(self, seat: int | None, observer: Observer = None) -> Transition:
        """The event as *seat* sees it, with the views of *observer*."""
        actions: tuple[int | None, ...] = self.actions
        if self.before.hidden:
            state, pairs = self.before.state, zip(self.movers, self.actions, strict=True)
            actions = tuple(state.seen_action(seat, player, action) for player, action in pairs)
        return Transition(self.ply, self.player, actions, self.before, self.after, self.chosen, seat, observer)

    def notations(self) -> list[str]:
        """The actions in the game's notation."""
        return list(map(self.before.state.action_to_string, self.movers, self.actions))


class Moment(msgspec.Struct):
    """The match after one event (None: before the first), with every model's beliefs."""

    state: State
    event: Event | None
    record: Record | None = None
    """The record so far; without events if they are packed."""
    beliefs: Beliefs = {}
    watchers: "Watchers | None" = None
    """The watching models; None if beliefs are read from the record."""
    known: tuple[Insight, ...] | None = None
    """The insights, once somebody has asked for them."""

    @property
    def number(self) -> int:
        """The number of events so far."""
        return 0 if self.event is None else self.event.ply + 1

    def insights(self) -> tuple[Insight, ...]:
        """Every model's beliefs, predictions and reasons. Call it first before the match continues.

        If no model watches, they come from the record.
        """
        if self.known is None:
            if self.watchers is not None:
                self.known = self.watchers.insights(self.state, self.beliefs)
            else:
                self.known = self.record.insights(self.number) if self.record is not None else ()
        return self.known


class Result(msgspec.Struct, frozen=True):
    """How a match ended: by the rules (`terminal`), at `max_plies`, or because all but one `resigned`.

    A player who forfeits gets the game's lowest payoff.
    """

    returns: tuple[float, ...]
    reason: str
    plies: int
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()
