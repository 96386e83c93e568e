"""`kibitz export`: records as text, games as files of Gambit."""

from pathlib import Path

import pytest

from kibitz.bridges import gambit
from kibitz.cli.main import exit_code
from kibitz.core.match.play import play
from kibitz.core.records import read_record
from kibitz.core.records.text import record_text


def test_a_record_is_written_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.krec"
    play("dilemma(rounds=3)", ["tit_for_tat", "defector"], models=["strategy_filter"], seed=2, path=path)
    assert exit_code(["export", "text", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("dilemma(rounds=3), seed 2, ")
    assert lines[2:4] == ["player 0: dilemma.tit_for_tat", "player 1: dilemma.defector"]
    assert "   1. player 0: cooperate, player 1: defect" in lines
    assert "finished after 3 events: player 0 2, player 1 7" in lines
    assert any(line.startswith("strategy_filter believes of player 1 at last: ") for line in lines)


def test_chance_faults_and_open_ends_are_told(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.krec"
    record = play("kuhn(players=2)", ["scripted(moves=['sing', 'bet', 'bet'])", "random"], seed=2, path=path)
    text = record_text(read_record(path))
    assert "chance: deal" in text
    assert "illegal" in text or "raised" in text
    record.ending = None
    assert "unfinished after" in record_text(record)


def test_games_are_written_for_gambit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "kuhn.efg"
    assert exit_code(["export", "efg", "kuhn(players=2)", "--out", str(out)]) == 0
    assert out.read_text() == gambit.efg("kuhn(players=2)")
    assert exit_code(["export", "nfg", "matrix"]) == 0
    assert capsys.readouterr().out.startswith("NFG 1 R")


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["export", "text", str(tmp_path / "no.krec")]) == 2
    assert exit_code(["export", "epub", str(tmp_path / "no.krec")]) == 2
    assert exit_code(["export", "efg", "tiddlywinks"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 3
