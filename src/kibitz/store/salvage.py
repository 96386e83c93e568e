"""Salvage: copies everything readable in a damaged SQLite database into a new one.

The file is copied and never changed. Rows are read by number, past damaged places. A match is kept if its record is
complete and all of its seats are there; the rest of its row is rebuilt from the record.
"""

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, Delete, MetaData, Table, Text, delete, update

from kibitz.core.errors import BadRecord, StoreTrouble
from kibitz.core.records import record_from_bytes
from kibitz.store import schema
from kibitz.store.connection import database_url
from kibitz.store.results import MatchResult, StoredMatch, StudyRow, belief_rows
from kibitz.store.rows import study_row
from kibitz.store.store import Run, Store

BATCH = 500
"""Rows written at a time."""
ONE_BY_ONE, MOST = 4096, 2**62
"""Rows after a damaged place that are tried one by one before larger steps; a number larger than any row's."""
NAMELESS = "import"
"""The kind of a run whose own row cannot be read: you can view its matches, but not resume it."""
KINDS: dict[type, tuple[type, ...]] = {int: (int,), str: (str,), float: (float, int), bool: (int,), bytes: (bytes,)}
"""The Python types that SQLite returns for each column type."""

TOKENS = Table("tokens", MetaData(), *(Column(name, Text, nullable=False) for name in ("name", "hash", "role", "made")))
"""The table of tokens in version 1."""

Row = dict[str, Any]
Seats = dict[tuple[int, int], dict[int, Row]]
"""The seats of each match, by run and index."""

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What sqlite3 raises for pages it cannot read, and for text that is none."""


def salvage(url: str | None, target: Path) -> list[Run]:
    """Copy everything readable in a database into the new file *target*; return its runs."""
    found = database_url(url)
    if found.get_backend_name() != "sqlite" or not found.database:
        raise StoreTrouble(str(found.database), "only an SQLite file can be salvaged")
    source = Path(found.database)
    if not source.is_file():
        raise StoreTrouble(source.name, "the file does not exist")
    if target.exists():
        raise StoreTrouble(target.name, "it exists already; name a new file")
    with TemporaryDirectory(prefix="kibitz-") as folder, closing(open_copy(source, Path(folder))) as damaged:
        try:
            tables = {name for (name,) in damaged.execute("SELECT name FROM sqlite_master").fetchall()}
        except DAMAGE as error:
            why = f"nothing can be read ({error}): the page that lists its tables is damaged"
            raise StoreTrouble(source.name, why) from None
        if not {schema.runs.name, schema.matches.name} <= tables:
            raise StoreTrouble(source.name, "it holds no runs of kibitz")
        with Store(str(target)) as store:
            Salvage(damaged, store).copy()
            return store.runs()


def open_copy(source: Path, folder: Path) -> sqlite3.Connection:
    """An open copy of the file, with its write-ahead log."""
    for ending in ("", "-wal"):
        path = Path(f"{source}{ending}")
        if path.exists():
            shutil.copyfile(path, folder / f"copy.db{ending}")
    return sqlite3.connect(folder / "copy.db")


class Salvage:
    """Copies the readable rows of a damaged database into a store."""

    def __init__(self, damaged: sqlite3.Connection, store: Store) -> None:
        self.damaged, self.store = damaged, store

    def copy(self) -> None:
        """Copy runs and their matches, rows and ratings."""
        self.insert(schema.runs, self.whole_rows(schema.runs))
        self.known = {run.run for run in self.store.runs()}
        self.copy_matches()
        self.copy_study_rows()
        self.copy_accounts()
        self.insert(schema.counters, self.whole_rows(schema.counters))
        versions = self.whole_rows(schema.run_versions)
        self.insert(schema.run_versions, [row for row in versions if row["run"] in self.known])
        ratings = self.whole_rows(schema.ratings)
        for run in self.store.runs():
            self.settle(run, [row for row in ratings if row["run"] == run.run])

    def copy_matches(self) -> None:
        """Copy the complete matches, in batches."""
        seats: Seats = {}
        for row in self.whole_rows(schema.seats):
            seats.setdefault((row["run"], row["index"]), {})[row["seat"]] = row
        waiting: dict[int, list[StoredMatch]] = {}
        for row in self.rows(schema.matches):
            found = match_of(row, seats) if is_whole(row, schema.matches) else None
            if found is not None:
                batch = waiting.setdefault(row["run"], [])
                batch.append(found)
                if len(batch) >= BATCH:
                    self.add_matches(row["run"], waiting.pop(row["run"]))
        for run, batch in waiting.items():
            self.add_matches(run, batch)

    def add_matches(self, run: int, batch: Sequence[StoredMatch]) -> None:
        """Store matches of a run; create the run if its own row is lost."""
        self.name_run(run)
        self.store.add(run, batch)

    def copy_study_rows(self) -> None:
        """Copy the complete rows of studies."""
        found: dict[int, list[StudyRow]] = {}
        for row in self.whole_rows(schema.study_rows):
            made = study_row_of(row)
            if made is not None:
                found.setdefault(row["run"], []).append(made)
        for run, rows in found.items():
            self.name_run(run)
            self.store.add_rows(run, rows)

    def copy_accounts(self) -> None:
        """Copy the accounts and their credentials; version 1 of the tables had tokens instead."""
        tokens = [(row["name"], row["role"], row["made"], row["hash"]) for row in self.whole_rows(TOKENS)]
        accounts = [{"name": name, "role": role, "kind": "program", "made": made} for name, role, made, _ in tokens]
        self.insert(schema.accounts, [*self.whole_rows(schema.accounts), *accounts])
        known = {row["name"] for row in self.whole_rows(schema.accounts)}
        credentials = [row for row in self.whole_rows(schema.credentials) if row["account"] in known]
        self.insert(schema.credentials, credentials)
        self.insert(
            schema.credentials,
            [{"hash": code, "account": name, "kind": "token", "made": made} for name, _, made, code in tokens],
        )

    def name_run(self, run: int) -> None:
        """Create a run whose own row is lost."""
        if run not in self.known:
            self.known.add(run)
            definition = msgspec.json.encode({"salvaged": run}).decode()
            row = {"run": run, "kind": NAMELESS, "name": f"salvaged run {run}", "definition": definition, "planned": 0}
            rest = {"fingerprint": f"salvaged {run}", "copy": 0, "kibitz": "", "begun": "", "finished": None}
            self.insert(schema.runs, [row | rest])

    def settle(self, run: Run, ratings: Sequence[Row]) -> None:
        """Drop incomplete series; mark an incomplete run as unfinished, and keep the ratings of a complete one."""
        size = series_size(run)
        if size > 1:
            results = self.store.results(run.run)
            counts = Counter(result.series for result in results)
            cut = [result.index for result in results if counts[result.series] < size]
            match = schema.matches.c
            for start in range(0, len(cut), BATCH):
                some = (match.run == run.run) & match.index.in_(cut[start : start + BATCH])
                self.store.write_change(partial(execute_statement, delete(schema.matches).where(some)))
        stored = self.store.run(run.run).stored
        values = {"planned": max(stored, run.planned), **({"finished": None} if stored < run.planned else {})}
        changed = update(schema.runs).where(schema.runs.c.run == run.run).values(**values)
        self.store.write_change(lambda connection: connection.execute(changed))
        if stored >= run.planned:
            self.insert(schema.ratings, ratings)

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Put rows into a table of the store."""

        def insert_rows(connection: Connection) -> None:
            connection.execute(self.store.insert(table), list(rows))

        if rows:
            self.store.write_change(insert_rows)

    def whole_rows(self, table: Table) -> list[Row]:
        """The readable and valid rows of a table."""
        return [row for row in self.rows(table) if is_whole(row, table)]

    def rows(self, table: Table) -> Iterator[Row]:
        """The readable rows of a table, in the order of writing."""
        names = [column.name for column in table.columns]
        after = -1
        while after < MOST:
            try:
                for number, *values in self.damaged.execute(query_after(table), (after,)):
                    after = number
                    yield dict(zip(names, values, strict=True))
                return
            except DAMAGE as error:
                if str(error).startswith("no such "):  # an earlier version had no such table
                    return
                after = self.next_readable(table, after)

    def next_readable(self, table: Table, after: int) -> int:
        """The next number after which reading works again, or the end is reached; reading fails after *after*."""
        for step in range(1, ONE_BY_ONE + 1):
            if self.can_read(table, after + step):
                return after + step
        low, step = after + ONE_BY_ONE, ONE_BY_ONE
        while not self.can_read(table, low + step):
            low, step = low + step, 2 * step
            if low > MOST:
                return MOST
        high = low + step  # reading fails after low, and not after high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.can_read(table, middle) else (middle, high)
        return high

    def can_read(self, table: Table, after: int) -> bool:
        """Whether the row after a number can be read, or there is none."""
        try:
            self.damaged.execute(f"{query_after(table)} LIMIT 1", (after,)).fetchall()
        except DAMAGE:
            return False
        return True


def execute_statement(statement: Delete, connection: Connection) -> None:
    """Execute a statement."""
    connection.execute(statement)


def query_after(table: Table) -> str:
    """The query for the rows after a number, which uses the table and no index."""
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    return f'SELECT rowid, {columns} FROM "{table.name}" NOT INDEXED WHERE rowid > ? ORDER BY rowid'


def is_whole(row: Row, table: Table) -> bool:
    """Whether every column holds a value of its type."""
    return all(
        column.nullable if row[column.name] is None else isinstance(row[column.name], KINDS[column.type.python_type])
        for column in table.columns
    )


def match_of(row: Row, seats: Seats) -> StoredMatch | None:
    """A match from its row and its seats, if its record is complete and agrees with them."""
    try:
        record = record_from_bytes(row["record"])
    except BadRecord:
        return None
    ending, players = record.ending, len(record.header.agents)
    there = seats.get((row["run"], row["index"]), {})
    if ending is None or sorted(there) != list(range(players)) or str(record.header.seed) != row["seed"]:
        return None
    result = MatchResult(
        index=row["index"],
        series=row["series"],
        block=row["block"],
        game=row["game"],
        seed=record.header.seed,
        names=tuple(there[seat]["name"] for seat in range(players)),
        returns=tuple(ending.returns),
        plies=ending.plies,
        reason=ending.reason,
        seconds=tuple(float(there[seat]["seconds"]) for seat in range(players)),
        strikes=ending.strikes,
        forfeits=ending.forfeits,
    )
    return StoredMatch(result, row["record"], belief_rows(record))


def study_row_of(row: Row) -> StudyRow | None:
    """A row of a study, if it is valid JSON."""
    try:
        return study_row(row["index"], row["row"], row["seconds"])
    except msgspec.DecodeError:
        return None


def series_size(run: Run) -> int:
    """Number of matches per series, which are stored together or not at all."""
    try:
        definition = msgspec.json.decode(run.definition)
    except msgspec.DecodeError:
        return 1
    size = definition.get("series", 1) if isinstance(definition, dict) else 1
    return size if isinstance(size, int) else 1
