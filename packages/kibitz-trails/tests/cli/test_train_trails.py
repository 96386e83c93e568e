"""`kibitz train trails-predictors`: rows, validation, and clear words for files that cannot be right."""

import json
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz_trails.models.predictors import TARGETS

AGENTS = ("honest", "always_renege", "coin_keeper", "tit_for_tat")
PLAY = [*(word for agent in AGENTS for word in ("--play", agent)), "--matches", "24", "--executor", "inline"]


@pytest.mark.long
def test_predictors_are_trained_validated_and_kept_with_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["train", "trails-predictors(features=thesis)", *PLAY, "--out", "mine.json", "--rows", "rows"]
    assert main(line) == 0
    out = capsys.readouterr().out
    assert "trails.predictors(trained='mine.json', features='thesis')" in out
    assert "falls by" in out
    assert "predicted accept" in out
    kept = {path.name for path in Path("rows").iterdir()}
    assert kept == {f"{table}.{suffix}" for table in TARGETS for suffix in ("csv", "arff")}
    capsys.readouterr()
    again = ["train", "trails.predictors(features=thesis)", *PLAY, "--out", "more.json", "--json"]
    assert main(again) == 0
    found = json.loads(capsys.readouterr().out)
    ways = {(each["table"], each["left_out"]) for each in found["validations"]}
    assert {("response", "row"), ("response", "game"), ("transfer", "agent")} <= ways
    assert found["validations"][0]["rows"] == len(Path("rows/response.csv").read_text().splitlines()[1:])


def test_a_model_of_many_games_needs_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "strategy_filter", "--play", "random"]) == 2
    assert "--game GAME" in capsys.readouterr().err
    agents = ["--play", "grim", "--play", "pavlov", "--executor", "inline"]
    assert main(["train", "strategy_filter", "--game", "dilemma", *agents, "--rows", "r"]) == 2
    assert "no rows to save" in capsys.readouterr().err
    assert not Path("kibitz.db").exists(), "nothing was played"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "needs a file: --out FILE.json"),
        (["--out", "mine.json", "--rows", "there.txt/rows"], "there.txt"),
        (["--out", "nowhere/mine.json"], "no such folder"),
    ],
)
def test_where_nothing_can_be_kept_nothing_is_played(
    options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("there.txt").write_text("no folder")
    assert main(["train", "trails-predictors", *PLAY, *options]) == 2
    assert why in capsys.readouterr().err
    assert not Path("kibitz.db").exists()
