"""Models that watch a live table from beside it: they learn off its loop, and everybody sees what they may."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from kibitz.core.drawing import Drawing
from kibitz.core.highlights import with_expectations
from kibitz.core.match import Event, Position
from kibitz.core.records import Record
from kibitz.core.watchers import Belief, Watchers
from kibitz.server.tables import Table
from kibitz.server.workers import WorkerLost

EXPECTED = 3
"""So many of the likeliest next actions are told."""


class Insight(msgspec.Struct, frozen=True):
    """What one watcher thought after so many events."""

    label: str
    seat: int | None
    """Where he watches from; None is an outsider."""
    beliefs: tuple[Belief, ...] = ()
    """About each player."""
    words: tuple[str, ...] = ()
    """About each player, why."""
    expected: dict[int, tuple[tuple[int, float], ...]] = {}
    """Of each player who chooses here, the likeliest actions."""
    error: str | None = None
    """Why the watcher gave up, if it did; it comes from wherever the watcher lives."""


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
        room = await minds.room(Watchers, table.game, self.models, table.seed) if self.models else None
        think: Callable[..., Thought] = partial(thought, self.watchers) if room is None else partial(room.ask, thought)
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
            errors = {each.label: each.error for each in self.thoughts[-1] if each.error is not None}
            record.ending = msgspec.structs.replace(record.ending, model_errors=errors)

    def seen(self, ply: int, seat: int | None, about: Sequence[int], *, all_seen: bool) -> Thought:
        """What may be told after *ply* events to whoever sits on *seat*, about some of the players.

        Somebody who watches from another's seat knows what that player holds, and is heard when all is over.
        """
        if ply >= len(self.thoughts):
            return ()
        return tuple(told(each, about) for each in self.thoughts[ply] if all_seen or each.seat in (None, seat))


def thought(watchers: Watchers, event: Event | None, position: Position) -> Thought:
    """Let the watchers see *event* (None: the match begins); what they think of it."""
    if event is not None:
        watchers.observe(event)
    beliefs, predictions = watchers.beliefs(), watchers.predictions(position)
    words: dict[str, list[str]] = {}
    for label, _, sentence in watchers.explanations():
        words.setdefault(label, []).append(sentence)
    return tuple(
        Insight(
            each.label,
            each.seat,
            tuple(beliefs.get(each.label, ())),
            tuple(words.get(each.label, ())) if each.error is None else (f"gave up: {each.error}",),
            {player: tuple(next_.top(EXPECTED)) for player, next_ in predictions.get(each.label, {}).items()},
            each.error,
        )
        for each in watchers.seated
    )


def gave_up(watchers: Watchers, why: str, event: Event | None, position: Position) -> Thought:
    """What is heard of watchers who cannot go on."""
    return tuple(Insight(each.label, each.seat, words=(f"gave up: {why}",), error=why) for each in watchers.seated)


def told(insight: Insight, about: Sequence[int]) -> Insight:
    """What is said of the players *about* alone."""
    return msgspec.structs.replace(
        insight,
        beliefs=tuple(belief if player in about else {} for player, belief in enumerate(insight.beliefs)),
        words=tuple(words if player in about else "" for player, words in enumerate(insight.words)),
        expected={player: top for player, top in insight.expected.items() if player in about},
    )


def with_expected(picture: Drawing, thought: Thought) -> Drawing:
    """A picture with what the first watcher who says so expects of everybody who chooses."""
    for player, top in next((each.expected for each in thought if each.expected), {}).items():
        picture = with_expectations(picture, player, top)
    return picture
