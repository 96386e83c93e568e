"""The store of runs and their matches. A stored (run, index) is final: another match in its place is an error."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec
from sqlalchemy import Connection, Table, delete, exc, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from kibitz.core.errors import CONTROL, BadSpec, OtherRecord, StoreTrouble, UnknownName
from kibitz.core.records import Record, record_from_bytes
from kibitz_lab.store import schema, version
from kibitz_lab.store.results import MatchResult, StoredMatch, StudyRow
from kibitz_lab.store.schema import (
    WAIT,
    database_url,
    open_engine,
    present,
    result_of,
    rows_of,
    study_row,
    study_text,
    wrap_database_errors,
)

Answer = TypeVar("Answer")
Kept = TypeVar("Kept")
PAUSES = (0.2, 1.0, 3.0, 6.0)
"""Seconds between attempts to reconnect to a database."""
LOCKED = "55P03"
"""PostgreSQL's code for a lock that was not free in time."""


class Run(msgspec.Struct, frozen=True):
    """One tournament or study in the store."""

    run: int
    kind: str
    name: str
    definition: str
    """JSON: everything that determines the run."""
    planned: int
    """Planned matches or study rows; 0 for an open-ended run."""
    stored: int
    """Stored matches or study rows."""
    kibitz: str
    """Version of the code that started it."""
    begun: str
    finished: str | None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to play."""
        return self.stored >= self.planned

    @property
    def progress(self) -> str:
        """The progress in words: "3 of 12", or "3" for an open-ended run."""
        return f"{self.stored} of {self.planned}" if self.planned else str(self.stored)


class Store:
    """A database of runs: a path or URL, else `KIBITZ_DB`, else `kibitz.db` in the current folder.

    With *make* off, for reading, a missing SQLite file counts as an empty store and is not created. A change waits
    *wait* seconds for other writers.
    """

    def __init__(self, url: str | None = None, *, make: bool = True, wait: float = WAIT) -> None:
        self.url = database_url(url) if make else present(database_url(url))
        self.wait = wait
        self.engine = open_engine(self.url, wait=wait)
        self.fence: Callable[[Connection], None] | None = None
        """Called in every change before it is made; it raises if this process may change nothing any more."""
        self.file = self._file_identity()

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def begin(self, kind: str, name: str, definition: str, planned: int, *, fresh: bool = False) -> Run:
        """The run of this definition: the latest one, or a new one; *fresh* always makes a new one.

        With more matches *planned* than before, the run gets the new number and is unfinished again.
        """
        if CONTROL.search(name):
            raise BadSpec(name, "the name of a run holds no control characters")
        fingerprint = fingerprint_of(kind, definition)
        same = schema.runs.c.fingerprint == fingerprint
        row = {"kind": kind, "name": name, "definition": definition, "fingerprint": fingerprint, "planned": planned}
        row |= {"kibitz": version.code_version(), "begun": now()}

        def begin_run(connection: Connection) -> int:
            newest = connection.scalar(select(func.max(schema.runs.c.copy)).where(same))
            copy = 0 if newest is None else newest + fresh
            if newest is None or fresh:
                connection.execute(self.insert(schema.runs), [{**row, "copy": copy}])
            found = connection.scalar(select(schema.runs.c.run).where(same, schema.runs.c.copy == copy))
            assert found is not None
            short = (schema.runs.c.run == found) & (schema.runs.c.planned < planned)
            connection.execute(update(schema.runs).where(short).values(planned=planned, finished=None))
            return int(found)

        return self.run(self.write_change(begin_run))

    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        return self.read(lambda connection: [Run(*row) for row in connection.execute(self._runs())])

    def run(self, number: int) -> Run:
        """One run by its number."""
        query = self._runs().where(schema.runs.c.run == number)
        rows = self.read(partial(_all, query))
        if not rows:
            known = [str(each.run) for each in self.runs()]
            raise UnknownName("run", str(number), known, "(kibitz runs lists them)")
        return Run(*rows[0])

    def finish(self, run: int) -> None:
        """Mark a run as finished."""
        done = schema.runs.c.finished.is_(None) & (schema.runs.c.run == run)
        self.write_change(lambda connection: connection.execute(update(schema.runs).where(done).values(finished=now())))

    def note_version(self, run: int) -> None:
        """Note that the current code plays a run."""
        row = {"run": run, "kibitz": version.code_version(), "first": datetime.now(UTC).isoformat()}
        self.write_change(lambda connection: connection.execute(self.insert(schema.run_versions).values(row)))

    def versions(self, run: int) -> list[str]:
        """The versions of the code that played a run, in order; the one that started it if none is noted."""
        table = schema.run_versions.c
        query = select(table.kibitz).where(table.run == run).order_by(table.first, table.kibitz)
        return self.read(lambda connection: list(connection.scalars(query))) or [self.run(run).kibitz]

    def delete(self, run: int) -> None:
        """Remove a run and everything that belongs to it."""
        self.run(run)
        self.write_change(lambda connection: connection.execute(delete(schema.runs).where(schema.runs.c.run == run)))

    def add(self, run: int, played: Sequence[StoredMatch]) -> None:
        """Store matches, all or none; the same ones again change nothing, others in their place raise OtherRecord."""
        given = {each.result.index: each.record for each in played}

        def add_matches(connection: Connection) -> None:
            match = schema.matches.c
            near = (match.run == run) & match.index.between(min(given), max(given))
            known = set(connection.scalars(select(match.index).where(near))) & given.keys()
            for index in sorted(known):
                stored = connection.scalar(select(match.record).where(match.run == run, match.index == index))
                if not same_match(bytes(stored or b""), given[index]):
                    raise OtherRecord(run, index)
            rows = rows_of(run, [each for each in played if each.result.index not in known])
            for table, values in zip((schema.matches, schema.seats), rows, strict=True):
                self.insert_rows(connection, table, values)

        if played:
            self.write_change(add_matches)

    def insert_rows(self, connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert many rows in one call of the driver; existing ones stay unchanged."""
        if rows:
            columns = table.columns.keys()
            statement = self.insert(table).compile(dialect=connection.dialect, column_keys=columns)
            named = connection.dialect.paramstyle in ("pyformat", "named")
            values: Any = [dict(zip(columns, row, strict=True)) for row in rows] if named else list(rows)
            connection.exec_driver_sql(str(statement), values)

    def amend(self, run: int, index: int, record: bytes) -> None:
        """Replace a stored record; its result stays."""
        match = schema.matches.c
        query = update(schema.matches).where(match.run == run, match.index == index).values(record=record)
        self.write_change(lambda connection: connection.execute(query))

    def add_rows(self, run: int, rows: Sequence[StudyRow]) -> None:
        """Store rows of a study, all or none; rows that are stored already stay unchanged."""
        values = [{"run": run, "index": each.index, "row": study_text(each), "seconds": each.seconds} for each in rows]
        if values:
            self.write_change(lambda connection: connection.execute(self.insert(schema.study_rows), values))

    def rows(self, run: int) -> list[StudyRow]:
        """The rows of a study's run in the order of their indexes."""
        table = schema.study_rows.c
        query = select(table.index, table.row, table.seconds).where(table.run == run).order_by(table.index)
        found = self.read(partial(_all, query))
        return [study_row(*row) for row in found]

    def results(self, run: int, first: int = 0, count: int | None = None) -> list[MatchResult]:
        """The matches of a run from index *first* on, *count* at most, in the order of their indexes."""
        match, seat = schema.matches.c, schema.seats.c
        after = match.index >= first
        if count is not None:
            numbers = select(match.index).where(match.run == run, after).order_by(match.index).limit(count)
            after = match.index.in_(numbers)
        query = (
            select(
                *(
                    match.index.label("index_"),
                    match.series,
                    match.block,
                    match.game,
                    match.seed,
                    match.plies,
                    match.reason,
                ),
                *(seat.name, seat.returned, seat.seconds, seat.strikes, seat.forfeited),
            )
            .where(match.run == run, seat.run == run, seat.index == match.index, after)
            .order_by(match.index, seat.seat)
        )
        rows = self.read(partial(_all, query))
        return [result_of(list(seats)) for _, seats in groupby(rows, key=itemgetter(0))]

    def indexes(self, run: int) -> set[int]:
        """The indexes of the stored matches."""
        query = select(schema.matches.c.index).where(schema.matches.c.run == run)
        return set(self.read(lambda connection: connection.scalars(query).all()))

    def newest_indexes(self, run: int, count: int) -> list[int]:
        """The highest indexes of the stored matches, the highest first."""
        index = schema.matches.c.index
        query = select(index).where(schema.matches.c.run == run).order_by(index.desc()).limit(count)
        return list(self.read(lambda connection: connection.scalars(query).all()))

    def has_match(self, run: int, index: int) -> bool:
        """Whether a match is stored."""
        query = select(schema.matches.c.index).where(schema.matches.c.run == run, schema.matches.c.index == index)
        return self.read(lambda connection: connection.scalar(query)) is not None

    def record(self, run: int, index: int) -> Record:
        """The full record of one match."""
        query = select(schema.matches.c.record).where(schema.matches.c.run == run, schema.matches.c.index == index)
        data = self.read(lambda connection: connection.scalar(query))
        if data is None:
            raise UnknownName("match", str(index), (), f"in run {run}, which holds {self.run(run).stored} matches")
        return record_from_bytes(data, f"match {index} of run {run}")

    def records(self, run: int, *, at_once: int = 200) -> Iterator[tuple[int, bytes]]:
        """The records of a run as bytes of a file, each with its index."""
        match, last = schema.matches.c, -1
        while True:
            after = (match.run == run) & (match.index > last)
            query = select(match.index, match.record).where(after).order_by(match.index).limit(at_once)
            rows = self.read(partial(_all, query))
            if not rows:
                return
            for index, record in rows:
                yield index, bytes(record)
            last = rows[-1][0]

    def _runs(self) -> Any:
        run = schema.runs.c
        tables = (schema.matches, schema.study_rows)
        counts = [select(func.count()).where(each.c.run == run.run).scalar_subquery() for each in tables]
        columns = (run.run, run.kind, run.name, run.definition, run.planned)
        return select(*columns, counts[0] + counts[1], run.kibitz, run.begun, run.finished).order_by(run.run)

    def insert(self, table: Table) -> Any:
        """An insert that leaves existing rows unchanged."""
        insert = postgresql.insert if self.engine.dialect.name == "postgresql" else sqlite.insert
        return insert(table).on_conflict_do_nothing()

    def read(self, ask: Callable[[Connection], Answer]) -> Answer:
        """The answer of a query."""

        def read_once() -> Answer:
            with self.engine.connect() as connection:
                return ask(connection)

        return self._retry_call(read_once)

    def write_change(self, change: Callable[[Connection], Answer]) -> Answer:
        """Make a change in one transaction."""

        def make_change() -> Answer:
            self._check_file()
            with self.engine.begin() as connection:
                if connection.dialect.name == "sqlite":
                    connection.exec_driver_sql("BEGIN IMMEDIATE")  # what a change reads stays so until it is made
                if self.fence is not None:
                    self.fence(connection)
                return change(connection)

        return self._retry_call(make_change)

    def _retry_call(self, attempt: Callable[[], Answer]) -> Answer:
        """Try again after a lost connection: every change may be made twice without harm."""
        with wrap_database_errors(self.url):
            pauses = [pause for pause in PAUSES if self.wait >= WAIT or pause <= self.wait / 2]
            for pause in pauses if self.engine.dialect.name == "postgresql" else ():
                try:
                    return attempt()
                except (exc.OperationalError, exc.InterfaceError) as error:
                    if getattr(error.orig, "sqlstate", None) == LOCKED:
                        raise  # it has waited already
                    time.sleep(pause)
            return attempt()

    def _file_identity(self) -> tuple[int, int] | None:
        """Device and inode of an SQLite file; None in memory, and for PostgreSQL."""
        if self.url.get_backend_name() != "sqlite" or self.url.database in (None, "", ":memory:"):
            return None
        try:
            found = os.stat(str(self.url.database))
        except OSError:
            return (0, 0)
        return found.st_dev, found.st_ino

    def _check_file(self) -> None:
        """Raise StoreTrouble if the database file was deleted or replaced: SQLite would keep writing to the old one."""
        if self._file_identity() != self.file:
            name = Path(str(self.url.database)).name
            raise StoreTrouble(name, "the file was deleted or replaced while it was in use; run the same command again")


class Writer(Generic[Kept]):
    """Stores matches or rows in batches: *add* stores many in one transaction, at most every *seconds*.

    Results that come more rarely, and so took long, are stored at once.
    """

    def __init__(
        self, add: Callable[[int, list[Kept]], None], run: int, *, seconds: float = 0.5, most: int = 2000
    ) -> None:
        self.keep, self.run, self.seconds, self.most = add, run, seconds, most
        self.waiting: list[Kept] = []
        self.last = time.monotonic()

    def add(self, found: Iterable[Kept]) -> None:
        """Take results; store all that wait if it is time."""
        self.waiting += found
        if len(self.waiting) >= self.most or time.monotonic() - self.last >= self.seconds:
            self.flush()

    def flush(self) -> None:
        """Store all that wait."""
        if self.waiting:
            self.keep(self.run, self.waiting)
            self.waiting = []
            self.last = time.monotonic()


def _all(query: Any, connection: Connection) -> Sequence[Any]:
    return connection.execute(query).all()


def same_match(one: bytes, other: bytes) -> bool:
    """Whether two records are of the same match: what was played, not when, nor what models thought of it."""
    if one == other:
        return True
    return play_of(record_from_bytes(one)) == play_of(record_from_bytes(other))


def play_of(record: Record) -> tuple[Any, ...]:
    """What was played in a match, and by whom."""
    header, returns = record.header, record.ending and record.ending.returns
    actions = [entry.actions for entry in record.entries]
    return header.game, header.seed, header.agents, header.truths, actions, returns


def fingerprint_of(kind: str, definition: str) -> str:
    """A hash of the kind and definition of a run."""
    return blake2b(f"{kind}\n{definition}".encode(), digest_size=16).hexdigest()


def now() -> str:
    """The current time, as the database stores it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
