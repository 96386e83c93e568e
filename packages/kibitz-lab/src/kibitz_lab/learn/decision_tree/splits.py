"""The tests of a node, how the best one is found, and which examples follow each branch."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from kibitz_lab.learn.decision_tree.split_kernels import (
    ABOVE,
    BELOW,
    GAIN,
    MERITS,
    SPLIT_INFO,
    FeatureCodes,
    LabelledCases,
    write_merits,
)
from kibitz_lab.learn.examples import Examples, Expression, Floats, Ints

Criterion = Literal["gain_ratio", "gain"]
SLIGHT = 1e-9
"""Merits that differ by less are equal; weights below it count as 0."""


class NodeTest(NamedTuple):
    """A numeric feature with the largest value of the first branch; or a nominal variable with a branch per word."""

    feature: Expression
    bound: float | None
    gain: float = 0.0


class NodeCases(NamedTuple):
    """Examples at a node, with the fraction of each that reached it."""

    rows: Ints
    weights: Floats


class Splits(Protocol):
    """Finds tests for a node."""

    def best(self, cases: NodeCases, labels: Ints) -> NodeTest | None:
        """The best test of cases with these labels, None if no test has a gain."""
        ...


class AxisSplits:
    """Tests of one feature each (Quinlan 1993)."""

    def __init__(
        self,
        examples: Examples,
        features: Sequence[Expression],
        least: float = 2.0,
        penalised: bool = False,
        criterion: Criterion = "gain_ratio",
    ) -> None:
        self.examples, self.features = examples, features
        self.least, self.penalised, self.criterion = least, penalised, criterion
        nominal = np.array([bool(examples.words(feature)) for feature in features], np.uint8)
        self.distinct: list[Floats] = []
        codes = []
        for feature in features:
            values = examples.feature_values(feature)
            distinct, places = np.unique(values, return_inverse=True)
            self.distinct.append(distinct[~np.isnan(distinct)])
            codes.append(np.where(np.isnan(values), -1, places.ravel()).astype(np.int32))
        sizes = np.array([len(values) for values in self.distinct], np.int64)
        self.codes = FeatureCodes(np.ascontiguousarray(np.stack(codes)), sizes, nominal)

    def best(self, cases: NodeCases, labels: Ints) -> NodeTest | None:
        """The test of the best gain ratio among those of at least average gain; the first of equals."""
        found = np.empty((len(self.features), MERITS))
        labelled = LabelledCases(
            cases.rows, np.ascontiguousarray(labels, np.int64), cases.weights, len(self.examples.labels)
        )
        write_merits(self.codes, labelled, self.least, self.penalised, found)
        gains = found[:, GAIN]
        informative = (gains >= SLIGHT) & (found[:, SPLIT_INFO] > SLIGHT)
        if not informative.any():
            return None
        merits = gains.copy()
        if self.criterion == "gain_ratio":
            informative &= gains >= gains[informative].mean() - SLIGHT
            merits[informative] /= found[informative, SPLIT_INFO]
        merits[~informative] = -np.inf
        place = int(np.flatnonzero(merits >= merits.max() - SLIGHT)[0])
        bound = None
        if not self.codes.nominal[place]:
            bound = self.bound(place, int(found[place, BELOW]), int(found[place, ABOVE]))
        return NodeTest(self.features[place], bound, float(gains[place]))

    def bound(self, feature: int, below: int, above: int) -> float:
        """The largest value in all the data that is not above the middle of two neighbours (Quinlan 1993, 2.4)."""
        distinct = self.distinct[feature]
        middle = (distinct[below] + distinct[above]) / 2.0
        return float(distinct[max(int(np.searchsorted(distinct, middle, side="right")) - 1, below)])


def parts(examples: Examples, test: NodeTest, cases: NodeCases) -> tuple[list[NodeCases], tuple[float, ...]]:
    """The cases of each branch, and the shares in which cases with a missing value follow all branches."""
    values = examples.feature_values(test.feature, cases.rows)
    missing = np.isnan(values)
    if test.bound is None:
        number, way = len(examples.words(test.feature)), np.where(missing, -1, values).astype(np.int64)
    else:
        number, way = 2, np.where(missing, -1, values > test.bound).astype(np.int64)
    known = np.bincount(way[~missing], cases.weights[~missing], number)
    shares = known / known.sum() if known.sum() > 0.0 else np.full(number, 1.0 / number)
    found = []
    for branch in range(number):
        going = (way == branch) | (missing & (shares[branch] > 0.0))
        weights = np.where(missing, cases.weights * shares[branch], cases.weights)
        going &= weights > SLIGHT
        found.append(NodeCases(cases.rows[going], weights[going]))
    return found, tuple(shares.tolist())
