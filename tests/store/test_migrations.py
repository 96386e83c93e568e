"""Databases of every earlier version are upgraded when they are opened; those of a later one are refused."""

import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from kibitz.core.errors import StoreTrouble
from kibitz.store import Store, migrations, schema
from kibitz.store.accounts import Account, Accounts
from kibitz.store.connection import database_url

VERSION_1 = Path(__file__).parent / "version-1"
"""What version 1 wrote: two matches, a study, and tokens for `ann` and `op`."""
TOKENS = {"ann": "kibitz-of-version-1-number-0", "op": "kibitz-of-version-1-number-1"}
SINCE_VERSION_1 = ("claims", "run_versions", "study_rows", "tokens")
"""Tables that were added to version 1 later, so that some of its databases lack them."""


@pytest.fixture
def old(database: str) -> str:
    """A database of version 1."""
    run_script(database, (VERSION_1 / f"{database_url(database).get_backend_name()}.sql").read_text())
    return database


def run_script(database: str, script: str) -> None:
    if "://" not in database:
        with sqlite3.connect(database) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(script)
        connection.close()
        return
    import psycopg

    with psycopg.connect(database) as connection:
        connection.execute(script)  # type: ignore[call-overload]


def test_a_database_of_version_1_is_upgraded_and_nothing_in_it_is_lost(old: str) -> None:
    with Store(old) as store:
        assert [(run.name, run.stored) for run in store.runs()] == [("two of grim", 2), ("a: first", 1)]
        assert [result.seed for result in store.results(1)] == [7, 2**64 - 1]
        assert store.record(1, 1).header.seed == 2**64 - 1
        assert len(store.beliefs(1, 1)) == 8
        assert store.ratings(1) == {("dilemma", "grim"): (25.0, 8.0)}
        assert store.rows(2)[0].row == {"level": "ä|"}
        assert store.begin("tournament", "next", '"next"', 1).run == 3
        accounts = Accounts(store)
        made = "2026-11-16T11:40:07+00:00"
        assert accounts.all() == [Account("ann", "player", "program", made), Account("op", "operator", "program", made)]
        assert accounts.find(TOKENS["op"]) == accounts.all()[1]
        assert accounts.find("kibitz-guess") is None
        assert "tokens" not in inspect(store.engine).get_table_names()
    with Store(old) as store:
        assert len(store.runs()) == 3


@pytest.mark.parametrize("lacking", [(), SINCE_VERSION_1])
def test_an_upgraded_database_has_the_tables_of_a_new_one(old: str, lacking: tuple[str, ...]) -> None:
    for table in lacking:
        run_script(old, f"DROP TABLE {table}")
    with Store(old) as store, store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        assert connection.scalar(text("SELECT version FROM kibitz_schema")) == schema.VERSION


def test_all_revisions_together_make_the_tables_of_a_new_database(database: str) -> None:
    engine = create_engine(database_url(database))
    with engine.begin() as connection:
        migrations.upgrade(connection, 0)
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()


def test_of_many_that_open_an_old_database_one_upgrades_it(old: str) -> None:
    found, failures = [], []

    def open_store() -> None:
        try:
            with Store(old) as store:
                found.append(len(Accounts(store).all()))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=open_store) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, failures) == ([2] * 6, [])


def test_an_upgrade_that_fails_changes_nothing(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_script(old, "CREATE TABLE counters (other integer)")  # in the way of the last table of revision 2
    with pytest.raises(StoreTrouble, match="counters"):
        Store(old)
    run_script(old, "DROP TABLE counters")
    with Store(old) as store:
        assert len(Accounts(store).all()) == 2


def old_file(folder: Path) -> Path:
    run_script(str(folder / "kept.db"), (VERSION_1 / "sqlite.sql").read_text())
    return folder / "kept.db"


def test_a_file_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    path = old_file(tmp_path)
    path.chmod(0o600)
    other = sqlite3.connect(path)
    before = list(other.iterdump())  # an open connection also keeps the last changes out of the file itself
    Store(str(path)).close()
    other.close()
    copy = tmp_path / "kept.db.version-1"
    with sqlite3.connect(copy) as connection:
        assert list(connection.iterdump()) == before
    connection.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    path.unlink()
    old_file(tmp_path)
    Store(str(path)).close()
    assert sorted(each.name for each in tmp_path.glob("kept.db.version*")) == [copy.name, f"{copy.name}-2"]


def test_without_room_for_the_copy_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_file(tmp_path)
    (tmp_path / "kept.db.version-1.part").mkdir()
    with pytest.raises(StoreTrouble, match="the copy to keep could not be made"):
        Store(str(path))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT version FROM kibitz_schema").fetchall() == [(1,)]
    connection.close()


@pytest.mark.parametrize("version", [0, -1])
def test_a_version_that_never_was_is_refused(tmp_path: Path, version: int) -> None:
    old = str(old_file(tmp_path))
    run_script(old, f"UPDATE kibitz_schema SET version = {version}")
    with pytest.raises(StoreTrouble, match=f"version {version}, this kibitz reads version {schema.VERSION}; choose"):
        Store(old)


LOADED = """
import sys
from kibitz.store import Store
for path in (sys.argv[1], sys.argv[1], sys.argv[2]):
    Store(path).close()
    print("alembic" in sys.modules)
"""


@pytest.mark.system
def test_alembic_is_loaded_only_for_an_upgrade(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(tmp_path / "new.db"), str(old_file(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]
