"""The filter over slices: along a line of play, the belief in latent strategies and the likelihood of positions.

A *column* is a hypothesis: a latent state if the own strategy is known, else a pair of own and latent.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.kit.compiled import CompiledModel
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.slice_kernels import BUCKETS, HEAD, PER_FEATURE, likelihoods, settle
from kibitz_lab.learn.slices import Floats, Ints, Slice

LEAST = 1e-6
"""The least probability of a state that counts where single positions are compared."""
SPARE = 64
"""Free rows after the line played so far, for the lines of a search."""
WAITING = 256
"""The most slices of a whole game whose evidence waits to be added up."""


class SeenSlice(NamedTuple):
    """A slice: who moved, and the states of the features before and after."""

    mover: int
    before: Floats
    after: Floats


class SliceFilter:
    """The belief about *player* along the positions of a game.

    *own* is the number of the observed strategy of the other player; if it is None, that strategy is latent as well and
    summed over. *window* is how many slices the network has; 0 lets it grow with the game.
    """

    def __init__(
        self,
        model: Slice,
        discretisations: Sequence[Discretisation],
        player: int,
        *,
        own: int | None = None,
        window: int = 4,
        lag: int = 2,
    ) -> None:
        layout = model.layout
        self.model, self.discretisations, self.player = model, tuple(discretisations), player
        self.window, self.lag = window, lag
        self.owns = [own] if own is not None else list(range(layout.own))
        self.columns = len(self.owns) * layout.latent
        prior = model.latent if own is not None else np.outer(model.own, model.latent).ravel()
        self.integers, self.numbers = self.kernel_arrays(prior)
        self.row = 0
        self.steps: deque[SeenSlice] = deque(maxlen=window or None)
        """The slices of the window; without one, those whose evidence is not in `told` yet."""
        self.told: Floats = np.zeros((len(layout.features), layout.latent))
        """The evidence of earlier slices, by feature and latent state."""
        self.impossible = 0
        """How many positions had probability 0; they changed no belief."""
        self.path: Floats = np.zeros((2 * SPARE, len(layout.features) + 2 * self.columns))

    def kernel_arrays(self, prior: Floats) -> tuple[Ints, Floats]:
        """Everything that `likelihoods` needs, as two arrays; see there for the meaning of each place."""
        layout = self.model.layout
        edges = [bucket_edges(np.array(each.edges, np.float64)) for each in self.discretisations]
        numbers = np.concatenate([prior, *(each for each, _ in edges), self.model.tables])
        buckets = [each for _, each in edges]
        heads = HEAD + PER_FEATURE * len(layout.features)
        tables = len(numbers) - len(self.model.tables) + (self.owns[0] * layout.latent)
        per_layer = layout.offsets[-1] if layout.layers == 2 else 0
        stride = layout.own * layout.latent
        integers = [len(layout.features), stride, self.columns, self.window, self.lag, per_layer, self.player, tables]
        edge = len(prior)
        for feature, states in enumerate(layout.features):
            integers += [states, layout.offsets[feature], edge, heads + BUCKETS * feature]
            edge += len(edges[feature][0])
        return np.concatenate([np.array(integers, np.int64), *buckets]), numbers

    def begin(self, scores: Sequence[float] | Floats) -> None:
        """Start from a position."""
        features = len(self.discretisations)
        self.row, self.impossible = 0, 0
        self.steps, self.told = deque(maxlen=self.window or None), np.zeros_like(self.told)
        self.path[0, :features] = self.states(scores)
        self.path[0, features : features + self.columns] = 1.0 / self.columns
        self.path[0, features + self.columns : features + 2 * self.columns] = self.numbers[: self.columns]

    def states(self, scores: Sequence[float] | Floats) -> list[int]:
        """The state of each feature."""
        return [each.state(score) for each, score in zip(self.discretisations, scores, strict=True)]

    def skip(self, scores: Sequence[float] | Floats) -> None:
        """Go to a position that nobody chose: no belief changes, and positions before it count as equal to it."""
        first = max(self.row - self.lag + 1, 0)
        self.path[first : self.row + 1, : len(self.discretisations)] = self.states(scores)

    def likelihoods(self, scores: Sequence[Sequence[float]] | Sequence[Floats], mover: int) -> list[float]:
        """The likelihood of positions with these scores as the next one, by a move of *mover*."""
        given, found = np.array(scores, np.float64), np.empty(len(scores))
        likelihoods(given, len(given), mover, self.row + 1, self.integers, self.numbers, self.path, found)
        answer: list[float] = found.tolist()
        return answer

    def latent_likelihoods(self, scores: Floats, mover: int) -> Floats:
        """The logarithm of the likelihood of positions by each latent state, a row for each: of these alone.

        Here all own strategies count equally if they are latent, and no probability is below LEAST.
        """
        layer = int(self.model.layout.layers == 2 and mover == self.player)
        before = self.path[max(self.row + 1 - self.lag, 0)]
        found = np.zeros((len(self.owns), self.model.layout.latent, len(scores)))
        for feature, each in enumerate(self.discretisations):
            table = self.model.table(feature, layer)[int(before[feature]), each.states(scores[:, feature])]
            found += np.log(np.maximum(table[:, self.owns], LEAST)).transpose(1, 2, 0)
        most = found.max(axis=0)
        answer: Floats = np.log(np.exp(found - most).mean(axis=0)) + most
        return answer

    def advance(self, scores: Sequence[float] | Floats, mover: int) -> float:
        """Advance to a position; return its likelihood."""
        self.row += 1
        given = np.asarray(scores, np.float64)
        found = float(settle(given, mover, self.row, self.integers, self.numbers, self.path))
        features = len(self.discretisations)
        before, after = self.path[max(self.row - self.lag, 0), :features], self.path[self.row, :features]
        self.steps.append(SeenSlice(mover, before.copy(), after.copy()))
        if not self.window and len(self.steps) >= WAITING:
            self.add_up()
        self.impossible += found <= 0.0
        if self.row + SPARE >= len(self.path):
            self.path = np.concatenate([self.path, np.zeros_like(self.path)])
        return found

    def belief(self) -> Floats:
        """The current probability of each latent state."""
        features = len(self.discretisations)
        weights = self.path[max(self.row - 1, 0), features + self.columns : features + 2 * self.columns]
        if self.row:
            weighed = weights * self.path[self.row, features : features + self.columns]
            weights = weighed if weighed.sum() > 0.0 else weights
        found: Floats = weights.reshape(len(self.owns), -1).sum(axis=0)
        found /= found.sum()
        return found

    def evidence(self, latent: int) -> list[float]:
        """For each feature, its evidence for one latent state against the average of all, as a log ratio.

        Only the slices of the window count; if the own strategy is latent, all own strategies count equally.
        """
        if not self.window:
            self.add_up()
        found: list[float] = (self.told + self.told_by(self.steps))[:, latent].tolist()
        return found

    def add_up(self) -> None:
        """Add the evidence of the slices that wait to that of all earlier ones."""
        self.told = self.told + self.told_by(self.steps)
        self.steps.clear()

    def told_by(self, steps: Iterable[SeenSlice]) -> Floats:
        """The evidence of some slices, by feature and latent state; a state of probability 0 tells nothing."""
        found = np.zeros_like(self.told)
        layered = self.model.layout.layers == 2
        for layer in (0, 1):
            own = [step for step in steps if int(layered and step.mover == self.player) == layer]
            if own:
                before, after = (np.array([step[place] for step in own], np.int64) for place in (1, 2))
                for feature in range(len(found)):
                    table = self.model.table(feature, layer)[before[:, feature], after[:, feature]]
                    shares = table[:, self.owns].mean(axis=1)
                    with np.errstate(divide="ignore", invalid="ignore"):
                        gains = np.log(shares / shares.mean(axis=1, keepdims=True))
                    found[feature] = found[feature] + np.where(shares > 0.0, gains, 0.0).sum(axis=0)
        return found

    def compiled_model(self) -> CompiledModel:
        """The same for kernels; the arrays are copies."""
        path = self.path[: self.row + SPARE].copy()
        return CompiledModel(self.player, likelihoods, settle, self.integers, self.numbers, path, self.row)

    def __deepcopy__(self, memo: dict[int, Any]) -> "SliceFilter":
        copied = copy(self)  # tables never change, so copies share them
        copied.path, copied.steps = self.path[: self.row + 2 * SPARE].copy(), self.steps.copy()
        return copied


def bucket_edges(edges: Floats) -> tuple[Floats, Ints]:
    """Edges with an index: the lowest edge, the buckets per unit and the edges; and where each bucket begins.

    A bucket begins at the first edge that is not in an earlier bucket. Edges and scores are put into buckets by the
    same arithmetic, so rounding does no harm. The last edge is nan, so no score reaches it.
    """
    low, span = (float(edges[0]), float(edges[-1] - edges[0])) if len(edges) else (0.0, 0.0)
    scale = BUCKETS / span if span > 0.0 else 0.0
    scale = scale if np.isfinite(scale) else 0.0
    places = np.clip(((edges - low) * scale).astype(np.int64), 0, BUCKETS - 1)
    first = np.searchsorted(places, np.arange(BUCKETS), side="left").astype(np.int64)
    return np.array([low, scale, *edges, np.nan]), first
