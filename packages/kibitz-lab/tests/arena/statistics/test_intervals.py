"""Means with intervals: by hand, against scipy, and how often they hold the truth."""

from collections.abc import Callable
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
import scipy  # which imports scipy.stats when it is first used
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz_lab.arena.statistics.intervals import Bounds, Clusters, Estimate, mean_interval


def test_symmetric_scores_have_the_t_interval() -> None:
    scores = [-3.0, -1.0, 0.0, 1.0, 3.0]
    low, high = scipy.stats.t.interval(0.9, 4, 0.0, scipy.stats.sem(scores))
    found = mean_interval(scores, level=0.9)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_wins_and_losses_have_the_wilson_interval_with_students_quantile() -> None:
    found = mean_interval([1.0] * 30 + [0.0] * 10, bounds=(0.0, 1.0))
    q = scipy.stats.t.ppf(0.975, 39)
    n = 39.0  # the variance of the sample is that of so many wins and losses
    middle, half = (0.75 + q * q / (2 * n)) / (1 + q * q / n), q * sqrt(0.75 * 0.25 / n + (q / (2 * n)) ** 2)
    assert (found.low, found.high) == pytest.approx((middle - half / (1 + q * q / n), middle + half / (1 + q * q / n)))


def test_copies_of_a_match_within_its_block_add_nothing() -> None:
    scores = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    once = mean_interval(scores, bounds=(0.0, 1.0))
    thrice = mean_interval(np.repeat(scores, 3), np.repeat(range(6), 3), bounds=(0.0, 1.0))
    assert (thrice.mean, thrice.low, thrice.high) == pytest.approx((once.mean, once.low, once.high))
    assert (thrice.matches, thrice.blocks) == (18, 6)


def test_the_mean_is_over_matches_where_blocks_differ_in_size() -> None:
    found = mean_interval([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert (found.mean, found.blocks) == (0.75, 2)
    # the sums of the blocks are 0.75 more and 0.75 less than at the mean: a variance of 2 * (2 * 0.75²) / 4²
    assert found.high - found.low == pytest.approx(2 * scipy.stats.t.ppf(0.975, 1) * sqrt(2 * 2 * 0.75**2 / 16))


def test_a_hidden_seat_effect_narrows_the_interval() -> None:
    rng = stream(1, "seats")
    luck = rng.normal(0.0, 0.1, (100, 2))
    scores = (luck + np.array([1.0, -1.0])).ravel()  # the first seat is worth 1
    apart = mean_interval(scores)
    paired = mean_interval(scores, np.repeat(range(100), 2))
    assert paired.high - paired.low < (apart.high - apart.low) / 5


def test_all_wins_leave_room_for_a_loss() -> None:
    found = mean_interval([1.0] * 100, bounds=(-1.0, 1.0))
    q = scipy.stats.t.ppf(0.975, 99)
    assert found.high == 1.0
    assert found.low == pytest.approx(1.0 - 2.0 * q * q / (100 + q * q))


def test_constant_draws_leave_room_on_both_sides() -> None:
    found = mean_interval([0.0] * 100, bounds=(-1.0, 1.0))
    assert -0.05 < found.low < -0.03
    assert found.high == pytest.approx(-found.low)


def test_of_nothing_nothing_is_known() -> None:
    found = mean_interval([])
    assert isnan(found.mean)
    assert (found.low, found.high, found.matches, found.blocks) == (-inf, inf, 0, 0)
    assert str(found) == "no score"


@pytest.mark.parametrize("scores", [[3.0], [0.1] * 7], ids=["one block", "constant"])
def test_an_error_that_cannot_be_seen_is_infinite_without_bounds(scores: list[float]) -> None:
    found = mean_interval(scores)
    assert (found.low, found.high) == (-inf, inf)
    assert found.mean == pytest.approx(scores[0])
    assert "too few games to say" in str(found)


@pytest.mark.parametrize(
    ("low", "high", "bounds", "said"),
    [
        (-767.0, 400.0, (-80.0, 220.0), "too few games to say (24 more needed)"),
        (-767.0, 400.0, (-80.0, inf), "95 % interval -80.00 to 400.00"),
        (-767.0, 200.0, (-80.0, 220.0), "95 % interval -80.00 to 200.00"),
        (-inf, inf, (0.0, inf), "too few games to say (8 more needed)"),
        (120.0, 140.0, (-80.0, 220.0), "95 % interval 120.00 to 140.00"),
    ],
)
def test_no_interval_leaves_its_bounds_or_says_nothing(low: float, high: float, bounds: Bounds, said: str) -> None:
    assert str(Estimate(130.0, low, high, 16, 8).within(bounds)) == f"+130.00, {said}"


def test_one_block_between_bounds_says_no_more_than_the_bounds() -> None:
    found = mean_interval([0.0, 1.0], [4, 4], bounds=(-1.0, 2.0))
    assert (found.mean, found.low, found.high) == (0.5, -1.0, 2.0)


@pytest.mark.parametrize("bad", [nan, inf, -inf, 1e200])
def test_a_score_that_is_no_number_spoils_its_own_group_only(bad: float) -> None:
    rows = Clusters(np.arange(6), np.array([0, 0, 0, 1, 1, 1]), 2).estimates(np.array([1.0, bad, 0.0, 1.0, 0.0, 0.0]))
    assert isnan(rows[0].mean)
    assert (rows[0].low, rows[0].high) == (-inf, inf)
    assert rows[1].mean == pytest.approx(1 / 3)
    assert rows[1].is_finite()


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"level": 0.0}, {"bounds": (1.0, 1.0)}, {"bounds": (0.0, inf)}])
def test_senseless_levels_and_bounds_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadDefinition, match="interval"):
        mean_interval([1.0, 2.0], **wrong)  # type: ignore[arg-type]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 5)), min_size=1, max_size=40),
    st.sampled_from([None, (-1e6, 1e6)]),
)
@example([(0.0, 0), (6.9e-127, 1)], None)  # its variance is a number, the power 3/2 of that is not
@example([(0.0, 0), (6.9e-170, 1)], None)
def test_the_mean_lies_in_its_interval_and_the_interval_between_the_bounds(
    rows: list[tuple[float, int]], bounds: Bounds | None
) -> None:
    scores, blocks = zip(*rows, strict=True)
    found = mean_interval(scores, blocks, bounds=bounds)
    slack = 1e-6 * max(1.0, max(map(abs, scores)))
    assert found.low - slack <= found.mean <= found.high + slack
    assert found.mean == pytest.approx(np.mean(scores), rel=1e-9, abs=1e-6)
    if bounds:
        assert bounds[0] <= found.low <= found.high <= bounds[1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 9)), min_size=2, max_size=40), st.floats(0.1, 10.0))
def test_units_do_not_matter(rows: list[tuple[int, int]], unit: float) -> None:
    scores, blocks = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    for bounds in (None, (-4.0, 4.0)):
        plain = mean_interval(scores, blocks, bounds=bounds)
        shifted = (bounds[0] * unit + 7.0, bounds[1] * unit + 7.0) if bounds else None
        scaled = mean_interval(scores * unit + 7.0, blocks, bounds=shifted)
        assert (scaled.low, scaled.high) == pytest.approx((plain.low * unit + 7.0, plain.high * unit + 7.0), abs=1e-6)


# ---------------------------------------------------------------------------------------------------------- coverage

Rng = np.random.Generator
Scores = tuple[NDArray[np.float64], NDArray[np.float64] | float]
"""Tournaments × blocks × matches of a block, and the true mean (of each tournament)."""
Tournaments = Callable[[Rng, int], Scores]


def wins(low: float, high: float, blocks: int, matches: int, shared: float) -> Tournaments:
    """Wins and losses of an agent whose true share is drawn from low to high; *shared* correlates a block's matches."""

    def drawn(rng: Rng, many: int) -> Scores:
        p = rng.uniform(low, high, (many, 1, 1))
        same = rng.random((many, blocks, matches)) < sqrt(shared)
        block, own = rng.random((many, blocks, 1)) < p, rng.random((many, blocks, matches)) < p
        return np.where(same, block, own).astype(float), p[:, 0, 0]

    return drawn


def draws(won: float, drawn: float, blocks: int) -> Tournaments:
    """1, ½ and 0 in blocks of two, the second of which repeats the first now and then."""

    def outcomes(rng: Rng, many: int) -> Scores:
        luck = rng.random((many, blocks, 2))
        luck[:, :, 1] = np.where(rng.random((many, blocks)) < 0.2, luck[:, :, 0], luck[:, :, 1])
        return np.where(luck < won, 1.0, np.where(luck < won + drawn, 0.5, 0.0)), won + drawn / 2

    return outcomes


def seats(first: float, second: float, blocks: int) -> Tournaments:
    """Wins in blocks of two with seats exchanged, where the seat matters more than the agent."""
    return lambda rng, many: ((rng.random((many, blocks, 2)) < [first, second]).astype(float), (first + second) / 2)


def luck(draw: Callable[[Rng, tuple[int, ...]], NDArray[np.float64]], mean: float, blocks: int = 50) -> Tournaments:
    """Scores of blocks of two, half of each from the block and half from the match."""
    return lambda rng, many: ((draw(rng, (many, blocks, 1)) + draw(rng, (many, blocks, 2))) / 2, mean)


def chips(rng: Rng, many: int) -> Scores:
    """Small gains, rarely a large loss, within bounds that are far away."""
    return np.where(rng.random((many, 100, 1)) < 0.1, -20.0, rng.exponential(4.0, (many, 100, 1))), 0.9 * 4.0 - 2.0


UNIT = (0.0, 1.0)
CASES: dict[str, tuple[Tournaments, Bounds | None]] = {
    "normal, 50 blocks of 2": (luck(lambda rng, size: rng.normal(0.0, 1.0, size), 0.0), None),
    "exponential, 50 blocks of 2": (luck(lambda rng, size: rng.exponential(1.0, size), 1.0), None),
    "gamma ½, 50 blocks of 2": (luck(lambda rng, size: rng.gamma(0.5, 1.0, size), 0.5), None),
    "rare large losses, 100 blocks of 1": (chips, (-200.0, 200.0)),
    "beta(8, 0.4), 50 blocks of 2": (luck(lambda rng, size: rng.beta(8.0, 0.4, size), 8.0 / 8.4), UNIT),
    "wins 40–60 %, 100 blocks of 1": (wins(0.4, 0.6, 100, 1, 0.0), UNIT),
    "wins 40–60 %, 25 blocks of 4, correlated": (wins(0.4, 0.6, 25, 4, 0.2), UNIT),
    "wins 85–95 %, 50 blocks of 2": (wins(0.85, 0.95, 50, 2, 0.0), UNIT),
    "wins 85–95 %, 50 blocks of 2, correlated": (wins(0.85, 0.95, 50, 2, 0.5), UNIT),
    "wins 93–97 %, 100 blocks of 1": (wins(0.93, 0.97, 100, 1, 0.0), UNIT),
    "wins 93–97 %, 100 blocks of 2, correlated": (wins(0.93, 0.97, 100, 2, 0.3), UNIT),
    "wins 93–97 %, 500 blocks of 2, correlated": (wins(0.93, 0.97, 500, 2, 0.3), UNIT),
    "wins 97–99 %, 200 blocks of 2, correlated": (wins(0.97, 0.99, 200, 2, 0.3), UNIT),
    "wins 90 % first, 20 % second, 50 blocks": (seats(0.9, 0.2, 50), UNIT),
    "wins 30 %, draws 60 %, 50 blocks of 2": (draws(0.3, 0.6, 50), UNIT),
    "wins 90 %, draws 8 %, 50 blocks of 2": (draws(0.9, 0.08, 50), UNIT),
}


def coverage(case: str, tournaments: Tournaments, bounds: Bounds | None, many: int) -> float:
    """In what share of the tournaments the interval holds the true mean."""
    scores, truth = tournaments(stream(1, "coverage", case), many)
    _, blocks, matches = scores.shape
    clusters = Clusters(
        np.tile(np.repeat(np.arange(blocks), matches), many), np.repeat(np.arange(many), blocks * matches), many
    )
    found = clusters.estimates(scores.ravel(), 0.95, bounds)
    assert np.all(found.high > found.low)
    share = float(np.mean((found.low <= truth + 1e-12) & (truth - 1e-12 <= found.high)))
    print(f"{case:45} {100 * share:5.1f} %")
    return share


@pytest.mark.parametrize("case", ["exponential, 50 blocks of 2", "wins 93–97 %, 100 blocks of 1", *list(CASES)[-3:]])
def test_intervals_hold_the_truth_as_often_as_they_say(case: str) -> None:
    assert 0.94 <= coverage(case, *CASES[case], 5_000) <= 0.96


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth_as_often_as_they_say_in_every_case(case: str) -> None:
    assert 0.94 <= coverage(case, *CASES[case], 20_000) <= 0.96


def test_matches_of_a_block_taken_as_independent_would_promise_too_much() -> None:
    case = "wins 85–95 %, 50 blocks of 2, correlated"
    scores, truth = CASES[case][0](stream(1, "naive"), 5_000)
    apart = scores.reshape(5_000, 100, 1)
    assert coverage("naive", lambda rng, many: (apart, truth), UNIT, 5_000) < 0.92


def test_two_odd_blocks_prove_nothing() -> None:
    scores = [0.0] * 38 + [-2.0] * 2
    found = mean_interval(scores, bounds=(-60.0, 60.0))
    assert found.low < 0.0 < found.high
