"""Shares of assignments against all permutations."""

from itertools import permutations
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz_lab.learn.assignment import MOST_ROWS, assignment_shares, assignments


def by_permutations(scores: list[list[float]]) -> list[list[float]]:
    """The same by adding up every way to give each row a column of its own."""
    rows, columns = len(scores), len(scores[0])
    shares, total = [[0.0] * columns for _ in scores], 0.0
    for chosen in permutations(range(columns), rows):
        weight = exp(sum(scores[row][column] for row, column in enumerate(chosen)))
        total += weight
        for row, column in enumerate(chosen):
            shares[row][column] += weight
    return [[value / total for value in row] for row in shares]


@given(st.integers(1, 4), st.data())
def test_shares_are_those_of_all_permutations(rows: int, data: st.DataObject) -> None:
    columns = data.draw(st.integers(rows, 6))
    row = st.lists(st.floats(-8.0, 3.0), min_size=columns, max_size=columns)
    scores = data.draw(st.lists(row, min_size=rows, max_size=rows))
    assert assignment_shares(np.array(scores)) == pytest.approx(np.array(by_permutations(scores)), abs=1e-12)


def test_many_tables_are_each_for_itself() -> None:
    scores = np.random.default_rng(1).normal(size=(2, 3, 4, 5))
    shares, totals = assignments(scores)
    for table in np.ndindex(2, 3):
        alone, total = assignments(scores[table])
        assert shares[table] == pytest.approx(alone, abs=1e-15)
        assert totals[table] == pytest.approx(float(total), abs=1e-12)


def test_what_one_surely_has_no_other_has() -> None:
    shares = assignment_shares(np.array([[0.0, -1e9, -1e9], [5.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    assert shares[0] == pytest.approx([1.0, 0.0, 0.0])
    assert shares.sum(axis=1) == pytest.approx([1.0, 1.0, 1.0])
    assert shares[1:, 0] == pytest.approx([0.0, 0.0])


def test_there_are_columns_enough_and_rows_not_too_many() -> None:
    with pytest.raises(ValueError, match="3 rows and 2 columns"):
        assignment_shares(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="at most"):
        assignment_shares(np.zeros((MOST_ROWS + 1, 20)))
