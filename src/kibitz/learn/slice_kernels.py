"""The slice as kernels: EM over thousands of rows, and the likelihood of one more position inside a search."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.compiled import LIKELIHOODS, SETTLE
from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_unit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

# The integer array of `likelihoods`; then four numbers for every feature: its states, where its table begins, where its
# floats begin (lowest edge, buckets per unit, edges), and where its buckets begin. The floats begin with the prior.
FEATURES, STRIDE, COLUMNS, WINDOW, LAG, LAYER_CELLS, SUBJECT, TABLES, HEAD = range(9)
PER_FEATURE, BUCKETS = 4, 64
U = np.uint64
ONE, TWO, THREE = U(1), U(2), U(3)


@kernel("float64(int64[:, ::1], int64[::1], int64[::1], int64, float64[::1], float64[::1], float64[::1], float64[::1])")
def expect(
    cells: Ints, starts: Ints, given: Ints, latents: int, latent: Floats, tables: Floats, counts: Floats, shares: Floats
) -> float:
    """Add the expected counts of all rows to *counts* and *shares*; return the log-likelihood.

    `cells[row, feature]` is the index of the row's first entry of that feature; there is one per latent state.
    """
    features = cells.shape[1]
    weights, product = np.empty(latents), np.empty(latents)
    likelihood = 0.0
    for group in range(len(starts) - 1):
        for state in range(latents):
            weights[state] = latent[state]
        for row in range(starts[group], starts[group + 1]):
            for state in range(latents):
                product[state] = weights[state]
            for feature in range(features):
                cell = cells[row, feature]
                for state in range(latents):
                    product[state] *= tables[cell + state]
            total = 0.0
            for state in range(latents):
                if given[row] >= 0 and given[row] != state:
                    product[state] = 0.0
                total += product[state]
            likelihood += np.log(total)
            for state in range(latents):
                weights[state] = product[state] / total
        for state in range(latents):
            shares[state] += weights[state]
        for row in range(starts[group], starts[group + 1]):
            for feature in range(features):
                cell = cells[row, feature]
                for state in range(latents):
                    counts[cell + state] += weights[state]
    return likelihood


@kernel("float64(int64[::1], int64, int64, int64, float64, float64[::1], float64[::1], float64[::1], float64[::1])")
def maximise(
    states: Ints,
    own: int,
    latents: int,
    layers: int,
    smoothing: float,
    counts: Floats,
    shares: Floats,
    latent: Floats,
    tables: Floats,
) -> float:
    """Write counts plus *smoothing* as probabilities; return the sum of all their logarithms, 0 without smoothing."""
    width = own * latents
    logs, base = 0.0, 0
    for _ in range(layers):
        for size in states:
            for before in range(size):
                for column in range(width):
                    first = base + before * size * width + column
                    total = 0.0
                    for after in range(size):
                        total += counts[first + after * width] + smoothing
                    for after in range(size):
                        cell = first + after * width
                        tables[cell] = (counts[cell] + smoothing) / total if total > 0.0 else 1.0 / size
                        if smoothing > 0.0:
                            logs += np.log(tables[cell])
            base += size * size * width
    total = 0.0
    for state in range(latents):
        total += shares[state] + smoothing
    for state in range(latents):
        latent[state] = (shares[state] + smoothing) / total
        if smoothing > 0.0:
            logs += np.log(latent[state])
    return logs


@kernel(
    "int64(int64[:, ::1], int64[::1], int64[::1], int64[::1], int64, int64, int64, float64, int64, float64, float64,"
    " float64[::1], float64[::1], float64[::1])"
)
def em(
    cells: Ints,
    starts: Ints,
    given: Ints,
    states: Ints,
    own: int,
    latents: int,
    layers: int,
    smoothing: float,
    iterations: int,
    tolerance: float,
    penalty: float,
    latent: Floats,
    tables: Floats,
    likelihoods: Floats,
) -> int:
    """Improve *latent* and *tables* in place; return the number of iterations.

    The log-likelihoods, penalised by *smoothing*, go to *likelihoods*: before each iteration and at the end. *penalty*
    is that of the start.
    """
    counts, shares = np.empty(len(tables)), np.empty(latents)
    for iteration in range(iterations + 1):
        counts[:] = 0.0
        shares[:] = 0.0
        likelihood = expect(cells, starts, given, latents, latent, tables, counts, shares) + penalty
        likelihoods[iteration] = likelihood
        small = iteration > 0 and likelihood - likelihoods[iteration - 1] <= tolerance * abs(likelihood)
        if small or iteration == iterations:
            return iteration
        penalty = smoothing * maximise(states, own, latents, layers, smoothing, counts, shares, latent, tables)
    return iterations


@kernel("int64(float64[::1], float64[::1], int64[::1], int64, int64, int64, uint64[:], float64)")
def scatter(
    latent: Floats, tables: Floats, states: Ints, own: int, latents: int, layers: int, draws: Words, spread: float
) -> int:
    """Make the latent states differ at random, in place: every entry times 1 to 1 + *spread*, then probabilities."""
    width, base = own * latents, 0
    for state in range(latents):
        latent[state] = 1.0 / latents
    for _ in range(layers):
        for size in states:
            for before in range(size):
                for column in range(width):
                    first = base + before * size * width + column
                    total = 0.0
                    for after in range(size):
                        cell = first + after * width
                        tables[cell] *= 1.0 + spread * draw_unit(draws)
                        total += tables[cell]
                    for after in range(size):
                        tables[first + after * width] /= total
            base += size * size * width
    return base


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
