"""Boards as files: what they say, mistakes with their lines, and boards that are made to order."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trail_positions import searched

from kibitz.core.errors import BadDefinition, BadGame
from kibitz_trails import board as module
from kibitz_trails.board import plus
from kibitz_trails.board_file import BOARDS, board_text, load, read_board

GOOD = BOARDS["dd"].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*BOARDS, "layers(rows=7, cols=9, missing=[1, 2, 3])"])
def test_a_board_is_written_as_it_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(board_text(load(name)), encoding="utf-8")
    again, board = read_board(path), load(name)
    assert all(getattr(again, field) == getattr(board, field) for field in board.__struct_fields__)


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("goal = [0, 2]", "goal = [7, 2]", 5, "off the board"),
        ("goal = [0, 2]", "goal = [6, 0]", 24, "it is the goal"),
        ('"A Y R Y A"', '"A Y R Y"', 6, "same number of squares"),
        ('"A Y R Y A"', '"A Y X Y A"', 6, "no colour has the letter 'X'"),
        ("start = [6, 0]", "start = [6, 9]", 24, "off the board"),
        ("chips = { red = 5, green = 5, yellow = 6 }", "chips = { rad = 5 }", 25, "did you mean 'red'"),
        ("chips = { red = 5, green = 5, yellow = 6 }", "chips = { red = -5 }", 25, "from 0 to 127, not -5"),
        ("chips = { red = 5, green = 5, yellow = 6 }", "chips = { red = 500 }", 25, "from 0 to 127, not 500"),
        ("chips = { red = 5, green = 5, yellow = 6 }", "chips = { red = 5 }", 26, "all hands have 5 chips"),
        ('green = "G"', 'green = "R"', 18, "stands for another colour"),
        ('green = "G"', 'green = "Gr"', 18, "one letter"),
        ("goal = [0, 2]", "goal = [0, 2]\ntotal = 31", 6, "there are 32 chips, not 31"),
        ("goal = [0, 2]", 'goal = "up"', 5, "expected a list of 2"),
        ("goal = [0, 2]", "goal = [0, 2]\ngaol = 1", 6, "did you mean 'goal'"),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, line: int, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadDefinition) as caught:
        read_board(path)
    assert f"bad.toml, line {line}" in str(caught.value)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_goal_that_no_chips_can_reach_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "walled.toml"
    path.write_text(GOOD.replace("A Y R Y A", "A P R P A").replace("Y A Y A Y", "P P P P P"), encoding="utf-8")
    with pytest.raises(BadDefinition, match="no chips in play pay a way to the goal"):
        read_board(path)


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2), st.integers(0, 2), st.integers(0, 99))
def test_made_boards_lack_what_they_promise(rows: int, cols: int, first: int, second: int, seed: int) -> None:
    nearest = rows - 1 + min(cols // 2, cols - 1 - cols // 2)
    if first + second > nearest:
        return
    board = load(f"layers(rows={rows}, cols={cols}, missing=[{first}, {second}], spare=2, seed={seed})")
    for player, lacks in enumerate((first, second)):
        start, chips, others = board.starts[player], board.chips[player], board.chips[1 - player]
        assert searched(board, start, chips)[1] == (lacks == 0)
        lacking = board.lacking(start, chips, others)
        assert lacking is not None
        assert sum(lacking) == lacks
        assert searched(board, start, plus(chips, lacking))[1]


@pytest.mark.long
@pytest.mark.parametrize("most", [5_000, pytest.param(module.MOST_WAYS, marks=pytest.mark.slow)])
def test_a_board_with_too_many_ways_is_refused_in_one_line(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAYS", most)
    board = load("layers(rows=30, cols=30, missing=[3, 4])")
    with pytest.raises(BadGame, match="take fewer squares"):
        board.best_use(board.starts[0], board.chips[0])
