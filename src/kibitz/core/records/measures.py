"""The measures of a recorded match, of any game that offers them: for tables and pages about finished matches."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.game import SIMULTANEOUS, Game
from kibitz.core.match import Event
from kibitz.core.records.packed import PackedRecord, unpack_actions
from kibitz.core.records.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import has_ability, make_game, spec_of
from kibitz.core.transition import Position, Transition

if TYPE_CHECKING:
    from kibitz.core.abilities.measures import Measure


def packed_measures(game: Game, packed: PackedRecord) -> "tuple[Measure, ...]":
    """What the game measures of a packed match in which nobody failed, by its actions."""
    name = spec_of(game).name
    return tuple(ability(name, "MEASURES")(game, packed_events(game, packed), packed.ending.returns))


def packed_events(game: Game, packed: PackedRecord) -> Iterator[Transition]:
    """The events of a packed match in which nobody failed, as a spectator sees them."""
    position, place = Position(game.new_initial_state(), game.hidden), 0
    actions = unpack_actions(packed.bits, packed.actions)
    for ply in range(packed.plies):
        mover = position.state.current_player()
        movers = tuple(range(game.players)) if mover == SIMULTANEOUS else (mover,)
        done = tuple(actions[place : place + len(movers)])
        before, position, place = position, position.after(done, mover), place + len(movers)
        yield Event(ply, mover, movers, done, before, position).transition(None)


def measures_of(record: Record) -> "Sequence[Measure]":
    """What the game measures of a match that is over; nothing if it measures nothing, or the match was cut off.

    A record that was written while playing holds them; for others the match is replayed.
    """
    if record.ending is not None and record.ending.measures is not msgspec.UNSET:
        return record.ending.measures
    game = make_game(record.header.game)
    name = spec_of(game).name
    if record.ending is None or not has_ability(name, "MEASURES"):
        return ()
    events = (moment.event.transition(None) for moment in replaying(record) if moment.event is not None)
    return ability(name, "MEASURES")(game, events, record.ending.returns)
