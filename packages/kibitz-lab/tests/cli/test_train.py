import json
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz.core.match.play import play
from kibitz.core.registry import make_model

GAME = "dilemma(rounds=10)"
PLAY = ["--game", GAME, "--play", "pavlov", "--play", "grim", "--play", "random", "--matches", "60"]


@pytest.mark.long
def test_training_prints_a_spec_that_works_and_writes_the_same_bytes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["train", "strategy_filter", *PLAY, "--seed", "4", "--executor", "inline", "--out", "f.json"]
    assert main(line) == 0
    out = capsys.readouterr().out
    kept = Path("f.json").read_bytes()
    found = json.loads(kept)
    assert out.splitlines()[0] == found["spec"]
    assert make_model(found["spec"]).parameters() == {
        key: value for key, value in found["parameters"].items() if value != found["before"][key]
    }
    assert (found["records"], found["blocks"], found["seed"]) == (60, 30, 4)
    assert found["verdict"] in out
    assert found["held_out"] == 20
    assert found["command"] == (
        "kibitz train strategy_filter --game 'dilemma(rounds=10)' --play pavlov --play grim --play random "
        "--matches 60 --seed 4"
    )
    assert found["parameters"]["unknown"] == pytest.approx(1 / 3, abs=0.15)
    assert main([*line[:-1], "g.json", "--db", "other.db", "--json"]) == 0
    assert Path("g.json").read_bytes() == kept
    assert json.loads(capsys.readouterr().out) == found
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.long
def test_records_and_runs_give_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--executor", "inline", "--repeats", "8", "--records", "kept"]
    assert main(["tournament", GAME, "pavlov", "grim", "random", *quick]) == 0
    capsys.readouterr()
    base = ["train", "strategy_filter", "--game", GAME, "--json"]
    assert main([*base, "--run", "1"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*base, "--records", "kept"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert first.pop("command") != second.pop("command")
    assert first == second


@pytest.mark.long
def test_a_network_is_learned_into_a_file_that_the_model_reads(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--play", "s1(depth=1)", "--play", "s3(depth=1)", "--mirror", "--opening", "2", "--matches", "24"]
    line = ["train", "dbn(learning=supervised)", "--game", "pawns", *quick, "--executor", "inline", "--seed", "3"]
    assert main(line) == 2
    assert "what dbn learns needs a file: --out FILE.json" in capsys.readouterr().err
    assert main([*line, "--out", "net.json"]) == 0
    assert capsys.readouterr().out.startswith("dbn(trained='net.json')")
    kept = Path("net.json").read_bytes()
    made = json.loads(kept)["made"]
    assert made["command"].endswith("--matches 24 --mirror --opening 2 --seed 3")
    assert made["gains"]["strategy"]["gained"]["mean"] > 0.0
    record = play("pawns", ["s1(depth=1)", "s3(depth=1)"], models=["dbn(trained='net.json')"], seed=1)
    belief = record.entries[-1].beliefs["dbn(trained='net.json')"][0]
    assert set(belief) == {"pawns.s1(depth=1)", "pawns.s3(depth=1)", "unknown"}
    assert main([*line, "--out", "again.json"]) == 0
    assert Path("again.json").read_bytes() == kept


def test_wrong_uses_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("few").mkdir()
    Path("empty").mkdir()
    for seed in range(3):
        play(GAME, ["pavlov", "grim"], seed=seed, path=f"few/{seed}.krec")
    whole = Path("few/0.krec").read_bytes()
    Path("bad.krec").write_bytes(whole[:40] + b"?" + whole[41:])
    for line, words in (
        (["strategy_filter", "--game", GAME], "name the matches in one way"),
        (["strategy_filter", "--game", GAME, "--run", "1", "--records", "few"], "name the matches in one way"),
        (["nothing", *PLAY], "no model named 'nothing'"),
        (["random", *PLAY], "no model named 'random'"),
        (["strategy_filter", "--game", "chess", "--run", "1"], "no game named 'chess'"),
        (["strategy_filter", "--game", GAME, "--run", "7"], "no run named '7'"),
        (["strategy_filter", "--game", GAME, "--records", "few"], "3 records on 3 different seeds are too few"),
        (
            ["strategy_filter", "--game", "kuhn", "--records", "few"],
            "a record of dilemma(rounds=10), not of kuhn",
        ),
        (["strategy_filter", "--game", GAME, "--records", "empty"], "there are no records (*.krec) in this folder"),
        (["strategy_filter", "--game", GAME, "--records", "none.krec"], "none.krec: no such file"),
        (["strategy_filter", "--game", GAME, "--records", "bad.krec"], "bad.krec: "),
        (["strategy_filter", "--game", GAME, "--play", "nobody"], "no agent named 'nobody'"),
        (["strategy_filter", *PLAY, "--seed", "-1"], "a seed is a whole number"),
        (["strategy_filter", *PLAY, "--out", "no/where.json"], "cannot write no/where.json"),
        (["strategy_filter", *PLAY, "--out", "empty"], "it is a folder"),
    ):
        assert main(["train", *line]) == 2, line
        err = capsys.readouterr().err
        assert words in err.splitlines()[-1]
        assert "Traceback" not in err


def test_too_few_matches_are_said_before_they_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "strategy_filter", *PLAY, "--matches", "2"]) == 2
    assert "3 different seeds are too few; matches on at least 4 seeds are needed" in capsys.readouterr().err
    assert not list(Path().glob("*.db"))


@pytest.mark.parametrize(
    ("model", "game", "agent", "why"),
    [
        ("risk-choice", "risk(mode=domination)", "risk.passive", "it watches Risk with missions only"),
        ("risk-choice(trained='no.json')", "risk", "risk.passive", "no.json"),
        ("dbn", "dilemma(rounds=5)", "pavlov", "the game offers no features"),
        ("dbn", "kuhn", "rock", "it watches games of two players without hidden information"),
        ("strategy_filter", "purgatory", "random", "it has no strategies of its own; name some"),
        ("trails-predictors", "dilemma(rounds=5)", "pavlov", "it watches Colored Trails only"),
    ],
)
def test_a_game_that_cannot_teach_a_model_is_refused_before_matches_are_played(
    capsys: pytest.CaptureFixture[str], model: str, game: str, agent: str, why: str
) -> None:
    line = ["train", model, "--game", game, "--play", agent, "--matches", "8", "--out", "out.json"]
    assert main([*line, "--executor", "inline"]) == 2
    assert why in capsys.readouterr().err.splitlines()[-1]
    assert not list(Path().iterdir()), "nothing was begun"


@pytest.mark.long
def test_tables_of_several_games_train_together_and_cut_ones_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "records", tmp_path / "mine.json"
    folder.mkdir()
    for seed in range(6):
        game = f"risk(players={2 + seed % 2}, missions={'all' if seed % 3 else 'continents'})"
        record = play(game, ["constrained"] * (2 + seed % 2), seed=seed, max_plies=200 if seed else 20_000)
        (folder / f"{seed}.krec").write_bytes(record.to_bytes())
    line = ["train", "risk-choice", "--records", str(folder), "--out", str(out)]
    assert main([*line, "--json"]) == 1, "it is worse than what comes with the game"
    found = json.loads(capsys.readouterr().out)
    assert (found["saved"], found["spec"]) == (False, "risk.choice")
    assert not out.exists()
    assert main([*line, "--json", "--force"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["saved"], found["spec"]) == (True, f"risk.choice(trained='{out}')")
    held = out.read_bytes()
    assert main(line) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "what was learned is worse on what was held out" in said
    assert "mine.json is left as it was; --force writes it all the same" in said
    assert "saved in" not in said
    assert out.read_bytes() == held
    assert len(found["game"].split("; ")) == 4
    assert found["figures"]["lessons"] == 4
    assert found["figures"]["cut"] >= 1
    assert "cut before their end" in found["notes"][0]
    assert main(["train", "strategy_filter", "--records", str(folder)]) == 2
    assert "name one: --game GAME" in capsys.readouterr().err
