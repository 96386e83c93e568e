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


def in_package(member: str, command: str, heading: str) -> object:
    return pytest.param(command, heading, marks=pytest.mark.needs(member))


@pytest.mark.parametrize(
    ("command", "heading"),
    [
        ("games", "game"),
        ("agents --game dilemma", "agent"),
        ("models", "model"),
        ("games kuhn", "Players"),
        in_package("lab", "doctor", "what"),
        in_package("risk", "odds risk 5:3", ""),
        in_package("lab", "study list", "study"),
        in_package("lab", "compare rock maniac --game kuhn(players=2) --most 8 --executor inline", "rock's seat"),
        in_package("lab", "exploit rock --game kuhn(players=2)", "you are"),
        in_package("lab", "score-models dilemma(rounds=4) -m strategy_filter --matches 3 --executor inline", "model"),
        in_package("solve", "solve guan", "Xiaomei \\ Damei"),
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


@pytest.mark.long
def test_the_demo_ends_by_itself(run: Run) -> None:
    code, out, _ = run("demo")
    assert code == 0
    assert "Now you" in out
