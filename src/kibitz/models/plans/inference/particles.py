"""A sample of what a beam drops, so that approximate probabilities come with intervals that can be trusted.

The beam keeps the forests that may come to most, exactly. Whatever it drops goes into a sample: several independent
*replicas*, each a small set of forests with weights. When a replica grows too large, its heavy forests are kept as they
are, and of the others some are drawn, with their masses divided by the probability of being drawn (Fearnhead & Clifford
2003). So each replica is an unbiased estimate of all dropped mass, at all times, and the differences between replicas
tell the error. Equal forests are merged and all their waiting goals are summed over, so little is left to chance.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.models.plans import limits
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.inference.hypotheses import (
    Beginning,
    DroppedBeginnings,
    Edge,
    Extension,
    Forest,
    Hypotheses,
    Setting,
    beginnings,
    picks,
)
from kibitz.models.plans.inference.pending import Floats, Pending, UnstartedGoals
from kibitz.models.plans.inference.tree_table import TreeTable
from kibitz.models.plans.library import Observation

REPLICAS = 16
HELD = 4
"""Forests held between observations, as a multiple of those extended: the next observation rules out most of them."""
QUANTILES = (2.576, 2.947, 3.169, 3.499, 4.032, 4.604, 5.841, 9.925, 63.66, 63.66 * 2)
"""Student's quantiles for a two-sided level of 99 %, by one over the degrees of freedom."""
INVERSE_FREEDOM = (0.0, 1 / 15, 1 / 10, 1 / 7, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1.0, 2.0)
MISSING = 0.25
"""How much of the uncertainty of the total counts as mass that may belong to any goal; measured, see `kibitz bench`."""


class Sampled(Setting, Protocol):
    """What intervals need of a recogniser."""

    rows: Hypotheses
    sample: "DroppedSample | None"
    lost: float

    def weights(self, rows: Hypotheses | None = None) -> Floats: ...


class SampleSetting(msgspec.Struct):
    """What the extension of a sample needs."""

    forestry: TreeTable
    waiting: UnstartedGoals
    story: Assumptions
    beam: int | None
    trees: bool
    most_roots: int


class ObservedStep(NamedTuple):
    """One observation: what is pending, what was seen, and the shares of the masses that slip and that go on."""

    pending: Pending
    observation: Observation
    slip: float
    share: float


def keep_probabilities(weights: Floats, most: int) -> Floats:
    """The probabilities with which to keep things so that *most* are kept: 1 for heavy ones, else by weight."""
    if np.count_nonzero(weights) <= most:
        return np.asarray(weights > 0.0, dtype=np.float64)
    ordered = np.sort(weights)[::-1]
    left = np.cumsum(ordered[::-1])[::-1][:most]
    threshold = left / (most - np.arange(most))
    return np.asarray(np.minimum(1.0, weights / threshold[np.argmax(ordered[:most] <= threshold)]))


def drawn_places(probabilities: Floats, rng: core.Rng) -> NDArray[np.int64]:
    """Places drawn with these probabilities, evenly spread (systematic sampling)."""
    ends = np.floor(np.cumsum(probabilities) + rng.random())
    return np.flatnonzero(np.diff(ends, prepend=0.0) > 0.5)


class ReplicaExtension(Extension):
    """All successors of the rows of a sample, with equal forests of one replica merged."""

    def __init__(self, setting: Setting, rng: core.Rng, most: int) -> None:
        super().__init__(setting)
        self.rng, self.most = rng, most
        self.sources: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        """The replica of each row that is extended."""
        self.pairs: dict[tuple[int, Forest], int] = {}

    def most_new_trees(self) -> int:
        return limits.SAMPLED_NEW_TREES

    def target_row(self, source: int, forest: Forest) -> int:
        return self.pair_row(int(self.sources[source]), forest)

    def pair_row(self, replica: int, forest: Forest) -> int:
        """The row of a forest in a replica."""
        return self.pairs.setdefault((replica, forest), len(self.pairs))

    def worthy(
        self,
        rows: Hypotheses,
        picked: Floats,
        ways: Sequence[Beginning],
        allowed: NDArray[np.bool_],
        share: float,
    ) -> Iterator[tuple[int, int, float]]:
        """Which goals to begin in which forests: if there are many, some drawn by the mass they may gain."""
        potential = self.potentials(picked, ways, allowed)
        for replica in range(REPLICAS):
            own = np.flatnonzero(self.sources == replica)
            kept = keep_probabilities(potential[own].ravel(), 2 * self.most)
            for place in drawn_places(kept, self.rng).tolist():
                row, way = divmod(place, len(ways))
                yield int(own[row]), way, 1.0 / float(kept[place])

    def add_sample(
        self, sample: "SampleRows", step: ObservedStep, observation: Observation | None, share: float
    ) -> None:
        """Every way in which the rows of a sample can go on."""
        if not sample.forests:
            return
        self.sources = sample.replicas
        self.add(Hypotheses(sample.forests, sample.masses, []), step.pending, observation, share, 0, None)

    def add_rows(self, forests: Sequence[Forest], masses: Floats, replicas: Sequence[int]) -> None:
        """Rows of given replicas, as they are."""
        targets = [self.pair_row(replica, forest) for replica, forest in zip(replicas, forests, strict=True)]
        self.moved.append((np.array(targets, dtype=np.int64), masses))

    def sample_rows(self) -> "SampleRows":
        """All rows as one."""
        masses = np.zeros((len(self.pairs), len(self.setting.waiting.kinds)))
        for targets, moved in self.moved:
            np.add.at(masses, targets, moved)
        replicas = np.array([replica for replica, _ in self.pairs], dtype=np.int64)
        return SampleRows([forest for _, forest in self.pairs], masses, replicas)


class SampleRows(NamedTuple):
    """Forests with their masses, and the replica of each."""

    forests: list[Forest]
    masses: Floats
    replicas: NDArray[np.int64]

    def select(self, places: NDArray[np.int64], factors: Floats) -> "SampleRows":
        """Some rows, with their masses multiplied."""
        forests = [self.forests[place] for place in places.tolist()]
        return SampleRows(forests, self.masses[places] * factors[:, None], self.replicas[places])


class DroppedSample:
    """The sample of what one recogniser has dropped; *size* is the number of forests over all replicas."""

    def __init__(self, kinds: int, size: int, rng: core.Rng) -> None:
        self.most, self.rng = max(size // REPLICAS, 2), rng
        self.rows = SampleRows([], np.zeros((0, kinds)), np.zeros(0, dtype=np.int64))
        self.growth: ReplicaExtension | None = None
        self.unexamined = 0.0
        """An upper bound of the mass that is in no replica, because it was too dear to extend."""

    def clone(self) -> "DroppedSample":
        """An independent copy."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.rng = deepcopy(self.rng)
        return copied

    def setting(self, of: Setting) -> SampleSetting:
        """What the extension needs; the beam only limits how many new trees there may be."""
        return SampleSetting(of.forestry, of.waiting, of.story, self.most, False, of.most_roots)

    def go_on(self, of: Setting, step: ObservedStep, unseen_dropped: Sequence[Sequence[DroppedBeginnings]]) -> None:
        """Process an observation; afterwards take what the recogniser drops, and `finish`.

        *unseen_dropped* is what the recogniser has dropped among unseen actions, by their number in a row.
        """
        setting, story = self.setting(of), of.story
        growth = self.growth = ReplicaExtension(setting, self.rng, self.most)
        if self.rows.forests and step.slip:
            growth.add_rows(self.rows.forests, self.rows.masses * step.slip, self.rows.replicas.tolist())
        rows = self.rows
        if len(rows.forests) > self.most:
            rows = self.thin(rows, predicted_weights(rows, setting, step), self.most)
        for dropped in unseen_dropped:
            growth.add_sample(rows, step, step.observation, step.share)
            unseen = ReplicaExtension(setting, self.rng, self.most)
            unseen.add_sample(rows, step, None, story.miss)
            for each in dropped:
                self.take_beginnings(unseen, each, step.pending)
            self.unexamined += unseen.dropped / REPLICAS
            rows = self.resample(unseen.sample_rows(), of, self.most)
        growth.add_sample(rows, step, step.observation, step.share)
        self.unexamined += growth.dropped / REPLICAS

    def take_rows(self, dropped: Hypotheses, of: Setting) -> None:
        """Put dropped forests into every replica, some of them if there are many."""
        assert self.growth is not None
        weights = row_weights(dropped.masses, of.waiting)
        kept = keep_probabilities(weights, 2 * self.most)
        for replica in range(REPLICAS):
            places = drawn_places(kept, self.rng)
            forests = [dropped.forests[place] for place in places.tolist()]
            self.growth.add_rows(forests, dropped.masses[places] / kept[places, None], [replica] * len(forests))

    def take_beginnings(self, growth: ReplicaExtension, dropped: DroppedBeginnings, pending: Pending) -> None:
        """Put goals that were not examined into every replica, some of them if there are many."""
        kept = keep_probabilities(dropped.potential, 2 * self.most)
        for replica in range(REPLICAS):
            places = drawn_places(kept, self.rng)
            forests, masses = [], []
            for place in places.tolist():
                row, way = int(dropped.row[place]), dropped.ways[int(dropped.way[place])]
                forest = dropped.rows.forests[row]
                edge = Edge(row, len(forest), way.step, way.weight, way.kind)
                forests.append(growth.successor(forest, edge, pending)[1])
                picked = dropped.picked[row][growth.setting.waiting.before(way.kind)]
                masses.append(picked * (way.weight * dropped.share / kept[place]))
            if forests:
                growth.add_rows(forests, np.array(masses), [replica] * len(forests))

    def finish(self, of: Setting) -> None:
        """Make every replica small again."""
        assert self.growth is not None
        self.rows = self.resample(self.growth.sample_rows(), of, HELD * self.most)
        self.growth = None

    def resample(self, rows: SampleRows, of: Setting, most: int) -> SampleRows:
        """The same with at most *most* rows in a replica, those that matter most."""
        return self.thin(rows, row_weights(rows.masses, of.waiting), most)

    def thin(self, rows: SampleRows, weights: Floats, most: int) -> SampleRows:
        """The same with at most *most* rows in a replica, drawn by their weights."""
        chosen, factors = [], []
        for replica in range(REPLICAS):
            own = np.flatnonzero(rows.replicas == replica)
            kept = keep_probabilities(weights[own], most)
            places = drawn_places(kept, self.rng)
            chosen.append(own[places])
            factors.append(1.0 / kept[places])
        return rows.select(np.concatenate(chosen), np.concatenate(factors))

    def rescale(self, total: float) -> None:
        """Divide all masses."""
        self.rows = self.rows._replace(masses=self.rows.masses / total)
        self.unexamined /= total

    def totals(self, weights: Floats) -> Floats:
        """The sum of some weight of each row, by replica."""
        return np.bincount(self.rows.replicas, weights=weights, minlength=REPLICAS).astype(np.float64)


def row_weights(masses: Floats, waiting: UnstartedGoals) -> Floats:
    """How much each row matters: by what it is worth now, and by what it may come to."""
    found = np.zeros(len(masses))
    for each in (masses[:, 0], masses @ waiting.potential):
        if each.sum() > 0.0:
            found += each / each.sum()
    return found


def predicted_weights(rows: SampleRows, setting: SampleSetting, step: ObservedStep) -> Floats:
    """How much each row will matter once the observation is made: those that cannot explain it do not."""
    pending, forestry = step.pending, setting.forestry
    unseen = setting.story.miss > 0.0
    gains: dict[int, float] = {}
    most = len(forestry.trees) + limits.SAMPLED_NEW_TREES

    def gain(tree: int) -> float:
        found = gains.get(tree)
        if found is None:
            known = len(forestry.trees) < most and not unseen
            steps = forestry.steps(tree, step.observation) if known else ()
            found = gains[tree] = sum(pending.chance(tree, each.pick) for each in steps) if known else 1.0
        return found

    held = Hypotheses(rows.forests, rows.masses, [])
    picked = picks(setting, held, pending)
    going_on = np.array([sum(map(gain, forest)) for forest in rows.forests])
    room = np.array([len(forest) < setting.most_roots for forest in rows.forests], dtype=np.float64)
    found = picked[:, :-1] * going_on[:, None] * step.share + rows.masses * step.slip
    for way in beginnings(setting, pending, None if unseen else step.observation):
        found += picked[:, setting.waiting.before(way.kind)] * (room * way.weight * step.share)[:, None]
    return row_weights(found, setting.waiting)


def sampled_intervals(of: Sampled) -> dict[str, tuple[float, float]]:
    """The interval of the probability of each goal; never wider than what the beam alone is sure of."""
    assert of.sample is not None
    trees, sample = of.forestry.trees, of.sample
    certain = dict.fromkeys(of.forestry.library.goals, 0.0)
    weights = of.weights()
    for forest, weight in zip(of.rows.forests, weights.tolist(), strict=True):
        for goal in {trees[tree].goal for tree in forest} if weight else ():
            certain[goal] += weight
    sampled = {goal: np.zeros(REPLICAS) for goal in certain}
    drawn = of.weights(Hypotheses(sample.rows.forests, sample.rows.masses, []))
    pairs = zip(sample.rows.forests, drawn.tolist(), sample.rows.replicas.tolist(), strict=True)
    for forest, weight, replica in pairs:
        for goal in {trees[tree].goal for tree in forest} if weight else ():
            sampled[goal][replica] += weight
    total, totals = float(weights.sum()), sample.totals(drawn)
    whole = total + float(totals.mean())
    if not whole:
        return dict.fromkeys(certain, (0.0, 1.0))
    loose = sample.unexamined / (whole + sample.unexamined)
    found = {}
    for goal, mass in certain.items():
        low, high = sampled_interval(mass, total, sampled[goal], totals)
        least, most = mass / (total + of.lost), (mass + of.lost) / (total + of.lost)
        share = (mass + float(sampled[goal].mean())) / whole
        low, high = max(low * (1.0 - loose), least), min(high * (1.0 - loose) + loose, most)
        found[goal] = min(low, share), max(high, share)
    return found


def sampled_interval(certain: float, total: float, sampled: Floats, totals: Floats) -> tuple[float, float]:
    """The interval of a probability, from masses: the certain part, and what each replica adds to it.

    Replicas count by their mass. If few of them have most of it, there are in effect fewer replicas, and the interval
    is wider; it is wider, too, by what the total itself is unsure of, because whose mass is missing is unknown.
    """
    masses = total + totals
    whole = float(masses.sum())
    shares = masses / whole
    effective = 1.0 / float((shares**2).sum())
    if effective <= 1.5:
        return 0.0, 1.0
    mean = float((certain + sampled).sum()) / whole
    own = np.divide(certain + sampled, masses, out=np.full(len(masses), mean), where=masses > 0.0)
    freedom = effective - 1.0
    quantile = float(np.interp(1.0 / freedom, INVERSE_FREEDOM, QUANTILES))
    half = quantile * float(np.sqrt((shares * (own - mean) ** 2).sum() / freedom))
    missing = MISSING * quantile * float(masses.std(ddof=1)) * len(masses) ** 0.5 / whole
    return max(0.0, (mean - half) / (1.0 + missing)), min(1.0, (mean + half + missing) / (1.0 + missing))
