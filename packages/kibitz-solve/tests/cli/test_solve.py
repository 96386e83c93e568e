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


def test_a_stopped_solve_gives_what_it_has(run: Run) -> None:
    code, out, _ = run("solve", "purgatory(levels=4)", "--seconds", "0", "--json")
    found = json.loads(out)
    assert code == 0
    assert "time limit" in found["methods"]
    assert all(low <= 1.0 <= high for low, high in found["values"].values())


@pytest.mark.long
def test_a_game_that_is_too_large_is_refused_with_its_size_and_a_way_out(run: Run) -> None:
    code, _, err = run("solve", "pawns")
    assert code == 2
    assert "at least about" in err
    assert "--limit" in err
    assert "size, base_size, pawns" in err
