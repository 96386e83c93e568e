"""The slice as kernels: the likelihood of one more position inside a search."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kit.compiled import LIKELIHOODS, SETTLE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The integer array of `likelihoods`; then four numbers for every feature: its states, where its table begins, where its
# floats begin (lowest edge, buckets per unit, edges), and where its buckets begin. The floats begin with the prior.
FEATURES, STRIDE, COLUMNS, WINDOW, LAG, LAYER_CELLS, SUBJECT, TABLES, HEAD = range(9)
PER_FEATURE, BUCKETS = 4, 64
U = np.uint64
ONE, TWO, THREE = U(1), U(2), U(3)


@kernel("int64(float64, float64, float64, int64, int64, int64[::1], float64[::1])")
def state_of(score: float, low: float, scale: float, buckets: int, edges: int, integers: Ints, numbers: Floats) -> int:
    """The state of a score: its bucket says where to begin, the edges decide. Twin of `Discretisation.state`.

    The last edge is one that no score reaches. Most buckets hold at most one edge, so a sum replaces an unpredictable
    branch.
    """
    place = (score - low) * scale
    place = place if place > 0.0 else 0.0
    place = place if place < BUCKETS - 1.0 else BUCKETS - 1.0
    state = integers[U(buckets + int(place))]
    state += score >= numbers[U(edges + state)]
    while score >= numbers[U(edges + state)]:
        state += 1
    return int(state)


@kernel("int64(int64, int64, int64, int64[::1], float64[:, ::1])")
def first_cell(feature: int, mover: int, row: int, integers: Ints, path: Floats) -> int:
    """The index of a feature's entries for state 0, given its past state."""
    head = HEAD + PER_FEATURE * feature
    start = integers[TABLES] + (integers[LAYER_CELLS] if mover == integers[SUBJECT] else 0)
    before = int(path[max(row - integers[LAG], 0), feature])
    return int(start + integers[head + 1] + before * integers[head] * integers[STRIDE])


@kernel(LIKELIHOODS)
def likelihoods(
    scores: Floats, count: int, mover: int, row: int, integers: Ints, numbers: Floats, path: Floats, found: Floats
) -> int:
    """The likelihood of each of *count* positions after the rows of *path* before *row*, as `settle` gives it for one.

    Positions with equal states get exactly equal numbers. Search calls this often, so it is fast: it works feature by
    feature, then four columns at a time, with unsigned indices, which need no check for negative ones.
    """
    features, columns, stride = integers[FEATURES], integers[COLUMNS], integers[STRIDE]
    # 1. Replace the scores of each position by the index of its entries.
    for feature in range(features):
        base, head = first_cell(feature, mover, row, integers, path), HEAD + PER_FEATURE * feature
        edge, buckets = integers[head + 2], integers[head + 3]
        low, scale = numbers[edge], numbers[edge + 1]
        for child in range(count):
            state = state_of(scores[child, feature], low, scale, buckets, edge + 2, integers, numbers)
            scores[child, feature] = base + state * stride
    # 2. Compute the probability of each position in every column, weighted by the belief.
    held, believed = path[row - 1], features + columns
    together = columns // 4 * 4
    for child in range(count):
        total = 0.0
        for column in range(0, together, 4):
            first = second = third = fourth = 1.0
            for feature in range(features):
                cell: Any = U(int(scores[child, feature]) + column)
                first *= numbers[cell]
                second *= numbers[cell + ONE]
                third *= numbers[cell + TWO]
                fourth *= numbers[cell + THREE]
            total += held[believed + column] * first
            total += held[believed + column + 1] * second
            total += held[believed + column + 2] * third
            total += held[believed + column + 3] * fourth
        for column in range(together, columns):
            product = 1.0
            for feature in range(features):
                product *= numbers[U(int(scores[child, feature]) + column)]
            total += held[believed + column] * product
        found[child] = total
    return count


@kernel(SETTLE)
def settle(scores: Floats, mover: int, row: int, integers: Ints, numbers: Floats, path: Floats) -> float:
    """Write row *row* of *path* for the position with these scores; return its likelihood.

    A row holds the states of the features, then the likelihood of the slice in each column, then the probability of
    each column before the next slice: with a window, from the prior and the slices that the window then still holds,
    else from all slices so far.
    """
    features, columns, window = integers[FEATURES], integers[COLUMNS], integers[WINDOW]
    now, held, believed = path[row], path[row - 1], features + columns
    # 1. The likelihood of the position in each column.
    for column in range(columns):
        now[features + column] = 1.0
    for feature in range(features):
        head = HEAD + PER_FEATURE * feature
        edge, buckets = integers[head + 2], integers[head + 3]
        state = state_of(scores[feature], numbers[edge], numbers[edge + 1], buckets, edge + 2, integers, numbers)
        cell = first_cell(feature, mover, row, integers, path) + state * integers[STRIDE]
        now[feature] = state
        for column in range(columns):
            now[features + column] *= numbers[cell + column]
    total = mass = 0.0
    for column in range(columns):
        total += held[believed + column] * now[features + column]
        mass += now[features + column]
    # 2. From here on only ratios between columns matter; an impossible position changes nothing.
    for column in range(columns):
        now[features + column] = now[features + column] / mass if mass > 0.0 else 1.0 / columns
        if window == 0:
            now[believed + column] = held[believed + column] * (now[features + column] if total > 0.0 else 1.0)
        else:
            now[believed + column] = numbers[column]
    for earlier in range(max(row - window + 2, 1), row + 1 if window > 1 else 0):
        for column in range(columns):
            now[believed + column] *= path[earlier, features + column]
    mass = 0.0
    for column in range(columns):
        mass += now[believed + column]
    for column in range(columns):
        now[believed + column] = now[believed + column] / mass if mass > 0.0 else numbers[column]
    return total
