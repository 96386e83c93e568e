"""Naive Bayes, the baseline for all other classifiers: features depend only on the label."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from kibitz.core.specs import Count
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.examples import Examples, Expression, Floats, Ints, Label
from kibitz_lab.learn.learner import check_settings


class NaiveBayes(Struct, frozen=True, kw_only=True):
    """A learner that counts; it divides numbers into intervals of about equally many examples."""

    intervals: Count = 8
    smoothing: Annotated[float, Meta(gt=0.0)] = 1.0
    """The pseudo-count added to every count."""

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> "BayesClassifier":
        """The classifier for *examples*."""
        check_settings(self)
        used = features or examples.variables()
        labels = examples.choose_labels(np.arange(len(examples)), examples.weights)
        prior = np.bincount(labels, examples.weights, len(examples.labels)) + self.smoothing
        states = [self.states(examples, feature) for feature in used]
        tables = []
        for feature, known in zip(used, states, strict=True):
            place = places(examples, feature, known)
            counts = state_counts(place, known.size, labels, len(examples.labels), examples.weights) + self.smoothing
            tables.append(np.log(counts / counts.sum(axis=0)))
        return BayesClassifier(examples.labels, np.log(prior / prior.sum()), used, states, tables)

    def states(self, examples: Examples, feature: Expression) -> Discretisation:
        """The intervals of a number; every word of a nominal variable is a state."""
        words = examples.words(feature)
        if words:
            return Discretisation(str(feature), tuple(place - 0.5 for place in range(1, len(words))))
        values = examples.feature_values(feature)
        return Discretisation.from_values(str(feature), values[~np.isnan(values)], most=self.intervals)


class BayesClassifier(NamedTuple):
    """A trained naive Bayes: logarithms of the shares of labels, and of states for every label."""

    labels: tuple[Label, ...]
    prior: Floats
    features: Sequence[Expression]
    states: Sequence[Discretisation]
    tables: Sequence[Floats]

    def distributions(self, examples: Examples) -> Floats:
        """The share of every label for every example; missing values are ignored."""
        logs = np.tile(self.prior, (len(examples), 1))
        for feature, known, table in zip(self.features, self.states, self.tables, strict=True):
            place = places(examples, feature, known)
            logs += np.where((place >= 0)[:, None], table[place], 0.0)
        return shares_of(logs)


def places(examples: Examples, feature: Expression, states: Discretisation) -> Ints:
    """The state of every example, -1 for a missing value."""
    values = examples.feature_values(feature)
    return np.where(np.isnan(values), -1, states.states(values)).astype(np.int64)


def state_counts(place: Ints, size: int, labels: Ints, label_count: int, weights: Floats) -> Floats:
    """The weight of the examples with a known state, by state and label."""
    counts = np.zeros((size, label_count))
    seen = place >= 0
    np.add.at(counts, (place[seen], labels[seen]), weights[seen])
    return counts


def shares_of(logs: Floats) -> Floats:
    """Shares from their logarithms, which are given up to a constant in every row."""
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
