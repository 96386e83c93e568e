"""What is said of match results: shares, differences, payoffs and summaries, with numbers by hand."""

from math import isnan, nan

import msgspec
import numpy as np
import pytest

from kibitz_lab.arena.statistics import ResultColumns, mean_interval, payoffs, summary
from kibitz_lab.arena.statistics.summary import Shares
from kibitz_lab.store.results import MatchResult


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


def shares_of(results: list[MatchResult]) -> dict[str, Shares]:
    return {name: found.shares for name, found in summary(results).items()}


def test_most_wins_shared_most_draws_and_the_others_lose() -> None:
    found = shares_of([match(0, "abc", 3.0, 1.0, 3.0), match(1, "abc", 5.0, 1.0, 3.0)])
    assert [found["a"].won.mean, found["a"].drawn.mean, found["a"].lost.mean] == [0.5, 0.5, 0.0]
    assert [found["b"].won.mean, found["b"].drawn.mean, found["b"].lost.mean] == [0.0, 0.0, 1.0]
    assert [found["c"].won.mean, found["c"].drawn.mean, found["c"].lost.mean] == [0.0, 0.5, 0.5]


def test_a_share_of_nothing_but_wins_has_an_interval() -> None:
    won = shares_of([match(i, "ab", 1.0, -1.0) for i in range(100)])["a"].won
    assert (won.mean, won.high) == (1.0, 1.0)
    assert 0.95 < won.low < 0.97


def test_a_match_with_a_return_that_is_no_number_has_no_outcome() -> None:
    found = shares_of([match(0, "ab", nan, 1.0), match(1, "bc", 1.0, -1.0)])
    assert isnan(found["a"].won.mean)
    assert isnan(found["b"].won.mean)
    assert found["c"].lost.mean == 1.0


# ------------------------------------------------------------------------------------------------------- differences


def test_differences_are_of_matches_that_both_played_in() -> None:
    table = ResultColumns([match(0, "ab", 1.0, -1.0, block=3), match(1, "bc", 1.0, -1.0), match(2, "ba", 0.5, 0.0)])
    differences, blocks = table.differences("a", "b")
    assert (differences.tolist(), blocks.tolist()) == ([2.0, -0.5], [2, 1])
    assert len(table.differences("a", "c")[0]) == len(table.differences("a", "nobody")[0]) == 0


def test_several_seats_of_one_agent_count_by_their_mean() -> None:
    assert ResultColumns([match(0, "aba", 1.0, 0.5, 3.0)]).differences("a", "b")[0].tolist() == [1.5]


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
    assert (found["a", "b"].matches, found["a", "b"].blocks) == (4, 3)
    by_hand = mean_interval([1.0, 0.0, 1.0, 0.0], [0, 0, 1, 3])
    assert (found["a", "b"].low, found["a", "b"].high) == pytest.approx((by_hand.low, by_hand.high))


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
    assert (a.seconds, a.strikes, a.forfeits) == (pytest.approx(6.0 / 5), 0, 0)
    assert (b.seconds, b.strikes, b.forfeits) == (0.75, 5, 1)
    by_hand = mean_interval([1.0, 0.0, -1.0, 1.0, 1.0], [0, 0, 0, 0, 1], bounds=(-1.0, 1.0))
    assert (a.score.low, a.score.high) == pytest.approx((by_hand.low, by_hand.high))


def test_bounds_are_taken_from_wins_draws_and_losses_only() -> None:
    assert ResultColumns([match(0, "ab", 1.0, -1.0)]).bounds() == (-1.0, 1.0)
    assert ResultColumns([match(0, "ab", 0.0, 0.0)]).bounds() is None
    assert ResultColumns([match(0, "abcd", 0.0, 1.0, 2.0, 3.0)]).bounds() is None
    assert ResultColumns([]).bounds() is None
