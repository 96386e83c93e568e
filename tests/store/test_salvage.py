"""What can be read of a damaged database is saved into a new one, and the damaged one is left as it is."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kibitz.arena.executors import make_executor
from kibitz.arena.runs import TournamentRun, open_run
from kibitz.arena.tournament import Tournament
from kibitz.cli.main import main
from kibitz.core.errors import StoreTrouble
from kibitz.store import Store, StudyRow
from kibitz.store.accounts import Accounts
from kibitz.store.salvage import salvage

pytestmark = pytest.mark.long

AGENTS = {"a": "random", "b": "random"}
PLAYED = Tournament(games=("dilemma(rounds=8)",), agents=AGENTS, repeats=60, models=("strategy_filter",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two tournaments, one of them of series, rows of a study, and a token."""
    path = tmp_path_factory.mktemp("whole") / "kibitz.db"
    with Store(str(path)) as store, make_executor("inline") as executor:
        for tournament in (PLAYED, Tournament(games=PLAYED.games, agents=AGENTS, repeats=20, series=3)):
            for _ in open_run(tournament, store).play_matches(executor):
                pass
        study = store.begin("study", "a: rows", "{}", 50).run
        store.add_rows(study, [StudyRow(number, {"value": number, "text": "x" * 200}) for number in range(50)])
        store.finish(study, {})
        Accounts(store).make_token("ann")
    return path


def pages_of(path: Path, table: str) -> tuple[int, list[int]]:
    """The size of a page, and the pages that hold rows of a table."""
    with sqlite3.connect(path) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
        try:
            return size, [number for (number,) in connection.execute(query, (table,))]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not say where its tables lie")


def damaged(whole: Path, folder: Path, table: str, *places: float) -> Path:
    """A copy in which pages of a table, by their place from 0 to 1, hold nonsense."""
    data = bytearray(whole.read_bytes())
    size, pages = pages_of(whole, table)
    for place in places:
        start = (pages[min(int(place * len(pages)), len(pages) - 1)] - 1) * size
        data[start : start + size] = b"\xa5" * size
    path = folder / "damaged.db"
    path.write_bytes(data)
    return path


def test_a_whole_database_is_copied_whole(whole: Path, tmp_path: Path) -> None:
    found = salvage(str(whole), tmp_path / "new.db")
    with Store(str(whole)) as old, Store(str(tmp_path / "new.db")) as new:
        assert found == new.runs() == old.runs()
        for run in found:
            assert new.results(run.run) == old.results(run.run)
            assert list(new.records(run.run)) == list(old.records(run.run))
            assert new.rows(run.run) == old.rows(run.run)
            assert new.ratings(run.run) == old.ratings(run.run)
        assert new.beliefs(1, 7) == old.beliefs(1, 7) != []
        assert Accounts(new).all() == Accounts(old).all() != []


@pytest.mark.parametrize(("table", "places"), [("matches", (0.0, 0.4, 0.99)), ("seats", (0.0,))])
def test_what_can_be_read_is_saved_and_the_rest_is_played_again(
    whole: Path, tmp_path: Path, table: str, places: tuple[float, ...]
) -> None:
    path = damaged(whole, tmp_path, table, *places)
    before = path.read_bytes()
    with Store(str(path), make=False) as store, pytest.raises(StoreTrouble, match=r"--salvage NEW\.db --db /.*ed\.db"):
        store.results(1)
    first, second, study = salvage(str(path), tmp_path / "new.db")
    assert path.read_bytes() == before
    assert study.complete
    assert study.finished
    assert first.stored + second.stored < first.planned + second.planned
    assert 20 < first.stored < first.planned
    assert first.finished is None
    with Store(str(tmp_path / "new.db")) as store, Store(str(whole)) as old, make_executor("inline") as executor:
        kept = {each.index: each for each in store.results(1)}
        assert all(kept[each.index] == each for each in old.results(1) if each.index in kept)
        assert all(count == 3 for count in series_counts(store, 2).values()), "a series is whole or not there"
        for number in (1, 2):
            running = TournamentRun(store.run(number), store)
            for _ in running.play_matches(executor):
                pass
            outcomes = [(each.index, each.names, each.returns) for each in old.results(number)]
            assert [(each.index, each.names, each.returns) for each in running.results] == outcomes


def series_counts(store: Store, run: int) -> dict[int, int]:
    counts: dict[int, int] = {}
    for result in store.results(run):
        counts[result.series] = counts.get(result.series, 0) + 1
    return counts


def test_matches_of_a_run_whose_row_is_lost_can_be_looked_at(whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path, "runs", 0.0)
    found = salvage(str(path), tmp_path / "new.db")
    assert [(run.run, run.name, run.stored) for run in found] == [
        (1, "salvaged run 1", 120),
        (2, "salvaged run 2", 120),
        (3, "salvaged run 3", 50),
    ]
    assert main(["runs", "1", "--db", str(tmp_path / "new.db")]) == 0


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_saved_from_or_told_in_a_line(whole: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(whole.read_bytes())
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    for _ in range(data.draw(st.integers(0, 6))):
        start = data.draw(st.integers(0, len(content) - 1))
        size = data.draw(st.sampled_from((1, 100, 5000)))
        content[start : start + size] = data.draw(st.binary(min_size=1, max_size=1)) * min(size, len(content) - start)
    path, target = tmp_path / "damaged.db", tmp_path / "new.db"
    path.write_bytes(content[:cut])
    target.unlink(missing_ok=True)
    try:
        found = salvage(str(path), target)
    except StoreTrouble:  # one line, as all of them
        return
    with Store(str(target)) as store:
        assert store.runs() == found
        for run in found:
            assert len(store.results(run.run)) + len(store.rows(run.run)) == run.stored


def test_the_command_says_what_was_saved_and_how_to_go_on(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    path = damaged(whole, tmp_path, "matches", 0.5)
    assert main(["runs", "--salvage", "new.db", "--db", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "of 120" in out
    assert err == "kibitz: saved into new.db; to play what is missing, run the same command with --db new.db\n"
    assert "unfinished (kibitz resume)" in " ".join(out.split())
    assert main(["runs", "--salvage", "new.db", "--db", str(path)]) == 2
    assert "new.db: it exists already; name a new file" in capsys.readouterr().err
    for source, words in (
        ("none.db", "the file does not exist"),
        ("postgresql://me@127.0.0.1/x", "only an SQLite file"),
    ):
        assert main(["runs", "--salvage", "other.db", "--db", source]) == 2
        assert words in capsys.readouterr().err
    Path("text.db").write_text("no database at all, but long enough to look like one " * 20)
    assert main(["runs", "--salvage", "other.db", "--db", "text.db"]) == 2
    assert "nothing can be read" in capsys.readouterr().err
    assert not Path("other.db").exists()
