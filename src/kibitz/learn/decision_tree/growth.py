"""Growing trees: every node knows the examples that reached it, so that it can be pruned."""

from typing import NamedTuple

import numpy as np

from kibitz.learn.decision_tree.splits import SLIGHT, NodeCases, NodeTest, Splits, parts
from kibitz.learn.examples import Examples, Floats


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


class GrowthLimits(NamedTuple):
    """When a tree stops growing: the least weight of a branch, the most tests on a path, whether it is *collapsing*.

    A collapsing tree becomes a leaf if it is wrong as often as that leaf would be.
    """

    least: float
    depth: int
    collapsing: bool


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
    examples: Examples, splits: Splits, cases: NodeCases, limits: GrowthLimits, above: GrownNode | None = None
) -> GrownNode:
    """The tree for *cases*. Each node chooses labels for its own cases, as few different ones as possible."""
    node = leaf(examples, cases, above)
    if node.errors <= SLIGHT or limits.depth == 0 or node.weight < 2.0 * limits.least:
        return node
    test = splits.best(cases, examples.choose_labels(*cases))
    if test is None:
        return node
    ways, shares = parts(examples, test, cases)
    lower = limits._replace(depth=limits.depth - 1)
    branches = tuple(grow_tree(examples, splits, way, lower, node) for way in ways)
    made = node._replace(test=test, branches=branches, shares=shares)
    if limits.collapsing and sum(each.errors for each in made.leaves()) >= node.errors - SLIGHT:
        return node
    return made


def resend_cases(examples: Examples, tree: GrownNode, cases: NodeCases, above: GrownNode | None = None) -> GrownNode:
    """The same tests with other cases sent down."""
    node = leaf(examples, cases, above)
    if tree.test is None:
        return node
    ways, shares = parts(examples, tree.test, cases)
    branches = tuple(resend_cases(examples, branch, way, node) for branch, way in zip(tree.branches, ways, strict=True))
    return node._replace(test=tree.test, branches=branches, shares=shares)
