import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from kibitz.core.errors import BadSpec, KibitzError, OtherRecord, StoreTrouble, UnknownName
from kibitz.core.match.play import play
from kibitz_lab.store import MatchResult, Store, StoredMatch, StudyRow, Writer, schema
from kibitz_lab.store.schema import database_url


def played(index: int, *, seed: int = 7, models: tuple[str, ...] = ()) -> StoredMatch:
    """A real match of two strategies as the store is given it."""
    record = play("dilemma(rounds=3)", ["dilemma.grim", "dilemma.defector"], seed=seed, models=models)
    result = MatchResult(
        index=index,
        series=index,
        block=index // 2,
        game="dilemma(rounds=3)",
        seed=seed,
        names=("grim", "defector"),
        returns=(2.0, 7.0),
        plies=3,
        reason="terminal",
        seconds=(0.5, 0.25),
        strikes=(0, 1),
        forfeits=(1,),
    )
    return StoredMatch(result, record.to_bytes())


def fill(store: Store, run: int) -> None:
    for index in range(1, 200):
        store.add(run, [played(index)])


def test_what_is_stored_comes_back_whole(database: str) -> None:
    first, second = played(0), played(1, seed=2**64 - 1, models=("strategy_filter",))
    with Store(database) as store:
        run = store.begin("tournament", "two", "{}", 2)
        store.add(run.run, [second, first])
        store.finish(run.run)
    with Store(database) as store:
        assert store.results(run.run) == [first.result, second.result]
        assert store.record(run.run, 1).to_bytes() == second.record
        assert list(store.records(run.run, at_once=1)) == [(0, first.record), (1, second.record)]
        kept = store.run(run.run)
        assert (kept.stored, kept.planned, kept.complete, kept.finished is None) == (2, 2, True, False)


def test_adding_a_match_again_changes_nothing(database: str) -> None:
    with Store(database) as store:
        run = store.begin("tournament", "one", "{}", 1).run
        first = played(0, models=("strategy_filter",))
        store.add(run, [first])
        store.add(run, [played(0), played(1)])  # at another time, without a model
        assert store.indexes(run) == {0, 1}
        assert store.record(run, 0).to_bytes() == first.record


def test_another_match_in_the_place_of_a_stored_one_is_an_error(database: str) -> None:
    with Store(database) as store:
        run = store.begin("tournament", "one", "{}", 1).run
        store.add(run, [played(0)])
        with pytest.raises(OtherRecord, match=f"match 0 of run {run} is stored already with another record"):
            store.add(run, [played(1), played(0, seed=8)])
        assert store.indexes(run) == {0}
        assert store.record(run, 0).header.seed == 7


def test_the_same_definition_is_the_same_run_unless_a_fresh_one_is_wanted(database: str) -> None:
    with Store(database) as store:
        first = store.begin("tournament", "a", '{"seed":1}', 4)
        assert store.begin("tournament", "a", '{"seed":1}', 4).run == first.run
        assert store.begin("tournament", "a", '{"seed":2}', 4).run != first.run
        assert store.begin("study", "a", '{"seed":1}', 4).run != first.run
        fresh = store.begin("tournament", "a", '{"seed":1}', 4, fresh=True)
        assert fresh.run != first.run
        assert store.begin("tournament", "a", '{"seed":1}', 4).run == fresh.run
        assert [run.run for run in store.runs()] == sorted(run.run for run in store.runs())


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a\x1bb"])
def test_a_run_has_no_control_characters_in_its_name(name: str, database: str) -> None:
    with Store(database) as store:
        with pytest.raises(BadSpec, match="no control characters"):
            store.begin("tournament", name, "{}", 3)
        assert store.runs() == []


def test_two_who_begin_the_same_run_at_once_get_one(database: str) -> None:
    Store(database).close()
    found: list[int] = []

    def begin() -> None:
        with Store(database) as store:
            found.append(store.begin("tournament", "a", "{}", 4).run)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1


def test_deleting_a_run_takes_all_of_it_and_nothing_else(database: str) -> None:
    with Store(database) as store:
        gone, kept = (store.begin("tournament", name, f'"{name}"', 1).run for name in ("gone", "kept"))
        for run in (gone, kept):
            store.add(run, [played(0, models=("strategy_filter",))])
        store.finish(gone)
        store.delete(gone)
        assert [run.run for run in store.runs()] == [kept]
        with store.engine.connect() as connection:
            for table in ("matches", "seats"):
                assert connection.scalar(text(f"SELECT count(*) FROM {table} WHERE run = {gone}")) == 0
        assert store.begin("tournament", "new", "9", 1).run > kept


def test_what_is_not_there_is_said(database: str) -> None:
    with Store(database) as store:
        with pytest.raises(UnknownName, match="no run named '7'"):
            store.run(7)
        run = store.begin("tournament", "a", "{}", 1).run
        with pytest.raises(UnknownName, match=r"no match named '3'.*holds 0 matches"):
            store.record(run, 3)
        with pytest.raises(UnknownName):
            store.delete(99)


def test_a_batch_that_fails_leaves_nothing_behind(database: str) -> None:
    broken = StoredMatch(played(1).result, None)  # type: ignore[arg-type]
    with Store(database) as store:
        run = store.begin("tournament", "a", "{}", 2).run
        with pytest.raises(StoreTrouble):
            store.add(run, [played(0), broken])
        assert store.results(run) == []


def test_the_writer_stores_by_time_and_by_number(database: str) -> None:
    with Store(database) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        slow = Writer(store.add, run, seconds=1e9, most=3)
        slow.add([played(0), played(1)])
        assert store.indexes(run) == set()
        slow.add([played(2)])
        assert store.indexes(run) == {0, 1, 2}
        Writer(store.add, run, seconds=0.0).add([played(3)])
        assert store.indexes(run) == {0, 1, 2, 3}
        slow.add([played(4)])
        slow.flush()
        assert store.indexes(run) == {0, 1, 2, 3, 4}


def test_rows_of_a_study_are_kept_once_and_counted(database: str) -> None:
    rows = [StudyRow(1, {"level": "b", "score": [0.1, None]}, 2.5), StudyRow(0, {"level": "ä|"}, 0.5)]
    with Store(database) as store:
        run = store.begin("study", "a: first", "{}", 2).run
        store.add_rows(run, rows[:1])
        assert store.run(run).stored == 1
        store.add_rows(run, [StudyRow(1, {"level": "other"}, 9.0), rows[1]])
        store.add_rows(run, [])
        assert store.rows(run) == [rows[1], rows[0]]
        assert store.run(run).complete
        store.delete(run)
        assert store.rows(run) == []


def test_a_database_of_another_version_is_refused(database: str) -> None:
    with Store(database) as store, store.engine.begin() as connection:
        connection.execute(schema.schema_version.update().values(version=99))
    with pytest.raises(StoreTrouble, match=r"version 99, this kibitz reads version \d+; choose another"):
        Store(database)


def test_a_database_of_another_program_is_refused(database: str) -> None:
    with Store(database) as store, store.engine.begin() as connection:
        connection.execute(text("DROP TABLE kibitz_schema"))
    with pytest.raises(StoreTrouble, match="tables of another program"):
        Store(database)


def test_sqlite_is_told_to_be_safe(tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_a_full_disk_is_one_line_and_what_was_stored_is_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with Store(path) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        store.add(run, [played(0)])
        connection = store.engine.raw_connection()
        pages = connection.cursor().execute("PRAGMA page_count").fetchone()[0]
        connection.cursor().execute(f"PRAGMA max_page_count = {pages}")  # SQLite's own word for a disk that is full
        connection.close()
        with pytest.raises(StoreTrouble, match=r"database or disk is full; free some space and run the same command"):
            fill(store, run)
    with Store(path) as store:
        assert store.results(run)[0] == played(0).result
        store.add(run, [played(500)])
        assert 500 in store.indexes(run)


def test_a_vanished_file_is_noticed_before_anything_is_written_for_nobody(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        path.unlink()
        with pytest.raises(StoreTrouble, match="deleted or replaced"):
            store.add(run, [played(0)])


def test_a_locked_file_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with Store(path) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, lambda: other.execute("COMMIT")).start()
        store.add(run, [played(0)])
        assert store.indexes(run) == {0}
        other.close()


def test_who_may_not_wait_long_for_a_lock_is_told_soon(database: str) -> None:
    with Store(database) as other, Store(database, wait=0.1) as store, other.engine.connect() as connection:
        run = store.begin("tournament", "a", "{}", 9).run
        locks = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "LOCK TABLE matches IN ACCESS EXCLUSIVE MODE"}
        connection.exec_driver_sql(locks[other.engine.dialect.name])
        start = time.monotonic()
        with pytest.raises(StoreTrouble, match="another program is writing to it"):
            store.add(run, [played(0)])
        assert time.monotonic() - start < 20.0
        connection.rollback()
        store.add(run, [played(0)])
        assert store.indexes(run) == {0}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://a/b", "SQLite .* or PostgreSQL"),
        ("postgresql://u:secret@127.0.0.1:1/x", "refused"),
        ("://", "cannot be read"),
        ("nowhere/at/all.db", "folder must exist"),
        (".", "unable to open"),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_line_without_the_password(url: str, words: str) -> None:
    with pytest.raises(StoreTrouble, match=words) as caught:
        Store(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.binary(min_size=20, max_size=5000))
def test_a_file_that_is_no_database_is_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("no") / "a.db"
    path.write_bytes(content)
    with pytest.raises(KibitzError):
        Store(str(path))
    assert path.read_bytes() == content


def test_the_database_is_named_by_argument_environment_or_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIBITZ_DB", raising=False)
    assert str(database_url()) == "sqlite:///kibitz.db"
    monkeypatch.setenv("KIBITZ_DB", "postgres://me@host/games")
    assert str(database_url()) == "postgresql+psycopg://me@host/games"
    assert str(database_url("here.db")) == "sqlite:///here.db"


@pytest.mark.system
def test_a_server_that_comes_back_is_written_to_again(postgres: "PostgresServer") -> None:  # noqa: F821
    with Store(postgres.new_database()) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        store.add(run, [played(0)])
        postgres.kill()
        back = threading.Timer(1.0, postgres.start)
        back.start()
        store.add(run, [played(1)])
        back.join()
        assert store.indexes(run) == {0, 1}


@pytest.mark.system
def test_who_may_not_wait_long_for_a_server_is_told_soon(postgres: "PostgresServer") -> None:  # noqa: F821
    with Store(postgres.new_database(), wait=0.5) as store:
        run = store.begin("tournament", "a", "{}", 9).run
        postgres.kill()
        start = time.monotonic()
        with pytest.raises(StoreTrouble):
            store.runs()
        assert time.monotonic() - start < 9.0
        postgres.start()
        store.add(run, [played(0)])
        assert store.indexes(run) == {0}


@pytest.mark.system
def test_changes_are_made_again_after_a_read_only_time(postgres: "PostgresServer") -> None:  # noqa: F821
    """A session keeps the setting that it began with, so its connection is of no use afterwards."""
    url = postgres.new_database()
    name = url.rpartition("/")[2]
    with Store(url, wait=2.0) as store, Store(url) as other:

        def set_read_only(wanted: str) -> None:
            with other.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = {wanted}")
                mine = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                if wanted == "on":
                    connection.exec_driver_sql(f"{mine} AND datname = '{name}'")

        set_read_only("on")
        with pytest.raises(StoreTrouble, match="it is read-only"):
            store.begin("tournament", "a", "{}", 4)
        assert store.runs() == []
        set_read_only("off")
        with suppress(StoreTrouble):  # the connection on which the runs were read
            store.begin("tournament", "a", "{}", 4)
        store.begin("tournament", "a", "{}", 4)
        assert len(store.runs()) == 1


def test_some_of_the_results_are_read(database: str) -> None:
    with Store(database) as store:
        run = store.begin("tournament", "a", "{}", 4).run
        store.add(run, [played(index) for index in (1, 2, 4, 7)])
        assert [each.index for each in store.results(run, 2)] == [2, 4, 7]
        assert [each.index for each in store.results(run, 2, 2)] == [2, 4]
        assert [each.index for each in store.results(run, 8, 2)] == []
        assert len(store.results(run, 1, 1)[0].names) == 2
