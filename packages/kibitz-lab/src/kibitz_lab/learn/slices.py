"""The slice of Pedersen's dynamic network (2008, ch. 8): features that depend on their past and on two strategies.

Arcs run from F_k(t - lag), S_own and S_opp to F_k(t). The own strategy is observed and the opponent's is latent, the
same in all slices, so the probability of all evidence is

    P(e) = P(own) · Π_first P(F_k) · Σ_s π(s) · Π_slices Π_k C_k[F_k(t - lag), own, s, F_k(t)]

`slice_kernels` computes with it.
"""

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import MissingPackage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MISSING = -1
"""The latent state of a row if it is not given."""


class SliceLayout(NamedTuple):
    """The sizes of a slice: states of each feature, own and latent strategies, and layers.

    A layer is a separate slice: one for all moves, or one for the own moves (0) and one for the opponent's (1).
    """

    features: tuple[int, ...]
    own: int
    latent: int
    layers: int = 1

    @property
    def offsets(self) -> tuple[int, ...]:
        """The offset of each feature's table in a layer, and last the size of the layer.

        An entry is at `offset + ((before * states + after) * own_strategies + own) * latent_states + latent`.
        """
        sizes = [states * states * self.own * self.latent for states in self.features]
        return tuple(int(end) for end in np.cumsum([0, *sizes]))

    @property
    def cells(self) -> int:
        """Entries of all tables of all layers."""
        return self.layers * self.offsets[-1]

    def table(self, flat: Floats, feature: int, layer: int = 0) -> Floats:
        """The part of *flat* that is one feature's table: [before, after, own, latent]."""
        start = layer * self.offsets[-1]
        states = self.features[feature]
        part = flat[start + self.offsets[feature] : start + self.offsets[feature + 1]]
        return part.reshape(states, states, self.own, self.latent)


class Slice(NamedTuple):
    """A slice with its numbers: priors of the latent and the own strategy, of the first features, and the tables."""

    layout: SliceLayout
    latent: Floats
    own: Floats
    first: tuple[Floats, ...]
    tables: Floats

    def table(self, feature: int, layer: int = 0) -> Floats:
        """P(after | before, own, latent) of one feature, as [before, after, own, latent]."""
        return self.layout.table(self.tables, feature, layer)


class Rows(NamedTuple):
    """Cases to learn from: states before and after, own strategy, layer and latent state (MISSING if not given).

    *starts* holds the first row of each group that shares one latent state, and the end of the last: a group is one
    row, or one game.
    """

    before: Ints
    after: Ints
    own: Ints
    layer: Ints
    latent: Ints
    starts: Ints


def row_starts(count: int) -> Ints:
    """Rows in which each row is its own group."""
    return np.arange(count + 1, dtype=np.int64)


def uniform_slice(layout: SliceLayout) -> Slice:
    """A uniform slice."""
    flat = np.empty(layout.cells)
    for layer in range(layout.layers):
        for feature, states in enumerate(layout.features):
            layout.table(flat, feature, layer)[:] = 1.0 / states
    first = tuple(np.full(states, 1.0 / states) for states in layout.features)
    return Slice(
        layout, np.full(layout.latent, 1.0 / layout.latent), np.full(layout.own, 1.0 / layout.own), first, flat
    )


def smooth_counts(model: Slice, counts: Floats, latent: Floats, smoothing: float) -> Slice:
    """Counts plus *smoothing* as probabilities; uniform without counts."""
    layout, tables = model.layout, counts + smoothing
    for layer in range(layout.layers):
        for feature, states in enumerate(layout.features):
            table = layout.table(tables, feature, layer)
            totals = table.sum(axis=1, keepdims=True)
            table[:] = np.where(totals > 0.0, table / np.where(totals > 0.0, totals, 1.0), 1.0 / states)
    latent = latent + smoothing
    return model._replace(tables=tables, latent=latent / latent.sum())


def slice_network(model: Slice, names: Sequence[str], count: int = 1, lag: int = 2, first_layer: int = 0) -> Any:
    """*count* slices as a `pyagrum.BayesNet`, which infers, learns, and is written to files; layers alternate.

    The features of slice n are called `F_n`; roots `F_past_n` stand for the past of the first *lag* slices.
    """
    gum = load_pyagrum()
    network = gum.BayesNet("slices")

    def add_node(name: str, state: str, parents: Sequence[str], table: Floats) -> None:
        network.add(gum.LabelizedVariable(name, name, [f"{state}{number}" for number in range(table.shape[-1])]))
        for parent in parents:
            network.addArc(parent, name)
        for place in np.ndindex(*table.shape):
            network.cpt(name)[dict(zip((*parents, name), place, strict=True))] = float(table[place])

    add_node("S_own", "own", (), model.own)
    add_node("S_opp", "opp", (), model.latent)
    for number in range(1, count + 1):
        layer = (first_layer + number - 1) % model.layout.layers
        for feature, name in enumerate(names):
            past = f"{name}_{number - lag}"
            if number <= lag:
                past = f"{name}_past_{number}"
                add_node(past, "s", (), model.first[feature])
            table = np.moveaxis(model.table(feature, layer), 1, -1)
            add_node(f"{name}_{number}", "s", (past, "S_own", "S_opp"), table)
    return network


def load_pyagrum() -> Any:
    """pyAgrum; raises MissingPackage with the command that installs it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its import warns, and crashes where warnings are errors
            return import_module("pyagrum")
    except ModuleNotFoundError:
        raise MissingPackage("pyagrum", "networks") from None
