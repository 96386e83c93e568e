"""Trees grow, and are cut back where that lowers the expected errors on new cases (Quinlan 1993, ch. 4)."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from kibitz_lab.learn.decision_tree.splits import SLIGHT, NodeCases, NodeTest, Splits, parts
from kibitz_lab.learn.examples import Examples, Floats

DEEPEST = 64
"""The most tests on a path."""
LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
"""Normal quantiles, between which C4.5 interpolates; with exact ones it would not print U(1, 16) = 0.157."""
SLACK = 0.1
"""A leaf may have this many more expected errors, because it is simpler."""


class GrownNode(NamedTuple):
    """A node with its label, the weight of the labels chosen for its cases, and the weight its label is wrong for."""

    cases: NodeCases
    label: int
    counts: Floats
    errors: float
    test: NodeTest | None = None
    branches: tuple["GrownNode", ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def weight(self) -> float:
        """The weight of its cases."""
        return float(self.cases.weights.sum())

    def leaves(self) -> list["GrownNode"]:
        """All leaves below, or itself."""
        return [leaf for branch in self.branches for leaf in branch.leaves()] if self.branches else [self]

    def leaf(self) -> "GrownNode":
        """The node without its branches."""
        return GrownNode(self.cases, self.label, self.counts, self.errors)


def all_cases(examples: Examples) -> NodeCases:
    """All examples."""
    return NodeCases(np.arange(len(examples)), examples.weights)


def leaf(examples: Examples, cases: NodeCases, above: GrownNode | None = None) -> GrownNode:
    """A node without branches; if no case reached it, it takes the label of the node *above*."""
    if len(cases.rows) == 0 and above is not None:
        return GrownNode(cases, above.label, above.counts, 0.0)
    label, errors = examples.best_label(*cases)
    counts = np.bincount(examples.choose_labels(*cases), cases.weights, len(examples.labels))
    return GrownNode(cases, label, counts.astype(np.float64), errors)


def grow_tree(
    examples: Examples,
    splits: Splits,
    cases: NodeCases,
    least: float,
    depth: int = DEEPEST,
    above: GrownNode | None = None,
) -> GrownNode:
    """The tree for *cases*: a leaf if that is wrong as rarely, or if no test has branches of the *least* weight.

    Each node chooses labels for its own cases, as few different ones as possible.
    """
    node = leaf(examples, cases, above)
    if node.errors <= SLIGHT or depth == 0 or node.weight < 2.0 * least:
        return node
    test = splits.best(cases, examples.choose_labels(*cases))
    if test is None:
        return node
    ways, shares = parts(examples, test, cases)
    branches = tuple(grow_tree(examples, splits, way, least, depth - 1, node) for way in ways)
    made = node._replace(test=test, branches=branches, shares=shares)
    return node if sum(each.errors for each in made.leaves()) >= node.errors - SLIGHT else made


def deviation(confidence: float) -> float:
    """The number of standard deviations above the mean that is exceeded with probability *confidence*."""
    place = next(place for place, level in enumerate(LEVELS) if level >= confidence and place)
    share = (confidence - LEVELS[place - 1]) / (LEVELS[place] - LEVELS[place - 1])
    return DEVIATIONS[place - 1] + share * (DEVIATIONS[place] - DEVIATIONS[place - 1])


def extra_errors(weight: float, errors: float, confidence: float) -> float:
    """The expected errors beyond those seen, at the upper end of a confidence interval."""
    if weight <= 0.0:
        return 0.0
    none = weight * (1.0 - float(confidence ** (1.0 / weight)))
    if errors < 1e-6:
        return none
    if errors < 0.9999:
        return none + errors * (extra_errors(weight, 1.0, confidence) - none)
    if errors + 0.5 >= weight:
        return 0.67 * max(weight - errors, 0.0)
    square = deviation(confidence) ** 2
    seen = errors + 0.5
    share = (seen + square / 2 + sqrt(square * (seen * (1.0 - seen / weight) + square / 4))) / (weight + square)
    return weight * share - errors


def expected_errors(tree: GrownNode, confidence: float) -> float:
    """The expected errors of all leaves."""
    return sum(leaf.errors + extra_errors(leaf.weight, leaf.errors, confidence) for leaf in tree.leaves())


def prune_tree(tree: GrownNode, confidence: float) -> GrownNode:
    """The tree with subtrees replaced by leaves."""
    if tree.test is None:
        return tree
    kept = tree._replace(branches=tuple(prune_tree(branch, confidence) for branch in tree.branches))
    whole = expected_errors(kept, confidence)
    return tree.leaf() if expected_errors(tree.leaf(), confidence) <= whole + SLACK else kept
