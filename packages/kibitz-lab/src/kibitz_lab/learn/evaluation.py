"""Evaluate a classifier: confusion matrix, accuracy, log loss and Brier score per example, cross-validation.

All measures are per example, with groups of dependent examples, such as the rows of one game. So
`kibitz_lab.arena.statistics.mean_interval(evaluation.hits, evaluation.groups, bounds=(0, 1))` gives a valid interval.
"""

from typing import NamedTuple

import numpy as np

from kibitz.core.errors import BadSpec
from kibitz.core.seeds import stream
from kibitz_lab.learn.examples import Examples, Expression, Floats, Ints, Label
from kibitz_lab.learn.learner import Classifier, Learner

LEAST_SHARE = 1e-15
"""The least share of a label when its logarithm is taken."""


class Evaluation(NamedTuple):
    """The predictions of a classifier: the share of every label for every example."""

    examples: Examples
    shares: Floats

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.examples.labels

    @property
    def groups(self) -> Ints:
        """The group of every example; examples of one group are not independent."""
        return self.examples.groups

    @property
    def predictions(self) -> Ints:
        """The places of the likeliest labels."""
        found: Ints = self.shares.argmax(axis=1)
        return found

    @property
    def truths(self) -> Ints:
        """The places of the right labels; of several, the likeliest."""
        found: Ints = np.where(self.examples.allowed, self.shares, -1.0).argmax(axis=1)
        return found

    @property
    def hits(self) -> Floats:
        """1 if the prediction is right, else 0."""
        return np.asarray(self.predictions == self.truths, np.float64)

    @property
    def log_losses(self) -> Floats:
        """The log loss of each example, in nats; the shares of several right labels add up."""
        held = np.where(self.examples.allowed, self.shares, 0.0).sum(axis=1)
        return np.asarray(-np.log(np.maximum(held, LEAST_SHARE)), np.float64)

    @property
    def accuracy(self) -> float:
        """The share of the weight with a right prediction."""
        return self.mean(self.hits)

    def mean(self, figures: Floats) -> float:
        """The weighted mean of one number per example."""
        return float(np.average(figures, weights=self.examples.weights))

    @property
    def confusion(self) -> Floats:
        """The weight of the examples by truth (row) and prediction (column)."""
        matrix = np.zeros((len(self.labels), len(self.labels)))
        np.add.at(matrix, (self.truths, self.predictions), self.examples.weights)
        return matrix

    @property
    def label_shares(self) -> dict[Label, float]:
        """How often each label was the truth: the baseline for the accuracy."""
        sums = self.confusion.sum(axis=1)
        return dict(zip(self.labels, (sums / sums.sum()).tolist(), strict=True))

    def lines(self) -> list[str]:
        """The confusion matrix as text, a line for every truth."""
        cells = [["truth", *(str(label) for label in self.labels)]]
        for label, row in zip(self.labels, self.confusion.tolist(), strict=True):
            cells.append([str(label), *(f"{weight:g}" for weight in row)])
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]


def evaluate_classifier(classifier: Classifier, examples: Examples) -> Evaluation:
    """Evaluate a classifier on *examples*, which may have other labels or the same in another order."""
    said = classifier.distributions(examples)
    places = [examples.labels.index(label) if label in examples.labels else -1 for label in classifier.labels]
    shares = np.zeros((len(examples), len(examples.labels)))
    for column, place in enumerate(places):
        if place >= 0:
            shares[:, place] = said[:, column]
    return Evaluation(examples, shares)


def cross_validation(
    learner: Learner,
    examples: Examples,
    features: tuple[Expression, ...] | None = None,
    *,
    folds: int | None = 10,
    seed: int = 0,
) -> Evaluation:
    """Cross-validate a learner: it predicts every example after learning from the other folds only.

    Examples of one group are in one fold: group by game, or by agent to judge it on unknown agents. With None, every
    group is a fold.
    """
    fold = folds_of(examples, folds, seed)
    shares = np.zeros((len(examples), len(examples.labels)))
    for number in range(int(fold.max()) + 1):
        held = np.flatnonzero(fold == number)
        classifier = learner.learn(examples.subset(np.flatnonzero(fold != number)), features)
        shares[held] = evaluate_classifier(classifier, examples.subset(held)).shares
    return Evaluation(examples, shares)


def folds_of(examples: Examples, folds: int | None, seed: int) -> Ints:
    """The fold of every example: groups are shuffled and distributed, label by label."""
    groups = np.unique(examples.groups, return_inverse=True)[1].ravel()
    count = int(groups.max()) + 1
    number = count if folds is None else folds
    if not 2 <= number <= count:
        raise BadSpec(f"folds={folds}", f"there are {count} independent groups of examples; use 2 to {count} folds")
    everything = np.arange(len(examples))
    labels = examples.choose_labels(everything, examples.weights)
    support = np.zeros((count, len(examples.labels)))
    np.add.at(support, (groups, labels), examples.weights)
    shuffled = stream(seed, "folds").permutation(count)
    dealt = shuffled[np.argsort(support.argmax(axis=1)[shuffled], kind="stable")]
    fold = np.empty(count, np.int64)
    fold[dealt] = np.arange(count) % number
    return fold[groups]
