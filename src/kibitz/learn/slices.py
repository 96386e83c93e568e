"""The slice of Pedersen's dynamic network (2008, ch. 8): features that depend on their past and on two strategies.

Arcs run from F_k(t - lag), S_own and S_opp to F_k(t). The own strategy is observed and the opponent's is latent, the
same in all slices, so the probability of all evidence is

    P(e) = P(own) · Π_first P(F_k) · Σ_s π(s) · Π_slices Π_k C_k[F_k(t - lag), own, s, F_k(t)]

`slice_kernels` computes with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.learn.networks import Network, Node, chain_slices

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


def slice_network(model: Slice, names: Sequence[str], count: int = 1, lag: int = 2, first_layer: int = 0) -> Network:
    """*count* slices chained into one network, the features of slice n called `F_n`; layers alternate."""
    layout = model.layout
    labels = [_numbered_names("s", states) for states in layout.features]
    shared = (
        Node("S_own", _numbered_names("own", layout.own), (), model.own),
        Node("S_opp", _numbered_names("opp", layout.latent), (), model.latent),
    )
    pasts = [Node(f"{names[k]}_past", labels[k], (), model.first[k]) for k in range(len(names))]
    slices = []
    for layer in range(layout.layers):
        tables = [np.moveaxis(model.table(k, (first_layer + layer) % layout.layers), 1, -1) for k in range(len(names))]
        parents = [(past.name, "S_own", "S_opp") for past in pasts]
        slices.append([Node(*each) for each in zip(names, labels, parents, tables, strict=True)])
    links = {f"{name}_past": name for name in names}
    return chain_slices(slices, count, links, pasts, shared=shared, lag=lag, name="slices")


def _numbered_names(word: str, count: int) -> tuple[str, ...]:
    return tuple(f"{word}{number}" for number in range(count))
