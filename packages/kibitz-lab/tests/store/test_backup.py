"""Backups: all that is stored comes back, in either kind of database, or nothing is changed."""

import os
import stat
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from kibitz.cli.main import main
from kibitz.core.errors import BadSource, KibitzError, Refused, StoreTrouble
from kibitz.core.match.play import play
from kibitz_lab.store import MatchResult, Store, StoredMatch, StudyRow, schema
from kibitz_lab.store.accounts import Accounts
from kibitz_lab.store.backup import make_backup, restore_backup, stored_tables
from kibitz_lab.store.results import RunKind
from kibitz_lab.store.server_folder import lock_folder


def stored_match(index: int, record: Any) -> StoredMatch:
    result = MatchResult(
        index=index, series=index, block=0, game="dilemma(rounds=3)", seed=2**64 - 1, names=("a", "b"),
        returns=(2.0, float("inf")), plies=3, reason="terminal", seconds=(0.5, 0.25), strikes=(0, 1), forfeits=(1,),
    )  # fmt: skip
    return StoredMatch(result, record.to_bytes())


@pytest.fixture(scope="module")
def record() -> Any:
    return play("dilemma(rounds=3)", ["dilemma.grim", "dilemma.defector"], seed=7, models=("strategy_filter",))


def fill(database: str, folder: Path, record: Any) -> str:
    """Store something in every table; return a token that lets somebody in."""
    with Store(database) as store:
        run = store.begin(RunKind.SERVER, "the server's", "{}", 0).run
        store.add(run, [stored_match(number, record) for number in (1, 2)])
        store.finish(run)
        store.note_version(run)
        study = store.begin("study", "a: ä", '"b"', 2).run
        store.add_rows(study, [StudyRow(0, {"level": "ä|\n"}, 0.5)])
        store.delete(store.begin("study", "deleted", '"c"', 2).run)
        token = Accounts(store).make_token("ann", "operator")
        Accounts(store).invite("ben", expires=time.time() + 9.0)

        def add_live(connection: Any) -> None:
            match = {"number": 3, "owner": "ann", "setup": "{}", "made": "now"}
            connection.execute(schema.live_matches.insert().values(match))
            connection.execute(schema.live_seats.insert().values(number=3, seat=0, name="ann", person=True))
            connection.execute(schema.counters.insert().values(name="matches", value=9))

        store.write_change(add_live)
    folder.mkdir()
    (folder / "3.krec").write_bytes(b"a match in play")
    (folder / "2.krec").write_bytes(b"a match that was stored just now")
    (folder / "notes.txt").write_text("not ours")
    return token


def rows_of(database: str) -> dict[str, list[Any]]:
    with Store(database) as store, store.engine.connect() as connection:
        tables = {table.name: connection.execute(select(table)).all() for table in stored_tables()}
    return {name: sorted(map(tuple, rows), key=repr) for name, rows in tables.items()}


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.system)])
def test_everything_comes_back_in_either_kind_of_database(
    database: str, kind: str, tmp_path: Path, record: Any, request: pytest.FixtureRequest
) -> None:
    token = fill(database, tmp_path / "matches", record)
    file = tmp_path / "all.zip"
    made = make_backup(database, tmp_path / "matches", file)
    assert made.rows["accounts"] == 2
    assert all(made.rows.values()), "the test fills every table"
    assert made.matches == ["3.krec"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    new = str(tmp_path / "new.db") if kind == "sqlite" else request.getfixturevalue("postgres").new_database()
    assert restore_backup(file, new, tmp_path / "there") == made
    assert rows_of(new) == rows_of(database)
    assert (tmp_path / "there" / "3.krec").read_bytes() == b"a match in play"
    assert [path.name for path in (tmp_path / "there").glob("*.krec*")] == ["3.krec"]
    with Store(new) as store:
        found = Accounts(store).find(token)
        assert found is not None
        assert store.results(1)[0].returns[1] == float("inf")
        assert store.begin("study", "next", '"d"', 1).run == 4, "the number of a deleted run is not given again"


@pytest.mark.long
def test_a_backup_is_of_one_moment_while_others_write(database: str, tmp_path: Path, record: Any) -> None:
    stop = threading.Event()
    with Store(database) as store:
        run = store.begin(RunKind.SERVER, "a", "{}", 0).run

        def write_matches() -> None:
            with Store(database) as other:
                number = 0
                while not stop.is_set() and number < 2000:
                    number += 1
                    other.add(run, [stored_match(number, record)])

        writing = threading.Thread(target=write_matches)
        writing.start()
        try:
            for number in range(3):
                made = make_backup(database, tmp_path, tmp_path / f"{number}.zip")
                restore_backup(tmp_path / f"{number}.zip", str(tmp_path / f"{number}.db"), tmp_path / f"m{number}")
                with Store(str(tmp_path / f"{number}.db")) as copy:
                    assert len(copy.results(run)) == made.rows["matches"]
                assert made.rows["seats"] == 2 * made.rows["matches"]
        finally:
            stop.set()
            writing.join()


def test_nothing_is_replaced_unless_it_is_wanted(tmp_path: Path, record: Any) -> None:
    database = str(tmp_path / "a.db")
    fill(database, tmp_path / "matches", record)
    file = tmp_path / "all.zip"
    make_backup(database, tmp_path / "matches", file)
    with pytest.raises(Refused, match="exists already; --force"):
        make_backup(database, tmp_path / "matches", file)
    make_backup(database, tmp_path / "matches", file, force=True)
    before = rows_of(database)
    with pytest.raises(Refused, match=r"holds 2 runs and 2 accounts, and .* 2 matches in play; --force"):
        restore_backup(file, database, tmp_path / "matches")
    with Store(database) as store:
        store.delete(1)
        Accounts(store).make_token("later")
    (tmp_path / "matches" / "7.krec").write_bytes(b"later")
    restore_backup(file, database, tmp_path / "matches", force=True)
    assert rows_of(database) == before
    assert sorted(path.name for path in (tmp_path / "matches").glob("*.krec*")) == ["3.krec"]
    assert (tmp_path / "matches" / "notes.txt").exists()


def test_what_is_restored_is_for_its_owner_alone(tmp_path: Path, record: Any) -> None:
    fill(str(tmp_path / "a.db"), tmp_path / "matches", record)
    make_backup(str(tmp_path / "a.db"), tmp_path / "matches", tmp_path / "all.zip")
    before = os.umask(0o022)
    try:
        (tmp_path / "there").mkdir()
        (tmp_path / "there" / "3.krec.part").touch(0o644)
        restore_backup(tmp_path / "all.zip", str(tmp_path / "new.db"), tmp_path / "there")
        restore_backup(tmp_path / "all.zip", str(tmp_path / "other.db"), tmp_path / "new" / "there")
        assert os.umask(0o022) == 0o022, "it is only for the time of the restoration"
    finally:
        os.umask(before)
    files = [tmp_path / "new", *(tmp_path / "new").rglob("*"), tmp_path / "there" / "3.krec", *tmp_path.glob("new.db*")]
    assert len(files) == 6
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def test_a_folder_that_a_server_uses_is_left_alone(tmp_path: Path, record: Any) -> None:
    database, file = str(tmp_path / "a.db"), tmp_path / "all.zip"
    fill(database, tmp_path / "matches", record)
    make_backup(database, tmp_path / "matches", file)
    with lock_folder(tmp_path / "matches"):
        make_backup(database, tmp_path / "matches", tmp_path / "meanwhile.zip")
        with pytest.raises(Refused, match=r"in use by a server \(process \d+\)"):
            restore_backup(file, database, tmp_path / "matches", force=True)
    restore_backup(file, database, tmp_path / "matches", force=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, record: Any) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    fill(str(folder / "a.db"), folder / "matches", record)
    make_backup(str(folder / "a.db"), folder / "matches", folder / "all.zip")
    return folder / "all.zip"


@pytest.mark.long
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_backup_changes_nothing_and_is_told_in_a_line(
    whole: Path, tmp_path: Path, data: st.DataObject
) -> None:
    content = bytearray(whole.read_bytes())
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(content) - 1))
        content[start : start + data.draw(st.sampled_from([1, 50]))] = data.draw(st.binary(min_size=1, max_size=1))
    path, target, folder = tmp_path / "damaged.zip", tmp_path / "new.db", tmp_path / "there"
    path.write_bytes(content[:cut])
    for old in (target, folder / "3.krec"):
        old.unlink(missing_ok=True)
    try:
        restore_backup(path, str(target), folder)
    except KibitzError as error:  # anything else is a failure
        words = str(error)
    else:
        return
    assert "\n" not in words
    assert not target.exists()
    assert not list(folder.glob("*.krec*"))


def change(whole: Path, target: Path, name: str, content: bytes) -> Path:
    """A copy of a backup in which one file is another."""
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(target, "w") as copy:
        for each in source.namelist():
            copy.writestr(each, content if each == name else source.read(each))
    return target


@pytest.mark.long
def test_what_is_no_backup_of_ours_is_refused(whole: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(whole) as archive:
        manifest = msgspec.json.decode(archive.read("kibitz.json"))
        account = archive.read("tables/accounts.jsonl").splitlines()[0]
    bad = tmp_path / "bad.zip"
    wrong: list[tuple[str, bytes, str]] = [
        ("kibitz.json", b"{}", "damaged, or no backup of kibitz"),
        ("kibitz.json", msgspec.json.encode({**manifest, "schema": 99}), "version 99; this kibitz reads"),
        ("kibitz.json", msgspec.json.encode({**manifest, "format": 2}), "format 2"),
        ("kibitz.json", msgspec.json.encode({**manifest, "matches": ["../../evil.krec"]}), "no matches"),
        ("kibitz.json", msgspec.json.encode({**manifest, "rows": {"passwords": 1}}), "passwords"),
        ("tables/accounts.jsonl", b"", "it is cut: 0 of 2 rows of accounts"),
        ("tables/accounts.jsonl", b'{"name":"a"}\n', "row 1 of accounts does not have the columns"),
        ("tables/accounts.jsonl", account.replace(b'"operator"', b"7") + b"\n", "row 1 of accounts holds a value"),
        ("tables/accounts.jsonl", account + b"\n" + account + b"\n", "UNIQUE"),
        ("tables/matches.jsonl", b"[]\n", "damaged"),
        ("kibitz.json", msgspec.json.encode({**manifest, "last_run": 10**30}), "damaged"),
        ("tables/counters.jsonl", b'{"name":"match","value":1' + b"0" * 30 + b"}\n", "damaged"),
    ]
    for name, content, words in wrong:
        with pytest.raises((BadSource, StoreTrouble), match=words):
            restore_backup(change(whole, bad, name, content), str(tmp_path / "new.db"), tmp_path / "there")
        assert not (tmp_path / "new.db").exists()


def test_the_commands_say_what_they_did_and_what_is_wrong(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIBITZ_DB", raising=False)
    assert main(["backup", "all.zip"]) == 2
    assert "there is no database kibitz.db; name it with --db" in capsys.readouterr().err
    assert not (tmp_path / "kibitz.db").exists()
    assert main(["restore", str(whole), "--db", "new.db"]) == 0
    assert capsys.readouterr().out == "restored 2 runs, 2 matches, 2 accounts, 1 matches in play\n"
    assert main(["backup", "all.zip", "--db", "new.db"]) == 0
    assert capsys.readouterr().out == "all.zip holds 2 runs, 2 matches, 2 accounts, 1 matches in play\n"
    for words, arguments in {
        "exists already": ["backup", "all.zip", "--db", "new.db"],
        "no such file": ["restore", "none.zip", "--db", "new.db"],
        "is a directory": ["restore", ".", "--db", "new.db"],
        "--force replaces all": ["restore", str(whole), "--db", "new.db"],
        "no such file or directory": ["backup", "nowhere/all.zip", "--db", "new.db"],
        "not a database": ["backup", "other.zip", "--db", str(whole)],
    }.items():
        assert main(arguments) == 2, arguments
        error = capsys.readouterr().err
        assert words in error
        assert "Traceback" not in error
