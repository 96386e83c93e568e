"""`kibitz score-models --strangers`, also for a model of another package."""

import textwrap
from pathlib import Path

import pytest

from kibitz.cli.main import main

LINE = ["score-models", "dilemma(rounds=5)", "--strangers", "--executor", "inline", "--matches", "1"]
FILTER = ["-m", "strategy_filter"]
STRANGER = ["--agents", "noisy(strategy=dilemma.grim, rate=0.4)"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")


@pytest.mark.long
def test_the_table_has_known_players_strangers_and_bars(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, *FILTER, *STRANGER, "--opening", "0"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("dilemma(rounds=5), --agents: 8 matches")
    for words in ("without grim", "noisy(strategy=grim, rate=0.4)", "mean over strangers", "<= 0.06"):
        assert words in out
    assert err.startswith("8 matches of 8 players")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["score-models", "rps", *FILTER, "--strangers"], "strangers need a game with at least 3 strategies"),
        (["score-models", "kuhn", "-m", "dbn", "--strangers"], "it watches games of two players"),
        ([*LINE, *FILTER, "--run", "1"], "--run': it does not go with --strangers"),
        ([*LINE, *FILTER, "--agents", "human"], "a person answers for it"),
        ([*LINE[:-1], "0", *FILTER], "matches"),
    ],
)
def test_wrong_uses_are_told_in_one_line(line: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1, textwrap.shorten(err, 200)
