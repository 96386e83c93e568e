"""Assign rows to columns one to one: the assignment of the greatest total, or the probabilities of all of them."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel


def best_assignment(scores: NDArray[np.float64]) -> list[int]:
    """For each row its column in the assignment of the greatest total, -1 for rows that are left over.

    >>> best_assignment(np.array([[9.0, 8.0], [9.0, 1.0]]))
    [1, 0]
    """
    from scipy.optimize import linear_sum_assignment

    pairs = dict(zip(*(each.tolist() for each in linear_sum_assignment(scores, maximize=True)), strict=True))
    return [pairs.get(row, -1) for row in range(len(scores))]


LEAST = -100.0
"""The most that a score may lie below the best of its row, so that products of many rows do not underflow."""
MOST_ROWS = 7


def assignment_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of each column for each row if no two rows share one; scores are logarithms of likelihoods.

    Exact, by dynamic programming over the columns and the sets of rows already assigned. Axes before the last two
    index separate tables.

    >>> assignment_shares(np.log([[0.5, 0.25, 0.25], [1.0, 1e-30, 1e-30]])).round(2).tolist()
    [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
    """
    return assignments(scores)[0]


def assignments(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The `assignment_shares`, and for every table the logarithm of the total likelihood of all assignments."""
    rows, columns = scores.shape[-2:]
    if rows > min(MOST_ROWS, columns):
        raise ValueError(f"{rows} rows and {columns} columns; use at most {MOST_ROWS} rows, and a column for each")
    best = scores.max(axis=-1, keepdims=True)
    weights = np.exp(np.maximum(scores - best, LEAST)).reshape(-1, rows, columns)
    shares, totals = np.empty_like(weights), np.empty(len(weights))
    share_tables(weights, shares, totals)
    return shares.reshape(scores.shape), np.log(totals).reshape(scores.shape[:-2]) + best.sum(axis=(-2, -1))


@kernel("float64(float64[:,::1], float64[:,::1])")
def share_assignments(weights: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Write the shares for the weights of rows and columns; return the total weight of all assignments."""
    rows, columns = weights.shape
    sets = 1 << rows
    ahead = np.zeros((columns + 1, sets))
    """At [c, s]: the weight of all ways in which the rows of s have columns below c."""
    behind = np.zeros((columns + 1, sets))
    """The same for columns from c on."""
    ahead[0, 0] = behind[columns, 0] = 1.0
    for column in range(columns):
        for held in range(sets):
            ahead[column + 1, held] = ahead[column, held]
            for row in range(rows):
                if held >> row & 1:
                    ahead[column + 1, held] += ahead[column, held ^ 1 << row] * weights[row, column]
    for column in range(columns - 1, -1, -1):
        for held in range(sets):
            behind[column, held] = behind[column + 1, held]
            for row in range(rows):
                if held >> row & 1:
                    behind[column, held] += behind[column + 1, held ^ 1 << row] * weights[row, column]
    for row in range(rows):
        for column in range(columns):
            total = 0.0
            for held in range(sets):
                if not held >> row & 1:
                    total += ahead[column, held] * behind[column + 1, sets - 1 - held - (1 << row)]
            shares[row, column] = total * weights[row, column] / ahead[columns, sets - 1]
    return float(ahead[columns, sets - 1])


@kernel("void(float64[:,:,::1], float64[:,:,::1], float64[::1])")
def share_tables(weights: NDArray[np.float64], shares: NDArray[np.float64], totals: NDArray[np.float64]) -> None:
    """The same for many tables; write the total weight of all assignments of each."""
    for table in range(len(weights)):
        totals[table] = share_assignments(weights[table], shares[table])


def log_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of the softmax along the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)
