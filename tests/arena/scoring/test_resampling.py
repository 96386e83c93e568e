"""Intervals from resampling are the same on every processor."""

from fractions import Fraction

import numpy as np

from kibitz.arena.scoring.resampling import Resampling
from kibitz.arena.statistics.bootstrap import share_below
from kibitz.core.seeds import stream


def test_totals_do_not_depend_on_the_order_of_adding() -> None:
    sums = stream(3, "sums").normal(size=(500, 6)) * np.array([1e-8, 1.0, 1.0, 1e6, 0.0, 1e-200])
    resampling = Resampling(500, resamples=40)
    totals = resampling.totals(sums)
    order = stream(4, "order").permutation(500)
    shuffled = Resampling(500, resamples=40)
    shuffled.draw_counts = resampling.draw_counts[:, order]
    assert np.array_equal(shuffled.totals(sums[order]), totals)
    for row, counts in enumerate(resampling.draw_counts[:5].tolist()):
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
