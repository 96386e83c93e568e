"""Learns a slice from rows: by counting if the latent states are given, by EM with restarts if not."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.learn.slice_kernels import em, scatter
from kibitz.learn.slices import MISSING, Floats, Ints, Rows, Slice, SliceLayout, smooth_counts, uniform_slice

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


def cells_of(layout: SliceLayout, rows: Rows) -> Ints:
    """The index of each row's first entry, with a column per feature."""
    sizes, offsets = np.array(layout.features, np.int64), np.array(layout.offsets, np.int64)
    inner = (rows.before * sizes + rows.after) * layout.own + rows.own[:, None]
    return np.ascontiguousarray(rows.layer[:, None] * offsets[-1] + offsets[:-1] + inner * layout.latent)


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
    layout, smoothing = model.layout, settings.smoothing
    latent, tables = model.latent.copy(), model.tables.copy()
    penalty = smoothing * float(np.log(tables).sum() + np.log(latent).sum()) if smoothing else 0.0
    likelihoods = np.empty(settings.iterations + 1)
    done = em(
        cells_of(layout, rows),
        rows.starts,
        rows.latent,
        np.array(layout.features, np.int64),
        layout.own,
        layout.latent,
        layout.layers,
        smoothing,
        settings.iterations,
        settings.tolerance,
        penalty,
        latent,
        tables,
        likelihoods,
    )
    found: list[float] = likelihoods[: done + 1].tolist()
    return LearnedSlice(model._replace(latent=latent, tables=tables), found)


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
    layout, latent, tables = start.layout, start.latent.copy(), start.tables.copy()
    states = np.array(layout.features, np.int64)
    scatter(latent, tables, states, layout.own, layout.latent, layout.layers, draws, spread)
    return start._replace(latent=latent, tables=tables)


def count_slice(layout: SliceLayout, rows: Rows, smoothing: float) -> Slice:
    """The slice by counting: a row counts for its latent state, or for all equally if none is given."""
    counts, latent = np.zeros(layout.cells), np.zeros(layout.latent)
    cells = cells_of(layout, rows)
    for state in range(layout.latent):
        weights = np.where(rows.latent == MISSING, 1.0 / layout.latent, rows.latent == state)
        latent[state] = weights[rows.starts[:-1]].sum()
        for feature in range(cells.shape[1]):
            np.add.at(counts, cells[:, feature] + state, weights)
    return smooth_counts(observed_priors(layout, rows, smoothing), counts, latent, smoothing)


def game_posteriors(model: Slice, rows: Rows, starts: Ints) -> Floats:
    """P(latent | all rows of the game) for each game in *starts*."""
    cells = cells_of(model.layout, rows)
    logs = np.zeros((len(rows.own), model.layout.latent))
    with np.errstate(divide="ignore"):
        for state in range(model.layout.latent):
            logs[:, state] = np.log(model.tables[cells + state]).sum(axis=1)
        totals = np.log(model.latent) + np.add.reduceat(logs, starts[:-1], axis=0)
    most = totals.max(axis=1, keepdims=True)
    weights = np.exp(totals - np.where(np.isfinite(most), most, 0.0))
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0.0, weights / np.where(sums > 0.0, sums, 1.0), 1.0 / model.layout.latent)
