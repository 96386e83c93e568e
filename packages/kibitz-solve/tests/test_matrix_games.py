from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kibitz.core.errors import BadGame
from kibitz_lab.equilibria.matrices import solve_exactly
from kibitz_solve import matrix_game, matrix_games, nash_gap

shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
small_matrices = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(-4, 4).map(float)))
NEAR_TIES = (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12)


def exactly(matrix: np.ndarray) -> Fraction:
    return solve_exactly([[Fraction(float(entry)) for entry in row] for row in matrix])[0]


def test_the_macwiggins_brothers_toss_coins() -> None:
    found = matrix_game([[1, -1], [-1, 1]])
    assert (found.value, found.row, found.column, found.gap) == (0.0, (0.5, 0.5), (0.5, 0.5), 0.0)


@pytest.mark.parametrize("w", NEAR_TIES)
@pytest.mark.parametrize("others", [(), ([1 - 1e-2, 0.7, 0.3],)])
def test_a_near_tie_keeps_its_small_share(w: float, others: tuple[list[float], ...]) -> None:
    """linprog's tolerances make it 0 from 1e-7 on, which is to wait for ever."""
    wait = 1.0 - w
    exact = 1.0 - wait
    padded = [[wait, 1.0, 1.0], [1.0, 0.0, 0.5], *others] if others else [[wait, 1.0], [1.0, 0.0]]
    found = matrix_game(padded)
    assert found.row[1] == pytest.approx(exact / (1.0 + exact), rel=1e-6)
    assert found.value == pytest.approx(1.0 / (1.0 + exact), abs=1e-15)


@given(small_matrices)
def test_values_are_those_of_exact_numbers(matrix: np.ndarray) -> None:
    found = matrix_game(matrix)
    assert found.value == pytest.approx(float(exactly(matrix)), abs=1e-13)
    assert nash_gap(matrix, found.row, found.column) < 1e-12


@given(small_matrices)
def test_the_exact_strategies_are_an_equilibrium(matrix: np.ndarray) -> None:
    rational = [[Fraction(float(entry)) for entry in row] for row in matrix]
    value, row, column = solve_exactly(rational)
    earned = [
        sum(share * entry for share, entry in zip(row, each, strict=True)) for each in zip(*rational, strict=True)
    ]
    conceded = [sum(share * entry for share, entry in zip(column, each, strict=True)) for each in rational]
    assert sum(row) == sum(column) == 1
    assert min(earned) == max(conceded) == value


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (4, 4), (2, 4), (10, 10), (20, 30)])
def test_gaps_of_many_games_are_tiny(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    for matrices in (rng.random((500, *shape)), rng.integers(-3, 4, (500, *shape)).astype(float)):
        found = matrix_games(matrices)
        assert (found.gaps <= 1e-12).all()
        assert found.rows.sum(1) == pytest.approx(np.ones(500))
        assert (found.rows >= 0.0).all()
        assert (found.columns >= 0.0).all()


def test_the_nash_gap_is_what_players_gain_by_deviating() -> None:
    pennies = [[1, -1], [-1, 1]]
    assert nash_gap(pennies, (1, 0), (0.5, 0.5)) == 1.0
    assert nash_gap(pennies, (0.5, 0.5), (0.5, 0.5)) == 0.0


@pytest.mark.parametrize("matrix", [[[1, 2], [3]], [], [[]], [1, 2], [["x"]], [[float("nan"), 1]], [[float("inf")]]])
def test_what_is_no_matrix_is_refused(matrix: list) -> None:
    with pytest.raises(BadGame):
        matrix_game(matrix)
