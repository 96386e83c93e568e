"""Tree-augmented naive Bayes (Friedman et al. 1997): every feature depends on the label and on one other feature."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from kibitz.learn.discretisation import Discretisation
from kibitz.learn.examples import Examples, Floats, Ints, Label
from kibitz.learn.expressions import Expression
from kibitz.learn.learner import check_settings
from kibitz.learn.naive_bayes import NaiveBayes, places, shares_of, state_counts

ALONE = -1
"""The parent of the feature that depends only on the label."""


class TreeAugmentedBayes(Struct, frozen=True, kw_only=True):
    """A learner of Bayes nets: it joins features to a tree by their mutual information given the label."""

    naive: NaiveBayes = NaiveBayes()
    """The naive Bayes that it starts from and falls back to."""
    fallback: Annotated[float, Meta(gt=0.0)] = 5.0
    """The weight of naive Bayes in each state of a parent, in examples."""

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> "TreeClassifier":
        """The classifier for *examples*."""
        check_settings(self)
        naive = self.naive.learn(examples, features)
        labels = examples.choose_labels(np.arange(len(examples)), examples.weights)
        found = [places(examples, *each) for each in zip(naive.features, naive.states, strict=True)]
        sizes = [known.size for known in naive.states]
        joint = Joint(found, sizes, labels, len(examples.labels), examples.weights)
        parents = spanning_tree(joint.information())
        tables = [
            self.table(joint, feature, parent, np.exp(naive.tables[feature])) for feature, parent in enumerate(parents)
        ]
        return TreeClassifier(naive.labels, naive.prior, naive.features, naive.states, parents, tables)

    def table(self, joint: "Joint", feature: int, parent: int, alone: Floats) -> Floats:
        """Logarithms of the shares of a feature's states, by its parent's state and the label.

        The last state of a parent stands for an unknown one: there, and for the root, naive Bayes answers.
        """
        if parent == ALONE:
            return np.asarray(np.log(alone[None]), np.float64)
        counts = joint.counts(parent, feature) + self.fallback * alone[None]
        table: Floats = np.log(np.concatenate([counts / counts.sum(axis=1, keepdims=True), alone[None]]))
        return table


class Joint(NamedTuple):
    """The joint counts of the states of two features and each label."""

    places: Sequence[Ints]
    sizes: Sequence[int]
    labels: Ints
    label_count: int
    weights: Floats

    def counts(self, one: int, other: int) -> Floats:
        """The weight of the examples with both states known, by the states of both features and the label."""
        first, second = self.places[one], self.places[other]
        pair = np.where((first >= 0) & (second >= 0), first * self.sizes[other] + second, -1)
        table = state_counts(pair, self.sizes[one] * self.sizes[other], self.labels, self.label_count, self.weights)
        return table.reshape(self.sizes[one], self.sizes[other], self.label_count)

    def information(self) -> Floats:
        """The mutual information of every two features given the label, in nats times the weight of examples."""
        count = len(self.places)
        found = np.zeros((count, count))
        for one in range(count):
            for other in range(one):
                found[one, other] = found[other, one] = conditional_information(self.counts(one, other))
        return found


def conditional_information(counts: Floats) -> float:
    """The mutual information of two features given the label, from their counts for every label."""
    ones, others, labels = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True), counts.sum(axis=(0, 1))
    seen = counts > 0.0
    expected = (ones * others)[seen]
    return float((counts[seen] * np.log(counts[seen] * np.broadcast_to(labels, counts.shape)[seen] / expected)).sum())


def spanning_tree(worth: Floats) -> list[int]:
    """The maximum spanning tree over all features (Prim 1957): the parent of each; that of the first is ALONE."""
    parents = [ALONE] * len(worth)
    left, best, nearest = set(range(1, len(worth))), worth[0], np.zeros(len(worth), np.int64)
    while left:
        chosen = max(sorted(left), key=lambda feature: best[feature])
        parents[chosen] = int(nearest[chosen])
        left.remove(chosen)
        nearest = np.where(worth[chosen] > best, chosen, nearest)
        best = np.maximum(worth[chosen], best)
    return parents


class TreeClassifier(NamedTuple):
    """The trained classifier: a tree of features, and log shares by the parent's state, the own and the label."""

    labels: tuple[Label, ...]
    prior: Floats
    features: Sequence[Expression]
    states: Sequence[Discretisation]
    parents: Sequence[int]
    tables: Sequence[Floats]

    def distributions(self, examples: Examples) -> Floats:
        """The share of every label for every example; missing values are ignored."""
        found = [places(examples, *each) for each in zip(self.features, self.states, strict=True)]
        logs = np.tile(self.prior, (len(examples), 1))
        for place, parent, table in zip(found, self.parents, self.tables, strict=True):
            above = np.full(len(place), -1) if parent == ALONE else found[parent]
            logs += np.where((place >= 0)[:, None], table[above, place], 0.0)
        return shares_of(logs)
