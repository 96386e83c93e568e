"""Matrices of any size are solved; recursive games with payoffs that products overflow are refused."""

import numpy as np
import pytest

from kibitz.core.errors import BadGame
from kibitz_solve import matrix_game, matrix_games, recursive_game, solve

WAITING = {"S": [["S", "X"], ["X", "D"]]}


@pytest.mark.parametrize("unit", [2.0**1020, 2.0**-600])
def test_payoffs_that_doubles_cannot_multiply_are_refused(unit: float) -> None:
    with pytest.raises(BadGame, match="units"):
        solve(recursive_game(WAITING, {"X": unit, "D": 0}))


@pytest.mark.parametrize("unit", [2.0**1020, 2.0**600, 2.0**-600, 2.0**-1000, 1.7e308, 1e-307])
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
