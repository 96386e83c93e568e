"""The measures of a recorded match, of any game that offers them: for tables and pages about finished matches."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.records.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import has_ability, make_game, spec_of

if TYPE_CHECKING:
    from kibitz.core.abilities.measures import Measure


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
