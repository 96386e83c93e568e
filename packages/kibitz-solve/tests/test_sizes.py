"""Games that are too large to be listed are refused early, with how large they are and what to do."""

import re
from typing import ClassVar

import pytest

from kibitz import core, make_game
from kibitz.core.errors import BadGame
from kibitz_solve import build_game
from kibitz_solve.recursive.building.enumeration import ESTIMATED_FROM, least_states


class Digits(core.Game):
    """Players write digits in turn; there are as many states as numbers."""

    def __init__(self, base: int = 10, length: int = 12) -> None:
        self.base, self.length = base, length

    def new_initial_state(self) -> "Written":
        return Written(self, ())


class Written(core.State):
    made: ClassVar[int] = 0
    """States that were made by playing a digit."""

    def __init__(self, game: Digits, digits: tuple[int, ...]) -> None:
        self.game, self.digits = game, digits

    def current_player(self) -> int:
        return core.TERMINAL if len(self.digits) == self.game.length else len(self.digits) % 2

    def legal_actions(self, player: int | None = None) -> range:
        return range(self.game.base)

    def apply_action(self, action: int) -> None:
        Written.made += 1
        self.digits = (*self.digits, action)

    def returns(self) -> list[float]:
        return [0.0, 0.0]

    def key(self) -> core.Key:
        return self.digits


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "states"),
    [
        ("pennies", 5),
        ("goofspiel", 2112),
        ("cops", 10235),
        ("right-turn", 409),
        ("breakthrough(rows=5, columns=3)", 29730),
    ],
)
def test_sizes_are_estimated_from_below(spec: str, states: int) -> None:
    assert states / 10 <= least_states(make_game(spec)) <= states


@pytest.mark.long
def test_a_game_that_is_far_too_large_is_refused_after_few_states() -> None:
    Written.made = 0
    with pytest.raises(BadGame, match="more than 1,000,000 states, at least about") as refused:
        build_game(Digits())
    assert Written.made < 60_000
    estimate = int(re.findall(r"at least about ([\d,]+)", str(refused.value))[0].replace(",", ""))
    assert 1_000_000 < estimate <= sum(10**ply for ply in range(12))
    assert "options (base, length)" in str(refused.value)
    assert "limit" in str(refused.value)


@pytest.mark.long
@pytest.mark.parametrize("spec", ["pawns", "breakthrough"])
def test_board_games_are_refused_with_the_options_that_make_them_smaller(spec: str) -> None:
    options = {"pawns": "draw_plies, size, base_size, pawns", "breakthrough": "rows, columns"}[spec]
    with pytest.raises(BadGame, match=rf"{spec}: .*at least about [\d,]+ by random matches; .*\({options}\).*mcts"):
        build_game(spec)


@pytest.mark.long
def test_a_game_just_within_the_limit_is_built() -> None:
    states = sum(2**ply for ply in range(13))
    assert states > 2 * ESTIMATED_FROM
    assert build_game(Digits(2, 13), limit=states).choices == states
    with pytest.raises(BadGame, match=f"more than {states - 1:,} states"):
        build_game(Digits(2, 13), limit=states - 1)


def test_the_size_of_a_table_is_told_exactly() -> None:
    with pytest.raises(BadGame, match="more than 10 states, 441 in its table"):
        build_game("right-turn", limit=10)
