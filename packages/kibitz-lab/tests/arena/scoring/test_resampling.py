"""Intervals from resampling are the same on every processor."""

from fractions import Fraction

import numpy as np
import pytest
import scipy  # which imports scipy.stats when it is first used

from kibitz.core.seeds import stream
from kibitz_lab.arena.scoring.resampling import Resampling, share_below


def test_totals_do_not_depend_on_the_order_of_adding() -> None:
    sums = stream(3, "sums").normal(size=(500, 6)) * np.array([1e-8, 1.0, 1.0, 1e6, 0.0, 1e-200])
    resampling = Resampling(500, resamples=40)
    totals = resampling.totals(sums)
    order = stream(4, "order").permutation(500)
    shuffled = Resampling(500, resamples=40)
    shuffled.draw_counts = resampling.draw_counts[:, order]
    assert np.array_equal(shuffled.totals(sums[order]), totals)
    for row, counts in enumerate(resampling.draw_counts[:5].astype(int).tolist()):
        for column in range(sums.shape[1]):
            exact = sum(
                (count * Fraction(value) for count, value in zip(counts, sums[:, column], strict=True)), Fraction(0)
            )
            assert abs(Fraction(totals[row, column]) - exact) <= Fraction(1, 10**11) * Fraction(
                np.abs(sums[:, column]).max()
            )


def test_rounding_errors_do_not_break_ties() -> None:
    means = np.array([0.1 + 0.2, 0.3, 0.2, 0.5])
    assert share_below(means, 0.3) == (1 + 2 / 2) / 4


def test_the_interval_agrees_with_that_of_scipy() -> None:
    values = stream(1, "values").exponential(1.0, 200)
    found = Resampling(200, resamples=10_000).estimates([(values, None)], np.arange(200))[0][0]
    oracle = scipy.stats.bootstrap((values,), np.mean, n_resamples=10_000, method="BCa", rng=np.random.default_rng(1))
    width = oracle.confidence_interval.high - oracle.confidence_interval.low
    assert found is not None
    assert found.low == pytest.approx(oracle.confidence_interval.low, abs=0.04 * width)
    assert found.high == pytest.approx(oracle.confidence_interval.high, abs=0.04 * width)


def test_matches_of_a_unit_are_drawn_whole() -> None:
    values = stream(1, "values").random(30)
    once = Resampling(30).estimates([(values, None)], np.arange(30))[0][0]
    whole = Resampling(30).estimates([(np.repeat(values, 4), None)], np.repeat(np.arange(30), 4))[0][0]
    assert once is not None
    assert whole is not None
    assert (whole.low, whole.high) == pytest.approx((once.low, once.high))
    assert (whole.matches, whole.blocks) == (120, 30)
