"""The events of Khan's thesis (2013, 4.3) in any record: the input of a recogniser outside the game."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz_risk import phases
from kibitz_risk.actions import ends
from kibitz_risk.game import State, turn_ended
from kibitz_risk.phases import AMOUNTS

Kind: TypeAlias = Literal[
    "game started", "player added", "player removed", "territory placed", "territory reinforced",
    "territory occupied", "occupation failed", "armies moved", "turn ended", "game ended",
]  # fmt: skip


class GameEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event. An attack makes one for each side: occupied and lost, or failed and defended."""

    ply: int
    kind: Kind
    player: int | None = None
    other: int | None = None
    territory: int | None = None
    continent: int | None = None
    armies: int = 0
    forced: bool = False
    """Whether no player chose it: a retreat with one army, or a conquest move of which only one size was legal."""


def events(record: Record) -> Iterator[GameEvent]:
    """All events of a record, in their order."""
    teller: EventExtractor | None = None
    for moment in replaying(record):
        state = moment.state
        assert isinstance(state, State)
        if moment.event is None:
            teller = EventExtractor(state)
            yield GameEvent(0, "game started")
            yield from (GameEvent(0, "player added", player) for player in range(state.game.players))
            continue
        assert teller is not None
        before = moment.event.before.state
        assert isinstance(before, State)
        yield from teller.events_of_action(moment.event.ply, before, moment.event.actions[0], state)


class EventExtractor:
    """Finds events from the states before and after an action."""

    def __init__(self, start: State) -> None:
        self.board = start.board

    def events_of_action(self, ply: int, before: State, action: int, after: State) -> Iterator[GameEvent]:
        """The events of one action."""
        phase, mover = before.phase, before.mover
        if phase in (phases.DEAL, phases.DRAFT):
            yield self.at(ply, "territory placed", mover, action, armies=1)
        elif phase == phases.SETUP:
            yield self.at(ply, "territory reinforced", mover, action, armies=1)
        elif phase == phases.PLACE:
            place, armies = divmod(action, AMOUNTS)
            yield self.at(ply, "territory reinforced", mover, place, armies=armies)
        elif phase == phases.ROLL and action == phases.RETREAT:
            yield self.at(ply, "occupation failed", mover, before.target, other=before.owners[before.target])
        elif phase == phases.DICE:
            yield from self.battle(ply, before, after)
        elif phase == phases.CONQUER:
            yield self.at(ply, "armies moved", mover, before.target, armies=action)
        elif phase == phases.FORTIFY and action != phases.STAY:
            way, armies = divmod(action, AMOUNTS)
            yield self.at(ply, "armies moved", mover, ends(way, len(before.owners))[1], armies=armies)
        if turn_ended(before, after):
            yield GameEvent(ply, "turn ended", mover)
        if after.phase == phases.OVER:
            yield GameEvent(ply, "game ended", after.mover)

    def battle(self, ply: int, before: State, after: State) -> Iterator[GameEvent]:
        """What a roll leads to: nothing, a territory taken and perhaps a player destroyed, or a forced retreat."""
        mover, loser, target = before.mover, before.owners[before.target], before.target
        if after.owners[target] == mover:
            yield self.at(ply, "territory occupied", mover, target, other=loser)
            if loser not in after.owners:
                yield GameEvent(ply, "player removed", loser, mover)
            if after.phase != phases.CONQUER:
                yield self.at(ply, "armies moved", mover, target, armies=after.armies[target], forced=True)
        elif after.phase != phases.ROLL:
            yield self.at(ply, "occupation failed", mover, target, other=loser, forced=True)

    def at(
        self,
        ply: int,
        kind: Kind,
        player: int,
        place: int,
        *,
        other: int | None = None,
        armies: int = 0,
        forced: bool = False,
    ) -> GameEvent:
        """An event somewhere."""
        continent = self.board.territories[place].continent
        return GameEvent(ply, kind, player, other, place, continent, armies, forced)
