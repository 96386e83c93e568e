"""Learns a slice from rows: by counting if the latent states are given, by EM with restarts if not."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels.random import draw_unit
from kibitz_lab.learn.slices import MISSING, Floats, Ints, Rows, Slice, SliceLayout, smooth_counts, uniform_slice

Told = Callable[[int, int, float], None]
"""(restart, iterations, log-likelihood): reports progress."""


class EMSettings(msgspec.Struct, frozen=True):
    """The settings of EM."""

    smoothing: float = 0.1
    iterations: int = 200
    tolerance: float = 1e-6
    """EM stops when the log-likelihood grows by less than this share of itself."""
    restarts: int = 5
    spread: float = 2.0
    """How far apart the latent states start: entries are multiplied by up to 1 plus this."""


class LearnedSlice(NamedTuple):
    """The slice, and the penalised log-likelihoods of the run it came from: before each iteration, and at the end."""

    model: Slice
    likelihoods: list[float]


def cells_of(layout: SliceLayout, rows: Rows) -> Any:
    """Which entries each row has, those that differ in the latent state as one: a sparse matrix of ones."""
    from scipy.sparse import csr_array

    sizes, offsets = np.array(layout.features, np.int64), np.array(layout.offsets, np.int64) // layout.latent
    inner = (rows.before * sizes + rows.after) * layout.own + rows.own[:, None]
    cells = rows.layer[:, None] * offsets[-1] + offsets[:-1] + inner
    ends = np.arange(0, cells.size + 1, len(sizes))
    return csr_array((np.ones(cells.size), cells.ravel(), ends), shape=(len(cells), layout.cells // layout.latent))


def observed_priors(layout: SliceLayout, rows: Rows, smoothing: float) -> Slice:
    """The part that needs no EM, the frequencies of own strategies and first states; the rest is uniform."""
    blank = uniform_slice(layout)
    own = np.bincount(rows.own, minlength=layout.own) + smoothing
    first = []
    for feature, states in enumerate(layout.features):
        counts = np.bincount(rows.before[:, feature], minlength=states) + smoothing
        first.append(counts / counts.sum())
    return blank._replace(own=own / own.sum(), first=tuple(first))


def run_em(model: Slice, rows: Rows, settings: EMSettings) -> LearnedSlice:
    """EM from *model* as a start."""
    cells = cells_of(model.layout, rows)
    likelihoods: list[float] = []
    for iteration in range(settings.iterations + 1):
        weights, totals = posteriors(model, cells, rows.starts, rows.latent)
        likelihoods.append(float(totals.sum()))
        if settings.smoothing:
            likelihoods[-1] += settings.smoothing * float(np.log(model.tables).sum() + np.log(model.latent).sum())
        gain = likelihoods[-1] - likelihoods[-2] if iteration else np.inf
        if iteration == settings.iterations or gain <= settings.tolerance * abs(likelihoods[-1]):
            break
        tables = (cells.T @ np.repeat(weights, np.diff(rows.starts), axis=0)).ravel()
        model = smooth_counts(model, tables, weights.sum(axis=0), settings.smoothing)
    return LearnedSlice(model, likelihoods)


def posteriors(model: Slice, cells: Any, starts: Ints, given: Ints | None = None) -> tuple[Floats, Floats]:
    """P(latent | rows) for each group of rows, all equal where nothing is possible, and the logarithm of P(rows)."""
    with np.errstate(divide="ignore"):
        logs = cells @ np.log(model.tables).reshape(-1, model.layout.latent)
        if given is not None:
            logs[(given[:, None] != MISSING) & (given[:, None] != np.arange(model.layout.latent))] = -np.inf
        totals = np.log(model.latent) + np.add.reduceat(logs, starts[:-1], axis=0)
        most = totals.max(axis=1, keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        weights = np.exp(totals - most)
        sums = weights.sum(axis=1, keepdims=True)
        found = np.where(sums > 0.0, weights / np.where(sums > 0.0, sums, 1.0), 1.0 / model.layout.latent)
        return found, (most + np.log(sums))[:, 0]


def learn_slice(
    layout: SliceLayout, rows: Rows, settings: EMSettings, draws: NDArray[np.uint64], told: Told | None = None
) -> LearnedSlice:
    """The likeliest slice of several EM runs, each from a common start in which latent states differ at random.

    *draws* is the state array of `core.kernels.random`, which this advances. Ctrl-C ends the search for better starts.
    """
    start = count_slice(layout, rows._replace(latent=np.full_like(rows.own, MISSING)), settings.smoothing)
    best: LearnedSlice | None = None
    for restart in range(settings.restarts):
        try:
            found = run_em(scatter_states(start, draws, settings.spread), rows, settings)
            if told is not None:
                told(restart, len(found.likelihoods) - 1, found.likelihoods[-1])
        except KeyboardInterrupt:
            if best is None:
                raise
            break
        if best is None or found.likelihoods[-1] > best.likelihoods[-1]:
            best = found
    assert best is not None, "there must be at least one start"
    return best


def scatter_states(start: Slice, draws: NDArray[np.uint64], spread: float) -> Slice:
    """A slice whose latent states differ at random."""
    layout, tables = start.layout, start.tables.copy()
    for layer in range(layout.layers):
        for feature, states in enumerate(layout.features):
            table = layout.table(tables, feature, layer)
            units = np.array([draw_unit(draws) for _ in range(table.size)])
            table *= 1.0 + spread * np.moveaxis(units.reshape(states, layout.own, layout.latent, states), -1, 1)
            table /= table.sum(axis=1, keepdims=True)
    return start._replace(latent=np.full(layout.latent, 1.0 / layout.latent), tables=tables)


def count_slice(layout: SliceLayout, rows: Rows, smoothing: float) -> Slice:
    """The slice by counting: a row counts for its latent state, or for all equally if none is given."""
    given = rows.latent[:, None]
    weights = np.where(given == MISSING, 1.0 / layout.latent, given == np.arange(layout.latent))
    counts, latent = (cells_of(layout, rows).T @ weights).ravel(), weights[rows.starts[:-1]].sum(axis=0)
    return smooth_counts(observed_priors(layout, rows, smoothing), counts, latent, smoothing)


def game_posteriors(model: Slice, rows: Rows, starts: Ints) -> Floats:
    """P(latent | all rows of the game) for each game in *starts*."""
    return posteriors(model, cells_of(model.layout, rows), starts)[0]
