"""Trees as they grow: every node knows the examples that came to it, so that it can be pruned."""

from typing import NamedTuple

import numpy as np

from kibitz.learn.decision_tree.splits import SLIGHT, Cases, NodeTest, Splits, parts
from kibitz.learn.examples import Examples, Floats


class Grown(NamedTuple):
    """A node with its label, the weight of the labels chosen for its cases, and of those its label is wrong for."""

    cases: Cases
    label: int
    counts: Floats
    errors: float
    test: NodeTest | None = None
    branches: tuple["Grown", ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def weight(self) -> float:
        """Of its cases."""
        return float(self.cases.weights.sum())

    def leaves(self) -> list["Grown"]:
        """All leaves below, or itself."""
        return [leaf for branch in self.branches for leaf in branch.leaves()] if self.branches else [self]

    def leaf(self) -> "Grown":
        """Itself without branches."""
        return Grown(self.cases, self.label, self.counts, self.errors)


class Limits(NamedTuple):
    """When a tree stops growing: the least weight of a branch, the tests on a way, and whether it is *collapsing*.

    Then a tree that is wrong as often as a leaf would be becomes that leaf.
    """

    least: float
    depth: int
    collapsing: bool


def rooted(examples: Examples) -> Cases:
    """All examples."""
    return Cases(np.arange(len(examples)), examples.weights)


def leaf(examples: Examples, cases: Cases, above: Grown | None = None) -> Grown:
    """A node without branches; where no case came, it says what the node *above* says."""
    if len(cases.rows) == 0 and above is not None:
        return Grown(cases, above.label, above.counts, 0.0)
    label, errors = examples.best_label(*cases)
    counts = np.bincount(examples.chosen(*cases), cases.weights, len(examples.labels))
    return Grown(cases, label, counts.astype(np.float64), errors)


def grown(examples: Examples, splits: Splits, cases: Cases, limits: Limits, above: Grown | None = None) -> Grown:
    """The tree for *cases*. Labels are chosen anew at every node, where the fewest are needed."""
    node = leaf(examples, cases, above)
    if node.errors <= SLIGHT or limits.depth == 0 or node.weight < 2.0 * limits.least:
        return node
    test = splits.best(cases, examples.chosen(*cases))
    if test is None:
        return node
    ways, shares = parts(examples, test, cases)
    lower = limits._replace(depth=limits.depth - 1)
    branches = tuple(grown(examples, splits, way, lower, node) for way in ways)
    made = node._replace(test=test, branches=branches, shares=shares)
    if limits.collapsing and sum(each.errors for each in made.leaves()) >= node.errors - SLIGHT:
        return node
    return made


def resent(examples: Examples, tree: Grown, cases: Cases, above: Grown | None = None) -> Grown:
    """The same tests with other cases sent down."""
    node = leaf(examples, cases, above)
    if tree.test is None:
        return node
    ways, shares = parts(examples, tree.test, cases)
    branches = tuple(resent(examples, branch, way, node) for branch, way in zip(tree.branches, ways, strict=True))
    return node._replace(test=tree.test, branches=branches, shares=shares)
