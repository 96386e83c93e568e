from math import sqrt

import numpy as np
import pytest
from games_by_hand import SIGNS, guan, purgatory, random_game, right_turn
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadGame
from kibitz_lab.equilibria.matrices import matrix_game
from kibitz_solve import Operator, complement, iterate, recursive_game, speed_operator, survival_operator
from kibitz_solve.recursive.values import kernels
from kibitz_solve.recursive.values.kernels import scratch_arrays

seeds = st.integers(0, 10_000)
ETAS = (1e-2, 1e-4, 1e-8)
PURGATORY = {
    1e-2: (0.9, 0.669848519616, 0.419612228264, 0.235419138339),
    1e-4: (0.99, 0.899506219098, 0.68285061639, 0.436779200782),
    1e-8: (0.9999, 0.989999500062, 0.899997450845, 0.683768189211),
}


@pytest.mark.parametrize("eta", ETAS)
def test_guan_has_her_closed_forms(eta: float) -> None:
    discounted = iterate(guan(), survival_operator(1.0 - eta), method="newton").values[0]
    assert discounted == pytest.approx(1.0 - sqrt(eta), abs=1e-11)
    quick = iterate(guan(), speed_operator(eta), method="newton").values[0]
    assert 1.0 - quick == pytest.approx((eta + sqrt(eta * eta + 4.0 * eta)) / 2.0, abs=1e-11)
    beta = 1.0 - eta
    signed = iterate(guan(-1.0), survival_operator(beta), method="newton").values[0]
    assert signed == pytest.approx(((3.0 - beta) - sqrt((1.0 - beta) * (9.0 - beta))) / 2.0, abs=1e-11)


@pytest.mark.parametrize("eta", ETAS)
def test_guan_runs_with_the_probability_that_follows(eta: float) -> None:
    game = guan()
    values = iterate(game, survival_operator(1.0 - eta), method="newton").values
    found = matrix_game(game.matrix(0, values))
    assert found.row[1] == pytest.approx(sqrt(eta) / (1.0 + sqrt(eta)), rel=1e-6)
    assert found.column[1] == pytest.approx(sqrt(eta) / (1.0 + sqrt(eta)), rel=1e-6)


@pytest.mark.parametrize("sweeps", [1, 5, 30])
def test_plain_iteration_nears_guan_as_slowly_as_it_must(sweeps: int) -> None:
    found = iterate(guan(), Operator(), method="jacobi", sweeps=sweeps, tolerance=0.0)
    assert found.values[0] == pytest.approx(sweeps / (sweeps + 1), abs=1e-14)
    assert not found.finished


@pytest.mark.parametrize("eta", PURGATORY)
@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_purgatory_has_its_values_of_every_level(eta: float, levels: int) -> None:
    values = iterate(purgatory(levels), survival_operator(1.0 - eta), method="newton").values
    assert values[0] == pytest.approx(PURGATORY[eta][levels - 1], abs=2e-9)
    above = [*values[1:levels], 1.0]
    for value, up in zip(values[:levels], above, strict=True):
        assert value == pytest.approx((1.0 - eta) * up * up / (2.0 * up - values[0]), abs=1e-12)


@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_newtons_method_keeps_the_floor_of_speed(delta: float) -> None:
    game = right_turn(6)
    quick, sure = (iterate(game, speed_operator(delta), method=m, tolerance=1e-16) for m in ("newton", "worklist"))
    assert quick.finished
    assert quick.values == pytest.approx(sure.values, abs=1e-13)


def test_a_near_sure_win_keeps_its_digits_as_a_cost() -> None:
    """Near 1 the distance loses what the discount is smaller than rounding; near 0 it does not."""
    for eta in (1e-8, 1e-10, 1e-12):
        game = complement(guan())
        cost = -iterate(game, Operator(step=eta, floor=-1.0), method="newton", start=game.start(game.low, -1.0)).values[
            0
        ]
        exact = (eta + sqrt(eta * eta + 4.0 * eta)) / 2.0
        assert cost == pytest.approx(exact, rel=1e-9)
        plain = 1.0 - iterate(guan(), survival_operator(1.0 - eta), method="newton").values[0]
        assert plain == pytest.approx(sqrt(eta), rel=4.0 * 2.0**-53 / eta)


@pytest.mark.long
@given(seeds, st.sampled_from(SIGNS), st.sampled_from([0.0, 0.4]))
def test_all_methods_reach_the_same_values(seed: int, signs: tuple[float, ...], chance: float) -> None:
    game = random_game(np.random.default_rng(seed), signs, chance)
    operator = survival_operator(0.9)
    found = [
        iterate(game, operator, method=method, tolerance=1e-13).values
        for method in ("worklist", "gauss-seidel", "jacobi", "newton")
    ]
    for values in found[1:]:
        assert values == pytest.approx(found[0], abs=1e-11)


@given(seeds, st.sampled_from([0.0, 0.4]))
def test_a_sweep_is_the_value_of_every_matrix(seed: int, chance: float) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, (-1.0, 0.5, 1.0), chance)
    old = game.start(game.low)
    old[: game.choices] = rng.uniform(-1.0, 1.0, game.choices)
    new, fixed = old.copy(), np.zeros(game.nodes, np.uint8)
    operator, scratch = Operator(0.9, 0.05, -0.5), scratch_arrays(*game.largest_shape())
    kernels.sweep(game.structure.arrays, old, operator.numbers, fixed, new, scratch)
    for state in range(game.choices):
        assert new[state] == pytest.approx(
            max(-0.5, 0.9 * matrix_game(game.matrix(state, old)).value - 0.05), abs=1e-13
        )


def test_the_worklist_solves_far_fewer_games_than_sweeps() -> None:
    game, operator = right_turn(30), survival_operator(0.999)
    quick, slow = (iterate(game, operator, method=method) for method in ("worklist", "gauss-seidel"))
    assert quick.values == pytest.approx(slow.values, abs=1e-5)
    assert 10 * quick.solves < slow.solves


@given(seeds, st.floats(0.001, 0.3))
def test_games_of_speed_have_one_fixed_point(seed: int, delta: float) -> None:
    """Erratum 16: from below and from above, iteration ends at the same values."""
    game = random_game(np.random.default_rng(seed), (0.0, 1.0), 0.3)
    below = iterate(game, speed_operator(delta), tolerance=1e-14).values
    above = iterate(game, speed_operator(delta), start=game.start(game.low, 1.0), tolerance=1e-14).values
    assert below == pytest.approx(above, abs=1e-9)


def test_without_discount_iteration_may_stand_still_anywhere() -> None:
    """Erratum 14: the undiscounted operator has many fixed points, and only the least of them is the value here."""
    game = recursive_game({"round": [["round"]]}, {"win": 1.0})
    for value in (0.0, 0.3, 1.0):
        assert iterate(game, Operator(), start=game.start(game.low, value)).values[0] == value


@pytest.mark.parametrize(
    ("discount", "step"), [(0.0, 0.0), (1.5, 0.0), (1.0 - 1e-16, 0.0), (1.0, -0.1), (float("nan"), 0.0)]
)
def test_operators_that_mean_nothing_are_refused(discount: float, step: float) -> None:
    with pytest.raises(BadGame):
        Operator(discount, step)


def test_stage_payoffs_are_earned_on_the_way() -> None:
    game = recursive_game({"a": [["a", "end"]]}, {"end": 2.0}, stage={"a": [[1.0, 0.0]]})
    assert iterate(game, Operator(0.5), tolerance=1e-14).values[0] == pytest.approx(
        1.0
    )  # 0.5 (1 + v) at the fixed point
