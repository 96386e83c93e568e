"""`kibitz games GAME`: all about one game, for people and as JSON."""

import json

import pytest

from kibitz.cli.main import exit_code


def test_a_game_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["games", "kuhn"]) == 0
    said = capsys.readouterr().out
    for words in ("Kuhn poker", "Secret: The card of each other player.", "put one more chip in", "the ace", "rock"):
        assert words in said


def test_the_games_of_another_package_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    assert exit_code(["games", "--bridge", "openspiel", "--json"]) == 0
    told = {each["spec"]: each for each in json.loads(capsys.readouterr().out)}
    assert told["openspiel:connect_four"]["kind"] == "2 players, in turn"
    assert "mean-field" in told["openspiel:mfg_garnet"]["refused"]
    assert exit_code(["games", "openspiel:kuhn_poker"]) == 0
    assert "Kuhn Poker (OpenSpiel)" in capsys.readouterr().out
