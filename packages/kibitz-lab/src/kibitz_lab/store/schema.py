"""The database: its tables, how results become rows, and how it is opened.

If you change a table, raise VERSION: a database of another version is refused.
"""

import os
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    ExceptionContext,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    exc,
    false,
    inspect,
    make_url,
    select,
)

from kibitz.core.errors import CONTROL, MissingPackage, StoreTrouble
from kibitz_lab.store.results import MatchResult, StoredMatch, StudyRow

VERSION = 4

metadata = MetaData()

schema_version = Table("kibitz_schema", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("definition", Text, nullable=False),  # JSON: everything that determines the run
    Column("fingerprint", Text, nullable=False),  # of kind and definition
    Column("copy", Integer, nullable=False),  # 0, or more if the same definition was started again with --fresh
    Column("planned", Integer, nullable=False),  # matches, or rows of a study
    Column("kibitz", Text, nullable=False),
    Column("begun", Text, nullable=False),
    Column("finished", Text),
    UniqueConstraint("fingerprint", "copy"),
    sqlite_autoincrement=True,  # the number of a deleted run is never reused
)

matches = Table(
    "matches",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True, autoincrement=False),
    Column("series", Integer, nullable=False),
    Column("block", Integer, nullable=False),
    Column("game", Text, nullable=False),
    Column("seed", Text, nullable=False),  # up to 2**64 - 1, more than a signed integer holds
    Column("plies", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),
)


def _of_match(name: str, *columns: Column[object]) -> Table:
    """A table whose rows belong to a match and are deleted with it."""
    return Table(
        name,
        metadata,
        Column("run", Integer, primary_key=True, autoincrement=False),
        Column("index", Integer, primary_key=True, autoincrement=False),
        *columns,
        ForeignKeyConstraint(["run", "index"], [matches.c.run, matches.c.index], ondelete="CASCADE"),
    )


seats = _of_match(
    "seats",
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("returned", Double, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
)

study_rows = Table(
    "study_rows",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("index", Integer, primary_key=True, autoincrement=False),  # of the case
    Column("row", Text, nullable=False),  # JSON
    Column("seconds", Double, nullable=False),  # time of the work
)

run_versions = Table(
    "run_versions",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("kibitz", Text, primary_key=True),  # version of the code
    Column("first", Text, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("run", ForeignKey(runs.c.run, ondelete="CASCADE"), primary_key=True),
    Column("token", Text, nullable=False),
    Column("machine", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Text, nullable=False),  # start of the process, in ticks since boot
    Column("folder", Text, nullable=False),  # of a server; empty for other runs
    Column("since", Text, nullable=False),
    Column("beat", Double, nullable=False),  # when it was renewed, in seconds
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),  # operator, host, player or spectator
    Column("kind", Text, nullable=False),  # person or program
    Column("made", Text, nullable=False),
    Column("revoked", Text),  # when; the row stays, so that the server goes on asking for credentials
)

credentials = Table(
    "credentials",
    metadata,
    Column("hash", Text, primary_key=True),  # of the secret, which is not stored
    Column("account", ForeignKey(accounts.c.name, ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),  # token, link or session
    Column("made", Text, nullable=False),
    Column("expires", Double),  # seconds since 1970
    Column("used", Text),  # when a link was used
)

live_matches = Table(
    "live_matches",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),
    Column("setup", Text, nullable=False),  # JSON
    Column("clocks", Text, nullable=False, server_default="[]"),  # JSON: seconds used by each player
    Column("made", Text, nullable=False),
)

live_seats = Table(
    "live_seats",
    metadata,
    Column("number", ForeignKey(live_matches.c.number, ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text),
    Column("account", Text),
    Column("person", Boolean, nullable=False, server_default=false()),
    Column("key_hash", Text, unique=True),  # of the key to the seat, which is not stored
    Column("resigned", Boolean, nullable=False, server_default=false()),
)

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Integer, nullable=False),
)

Index("seats_by_name", seats.c.run, seats.c.name)
Index("credentials_by_account", credentials.c.account)


Rows = list[tuple[Any, ...]]
"""Rows of a table, in the order of its columns."""
MADE_BY = "__kibitz__"
"""The key under which the text of a study's row names the code that made it."""


def study_text(row: StudyRow) -> str:
    """A row of a study as the database stores it."""
    return msgspec.json.encode({**row.row, **({MADE_BY: row.kibitz} if row.kibitz else {})}).decode()


def study_row(index: int, text: str, seconds: float) -> StudyRow:
    """A row of a study from the database's text; raises DecodeError if it is damaged."""
    row = msgspec.json.decode(text, type=dict[str, Any])
    return StudyRow(index, row, seconds, str(row.pop(MADE_BY, "")))


def rows_of(run: int, played: Sequence[StoredMatch]) -> tuple[Rows, Rows]:
    """The rows of matches and of their seats."""
    matches: Rows = []
    seats: Rows = []
    for each in played:
        result, index = each.result, each.result.index
        told = result.game, str(result.seed), result.plies, result.reason
        matches.append((run, index, result.series, result.block, *told, each.record))
        per_seat = zip(result.names, result.returns, result.seconds, result.strikes, strict=True)
        for seat, of_seat in enumerate(per_seat):
            seats.append((run, index, seat, *of_seat, seat in result.forfeits))
    return matches, seats


def result_of(seats: Sequence[Any]) -> MatchResult:
    """A match from the rows of its seats, each with the columns of the match."""
    match = seats[0]
    return MatchResult(
        index=match.index_,
        series=match.series,
        block=match.block,
        game=match.game,
        seed=int(match.seed),
        names=tuple(row.name for row in seats),
        returns=tuple(row.returned for row in seats),
        plies=match.plies,
        reason=match.reason,
        seconds=tuple(row.seconds for row in seats),
        strikes=tuple(row.strikes for row in seats),
        forfeits=tuple(seat for seat, row in enumerate(seats) if row.forfeited),
    )


DEFAULT = "kibitz.db"
WAIT = 30.0
"""Seconds that a change waits for another writer, if nothing else is said."""
READ_ONLY = "25006"
"""PostgreSQL's code for a change in a session that is read-only."""
LOCK = 0x6B696269
"""The lock under which tables are created in PostgreSQL."""


def database_url(text: str | None = None) -> URL:
    """The URL of the database: *text*, else `KIBITZ_DB`, else `kibitz.db` here. A path means SQLite.

    >>> str(database_url("results.db"))
    'sqlite:///results.db'
    """
    text = text or os.environ.get("KIBITZ_DB") or DEFAULT
    if CONTROL.search(text):
        raise StoreTrouble(text, "its name holds a control character")
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError):
        raise StoreTrouble(
            text.partition("://")[0], "the URL cannot be read; write a path, or postgresql://…"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise StoreTrouble(url.drivername, "kibitz stores results in SQLite (a path) or PostgreSQL (postgresql://…)")
    return url


def present(url: URL) -> URL:
    """The database itself, or an empty one in memory if an SQLite file does not exist."""
    absent = url.get_backend_name() == "sqlite" and url.database and not Path(url.database).exists()
    return URL.create("sqlite", database=":memory:") if absent and url.database != ":memory:" else url


def open_engine(url: URL, *, wait: float = WAIT) -> Engine:
    """An engine on a database with our tables, which are created if the database is empty.

    A change waits *wait* seconds for other writers.
    """
    with wrap_database_errors(url):
        try:
            engine = create_engine(url, pool_pre_ping=True, connect_args=_arguments(url, wait))
        except ModuleNotFoundError as error:
            raise MissingPackage(str(error.name), "postgres") from None
        if url.get_backend_name() == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "handle_error", _drop_read_only)
        try:
            with engine.connect() as connection:
                _prepare_tables(connection, url)
        except BaseException:
            engine.dispose()
            raise
        return engine


@contextmanager
def wrap_database_errors(url: URL) -> Iterator[None]:
    """Turns database errors into one line that names the database and not its password."""
    name = url.database if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise StoreTrouble(str(name), _reason(error, str(name))) from error


def _reason(error: exc.SQLAlchemyError, name: str) -> str:
    words = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    advice = {
        "database or disk is full": "free some space and run the same command again; everything stored so far is safe",
        "database is locked": "another program is writing to it; try again when it is done",
        "unable to open database file": "the folder must exist and be writable",
        "attempt to write a readonly database": "it is read-only; check its permissions",
        "read-only transaction": "it is read-only; check its permissions",
        "permission denied": "it is read-only; check its permissions",
        "lock timeout": "another program is writing to it; try again when it is done",
        "disk I/O error": "everything stored so far is safe; run the same command again when the disk works",
        "file is not a database": "choose another file with --db",
        "malformed": f"save what can be read: sqlite3 {shlex.quote(name)} .recover | sqlite3 new.db",
    }
    found = next((advice[key] for key in advice if key in words), None)
    if found is None and isinstance(error, (exc.OperationalError, exc.InterfaceError)):
        found = "everything stored so far is safe; run the same command again when the database answers"
    return f"{words}; {found}" if found else words


def _arguments(url: URL, wait: float = WAIT) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"timeout": wait}
    limited = {"options": f"-c lock_timeout={round(1000 * wait)}"} if wait < WAIT and "options" not in url.query else {}
    return {"connect_timeout": 10 if wait >= WAIT else 2, **limited}


def _drop_read_only(context: ExceptionContext) -> None:
    """Open new connections after a change was refused in a read-only session, which would stay read-only for ever."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """Use a write-ahead log, and wait for the disk at every commit. A new database is for its owner alone."""
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    if path and os.stat(path).st_size == 0:
        os.chmod(path, 0o600)  # the files beside it get the same rights
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_tables(connection: Connection, url: URL) -> None:
    """Create our tables in an empty database; refuse one of another program or version."""
    if _has_tables(connection, url):
        return  # the usual case, which waits for no lock
    connection.rollback()  # what was read before the lock may be out of date
    if url.get_backend_name() == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
    if not _has_tables(connection, url):
        create_tables(connection)
    connection.commit()


def create_tables(connection: Connection) -> None:
    """Create our tables, which are empty."""
    metadata.create_all(connection)
    connection.execute(schema_version.insert().values(version=VERSION))


def _has_tables(connection: Connection, url: URL) -> bool:
    """Whether our tables are there; if not, the database is empty. Refuses tables of other programs and versions."""
    present, name = set(inspect(connection).get_table_names()), Path(url.database or "").name
    if schema_version.name not in present:
        if not present & set(metadata.tables):
            return False
        raise StoreTrouble(name, "it holds tables of another program; choose another database with --db")
    version = connection.scalar(select(schema_version.c.version))
    if version != VERSION:
        why = f"its tables are of version {version}, this kibitz reads version {VERSION}"
        raise StoreTrouble(name, f"{why}; choose another database with --db")
    return True
