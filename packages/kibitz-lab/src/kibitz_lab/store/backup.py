"""Backups: everything that is stored, and the files of matches in play, in one file that fits SQLite and PostgreSQL.

The file is a zip archive of the rows of each table, as lines of JSON, and of the record files. It is made while the
database is in use: all rows are of one moment. Claims, which belong to running processes, are left out.
"""

import math
import os
import re
import zipfile
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, LargeBinary, Table, func, select, text

from kibitz import __version__
from kibitz.core.errors import BadSource, KibitzError, Refused, Unwritable, printable, reason
from kibitz.core.files import atomic_write, make_folder
from kibitz_lab.store import schema
from kibitz_lab.store.claims import check_unused
from kibitz_lab.store.results import RunKind
from kibitz_lab.store.schema import LOCK, create_tables, database_url, wrap_database_errors
from kibitz_lab.store.server_folder import lock_folder, private_files
from kibitz_lab.store.store import Store, now

FORMAT = 1
MANIFEST = "kibitz.json"
MATCH_FILE = re.compile(r"[0-9]{1,9}\.krec")
LEFT_OUT = ("kibitz_schema", "claims")
AT_ONCE = 500
"""Rows read or written at a time."""

DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, msgspec.MsgspecError, EOFError, KeyError, TypeError, NotImplementedError),
    *(ValueError, OverflowError),
)
"""What a damaged or edited file raises while it is read; the last two come of numbers that no column takes."""


class Manifest(msgspec.Struct, frozen=True):
    """What a backup holds."""

    format: int
    schema: int
    """The version of the tables."""
    kibitz: str
    made: str
    rows: dict[str, int]
    """Rows of each table."""
    last_run: int
    """The highest number that a run ever had."""
    matches: list[str]
    """The files of matches in play."""

    @property
    def words(self) -> str:
        """What it holds, in words."""
        counts = (("runs", self.rows.get("runs", 0)), ("matches", self.rows.get("matches", 0)))
        listed = ", ".join(f"{count:,} {what}" for what, count in counts)
        live = self.rows.get("live_matches", len(self.matches))
        return f"{listed}, {self.rows.get('accounts', 0):,} accounts, {live:,} matches in play"


def make_backup(url: str | None, folder: Path, target: Path, *, force: bool = False) -> Manifest:
    """Write everything in a database, and the matches in play in *folder*, into the file *target*."""
    found = database_url(url)
    if found.get_backend_name() == "sqlite" and not Path(found.database or "").is_file():
        raise Refused(f"there is no database {found.database}; name it with --db")
    if target.exists() and not force:
        raise Refused(f"{target} exists already; --force replaces it")
    with Store(url, make=False) as store, atomic_write(target) as partial:
        partial.touch(mode=0o600)
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            made = Backup(store, archive).write(folder)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
    return made


class Backup:
    """Writes one backup."""

    def __init__(self, store: Store, archive: zipfile.ZipFile) -> None:
        self.store, self.archive = store, archive

    def write(self, folder: Path) -> Manifest:
        """Write the files first: a match that ends meanwhile is then among the rows, and its file is left out."""
        files = {path.name: path for path in sorted(folder.glob("*.krec")) if MATCH_FILE.fullmatch(path.name)}
        contents = {}
        for name, path in files.items():
            with suppress(FileNotFoundError):  # the match has just ended
                contents[name] = path.read_bytes()
        with wrap_database_errors(self.store.url), self.store.engine.connect() as connection:
            begin_snapshot(connection)
            rows = {table.name: self._write_table(connection, table) for table in stored_tables()}
            ended = finished_matches(connection)
            last = last_run(connection)
        kept = [name for name in contents if int(name.partition(".")[0]) not in ended]
        for name in kept:
            self.archive.writestr(f"matches/{name}", contents[name])
        manifest = Manifest(FORMAT, schema.VERSION, __version__, now(), rows, last, kept)
        self.archive.writestr(MANIFEST, msgspec.json.encode(manifest))
        return manifest

    def _write_table(self, connection: Connection, table: Table) -> int:
        """Write the rows of a table; return their number."""
        count = 0
        with self.archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
            for row in connection.execution_options(yield_per=AT_ONCE).execute(select(table)):
                values = {name: json_value(value) for name, value in row._mapping.items()}
                file.write(msgspec.json.encode(values) + b"\n")
                count += 1
        return count


@private_files()
def restore_backup(source: Path, url: str | None, folder: Path, *, force: bool = False) -> Manifest:
    """Put a backup into a database and *folder*, which must be empty; *force* replaces what is there.

    Nothing is changed if the backup is damaged, or another process uses the database or the folder.
    """
    make_folder(folder)
    with open_backup(source) as (archive, manifest), lock_folder(folder):
        path = Path(database_url(url).database or "") if database_url(url).get_backend_name() == "sqlite" else None
        new = path is not None and not path.exists()
        try:
            with Store(url) as store:
                if not force:
                    check_empty(store, folder)
                unpacked = [folder / f"{name}.part" for name in manifest.matches]
                try:
                    unpack_matches(archive, unpacked)
                    Restoration(store, archive, manifest, source).replace_tables()
                except BaseException:
                    for part in unpacked:
                        part.unlink(missing_ok=True)
                    raise
        except BaseException:
            if new and path is not None:
                for ending in ("", "-wal", "-shm"):
                    Path(f"{path}{ending}").unlink(missing_ok=True)
            raise
        for old in folder.glob("*.krec"):
            if MATCH_FILE.fullmatch(old.name):
                old.unlink()
        for part in unpacked:
            part.rename(part.with_suffix(""))
    return manifest


class Restoration:
    """Replaces the tables of a database by those of a backup."""

    def __init__(self, store: Store, archive: zipfile.ZipFile, manifest: Manifest, source: Path) -> None:
        self.store, self.archive, self.manifest, self.source = store, archive, manifest, source

    def replace_tables(self) -> None:
        """Replace them in one transaction, unless another process uses them."""
        sqlite = self.store.engine.dialect.name == "sqlite"
        with wrap_database_errors(self.store.url), self.store.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if sqlite else f"SELECT pg_advisory_xact_lock({LOCK})")
            if not sqlite:
                connection.exec_driver_sql("LOCK TABLE claims IN SHARE ROW EXCLUSIVE MODE")
            check_unused(self.store)
            schema.metadata.drop_all(connection)
            create_tables(connection)
            for table in stored_tables():
                self._fill(connection, table)
            set_last_run(connection, self.manifest.last_run)
            connection.commit()

    def _fill(self, connection: Connection, table: Table) -> None:
        count, waiting = 0, []
        with self.archive.open(f"tables/{table.name}.jsonl") as file:
            for row in rows_of(file, table, self.source):
                waiting.append(row)
                count += 1
                if len(waiting) >= AT_ONCE:
                    connection.execute(table.insert(), waiting)
                    waiting = []
        if waiting:
            connection.execute(table.insert(), waiting)
        if count != self.manifest.rows[table.name]:
            raise BadSource(
                self.source, f"it is cut: {count:,} of {self.manifest.rows[table.name]:,} rows of {table.name}"
            )


@contextmanager
def open_backup(source: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """An open backup and what it holds; damage found until the end of the block is told in one line."""
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = read_manifest(archive, source)
            yield archive, manifest
    except KibitzError:
        raise
    except OSError as error:
        raise BadSource(source, f"cannot be read: {reason(error)}") from None
    except DAMAGE as error:
        raise BadSource(source, f"it is damaged, or no backup of kibitz ({printable(str(error))[:80]})") from None


def read_manifest(archive: zipfile.ZipFile, source: Path) -> Manifest:
    """What a backup holds, if this version of kibitz can read it."""
    manifest = msgspec.json.decode(archive.read(MANIFEST), type=Manifest)
    if (manifest.format, manifest.schema) != (FORMAT, schema.VERSION):
        kind = f"format {manifest.format} with tables of version {manifest.schema}"
        raise BadSource(source, f"it is of {kind}; this kibitz reads format {FORMAT} with version {schema.VERSION}")
    if set(manifest.rows) != {table.name for table in stored_tables()}:
        raise BadSource(source, f"it does not hold our tables, but {', '.join(sorted(manifest.rows))[:80]}")
    if not all(MATCH_FILE.fullmatch(name) for name in manifest.matches):
        raise BadSource(source, "it names files that are no matches")
    return manifest


def check_empty(store: Store, folder: Path) -> None:
    """Raise Refused if there is anything that a restoration would replace."""
    runs = store.read(lambda connection: connection.scalar(select(func.count()).select_from(schema.runs))) or 0
    accounts = store.read(lambda connection: connection.scalar(select(func.count()).select_from(schema.accounts))) or 0
    matches = len(list(folder.glob("*.krec")))
    if runs or accounts or matches:
        there = f"{runs:,} runs and {accounts:,} accounts, and {folder} {matches:,} matches in play"
        raise Refused(f"the database holds {there}; --force replaces all of them by the backup")


def unpack_matches(archive: zipfile.ZipFile, parts: Sequence[Path]) -> None:
    """Write the files of matches in play under temporary names; they hold secrets, and are for their owner alone."""
    for part in parts:
        content = archive.read(f"matches/{part.stem}")
        try:
            part.unlink(missing_ok=True)  # an old one may be open to others
            part.write_bytes(content)
        except OSError as error:
            raise Unwritable(part, reason(error)) from None


def stored_tables() -> list[Table]:
    """The tables of a backup, those first that others refer to."""
    return [table for table in schema.metadata.sorted_tables if table.name not in LEFT_OUT]


def begin_snapshot(connection: Connection) -> None:
    """Let all queries from now on see the same moment."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")
    else:
        connection.execution_options(isolation_level="REPEATABLE READ")


def finished_matches(connection: Connection) -> set[int]:
    """The numbers of the stored matches of servers."""
    match, run = schema.matches.c, schema.runs.c
    query = select(match.index).join(schema.runs, run.run == match.run).where(run.kind == RunKind.SERVER)
    return set(connection.scalars(query))


def last_run(connection: Connection) -> int:
    """The highest number that a run ever had."""
    if connection.dialect.name == "sqlite":
        query = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'runs'"
    else:
        query = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM runs_run_seq"
    return int(connection.scalar(text(query)) or 0)


def set_last_run(connection: Connection, number: int) -> None:
    """Let the next run have a higher number."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = 'runs'"))
        connection.execute(text("INSERT INTO sqlite_sequence VALUES ('runs', :number)"), {"number": number})
    elif number:
        connection.execute(text("SELECT setval('runs_run_seq', :number)"), {"number": number})


def json_value(value: Any) -> Any:
    """A value as JSON can hold it: numbers that are not finite as text; msgspec writes bytes as base64."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def rows_of(file: IO[bytes], table: Table, source: Path) -> Iterator[dict[str, Any]]:
    """The rows in a file."""
    columns = {column.name: column for column in table.columns}
    for number, line in enumerate(file, 1):
        row = msgspec.json.decode(line, type=dict[str, str | float | int | bool | None])
        if set(row) != set(columns):
            raise BadSource(source, f"row {number} of {table.name} does not have the columns of that table")
        try:
            yield {name: read_value(value, columns[name].type) for name, value in row.items()}
        except (ValueError, Base64Error):
            raise BadSource(source, f"row {number} of {table.name} holds a value of the wrong type") from None


def read_value(value: Any, kind: Any) -> Any:
    """A value from JSON as the column's type wants it."""
    if value is None:
        return None
    if isinstance(kind, LargeBinary):
        return b64decode(value, validate=True)
    wanted = kind.python_type
    if wanted is float:
        return float(value)
    if not isinstance(value, (bool, int) if wanted in (bool, int) else wanted):
        raise ValueError("wrong type")
    return value
