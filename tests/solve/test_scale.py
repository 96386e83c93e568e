"""Payoffs of any size: the same game in other units has the same solution in other units."""

import numpy as np
import pytest
from games_by_hand import SIGNS, random_game
from msgspec.structs import replace

from kibitz.core.errors import BadGame
from kibitz.solve import RecursiveGame, Solution, matrix_game, matrix_games, recursive_game, solve

UNITS = [2.0**1020, -(2.0**600), 2.0**-600, 2.0**-1000]
WAITING = {"S": [["S", "X"], ["X", "D"]]}


def in_units(game: RecursiveGame, unit: float) -> RecursiveGame:
    ends = sorted((game.low * unit, game.high * unit), key=lambda each: each.sum())
    return replace(game, low=ends[0], high=ends[1])


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_a_game_in_other_units_has_the_same_solution(unit: float) -> None:
    for seed, signs in enumerate(SIGNS):
        game = random_game(np.random.default_rng(seed), signs, 0.3)
        plain = solve(game if unit > 0 else in_units(game, -1.0), width=1e-5)
        other = solve(in_units(game, unit), width=1e-5 * abs(unit))
        for name in plain:
            assert other.interval(name) == pytest.approx([abs(unit) * each for each in plain.interval(name)], rel=1e-12)
            assert [other.strategy(name, player) for player in (0, 1)] == strategies(plain, name)


def strategies(solution: Solution, name: object) -> list[object]:
    return [pytest.approx(solution.strategy(name, player), abs=1e-12) for player in (0, 1)]


def test_discounted_and_staged_games_in_other_units() -> None:
    stage = {"S": [[3e300, 0.0], [0.0, -1e300]]}
    low, high = solve(recursive_game(WAITING, {"X": 1e300, "D": 0}, stage=stage), discount=0.9).interval("S")
    small = {"S": [[3.0, 0.0], [0.0, -1.0]]}
    plain = solve(recursive_game(WAITING, {"X": 1, "D": 0}, stage=small), discount=0.9).interval("S")
    assert (low / 1e300, high / 1e300) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("unit", [*map(abs, UNITS), 1.7e308, 1e-307])
def test_matrix_games_in_other_units(unit: float) -> None:
    pennies = matrix_game([[unit, -unit], [-unit, unit]])
    assert (pennies.value, pennies.row, pennies.column) == (0.0, (0.5, 0.5), (0.5, 0.5))
    matrices = np.random.default_rng(1).uniform(-1.0, 1.0, (50, 3, 4))
    plain, other = matrix_games(matrices), matrix_games(matrices * unit)
    assert other.values / unit == pytest.approx(plain.values, abs=1e-12)
    assert other.rows == pytest.approx(plain.rows, abs=1e-9)
    assert (other.gaps <= 1e-12 * unit).all()


def test_games_whose_payoffs_are_nothing_are_worth_nothing() -> None:
    assert matrix_game([[0.0, 0.0]]).value == 0.0
    assert solve(recursive_game(WAITING, {"X": 0, "D": 0})).interval("S") == (0.0, 0.0)
    assert len(matrix_games(np.empty((0, 2, 2))).values) == 0


def test_entries_that_are_no_numbers_stay_refused() -> None:
    with pytest.raises(BadGame, match="not a number"):
        matrix_games([[[1.0, np.inf]]])
