"""What is said of match results: shares, head to head, pairs, payoffs and summaries, with numbers by hand."""

import xml.etree.ElementTree as ElementTree
from math import inf, isnan, nan

import msgspec
import numpy as np
import pytest
import scipy  # which imports scipy.stats when it is first used

from kibitz.arena.statistics import (
    ResultColumns,
    head_to_head,
    mean_interval,
    paired_bootstrap,
    payoffs,
    shares,
    summary,
)
from kibitz.core.drawing import svg
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz.store.results import MatchResult


def match(index: int, names: str, *returns: float, block: int | None = None, **rest: object) -> MatchResult:
    """A match of agents with names of one letter."""
    settings: dict[str, object] = {
        "series": index,
        "block": index if block is None else block,
        "game": "g",
        "seed": index,
        "plies": 1,
        "reason": "",
        "seconds": (0.0,) * len(names),
        "strikes": (0,) * len(names),
    }
    return msgspec.convert({"index": index, "names": tuple(names), "returns": returns} | settings | rest, MatchResult)


# ------------------------------------------------------------------------------------------------------------ shares


def test_most_wins_shared_most_draws_and_the_others_lose() -> None:
    found = shares([match(0, "abc", 3.0, 1.0, 3.0), match(1, "abc", 5.0, 1.0, 3.0)])
    assert [found["a"].won.mean, found["a"].drawn.mean, found["a"].lost.mean] == [0.5, 0.5, 0.0]
    assert [found["b"].won.mean, found["b"].drawn.mean, found["b"].lost.mean] == [0.0, 0.0, 1.0]
    assert [found["c"].won.mean, found["c"].drawn.mean, found["c"].lost.mean] == [0.0, 0.5, 0.5]


def test_a_share_of_nothing_but_wins_has_an_interval() -> None:
    won = shares([match(i, "ab", 1.0, -1.0) for i in range(100)])["a"].won
    assert (won.mean, won.high) == (1.0, 1.0)
    assert 0.95 < won.low < 0.97


def test_a_match_with_a_return_that_is_no_number_has_no_outcome() -> None:
    found = shares([match(0, "ab", nan, 1.0), match(1, "bc", 1.0, -1.0)])
    assert isnan(found["a"].won.mean)
    assert isnan(found["b"].won.mean)
    assert found["c"].lost.mean == 1.0


# ------------------------------------------------------------------------------------------------------ head to head


def test_the_verdict_says_who_is_better_and_how_sure_one_can_be() -> None:
    results = []
    for block in range(120):
        won = 0.62 if block % 2 else 0.0
        results += [match(2 * block, "ab", won / 2, -won / 2, block=block)]
        results += [match(2 * block + 1, "ba", -won / 2, won / 2, block=block)]
    found = head_to_head(results, "a", "b", bounds=(-1.0, 1.0))
    assert found.difference.mean == pytest.approx(0.31)
    assert found.better() == "a"
    low, high = found.difference.low, found.difference.high
    assert found.verdict() == (
        f"a is better than b: +0.310 per match, 95 % interval {low:.3f} to {high:.3f}, 240 matches in 120 blocks"
    )
    assert head_to_head(results, "b", "a", bounds=(-1.0, 1.0)).verdict() == found.verdict()


def test_the_interval_of_a_difference_is_students_over_blocks() -> None:
    gains = [1.0, 0.0, 2.0, 0.0, 1.0, 2.0]  # symmetric, so that there is no skewness to correct
    found = head_to_head([match(i, "ab", gain, -0.5) for i, gain in enumerate(gains)], "a", "b", bounds=(-500.0, 500.0))
    assert found.difference.mean == 1.5
    low, high = scipy.stats.t.interval(0.95, 5, 1.5, scipy.stats.sem(gains))
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high))


def test_few_matches_decide_nothing() -> None:
    found = head_to_head([match(0, "ab", 1.0, -1.0), match(1, "ab", -1.0, 1.0)], "a", "b")
    assert found.better() is None
    assert found.verdict().startswith("not decided: a against b +0.00 per match, 95 % interval -")
    assert found.verdict().endswith("2 matches in 2 blocks")


def test_all_wins_decide_though_no_error_can_be_seen() -> None:
    results = [match(i, "ab", 1.0, -1.0) for i in range(20)]
    assert head_to_head(results, "a", "b").better() == "a"
    assert head_to_head(results[:1], "a", "b").better() is None
    assert head_to_head(results[:1], "a", "b").verdict().endswith("1 match in 1 block")


def test_who_never_met_is_not_compared() -> None:
    verdict = "not decided: a and c played no match together"
    assert head_to_head([match(0, "ab", 1.0, -1.0), match(1, "bc", 1.0, -1.0)], "a", "c").verdict() == verdict
    assert head_to_head([], "a", "c").verdict() == verdict


def test_several_seats_of_one_agent_count_by_their_mean() -> None:
    assert head_to_head([match(0, "aba", 1.0, 0.5, 3.0)], "a", "b").difference.mean == 1.5


def test_a_return_that_is_no_number_decides_nothing() -> None:
    results = [match(0, "ab", nan, 1.0), match(1, "ab", 1.0, 0.0)]
    assert head_to_head(results, "a", "b").verdict() == "not decided: a return is not a number, 2 matches in 2 blocks"


# --------------------------------------------------------------------------------------------------------- bootstrap


def test_the_bootstrap_is_reproduced_by_its_seed() -> None:
    a, b = stream(1, "a").random(60), stream(1, "b").random(60)
    assert paired_bootstrap(a, b, seed=3) == paired_bootstrap(a, b, seed=3)
    assert paired_bootstrap(a, b, seed=3) != paired_bootstrap(a, b, seed=4)


def test_the_bootstrap_agrees_with_that_of_scipy() -> None:
    a, b = stream(1, "a").exponential(1.0, 200), stream(1, "b").random(200)
    found = paired_bootstrap(a, b, resamples=20_000)
    oracle = scipy.stats.bootstrap((a - b,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1))
    width = oracle.confidence_interval.high - oracle.confidence_interval.low
    assert found.difference.low == pytest.approx(oracle.confidence_interval.low, abs=0.03 * width)
    assert found.difference.high == pytest.approx(oracle.confidence_interval.high, abs=0.03 * width)


def test_ahead_is_the_share_of_resamples_with_a_gain() -> None:
    # of two blocks drawn from -1 and 2, only both from -1 (a quarter) leave A behind
    found = paired_bootstrap([0.0, 2.0], [1.0, 0.0], resamples=40_000)
    assert found.ahead == pytest.approx(0.75, abs=0.01)
    assert paired_bootstrap([1.0, 2.0], [1.0, 2.0]).ahead == 0.5


def test_blocks_are_drawn_whole() -> None:
    a = np.repeat(stream(1, "a").random(30), 4)
    once = paired_bootstrap(a[::4], np.zeros(30), seed=1)
    whole = paired_bootstrap(a, np.zeros(120), np.repeat(range(30), 4), seed=1)
    assert (whole.difference.low, whole.difference.high) == pytest.approx((once.difference.low, once.difference.high))
    assert (whole.difference.matches, whole.difference.blocks) == (120, 30)


@pytest.mark.parametrize("a", [[], [1.0], [2.0, 2.0], [nan, 1.0]], ids=["empty", "one", "constant", "nan"])
def test_the_bootstrap_answers_where_there_is_nothing_to_resample(a: list[float]) -> None:
    found = paired_bootstrap(a, [0.0] * len(a))
    assert (found.difference.low, found.difference.high) == (-inf, inf)
    assert str(found)


def test_unequal_lengths_do_not_pair() -> None:
    with pytest.raises(BadDefinition, match="do not pair"):
        paired_bootstrap([1.0, 2.0], [1.0])


def bootstrap_coverage(runs: int, blocks: int) -> float:
    """How often the interval holds the truth for skewed, correlated pairs in blocks of two."""
    rng = stream(1, "bootstrap coverage")
    hits = 0
    for run in range(runs):
        common = rng.exponential(1.0, (blocks, 1))
        a, b = common * 1.5 + rng.exponential(1.0, (blocks, 2)), common + rng.random((blocks, 2))
        labels = np.repeat(range(blocks), 2)
        found = paired_bootstrap(a.ravel(), b.ravel(), labels, resamples=2_000, seed=run).difference
        hits += found.low <= 1.0 <= found.high
    print(f"bootstrap of {blocks} blocks of 2: {100 * hits / runs:.1f} %")
    return hits / runs


@pytest.mark.parametrize(
    ("runs", "slack"),
    [pytest.param(300, 0.02, marks=pytest.mark.long), pytest.param(5_000, 0.01, marks=pytest.mark.slow)],
)
def test_bootstrap_intervals_hold_the_truth_as_often_as_they_say(runs: int, slack: float) -> None:
    assert bootstrap_coverage(runs, 50) == pytest.approx(0.95, abs=slack)


# ----------------------------------------------------------------------------------------------------------- payoffs


@pytest.fixture
def triangle() -> list[MatchResult]:
    """a beats b, b beats c, c never meets a but at one table of three."""
    return [
        match(0, "ab", 1.0, -1.0, block=0),
        match(1, "ba", 0.0, 0.0, block=0),
        match(2, "ab", 1.0, -1.0, block=1),
        match(3, "bc", 1.0, -1.0, block=2),
        match(4, "abc", 0.0, 0.5, -0.5, block=3),
    ]


def test_payoffs_are_means_of_the_row_where_both_sat_at_the_table(triangle: list[MatchResult]) -> None:
    found = payoffs(triangle)
    expected = [[nan, 0.5, 0.0], [-0.375, nan, 0.75], [-0.5, -0.75, nan]]
    np.testing.assert_allclose(found.matrix(), expected)
    assert found.matches().tolist() == [[0, 4, 1], [4, 0, 2], [1, 2, 0]]
    assert (found["a", "b"].matches, found["a", "b"].blocks) == (4, 3)
    by_hand = mean_interval([1.0, 0.0, 1.0, 0.0], [0, 0, 1, 3])
    assert (found["a", "b"].low, found["a", "b"].high) == pytest.approx((by_hand.low, by_hand.high))


def test_the_matrix_is_drawn_in_colours_that_say_their_numbers(triangle: list[MatchResult]) -> None:
    root = ElementTree.fromstring(svg(payoffs(triangle).picture()))
    cells = {cell.get("id"): cell for cell in root.iter("{http://www.w3.org/2000/svg}rect")}
    assert set(cells) == {"cell-0-1", "cell-0-2", "cell-1-0", "cell-1-2", "cell-2-0", "cell-2-1"}
    assert (cells["cell-1-2"].get("fill"), cells["cell-2-1"].get("fill")) == ("#0072b2", "#d55e00")
    title = cells["cell-0-1"].findtext("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.startswith("a against b: +0.50, 95 % interval ")


def test_payoffs_of_nothing_and_of_equals_can_be_drawn() -> None:
    assert payoffs([]).text() == ""
    assert svg(payoffs([]).picture()).startswith("<svg")
    assert payoffs([match(0, "ab", 1.0, 1.0)]).text().count("▒▒") == 2


# ----------------------------------------------------------------------------------------------------------- summary


def test_a_summary_says_everything_by_hand() -> None:
    results = [
        match(0, "ab", 1.0, -1.0, block=0, series=0, seconds=(0.5, 1.0)),
        match(1, "ab", 0.0, 0.0, block=0, series=0, seconds=(1.5, 1.0), strikes=(0, 2)),
        match(2, "ba", 1.0, -1.0, block=0, series=1, seconds=(1.0, 4.0), strikes=(3, 0), forfeits=(0,)),
        match(3, "ba", -1.0, 1.0, block=0, series=1),
        match(4, "ac", 1.0, -1.0, block=1, series=2),
    ]
    found = summary(reversed(results))
    a, b = found["a"], found["b"]
    assert list(found) == ["a", "b", "c"]
    assert (a.matches, a.blocks, a.score.mean) == (5, 2, 0.4)
    assert (a.won, a.drawn, a.lost) == (3, 1, 1)
    assert (a.shares.won.mean, a.shares.drawn.mean, a.shares.lost.mean) == pytest.approx((0.6, 0.2, 0.2))
    assert {name: row.score.mean for name, row in a.opponents.items()} == {"b": 0.25, "c": 1.0}
    assert a.opponents["b"].shares.won.mean == 0.5
    assert {seat: row.score.mean for seat, row in a.seats.items()} == {0: pytest.approx(2 / 3), 1: 0.0}
    assert [point.mean for point in a.learning] == [pytest.approx(1 / 3), 0.5]
    assert [(point.matches, point.blocks) for point in a.learning] == [(3, 2), (2, 1)]
    assert (a.seconds, a.longest, a.strikes, a.forfeits) == (pytest.approx(6.0 / 5), 4.0, 0, 0)
    assert (b.seconds, b.longest, b.strikes, b.forfeits) == (0.75, 1.0, 5, 1)
    by_hand = mean_interval([1.0, 0.0, -1.0, 1.0, 1.0], [0, 0, 0, 0, 1], bounds=(-1.0, 1.0))
    assert (a.score.low, a.score.high) == pytest.approx((by_hand.low, by_hand.high))


def test_a_learning_curve_shows_learning() -> None:
    rng = stream(1, "learning")
    results = []
    for block in range(40):
        for number in range(6):
            won = 1.0 if rng.random() < 0.1 + 0.8 * number / 5 else -1.0
            results.append(match(len(results), "ab", won, -won, block=block, series=block))
    found = summary(results)["a"].learning
    assert len(found) == 6
    assert found[0].high < found[-1].low
    assert {point.blocks for point in found} == {40}


def test_bounds_are_taken_from_wins_draws_and_losses_only() -> None:
    assert ResultColumns([match(0, "ab", 1.0, -1.0)]).bounds() == (-1.0, 1.0)
    assert ResultColumns([match(0, "ab", 0.0, 0.0)]).bounds() is None
    assert ResultColumns([match(0, "abcd", 0.0, 1.0, 2.0, 3.0)]).bounds() is None
    assert ResultColumns([]).bounds() is None
