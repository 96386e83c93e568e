import json
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz.core.match.play import play
from kibitz.core.records import read_record
from kibitz_lab.arena.scoring import model_scores

FILTER = ["-m", "strategy_filter"]
INLINE = ["--executor", "inline"]


PAIR = ("grim", "defector")


def kept(folder: str, count: int = 3, game: str = "dilemma(rounds=4)", agents: tuple[str, ...] = PAIR) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for seed in range(count):
        play(game, agents, seed=seed, path=Path(folder, f"{game[:4]}{seed}.krec"))


@pytest.mark.long
def test_json_holds_everything_and_says_the_same_again(capsys: pytest.CaptureFixture[str]) -> None:
    line = [
        "score-models",
        "dilemma(rounds=4)",
        *FILTER,
        *INLINE,
        "--matches",
        "3",
        "--seed",
        "2",
        "--top",
        "2",
        "--json",
    ]
    assert main(line) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(line) == 0
    again = json.loads(capsys.readouterr().out)
    row = first["questions"]["strategy"]["rows"][0]
    assert (first["matches"], first["top"], row["model"], row["figures"]["events"]) == (3, 2, "strategy_filter", 30)
    assert len(row["steps"]) == len(row["calibration"]["bins"]) == 10
    assert sorted(row["by"]) == ["class", "outcome", "player", "strategy"]
    assert row["timing"]["observe_median"] > 0
    for scores in (first, again):
        for question in scores["questions"].values():
            for each in question["rows"]:
                del each["timing"]
    assert first == again


@pytest.mark.long
def test_kept_records_are_scored_whatever_the_options_of_their_game(capsys: pytest.CaptureFixture[str]) -> None:
    kept("some/below")
    kept("some", 2, "dilemma(rounds=6)")
    line = ["score-models", "dilemma", *FILTER, *INLINE, "--json"]
    assert main([*line, "--records", "some"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert (scores["matches"], scores["games"]) == (5, ["dilemma(rounds=4)", "dilemma(rounds=6)"])
    expected = model_scores([read_record(path) for path in sorted(Path("some").rglob("*.krec"))], ["strategy_filter"])
    found = scores["questions"]["action"]["rows"][0]["figures"]["log_loss"]["mean"]
    assert found == pytest.approx(expected["action"]["strategy_filter"].figures.log_loss.mean)
    assert main([*line, "--records", "some/below/dile0.krec", "--records", "some/dile1.krec", "--records", "some"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 5


@pytest.mark.long
def test_the_matches_of_a_run_are_drawn_by_block(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "dilemma(rounds=4)", "pavlov", "grim", "defector", "--repeats", "2", *INLINE]) == 0
    capsys.readouterr()
    line = ["score-models", "dilemma", *FILTER, *INLINE]
    assert main([*line, "--run", "1"]) == 0
    assert "over 6 blocks of matches" in capsys.readouterr().out
    assert main([*line, "--run", "2"]) == 2
    assert "no run named '2'" in capsys.readouterr().err
    assert main(["score-models", "pennies", *FILTER, "--run", "1", *INLINE]) == 2
    assert "run 1: it holds no match of pennies, only of dilemma(rounds=4)" in capsys.readouterr().err


def test_records_that_cannot_be_used_are_named_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    kept("some", 2)
    kept("some", 1, "pennies", ("heads", "heads"))
    Path("some/note.krec").write_text("hello")
    Path("some/empty.krec").write_bytes(b"")
    data = Path("some/dile0.krec").read_bytes()
    for number in range(4):
        Path(f"some/odd{number}.krec").write_bytes(data[:40] + b"\0" * 20 + data[60:])
    assert main(["score-models", "dilemma", *FILTER, *INLINE, "--records", "some", "--json"]) == 0
    out, err = capsys.readouterr()
    scores = json.loads(out)
    assert (scores["matches"], len(scores["skipped"])) == (2, 7)
    assert err.count("kibitz: skipped ") == 6
    assert "skipped some/note.krec: not a kibitz record" in err
    assert "kibitz: skipped 2 more" in err
    assert main(["score-models", "pennies", *FILTER, *INLINE, "--records", "some/note.krec"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "kibitz: score-models: none of 1 records can be used"


def test_ctrl_c_stops_cleanly(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: object, count: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kibitz_lab.cli.runs.ProgressDisplay.advance", interrupted)
    assert main(["score-models", "dilemma", *FILTER, *INLINE, "--matches", "3", "--seed", "1"]) == 130
    assert capsys.readouterr().err == "3 matches, 1 model\n\nkibitz: stopped\n"


@pytest.mark.long
def test_the_table_of_strangers_has_known_players_strangers_and_bars(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["score-models", "dilemma(rounds=5)", "--strangers", *INLINE, "--matches", "1", *FILTER, "--opening", "0"]
    assert main([*line, "--agents", "noisy(strategy=dilemma.grim, rate=0.4)"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("dilemma(rounds=5), --agents: 8 matches")
    for words in ("without grim", "noisy(strategy=grim, rate=0.4)", "mean over strangers", "<= 0.06"):
        assert words in out
    assert err.startswith("8 matches of 8 players")
