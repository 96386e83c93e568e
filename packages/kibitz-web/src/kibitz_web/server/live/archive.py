"""The records of a server's matches: files that grow while a match is played, and the store of finished ones.

A killed server leaves files behind: at the next start complete ones go into the store, and the others are played on.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from kibitz.core.errors import BadRecord, KibitzError, Refused, StoreTrouble, reason
from kibitz.core.files import make_folder
from kibitz.core.records import Record, read_record
from kibitz.core.records.replay import replaying
from kibitz_lab.arena.series import result_of, thinking
from kibitz_lab.store import MatchResult, Run, Store, StoredMatch
from kibitz_lab.store.live import Change, LiveMatches
from kibitz_lab.store.results import RunKind
from kibitz_web.server.live.storage import FIRST_PAUSE, LONGEST_PAUSE, StoreWriter

log = logging.getLogger(__name__)
LONGEST_NUMBER = 10
"""Digits that no number of a match or run has."""
ENDING = ".krec"
"""The extension of record files."""
ROOM = 1 << 16
"""Bytes that the disk must take for a match to begin."""
LOOK = 0.1
"""Seconds after which one who waits for a change looks whether the database takes any."""


def server_run(store: Store) -> Run:
    """The run of a server's matches; the server that uses a database claims it."""
    return store.begin(RunKind.SERVER, "tables of the server", '{"server":"tables"}', planned=0)


class Archive:
    """The files and the stored records of live matches. Nothing here runs on the event loop."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        make_folder(folder)
        self.started: dict[str, str] = {}
        """When matches began, of those that were asked for."""
        self.run: Run = server_run(store)

    def path(self, number: int) -> Path:
        """The file of a match that is being played."""
        return self.folder / f"{number}{ENDING}"

    def check_room(self) -> None:
        """Raise StoreTrouble if the disk takes no file of a match."""
        try:
            with TemporaryFile(dir=self.folder) as probe:
                probe.write(bytes(ROOM))
        except OSError as error:
            raise StoreTrouble(self.folder.name, f"{reason(error)}; free some space") from None

    def last_number(self) -> int:
        """The highest number of a stored match or of a file."""
        return max([0, *self.store.newest_indexes(self.run.run, 1), *self.files()])

    def files(self) -> list[int]:
        """The numbers of matches that have a file."""
        return [int(path.stem) for path in self.folder.glob(f"*{ENDING}") if path.stem.isdecimal()]

    def read_past(self, number: int) -> Record | None:
        """The record of a match so far, checked against the rules; None if it had not begun."""
        path = self.path(number)
        if not path.exists():
            return None
        try:
            record = read_record(path)
        except BadRecord:  # killed before the first line was written, or damaged since
            path.replace(path.with_suffix(".damaged"))
            return None
        for _ in replaying(record, source=path.name):
            pass
        return record

    def add(self, number: int, record: Record) -> None:
        """Store a finished match; doing it twice changes nothing, and OtherRecord keeps the file."""
        names = names_of(record)
        row = result_of(record, number, names, thinking(record, len(names)))
        self.store.add(self.run.run, [StoredMatch(row, record.to_bytes())])
        self.delete_file(number)

    def replace(self, number: int, record: Record) -> None:
        """Store a finished match again, with what was added to its record since."""
        self.add(number, record)
        self.store.amend(self.run.run, number, record.to_bytes())

    def delete_file(self, number: int) -> None:
        """Delete the file of a match."""
        self.path(number).unlink(missing_ok=True)

    def has(self, number: int) -> bool:
        """Whether a match is stored."""
        return self.store.has_match(self.run.run, number)

    def dates(self, names: Sequence[str]) -> dict[str, str]:
        """When some matches began, in ISO 8601; each record is read once."""
        for name in names:
            if name not in self.started:
                with suppress(KibitzError):  # a damaged one has no date
                    self.started[name] = self.record(name).header.started
        return {name: self.started[name] for name in names if name in self.started}

    def newest(self, count: int) -> list[MatchResult]:
        """The results of the newest finished matches."""
        newest = self.store.newest_indexes(self.run.run, count)
        return self.store.results(self.run.run, newest[-1])[::-1] if newest else []

    def record(self, name: str) -> Record:
        """The record of a finished match: `7` is match 7 of this server, `3-7` is match 7 of run 3."""
        run, dash, number = name.rpartition("-")
        if not is_number(number) or (dash and not is_number(run)):
            raise Refused(f"there is no record called {name!r}")
        return self.store.record(int(run) if dash else self.run.run, int(number))


class Waiting(msgspec.Struct, eq=False):
    """A change that waits to be made."""

    change: Change
    done: "asyncio.Future[None]"
    repeat: bool
    """Whether it is repeated until it is made."""


class Journal:
    """Writes changes of live matches to the store in the order of the calls, all that wait in one transaction.

    While the database takes no changes, matches go on; no match is opened and no seat is taken.
    """

    def __init__(self, live: LiveMatches, writer: StoreWriter) -> None:
        self.live, self.writer = live, writer
        self.waiting: list[Waiting] = []
        self.writing: asyncio.Task[None] | None = None
        self.trouble: KibitzError | None = None
        """The error of the last attempt, while the next one is waited for."""

    async def write(self, change: Change, *, repeat: bool = False) -> None:
        """Make a change; it is durable when this returns. Raises StoreTrouble if it cannot be made now.

        With *repeat* it is made as soon as possible instead, and this returns while it waits for the database. A
        caller who goes away does not stop it.
        """
        if self.trouble is not None and not repeat:
            raise self.trouble
        done = asyncio.get_running_loop().create_future()
        self.waiting.append(Waiting(change, done, repeat))
        if self.writing is None or self.writing.done():
            self.writing = asyncio.get_running_loop().create_task(self.write_all())
        while not done.done() and not (repeat and self.writer.trouble):
            await asyncio.wait([done], timeout=LOOK)
        if done.done():
            done.result()

    async def write_all(self) -> None:
        """Write until nothing waits."""
        pause = FIRST_PAUSE
        while self.waiting:
            batch, self.waiting = self.waiting, []
            try:
                await self.writer.write(self.live.write, [each.change for each in batch])
            except KibitzError as error:  # RunInUse: another server has the database
                again = isinstance(error, StoreTrouble) and not self.writer.closing.is_set()
                self.waiting[:0] = [each for each in batch if each.repeat and again]
                refuse([each for each in batch if not (each.repeat and again)], error)
                if self.waiting:
                    self.trouble = error
                    await self.writer.pause(pause)
                    pause, self.trouble = min(2.0 * pause, LONGEST_PAUSE), None
            else:
                pause = FIRST_PAUSE
                for each in batch:
                    each.done.set_result(None)

    async def close(self) -> None:
        """Wait for the last attempt to write; `StoreWriter.close` comes first."""
        if self.writing is not None:
            await asyncio.wait([self.writing])


def refuse(changes: Sequence[Waiting], error: KibitzError) -> None:
    """Let changes fail that could not be made."""
    lost = sum(each.repeat for each in changes)
    if lost:
        log.error("%d changes of matches could not be stored: %s", lost, error)
    for each in changes:
        each.done.set_exception(error)
        each.done.exception()  # perhaps its caller is gone


def is_number(text: str) -> bool:
    """Whether *text* can be the number of a match or run in a database."""
    return text.isdecimal() and len(text) < LONGEST_NUMBER


def names_of(record: Record) -> tuple[str, ...]:
    """The names of the players: participants by their names, agents by their specs."""
    specs, truths = record.header.agents, record.header.truths
    return tuple((truths[seat].get("name") if truths else None) or spec for seat, spec in enumerate(specs))
