"""`kibitz score-models --strangers`, also for a model of another package."""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz.cli.strangers import HEADINGS
from other_package import installed_package

LINE = ["score-models", "dilemma(rounds=5)", "--strangers", "--executor", "inline", "--matches", "1"]
FILTER = ["-m", "strategy_filter"]
STRANGER = ["--agents", "noisy(strategy=dilemma.grim, rate=0.4)"]

HABITS = """
from kibitz import core

class Habits(core.Model):
    "Expects of each player what they did last."
    answers = ("action",)

    def begin(self, game, seat, rng):
        super().begin(game, seat, rng)
        self.last = {}

    def observe(self, transition):
        for player in transition.movers:
            self.last[player] = transition.action_of(player)

    def predict(self, view, player):
        legal = view.legal_actions(player)
        uniform = core.Distribution.uniform(legal)
        if self.last.get(player) not in legal:
            return uniform
        said = core.Distribution.certain(self.last[player], legal)
        return core.Distribution.mixture([(0.8, said), (0.2, uniform)], legal)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")


@pytest.fixture
def _installed(tmp_path: Path) -> Iterator[None]:
    """Another package with a model, as docs/howto/own-package.md describes."""
    (tmp_path / "their_models.py").write_text(HABITS)
    with installed_package(tmp_path, "their_models", "[kibitz.models]\nhabits = their_models:Habits\n"):
        yield
    sys.modules.pop("their_models", None)


@pytest.mark.long
@pytest.mark.parametrize("columns", ["50", "80", "140"])
def test_no_figure_is_lost_on_a_narrow_terminal(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main([*LINE, *FILTER, *STRANGER, "--opening", "0"]) == 0
    out = capsys.readouterr().out
    known = [line.split()[1:] for line in out.splitlines() if line.startswith("grim ")]
    assert sum(map(len, known)) == len(HEADINGS)
    assert "…" not in out
    assert all(len(line) <= int(columns) for line in out.splitlines())


@pytest.mark.long
def test_the_table_has_known_players_strangers_and_bars(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, *FILTER, *STRANGER, "--opening", "0"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("dilemma(rounds=5), --agents: 8 matches")
    for words in ("without grim", "noisy(strategy=grim, rate=0.4)", "mean over strangers", "<= 0.06"):
        assert words in out
    assert err.startswith("8 matches of 8 players")


@pytest.mark.long
def test_json_is_the_same_again(capsys: pytest.CaptureFixture[str]) -> None:
    line = [*LINE, *FILTER, *STRANGER, "--opening", "0", "--json"]
    assert main(line) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(line) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["models"][0]["players"][-1]["kind"] == "named"
    assert {"what", "value", "limit", "met", "clear"} <= set(first["bars"][0])


@pytest.mark.long
@pytest.mark.usefixtures("_installed")
def test_the_model_of_another_package_is_scored_by_the_same_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "-m", "habits", *STRANGER]) == 0
    out = capsys.readouterr().out
    assert "habits names no strategies that can be left out: it is scored on generated strangers only" in out
    assert "without" not in out.split("bars")[0].replace("without dilemma", "")
    assert "not measured" in out  # it does not say who plays


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["score-models", "rps", *FILTER, "--strangers"], "strangers need a game with at least 3 strategies"),
        (["score-models", "kuhn", "-m", "dbn", "--strangers"], "it watches games of two players"),
        (["score-models", "dilemma", "--strangers"], "name at least one model"),
        ([*LINE, *FILTER, "--run", "1"], "--run': it does not go with --strangers"),
        ([*LINE, *FILTER, "--by", "class"], "--by': it does not go with --strangers"),
        ([*LINE, *FILTER, "--top", "2"], "--top': it does not go with --strangers"),
        ([*LINE, *FILTER, "--agents", "human"], "a person answers for it"),
        ([*LINE, "-m", "plans", "--agents", "nobody"], "nobody"),
        ([*LINE[:-1], "0", *FILTER], "matches"),
    ],
)
def test_wrong_uses_are_told_in_one_line(line: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1, textwrap.shorten(err, 200)
