"""The slice compiled: EM over thousands of rows, and the likelihood of one more position inside a search."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.compiled import LIKELIHOOD
from kibitz.core.draws import draw_unit
from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

# What `weigh` finds in its whole numbers; then four for every feature: states, table offset, first edge, edges.
FEATURES, STRIDE, FIRST, COLUMNS, WINDOW, LAG, LAYER_CELLS, SUBJECT, TABLES, HEAD = range(10)
PER_FEATURE = 4


@kernel("float64(int64[:, ::1], int64[::1], int64[::1], int64, float64[::1], float64[::1], float64[::1], float64[::1])")
def expect(
    cells: Ints, starts: Ints, given: Ints, latents: int, latent: Floats, tables: Floats, counts: Floats, shares: Floats
) -> float:
    """Add the expected counts of all rows to *counts* and *shares*; return the log-likelihood.

    `cells[row, feature]` is where the row's entries of that feature begin, one per latent state.
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
    """Improve *latent* and *tables* in place; return the number of iterations. Twin of repeated `slices.em_step`.

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


@kernel(LIKELIHOOD)
def weigh(scores: Floats, mover: int, row: int, integers: Ints, numbers: Floats, path: Floats) -> float:
    """How likely the position with these *scores* is after the rows of *path* before *row*; writes row *row*.

    A row holds the states of the features, then how well each column (a latent state) explains the slice, adding up to
    1, then how likely each column is after it. Positions with equal states get equal numbers to the last bit.
    """
    features, columns = integers[FEATURES], integers[COLUMNS]
    explained, believed = features, features + columns
    before = max(row - integers[LAG], 0)
    layer = integers[LAYER_CELLS] if mover == integers[SUBJECT] else 0
    start = integers[TABLES] + layer + integers[FIRST]
    for column in range(columns):
        path[row, explained + column] = 1.0
    for feature in range(features):
        # 1. The state the score is in.
        head = HEAD + PER_FEATURE * feature
        size, edge = integers[head], integers[head + 2]
        state = 0
        for place in range(edge, edge + integers[head + 3]):
            state += scores[feature] >= numbers[place]
        path[row, feature] = state
        # 2. Its probability in every column.
        cell = start + integers[head + 1] + (np.int64(path[before, feature]) * size + state) * integers[STRIDE]
        for column in range(columns):
            path[row, explained + column] *= numbers[cell + column]
    # 3. What was believed before: everything so far, or the prior and the slices of the window.
    window = integers[WINDOW]
    for column in range(columns):
        path[row, believed + column] = path[row - 1, believed + column] if window == 0 else numbers[column]
    if window > 0:
        for earlier in range(max(row - window + 1, 1), row):
            for column in range(columns):
                path[row, believed + column] *= path[earlier, explained + column]
    # 4. The likelihood, and what is believed now.
    held = total = mass = 0.0
    for column in range(columns):
        held += path[row, believed + column]
        mass += path[row, explained + column]
        total += path[row, believed + column] * path[row, explained + column]
    for column in range(columns):
        if total > 0.0:
            path[row, believed + column] *= path[row, explained + column] / total
        else:  # it cannot happen, so it tells nothing
            path[row, believed + column] /= held
        path[row, explained + column] = path[row, explained + column] / mass if mass > 0.0 else 1.0 / columns
    return total / held
