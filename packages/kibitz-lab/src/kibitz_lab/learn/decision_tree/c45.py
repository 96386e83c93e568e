"""The decision tree learner C4.5 (Quinlan 1993): gain ratio, thresholds, missing values, pessimistic pruning."""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from kibitz_lab.learn.decision_tree.growth import GrownNode, all_cases, grow_tree, prune_tree
from kibitz_lab.learn.decision_tree.splits import AxisSplits, Criterion, Splits
from kibitz_lab.learn.examples import Examples, Expression, Floats
from kibitz_lab.learn.learner import check_settings
from kibitz_lab.learn.programs import Choice, Condition, Leaf, Program, Split, Tree

Smoothing = Literal["laplace", "m-estimate"]
PRIOR_WEIGHT = 2.0
"""The m of the m-estimate."""
Positive = Annotated[float, Meta(gt=0.0)]
Confidence = Annotated[float, Meta(gt=0.0, le=1.0)]


class C45(Struct, frozen=True, kw_only=True):
    """A learner of decision trees; the defaults are Quinlan's."""

    least: Positive = 2.0
    """The least weight that at least two branches of a test need."""
    confidence: Confidence | None = 0.25
    """The confidence level of the pessimistic errors for pruning; None keeps every leaf that improves the fit."""
    penalised: bool = False
    """Whether the gain of a threshold pays for the choice among many, as in Release 8 (Quinlan 1996)."""
    criterion: Criterion = "gain_ratio"
    smoothing: Smoothing = "laplace"

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Program:
        """The tree for *examples*; *features* are by default their variables."""
        check_settings(self)
        splits = self.splits(examples, features or examples.variables())
        return self.program("c4.5", examples, self.fit_tree(examples, splits))

    def splits(self, examples: Examples, features: tuple[Expression, ...]) -> AxisSplits:
        """The finder of tests of one feature each."""
        return AxisSplits(examples, features, self.least, self.penalised, self.criterion)

    def fit_tree(self, examples: Examples, splits: Splits) -> GrownNode:
        """The tree grown with tests from *splits*, and pruned."""
        tree = grow_tree(examples, splits, all_cases(examples), self.least)
        return tree if self.confidence is None else prune_tree(tree, self.confidence)

    def program(self, learner: str, examples: Examples, tree: GrownNode) -> Program:
        """A grown tree as a program."""
        return Program(learner, examples.columns, examples.labels, self.program_node(examples, tree))

    def program_node(self, examples: Examples, node: GrownNode) -> Tree:
        """A grown node as a node of a program."""
        if node.test is None:
            shares = tuple(self.shares(examples, node.counts).tolist())
            return Leaf(examples.labels[node.label], shares, node.weight, node.errors)
        below = tuple(self.program_node(examples, branch) for branch in node.branches)
        feature, bound = node.test.feature, node.test.bound
        if bound is None:
            return Choice(str(feature), examples.words(feature), below, node.shares)
        yes, no = below
        return Split(Condition(feature, "<=", bound), yes, no, node.shares[0])

    def shares(self, examples: Examples, counts: Floats) -> Floats:
        """The shares of all labels at a leaf with these weights."""
        prior = np.ones(len(counts))
        if self.smoothing == "m-estimate":
            prior = PRIOR_WEIGHT * examples.support / examples.support.sum()
        made: Floats = (counts + prior) / (counts + prior).sum()
        return made
