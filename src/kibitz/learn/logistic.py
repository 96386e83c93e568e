"""Multinomial logistic regression, a baseline for trees: shares are the softmax of weighted sums of features."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from kibitz.learn.examples import Examples, Floats, Label
from kibitz.learn.expressions import Expression
from kibitz.learn.learner import check_settings


class Logistic(Struct, frozen=True, kw_only=True):
    """A learner that minimises log loss; it standardises numbers, and gives missing ones a separate weight."""

    ridge: Annotated[float, Meta(gt=0.0)] = 1.0
    """The penalty on squared weights, in nats over all examples."""
    iterations: Annotated[int, Meta(ge=1, le=10_000)] = 100

    def learn(self, examples: Examples, features: tuple[Expression, ...] | None = None) -> "LogisticClassifier":
        """The classifier for *examples*."""
        from scipy.optimize import minimize

        check_settings(self)
        encodings = [encoding(examples, feature) for feature in features or examples.variables()]
        inputs = matrix(examples, encodings)
        truth = np.eye(len(examples.labels))[examples.choose_labels(np.arange(len(examples)), examples.weights)]
        shape = inputs.shape[1], len(examples.labels)
        penalty = np.full(shape, self.ridge)
        penalty[0] = 0.0  # the intercept is free

        def loss(flat: Floats) -> tuple[float, Floats]:
            weights = flat.reshape(shape)
            logs = log_shares(inputs @ weights)
            missed = (np.exp(logs) - truth) * examples.weights[:, None]
            cost = 0.5 * (penalty * weights**2).sum() - (examples.weights[:, None] * truth * logs).sum()
            return float(cost), (inputs.T @ missed + penalty * weights).ravel()

        found = minimize(
            loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}
        )
        return LogisticClassifier(examples.labels, encodings, found.x.reshape(shape))


class Encoding(NamedTuple):
    """How a feature becomes inputs: a number and a flag for missing ones, or a flag for every word."""

    feature: Expression
    words: int
    mean: float
    spread: float

    def inputs(self, examples: Examples) -> Floats:
        """The inputs of all examples; a missing word sets no flag."""
        values = examples.feature_values(self.feature)
        missing = np.isnan(values)
        if self.words:
            return np.asarray(values[:, None] == np.arange(self.words), np.float64)
        number = np.where(missing, 0.0, (np.where(missing, self.mean, values) - self.mean) / self.spread)
        return np.stack([number, missing.astype(np.float64)], 1)


def encoding(examples: Examples, feature: Expression) -> Encoding:
    """The encoding fitted to the training examples."""
    values = examples.feature_values(feature)
    known = values[~np.isnan(values)]
    spread = float(known.std()) if len(known) else 0.0
    return Encoding(feature, len(examples.words(feature)), float(known.mean()) if len(known) else 0.0, spread or 1.0)


def matrix(examples: Examples, encodings: Sequence[Encoding]) -> Floats:
    """A row of inputs for every example; the first is always 1."""
    return np.concatenate([np.ones((len(examples), 1)), *(each.inputs(examples) for each in encodings)], axis=1)


def log_shares(scores: Floats) -> Floats:
    """The logarithms of the softmax along the last axis."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)


class LogisticClassifier(NamedTuple):
    """A trained logistic regression: a weight for every input and label."""

    labels: tuple[Label, ...]
    encodings: Sequence[Encoding]
    weights: Floats

    def distributions(self, examples: Examples) -> Floats:
        """The share of every label for every example."""
        return np.asarray(np.exp(log_shares(matrix(examples, self.encodings) @ self.weights)), np.float64)
