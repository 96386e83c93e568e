"""Trees with oblique tests, after OC1 (Murthy, Kasif & Salzberg 1994): weighted sums of features against a bound.

The search improves a hyperplane one coefficient at a time, each time by the best step; if none helps, it tries steps in
random directions, and repeats all of this from random starts. It then simplifies the coefficients to the fewest and
smallest whole numbers with the same gain, and uses the test only if it gains more than every test of a single feature.
"""

from collections.abc import Sequence
from math import ceil, floor, gcd, inf, isfinite
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from kibitz.core.seeds import stream
from kibitz.core.specs import Count
from kibitz_lab.learn.decision_tree.c45 import C45
from kibitz_lab.learn.decision_tree.growth import GrownNode
from kibitz_lab.learn.decision_tree.split_kernels import NO_GAIN, best_step, total_entropy
from kibitz_lab.learn.decision_tree.splits import SLIGHT, AxisSplits, NodeCases, NodeTest
from kibitz_lab.learn.examples import Examples, Expression, Floats, Ints
from kibitz_lab.learn.learner import check_settings
from kibitz_lab.learn.programs import Program

LARGEST = 12
"""The largest whole number tried as a coefficient."""
DIGITS = 3
"""Significant digits of coefficients that are not small whole numbers."""
Number = Annotated[int, Meta(ge=0, le=1000)]


class Oblique(Struct, frozen=True, kw_only=True):
    """A learner of trees whose tests may be oblique; *tree* says how they are grown and pruned."""

    tree: C45 = C45(criterion="gain")
    restarts: Number = 5
    """Random starting hyperplanes, besides the best test of a single feature."""
    jumps: Number = 5
    """Steps in random directions to try if no coefficient can be improved."""
    sample: Count = 2000
    """The most cases to fit hyperplanes to; the bound and the final gain come from all cases."""
    terms: Count = 2
    """The most steps of a feature in a hyperplane; sums and differences of features are hyperplanes themselves."""
    advantage: Annotated[float, Meta(ge=0.0)] = 0.02
    """By how many bits an oblique test must beat the best test of a single feature."""
    seed: int = 0

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Program:
        """The tree with oblique tests, or the one without if that is as good and simpler."""
        check_settings(self)
        used = features or examples.variables()
        axis = self.tree.splits(examples, used)
        trees = [self.tree.fit_tree(examples, splits) for splits in (axis, ObliqueSplits(examples, used, axis, self))]
        return self.tree.program("oc1", examples, min(trees, key=cost))


def cost(tree: GrownNode) -> tuple[float, int]:
    """The weight a tree gets wrong, then its number of leaves and the steps of all its features."""
    return round(sum(leaf.errors for leaf in tree.leaves()), 6), len(tree.leaves()) + steps(tree)


def steps(tree: GrownNode) -> int:
    """The steps of all features of a tree."""
    return (tree.test.feature.complexity if tree.test else 0) + sum(steps(branch) for branch in tree.branches)


class Plane(NamedTuple):
    """The test that `values @ factors <= bound`, and its gain."""

    factors: Floats
    bound: float
    gain: float


class ObliqueNode(NamedTuple):
    """The known cases of a node: values of the numeric features, labels, weights."""

    values: Floats
    labels: Ints
    weights: Floats
    number: int
    least: float

    def sample_cases(self, most: int) -> "ObliqueNode":
        """At most *most* of the cases, evenly spread."""
        rows = np.unique(np.linspace(0, len(self.values) - 1, min(most, len(self.values))).astype(np.int64))
        return self._replace(values=self.values[rows], labels=self.labels[rows], weights=self.weights[rows])

    def step(self, heights: Floats, slopes: Floats) -> tuple[float, float, float]:
        """The largest gain of a step along *slopes*, and the two steps it lies between."""
        between = np.empty(2)
        directions = np.ascontiguousarray(slopes)
        gain = best_step(heights, directions, self.labels, self.weights, self.number, self.least, between)
        return gain, float(between[0]), float(between[1])

    def best_plane(self, factors: Floats) -> Plane:
        """The plane of these factors with its best bound."""
        gain, low, high = self.step(self.values @ factors, np.full(len(self.values), -1.0))
        return Plane(factors, simplest_bound(low, high) if gain > NO_GAIN else 0.0, gain)


class ObliqueSplits:
    """The better of the best single-feature test and the best hyperplane found."""

    def __init__(self, examples: Examples, features: Sequence[Expression], axis: AxisSplits, settings: Oblique) -> None:
        self.examples, self.axis, self.settings = examples, axis, settings
        self.features = [each for each in features if not examples.words(each) and each.complexity <= settings.terms]
        self.values = np.stack([examples.feature_values(each) for each in self.features], 1) if self.features else None

    def best(self, cases: NodeCases, labels: Ints) -> NodeTest | None:
        """The best test of the cases."""
        single = self.axis.best(cases, labels)
        if self.values is None or len(self.features) < 2:
            return single
        known = ~np.isnan(self.values[cases.rows]).any(axis=1)
        values = np.ascontiguousarray(self.values[cases.rows[known]])
        node = ObliqueNode(values, labels[known], cases.weights[known], len(self.examples.labels), self.axis.least)
        needed = (single.gain if single else 0.0) + self.settings.advantage
        totals = np.bincount(labels, cases.weights).astype(np.float64)
        if total_entropy(totals, totals.sum()) <= needed * totals.sum():
            return single
        rng = stream(self.settings.seed, "oblique", len(cases.rows), int(cases.rows[0]))
        few = node.sample_cases(self.settings.sample)
        found = [improve_plane(few, start, self.settings.jumps, rng) for start in self.starts(few, single, rng)]
        plane = node.best_plane(max(found, key=lambda each: each.gain).factors) if found else None
        share = float(node.weights.sum() / cases.weights.sum())
        if plane is None or plane.gain * share <= needed:
            return single
        plain = readable(node, plane)
        return NodeTest(Expression.weighted_sum(plain.factors.tolist(), self.features), plain.bound, plain.gain * share)

    def starts(self, node: ObliqueNode, single: NodeTest | None, rng: np.random.Generator) -> list[Floats]:
        """The starting factors."""
        scale = node.values.std(axis=0) if len(node.values) else np.zeros(0)
        if not scale.any():
            return []
        spread = np.where(scale > 0.0, 1.0 / np.where(scale > 0.0, scale, 1.0), 0.0)
        drawn = [rng.standard_normal(len(spread)) * spread for _ in range(self.settings.restarts)]
        if single is not None and single.feature in self.features:
            drawn.insert(0, np.eye(len(spread))[self.features.index(single.feature)])
        return drawn


def improve_plane(node: ObliqueNode, factors: Floats, jumps: int, rng: np.random.Generator) -> Plane:
    """The plane reached by the best steps along one coefficient at a time, and along random directions."""
    plane = node.best_plane(factors)
    left = jumps
    while True:
        before = plane.gain
        for place in range(len(factors)):
            plane = step_plane(node, plane, np.eye(len(factors))[place], round_to_simple=True)
        if plane.gain > before + SLIGHT:
            continue
        if left == 0:
            return plane
        left -= 1
        plane = step_plane(node, plane, rng.standard_normal(len(factors)), round_to_simple=False)


def step_plane(node: ObliqueNode, plane: Plane, direction: Floats, *, round_to_simple: bool) -> Plane:
    """The plane after its best step along *direction* with its best bound, if that is better."""
    heights = node.values @ plane.factors - plane.bound
    gain, low, high = node.step(heights, node.values @ direction)
    if gain <= plane.gain + SLIGHT:
        return plane
    if round_to_simple:
        place = int(direction.argmax())
        at = plane.factors[place]
        step = simplest_between(at + low, at + high) - at
    else:
        step = (low + high) / 2.0
    moved = node.best_plane(plane.factors + step * direction)
    return moved if moved.gain > plane.gain + SLIGHT else plane


def readable(node: ObliqueNode, plane: Plane) -> Plane:
    """A plane with the same gain and fewer or smaller coefficients, if there is one."""
    for place in np.argsort(np.abs(plane.factors) * node.values.std(axis=0)).tolist():
        without = plane.factors.copy()
        without[place] = 0.0
        if without.any():
            plane = prefer_factors(node, plane, without)
    unit = plane.factors / np.abs(plane.factors).max()
    for largest in range(1, LARGEST + 1):
        whole = np.rint(unit * largest)
        divisor = gcd(*(int(factor) for factor in whole))
        simple = prefer_factors(node, plane, whole / max(divisor, 1))
        if simple is not plane:
            return simple
    return prefer_factors(node, plane, np.array([float(f"{factor:.{DIGITS}g}") for factor in unit]))


def prefer_factors(node: ObliqueNode, plane: Plane, factors: Floats) -> Plane:
    """The plane of other factors if its gain is as large, else the same plane."""
    other = node.best_plane(factors)
    return other if factors.any() and other.gain >= plane.gain - SLIGHT else plane


def simplest_bound(low: float, high: float) -> float:
    """The simplest number from *low* on and below *high*; it separates values up to *low* from larger ones."""
    first, last = ceil(low - SLIGHT), ceil(high - SLIGHT) - 1
    return float(min(max(first, 0), last)) if first <= last else simplest_between(low, high)


def simplest_between(low: float, high: float) -> float:
    """The number between two others with the least numerator and denominator (Stern and Brocot).

    >>> simplest_between(-0.3, 7.0), simplest_between(2.6, 9.5), simplest_between(0.3, 0.4)
    (0.0, 3.0, 0.3333333333333333)
    """
    if low < 0.0 < high:
        return 0.0
    if high <= 0.0:
        return -simplest_between(-high, -low)
    whole, left, found = [], (low, high), 0.0
    for _ in range(20):
        below = floor(left[0])
        if below + 1 < left[1]:
            found = below + 1.0
            break
        whole.append(below)
        left = (1.0 / (left[1] - below), 1.0 / (left[0] - below) if left[0] > below else inf)
        if not isfinite(left[0]):
            return (low + high) / 2.0
    for below in reversed(whole):
        found = below + 1.0 / found if found else 0.0
    return found if low < found < high else (low + high) / 2.0
