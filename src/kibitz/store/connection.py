"""Opens a database: finds its URL, sets it up, and turns its errors into one line."""

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event, exc, inspect, make_url, select

from kibitz.core.errors import CONTROL, MissingPackage, StoreTrouble
from kibitz.store import schema

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
    schema.metadata.create_all(connection)
    connection.execute(schema.schema_version.insert().values(version=schema.VERSION))


def _has_tables(connection: Connection, url: URL) -> bool:
    """Whether our tables are there; if not, the database is empty. Refuses tables of other programs and versions."""
    present, name = set(inspect(connection).get_table_names()), Path(url.database or "").name
    if schema.schema_version.name not in present:
        if not present & set(schema.metadata.tables):
            return False
        raise StoreTrouble(name, "it holds tables of another program; choose another database with --db")
    version = connection.scalar(select(schema.schema_version.c.version))
    if version != schema.VERSION:
        why = f"its tables are of version {version}, this kibitz reads version {schema.VERSION}"
        raise StoreTrouble(name, f"{why}; choose another database with --db")
    return True
