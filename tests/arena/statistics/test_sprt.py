"""The sequential test: its error rates, what it costs, and what it says on the way."""

from collections.abc import Callable
from math import inf, log, nan

import numpy as np
import pytest
from numpy.typing import NDArray

from kibitz.arena.statistics import Sprt, difference_of_elo, elo_of_difference, sprt
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz.store.results import MatchResult

Rng = np.random.Generator
Blocks = Callable[[Rng, float, tuple[int, int]], NDArray[np.float64]]
"""Block scores between -2 and 2 with a given mean."""


def even(rng: Rng, mean: float, size: tuple[int, int]) -> NDArray[np.float64]:
    """Two matches won or lost: little is learned from a block."""
    return 4.0 * rng.binomial(2, (mean / 2.0 + 1.0) / 2.0, size) / 2.0 - 2.0


def rare_losses(rng: Rng, mean: float, size: tuple[int, int]) -> NDArray[np.float64]:
    """Small gains and a large loss in one block of twenty."""
    return np.where(rng.random(size) < 0.05, -2.0, (mean + 0.1) / 0.95)


def rare_wins(rng: Rng, mean: float, size: tuple[int, int]) -> NDArray[np.float64]:
    return -rare_losses(rng, -mean, size)


def draws(rng: Rng, mean: float, size: tuple[int, int]) -> NDArray[np.float64]:
    """Mostly draws."""
    luck = rng.random(size)
    return np.where(luck < 0.03 + mean / 4.0, 2.0, np.where(luck < 0.06, -2.0, 0.0))


def skewed(rng: Rng, mean: float, size: tuple[int, int]) -> NDArray[np.float64]:
    return np.minimum(rng.exponential(0.3, size), 1.7) - 0.3 * (1.0 - np.exp(-1.7 / 0.3)) + mean


CASES: dict[str, tuple[Blocks, float, int]] = {
    "even, margin 0.2": (even, 0.2, 2_500),
    "even, margin 1": (even, 1.0, 300),
    "rare losses, margin 0.1": (rare_losses, 0.1, 2_000),
    "rare wins, margin 0.1": (rare_wins, 0.1, 2_000),
    "mostly draws, margin 0.1": (draws, 0.1, 2_000),
    "skewed, margin 0.1": (skewed, 0.1, 1_200),
}


def after(test: Sprt, scores: NDArray[np.float64] | list[float]) -> Sprt:
    test.add_all(scores)
    return test


def error_rates(case: str, runs: int) -> tuple[float, float]:
    """How often the test says `better` at no difference, and `not better` at the margin."""
    blocks, margin, most = CASES[case]
    rates, costs = [], []
    for mean, wrong in ((0.0, "better"), (margin, "not better")):
        rows = blocks(stream(1, "sprt", case, wrong), mean, (runs, most))
        tests = [after(Sprt(margin, bounds=(-2.0, 2.0)), row) for row in rows]
        rates.append(sum(test.state == wrong for test in tests) / runs)
        costs.append(sum(test.blocks for test in tests) / runs)
    print(f"{case:28} {100 * rates[0]:5.1f} % {100 * rates[1]:5.1f} % {costs[0]:7.0f} {costs[1]:7.0f}")
    return rates[0], rates[1]


@pytest.mark.long
@pytest.mark.parametrize("case", ["even, margin 1", "rare losses, margin 0.1", "mostly draws, margin 0.1"])
def test_errors_are_as_rare_as_promised(case: str) -> None:
    assert max(error_rates(case, 600)) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_errors_are_as_rare_as_promised_in_every_case(case: str) -> None:
    assert max(error_rates(case, 5_000)) <= 0.06


@pytest.mark.parametrize(("least", "errors"), [(5, 0.6), (30, 0.2)])
def test_an_estimated_variance_alone_would_err_far_more_often(least: int, errors: float) -> None:
    rows = rare_losses(stream(1, "naive"), 0.0, (1_000, 400))
    counts = np.arange(1, 401)
    means = np.cumsum(rows, axis=1) / counts
    variances = np.maximum(np.cumsum(rows**2, axis=1) / counts - means**2, 1e-9)
    ratios = counts * 0.1 * (2.0 * means - 0.1) / 2.0 / variances
    ratios[:, :least] = 0.0
    first_up = np.where((ratios > log(19)).any(axis=1), (ratios > log(19)).argmax(axis=1), 400)
    first_down = np.where((ratios < -log(19)).any(axis=1), (ratios < -log(19)).argmax(axis=1), 400)
    assert np.mean(first_up < first_down) > errors


@pytest.mark.long
def test_it_costs_little_more_than_the_test_that_knows_the_variance() -> None:
    rows = even(stream(1, "cost"), 0.2, (300, 2_500))
    ours = np.mean([after(Sprt(0.2, bounds=(-2.0, 2.0)), row).blocks for row in rows])
    ratios = np.cumsum(0.2 / 2.0 * (rows - 0.1), axis=1)  # the variance of a block is 2
    wald = np.mean((np.abs(ratios) >= log(19)).argmax(axis=1) + 1)
    assert wald < ours < 1.15 * wald


def test_all_wins_decide_quickly_but_not_at_once() -> None:
    test = after(Sprt(0.2, bounds=(-2.0, 2.0)), [2.0] * 100)
    assert test.state == "better"
    assert 4 <= test.blocks <= 12


def test_nothing_but_draws_is_not_better() -> None:
    assert after(Sprt(0.1), [0.0] * 1000).state == "not better"


def test_it_says_how_far_it_is() -> None:
    test = Sprt(0.5, bounds=(-2.0, 2.0), alpha=0.01, beta=0.1)
    assert test.limits == pytest.approx((log(0.1), log(100)))
    assert (test.state, test.llr, test.progress()) == ("undecided", 0.0, 0.0)
    # the first stake is 0.5 / (4 + 0.25), as the variance may be the largest there is
    assert test.add(2.0) == "undecided"
    assert test.pro == pytest.approx(log(1 + 0.5 / 4.25 * 2.0))
    assert test.contra == pytest.approx(log(1 - 0.5 / 4.25 * 1.5))
    assert test.llr == test.pro
    assert test.progress() == pytest.approx(test.pro / log(100))
    assert str(test) == f"undecided after 1 blocks: log ratio {test.pro:.2f} between -2.30 and 4.61"


def test_it_is_the_same_backwards() -> None:
    rows = even(stream(1, "mirror"), 0.1, (1, 200))[0]
    one, other = Sprt(0.2, -0.2, bounds=(-2.0, 2.0)), Sprt(0.2, -0.2, bounds=(-2.0, 2.0))
    for score in rows:
        one.add(score)
        other.add(-score)
    assert (one.pro, one.contra) == pytest.approx((other.contra, other.pro))


def test_what_is_decided_stays_decided() -> None:
    test = after(Sprt(0.5), [1.0] * 50)
    assert test.state == "better"
    for _ in range(200):
        test.add(-1.0)
    assert (test.state, test.progress()) == ("better", 1.0)
    assert test.llr < 0.0


@pytest.mark.parametrize("score", [nan, inf, 1.5])
def test_scores_outside_the_bounds_are_refused(score: float) -> None:
    with pytest.raises(BadDefinition, match="not within"):
        Sprt(0.5).add(score)


@pytest.mark.parametrize("wrong", [{"d1": 0.0}, {"d1": 1.0}, {"d1": 0.5, "d0": -1.0}, {"d1": 0.5, "alpha": 0.0}])
def test_senseless_hypotheses_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadDefinition):
        Sprt(**wrong)  # type: ignore[arg-type]


def test_results_are_taken_by_block_in_order_and_only_where_both_played() -> None:
    def match(index: int, block: int, names: tuple[str, str], won: float) -> MatchResult:
        return MatchResult(
            index=index, series=index, block=block, game="g", seed=block, names=names, returns=(won, -won), plies=1,
            reason="", seconds=(0.0, 0.0), strikes=(0, 0),
        )  # fmt: skip

    results = [match(3, 1, ("b", "a"), 1.0), match(0, 0, ("a", "b"), 1.0), match(1, 0, ("b", "a"), -1.0)]
    results += [match(2, 1, ("a", "b"), 1.0), match(4, 2, ("a", "c"), -1.0)]
    test, by_hand = sprt(results, "a", "b", 0.5), Sprt(0.5, bounds=(-2.0, 2.0))
    by_hand.add(2.0)
    by_hand.add(0.0)
    assert (test.blocks, test.llr) == (2, by_hand.llr)
    assert sprt([], "a", "b", 0.5).state == "undecided"


def test_elo_points_are_a_difference_of_returns() -> None:
    assert difference_of_elo(400) == pytest.approx(2 * (10 / 11 - 1 / 11))
    assert elo_of_difference(difference_of_elo(-37.0)) == pytest.approx(-37.0)
    assert (elo_of_difference(2.0), elo_of_difference(-2.0)) == (inf, -inf)
