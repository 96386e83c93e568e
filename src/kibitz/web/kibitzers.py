"""Models that watch a live table from beside it: they learn off its loop, and everybody sees what they may."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from kibitz.core.drawing import Drawing
from kibitz.core.drawing.highlights import with_expectations
from kibitz.core.insight import Insight
from kibitz.core.match import Event, Position
from kibitz.core.match.watchers import Watchers
from kibitz.core.records import Record
from kibitz.server.tables import Table
from kibitz.server.workers import WorkerLost

Thought = tuple[Insight, ...]
"""What all watchers thought at one moment."""


class Kibitzers:
    """The watchers of one table, and all they thought so far: `thoughts[ply]` is after so many events."""

    def __init__(self, table: Table, models: Sequence[str], watchers: Watchers) -> None:
        self.table, self.models, self.watchers = table, models, watchers
        self.thoughts: list[Thought] = []
        self.changed = asyncio.Event()

    async def follow(self) -> None:
        """Learn from every event of the table, to the end; in a worker, if there are any."""
        table, minds = self.table, self.table.minds
        room = await minds.room(Watchers, table.game, self.models, table.options.seed) if self.models else None
        think: Callable[..., Thought] = (
            partial(insights_after, self.watchers) if room is None else partial(room.ask, insights_after)
        )
        try:
            async for update in table.updates(None, since=0):
                if len(self.thoughts) <= update.ply:
                    event = table.events[update.ply - 1] if update.ply else None
                    seen = (event, table.positions[update.ply])
                    try:
                        self.add(await minds.think(think, *seen))
                    except WorkerLost as error:
                        think = partial(gave_up, self.watchers, str(error))
                        self.add(think(*seen))
        finally:
            if room is not None:
                room.close()

    def add(self, thought: Thought) -> None:
        """Take down what was thought, and wake all who want to know."""
        self.thoughts.append(thought)
        self.changed.set()
        self.changed = asyncio.Event()

    def keep(self, record: Record) -> None:
        """Put into the record of the table, when it is over, what was believed all along."""
        beliefs = [{each.label: list(each.beliefs) for each in thought if each.beliefs} for thought in self.thoughts]
        record.watch([each.label for each in self.watchers.seated], beliefs)
        if record.ending is not None:
            errors = {each.label: each.error for each in self.thoughts[-1] if each.error}
            record.ending = msgspec.structs.replace(record.ending, model_errors=errors)

    def visible_insights(self, ply: int, seat: int | None, about: Sequence[int], *, all_seen: bool) -> Thought:
        """What may be told after *ply* events to whoever sits on *seat*, about some of the players.

        Somebody who watches from another's seat knows what that player holds, and is heard when all is over.
        """
        if ply >= len(self.thoughts):
            return ()
        return tuple(each.about(about) for each in self.thoughts[ply] if all_seen or each.seat in (None, seat))


def insights_after(watchers: Watchers, event: Event | None, position: Position) -> Thought:
    """Let the watchers see *event* (None: the match begins); what they think of it."""
    if event is not None:
        watchers.observe(event)
    return watchers.insights(position.state)


def gave_up(watchers: Watchers, why: str, event: Event | None, position: Position) -> Thought:
    """What is heard of watchers who cannot go on."""
    return tuple(Insight(each.label, each.seat, error=why) for each in watchers.seated)


def with_expected(picture: Drawing, thought: Thought) -> Drawing:
    """A picture with what the first watcher who says so expects of everybody who chooses."""
    for player, top in next((each.predictions for each in thought if each.predictions), {}).items():
        picture = with_expectations(picture, player, [(each.action, each.share) for each in top])
    return picture
