"""Models that watch a live match: they run off the event loop, and each viewer sees what they may."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import proxy

import msgspec

from kibitz.core.drawing import Drawing
from kibitz.core.errors import KibitzError
from kibitz.core.insight import Insight
from kibitz.core.match import Moment
from kibitz.core.match.watchers import Watchers
from kibitz.core.pictures.highlights import with_expectations
from kibitz.core.records import Record
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.live.seats import Viewer
from kibitz_web.server.workers.residents import Resident
from kibitz_web.server.workers.watching import Thought, insights_after
from kibitz_web.server.workers.what_if import WhatIf, insights_if

if TYPE_CHECKING:
    from kibitz_web.server.live.matches import LiveMatch

WATCHING = Principal("models", "models", "spectator")
"""The principal of watching models, who see public information only."""


class LiveModels:
    """The models that watch one match, and their insights so far: `thoughts[ply]` after *ply* events."""

    def __init__(self, match: "LiveMatch", models: Sequence[str], labels: Sequence[str]) -> None:
        self.match: LiveMatch = proxy(match)  # which owns this: so it goes as soon as nobody looks at it
        self.models, self.labels = models, labels
        self.thoughts: list[Thought] = []
        self.changed = asyncio.Event()
        self.resident: Resident | None = None
        """The models themselves, while the match is played."""

    async def what_if(self, player: int) -> list[WhatIf]:
        """What the models would believe of *player*, who is to move, after each of their moves; empty: not known."""
        ply, match = len(self.match.events), self.match
        if self.resident is None or not self.models or player not in match.game.movers(match.positions[ply].state):
            return []
        while len(self.thoughts) <= ply:  # they have not seen the last event yet
            await self.changed.wait()
        if self.resident is None:
            return []
        return await self.resident.call(insights_if, match.positions[ply], ply, player, match.number)

    async def follow(self) -> None:
        """Feed every event of the match to the models, to the end; in a worker, if there are any."""
        match, given = self.match, (self.match.game, self.models, self.match.options.seed)
        models = self.resident = match.compute.resident(Watchers, *given, payer=match.owner, match=match.work)
        failure = ""
        try:
            async for update in Viewer(match, WATCHING).updates(since=0):
                if len(self.thoughts) <= update.ply:
                    event = match.events[update.ply - 1] if update.ply else None
                    moment = Moment(match.positions[update.ply].state, event)
                    if self.models and not failure:
                        try:
                            self.add(await models.call(insights_after, moment))
                            continue
                        except KibitzError as error:  # its worker is lost or stopped, or it cannot watch this game
                            failure = str(error)
                    self.add(tuple(Insight(label, error=failure) for label in self.labels))
        finally:
            self.resident = None
            models.close()

    def add(self, thought: Thought) -> None:
        """Add the insights of a moment, and wake all listeners."""
        self.thoughts.append(thought)
        self.changed.set()
        self.changed = asyncio.Event()

    def add_to(self, record: Record) -> None:
        """Add the beliefs of the whole match to its record, when it is over, and what explains the last ones."""
        beliefs = [{each.label: list(each.beliefs) for each in thought if each.beliefs} for thought in self.thoughts]
        record.watch(self.labels, beliefs)
        if record.entries:
            last = tuple(msgspec.structs.replace(each, beliefs=()) for each in self.thoughts[-1])
            record.entries[-1] = msgspec.structs.replace(record.entries[-1], insights=last)
        if record.ending is not None:
            errors = {each.label: each.error for each in self.thoughts[-1] if each.error}
            record.ending = msgspec.structs.replace(record.ending, model_errors=errors)

    def visible_insights(self, ply: int, seat: int | None, about: Sequence[int], *, all_seen: bool) -> Thought:
        """The insights after *ply* events about some of the players, as far as *seat* may see them.

        A model that watches from another seat knows that player's secrets, so it is shown only after the match.
        """
        if ply >= len(self.thoughts):
            return ()
        return tuple(each.about(about) for each in self.thoughts[ply] if all_seen or each.seat in (None, seat))


def with_expected(picture: Drawing, thought: Thought) -> Drawing:
    """A drawing with the next moves that the first predicting model expects."""
    for player, top in next((each.predictions for each in thought if each.predictions), {}).items():
        picture = with_expectations(picture, player, [(each.action, each.share) for each in top])
    return picture
