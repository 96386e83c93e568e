"""`kibitz solve`, used rightly and wrongly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.long
def test_json_holds_intervals_and_strategies(run: Run) -> None:
    code, out, _ = run("solve", "right-turn(radius=6)", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["states"] == len(found["values"]) == len(found["policy"]) == 160
    low, high = found["values"]["(-4, 0)"]
    assert low <= 0.5 <= high
    assert high - low <= 1e-5
    assert all(abs(sum(mix) - 1.0) < 1e-9 for both in found["policy"].values() for mix in both)


@pytest.mark.long
def test_the_map_is_shown_and_drawn(tmp_path: Path, run: Run) -> None:
    picture, table = tmp_path / "map.svg", tmp_path / "policy.csv"
    code, out, _ = run("solve", "right-turn(radius=4)", "--svg", str(picture), "--out", str(table))
    assert code == 0
    assert "+ → →" in out
    assert "F 0.5" in out
    assert picture.read_text().count('id="cell-') == 81
    assert table.read_text().startswith("state,low,high")


@pytest.mark.long
def test_lowered_expectations_are_shown_drawn_and_written(tmp_path: Path, run: Run) -> None:
    picture, table = tmp_path / "map.svg", tmp_path / "policy.csv"
    lowered = ("right-turn(radius=5)", "--lowered", "--width", "1e-3", "--state", "(4, 4)")
    code, out, _ = run("solve", *lowered, "--svg", str(picture), "--out", str(table))
    assert code == 0
    assert "33 on level 0, " in out
    assert "→1 →0" in out
    assert "hope [" in out
    assert "level 1, hope [" in picture.read_text()
    assert table.read_text().splitlines()[0].endswith("level,hope,distance")
    found = json.loads(run("solve", *lowered, "--json")[1])
    assert found["levels"]["(-4, 0)"] == found["distances"]["(-4, 0)"] == 0
    assert found["hopes"]["(4, 4)"] > 0.0


def test_games_without_a_map_are_listed(run: Run) -> None:
    code, out, _ = run("solve", "purgatory(levels=2)")
    assert code == 0
    assert "(1,)" in out


def test_what_play_without_end_counts_is_said_where_it_may_happen(run: Run) -> None:
    assert "Play without end counts 0." in run("solve", "guan")[1]
    assert "Play without end counts -1." in run("solve", "guan", "--infinite-play", "-1")[1]
    assert "Play without end" not in run("solve", "inspection")[1]


def test_a_stopped_solve_gives_what_it_has(run: Run) -> None:
    code, out, _ = run("solve", "purgatory(levels=4)", "--seconds", "0", "--json")
    found = json.loads(out)
    assert code == 0
    assert "time limit" in found["methods"]
    assert all(low <= 1.0 <= high for low, high in found["values"].values())


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("kuhn",), "without secrets"),
        (("right-turn", "--state", "(99, 99)"), "(99, 99)"),
        (("right-turn", "--limit", "10"), "more than 10 states"),
        (("guan", "--discount", "2"), "between 0 and 1"),
        (("guan", "--lowered", "--discount", "0.9"), "--lowered"),
        (("guan", "--by-value"), "--lowered"),
        (("bear-brawl(radius=2, edge=unbounded)", "--lowered"), "outside its table"),
        (("guan", "--out", "policy.txt"), ".csv"),
        (("guan", "--svg", "map.svg"), "no map"),
        (("guan", "--infinite-play", "nan"), "infinite play"),
    ],
)
def test_mistakes_get_a_line(arguments: tuple[str, ...], why: str, run: Run) -> None:
    code, _, err = run("solve", *arguments)
    assert code == 2
    assert why in err
    assert "Traceback" not in err


def test_the_checkpoint_of_another_game_is_refused(tmp_path: Path, run: Run) -> None:
    kept = str(tmp_path / "kept.npz")
    assert run("solve", "guan", "--checkpoint", kept)[0] == 0
    code, _, err = run("solve", "right-turn(radius=4)", "--checkpoint", kept)
    assert code == 2
    assert "another game" in err


@pytest.mark.long
def test_a_game_that_is_too_large_is_refused_with_its_size_and_a_way_out(run: Run) -> None:
    code, _, err = run("solve", "pawns")
    assert code == 2
    assert "at least about" in err
    assert "--limit" in err
    assert "size, base_size, pawns" in err
