"""Every command, used rightly and wrongly."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kibitz.core.match.play import play
from kibitz.core.records import read_record
from kibitz.plots.beliefs import beliefs_over_time

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def poker(tmp_path: Path) -> Path:
    path = tmp_path / "poker.krec"
    play("kuhn", ["rock", "maniac", "solid"], models=["strategy_filter"], seed=3, path=path)
    return path


def test_agents_of_a_game(run: Run) -> None:
    rows = json.loads(run("agents", "--game", "kuhn", "--json")[1])
    assert {row["name"] for row in rows} >= {"random", "human", "kuhn.rock"}
    assert not {row["name"] for row in rows} & {"dilemma.grim", "alphabeta", "equilibrium"}


@pytest.mark.parametrize(
    ("command", "heading"),
    [
        ("games", "game"),
        ("agents --game dilemma", "agent"),
        ("models", "model"),
        ("games kuhn", "Players"),
        ("doctor", "what"),
        ("odds risk 5:3", ""),
        ("study list", "study"),
        ("compare rock maniac --game kuhn(players=2) --most 8 --executor inline", "rock's seat"),
        ("exploit rock --game kuhn(players=2)", "you are"),
        ("score-models dilemma(rounds=4) -m strategy_filter --matches 3 --executor inline", "model"),
        ("solve guan", "Xiaomei \\ Damei"),
    ],
)
def test_csv_has_the_rows_of_the_table(run: Run, command: str, heading: str) -> None:
    words = [word.replace(":", " vs ") for word in command.split()]
    code, out, _ = run(*words, "--csv")
    assert code == 0
    tables = [list(csv.reader(part.splitlines(keepends=True))) for part in out.split("\n\n")]
    assert tables[0][0][0] == heading
    for rows in tables:
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
    shown = run(*words)[1]
    assert rows[-1][0].splitlines()[0] in shown


def test_watch_prints_moves_board_beliefs_and_result(run: Run) -> None:
    code, out, _ = run("watch", "dilemma(rounds=6)", "pavlov", "defector", "--seed", "3")
    assert code == 0
    for words in ("seed 3", "player 1 defect", "round 6 of 6", "strategy_filter", "defector", "earned"):
        assert words in out


def test_watch_with_json_prints_the_record(run: Run) -> None:
    code, out, err = run("watch", "kuhn", "--seed", "1", "--json", "--model", "strategy_filter@2")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["header"]["agents"] == ["kuhn.solid", "kuhn.rock", "kuhn.maniac"]
    assert len(record["entries"][-1]["beliefs"]["strategy_filter@2"]) == 3
    assert record["header"]["insights"][0]["explanations"][0]["verdict"] == "nothing seen"
    assert record["entries"][-1]["insights"][0]["explanations"][0]["claims"]
    assert record["ending"]["reason"] == "terminal"


@pytest.mark.long
def test_beliefs_are_drawn_over_time(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("matplotlib")
    path, first, again = (str(tmp_path / name) for name in ("match.krec", "first.svg", "again.svg"))
    watching = ("watch", "dilemma(rounds=6)", "pavlov", "defector", "--seed", "3", "--record", path)
    assert run(*watching, "--plot", first)[0] == 0
    assert run("replay", path, "--plot", again)[0] == 0
    assert Path(first).read_text() == Path(again).read_text()
    courses = beliefs_over_time(read_record(path))
    assert len(courses) == 2
    assert all(len(course) == 7 for course in courses.values())
    assert run(*watching, "--plot", str(tmp_path / "first.gif"))[0] == 2


def test_replay_puts_another_model_over_a_record(poker: Path, run: Run) -> None:
    code, out, _ = run("replay", str(poker), "--model", "strategy_filter(unknown=0.4)@0", "--json")
    assert code == 0
    again = json.loads(out)
    assert len(again["entries"]) == len(read_record(poker).entries)
    assert again["header"]["models"] == ["strategy_filter(unknown=0.4)@0"]
    assert again["header"]["beliefs"]["strategy_filter(unknown=0.4)@0"][1]["unknown"] == pytest.approx(0.4)


def test_play_reads_moves_and_shows_beliefs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["?", "coop", "jump", "DEFECT", "c"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    code, out, _ = run("play", "dilemma(rounds=3)", "--against", "grim", "--seed", "1")
    assert code == 0
    assert "Your moves: cooperate, defect" in out
    assert "'jump' is not a move here" in out
    assert "player 0 cooperate | player 1 defect" in out
    assert "earned" in out


def test_play_shows_only_what_the_person_may_see(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "pass")
    code, out, _ = run("play", "kuhn", "--seat", "1", "--against", "rock", "--against", "maniac", "--seed", "2")
    assert code == 0
    before_the_end = out.split("player 1 pass")[0]
    assert before_the_end.count("something hidden") == 2
    assert before_the_end.count("chance deal") == 1


def test_the_end_of_input_stops_the_match_and_keeps_the_record(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["c"])

    def ask(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", ask)
    path = tmp_path / "match.krec"
    code, out, _ = run("play", "dilemma", "--record", str(path))
    assert code == 0
    assert "no more input" in out
    assert len(read_record(path).entries) == 1


def test_interrupting_play_keeps_the_record(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    path = tmp_path / "match.krec"
    assert run("play", "dilemma", "--record", str(path))[0] == 130
    assert read_record(path).entries == []


def test_what_comes_before_a_cut_is_replayed(poker: Path, run: Run) -> None:
    poker.write_bytes(poker.read_bytes()[:-60])
    code, out, _ = run("replay", str(poker))
    assert code == 0
    assert "unfinished" in out


BENCHMARK = """
def measure(bench):
    bench.ratio("same_as_itself", lambda: sum(range(1000)), lambda: sum(range(1000)), least=0.01)
    bench.ratio("absent", lambda: 1, lambda: 1, least=1.0, needs="no_such_peer")
    bench.figure("missed", [1.0, 2.0, 3.0], "s", most=0.5)
    bench.estimate("with interval", 0.1 if bench.quick else 0.3, (0.0, float("inf")), 7, most=0.2)
"""


def test_bench_prints_figures_and_says_which_peer_is_missing(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "tiny_one.py").write_text(BENCHMARK)
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("bench", "tiny-one", "--runs", "3", "--json")
    assert code == 0
    figures = json.loads(out)
    assert set(figures["same_as_itself"]) >= {"value", "unit", "bar", "ok", "spread", "runs"}
    assert figures["same_as_itself"]["ok"] is True
    assert figures["absent"]["value"] is None
    assert figures["absent"]["ok"] is False
    assert "no_such_peer is not installed" in figures["absent"]["note"]
    assert figures["missed"] == {
        "value": 2.0, "unit": "s", "bar": "<= 0.5", "ok": False, "spread": [1.0, 3.0], "runs": 3, "note": ""
    }  # fmt: skip
    assert figures["with interval"]["value"] == 0.3
    assert figures["with interval"]["spread"] is None
    code, out, _ = run("bench", "tiny-one", "--runs", "3", "--quick")
    assert code == 0
    assert "with interval" in out
    assert "0.1 " in out
    assert "missed" in out
    assert "not measured" in out


def test_bench_adds_to_a_file_with_date_and_version(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "benchmarks").mkdir()
    for name in ("tiny_one", "tiny_two"):
        (tmp_path / "benchmarks" / f"{name}.py").write_text(BENCHMARK)
    monkeypatch.chdir(tmp_path)
    for name in ("tiny-one", "tiny-two"):
        assert run("bench", name, "--runs", "3", "--out", "figures.json", "--json")[0] == 0
    kept = json.loads((tmp_path / "figures.json").read_text())
    assert list(kept) == ["tiny-one", "tiny-two"]
    assert set(kept["tiny-one"]) == {"date", "kibitz", "machine", "quick", "figures"}
    assert kept["tiny-two"]["figures"]["missed"]["value"] == 2.0
    (tmp_path / "figures.json").write_text("{}]")
    code, _, error = run("bench", "tiny-one", "--out", "figures.json")
    assert code == 2
    assert "figures.json: not figures" in error
    assert "there is no such folder" in run("bench", "tiny-one", "--out", "nowhere/figures.json")[2]


@pytest.mark.long
def test_the_demo_ends_by_itself(run: Run) -> None:
    code, out, _ = run("demo")
    assert code == 0
    assert "Now you" in out
