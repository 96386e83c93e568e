"""Shrunken decision trees: leaves are mixed with the overall label shares, more so the more groups differ."""

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.evaluation import cross_validation
from kibitz_lab.learn.examples import Examples, Expression, Floats
from kibitz_lab.learn.learner import check_settings
from kibitz_lab.learn.programs import Choice, Leaf, Program, RuleList, Split, Tree


class ShrunkTree(Struct, frozen=True, kw_only=True):
    """A learner of trees whose leaves are mixed with the overall shares of labels, to fit new groups best.

    The weight of the overall shares is the one that makes held-out groups likeliest: it is small if all groups are
    alike, and near 1 if each is different.
    """

    learner: C45 = C45()
    folds: Annotated[int, Meta(ge=2, le=1000)] = 6
    """The number of folds, made of whole groups, to find the weight."""

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> Program:
        """The shrunken tree for *examples*; unshrunken if there are fewer than two groups."""
        check_settings(self)
        program = self.learner.learn(examples, features)
        groups = len(np.unique(examples.groups))
        if groups < 2:
            return program
        said = cross_validation(self.learner, examples, features, folds=min(self.folds, groups))
        usual = examples.support / examples.support.sum()
        right = examples.allowed
        share = best_share((said.shares * right).sum(axis=1), (usual * right).sum(axis=1), examples.weights)
        assert not isinstance(program.body, RuleList)  # C4.5 makes trees
        return replace(program, learner="shrunk c4.5", body=shrink_tree(program.body, usual, share))


def best_share(said: Floats, usual: Floats, weights: Floats) -> float:
    """The weight of the overall shares that makes the truth likeliest, from the probability each side gives it."""
    from scipy.optimize import minimize_scalar

    def loss(share: float) -> float:
        mixed: Floats = (1.0 - share) * said + share * usual
        return float(-(weights * np.log(np.maximum(mixed, np.finfo(np.float64).tiny))).sum())

    return float(minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded").x)


def shrink_tree(tree: Tree, usual: Floats, share: float) -> Tree:
    """The same tree with every leaf mixed with the *usual* shares."""
    match tree:
        case Leaf():
            mixed = (1.0 - share) * np.array(tree.shares) + share * usual
            return replace(tree, shares=tuple(mixed.tolist()))
        case Split():
            return replace(tree, yes=shrink_tree(tree.yes, usual, share), no=shrink_tree(tree.no, usual, share))
        case Choice():
            return replace(tree, branches=tuple(shrink_tree(branch, usual, share) for branch in tree.branches))
