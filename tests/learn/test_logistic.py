"""Logistic regression, beside scikit-learn's."""

import numpy as np
import pytest

from kibitz.core.errors import BadSpec
from kibitz.core.seeds import stream
from kibitz.learn.evaluation import evaluate_classifier
from kibitz.learn.examples import Examples
from kibitz.learn.logistic import Logistic


def drawn(count: int = 300, labels: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = stream(3, "logistic")
    values = rng.normal(size=(count, 2)) * [1.0, 20.0] + [0.0, 5.0]
    scores = values @ rng.normal(size=(2, labels)) + rng.gumbel(size=(count, labels))
    return values, scores.argmax(axis=1)


@pytest.mark.parametrize("labels", [2, 3])
def test_shares_are_those_of_scikit_learn(labels: int) -> None:
    from sklearn.linear_model import LogisticRegression

    values, truth = drawn(labels=labels)
    examples = Examples.of({"a": values[:, 0], "b": values[:, 1]}, truth)
    ours = Logistic(ridge=1.0, iterations=2000).learn(examples).distributions(examples)
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    # The softmax of two labels has twice the weights to pay for that one sigmoid has.
    theirs = LogisticRegression(C=1.0 if labels > 2 else 2.0, max_iter=5000, tol=1e-10).fit(standard, truth)
    assert ours == pytest.approx(theirs.predict_proba(standard), abs=2e-3)
    assert ours.sum(axis=1) == pytest.approx(1.0)


def test_missing_numbers_and_words_are_taken_as_they_are() -> None:
    count = 60
    words = ["red", "blue", None] * (count // 3)
    known = [None if place % 2 else 1.0 for place in range(count)]
    truth = ["late" if place % 2 or word == "red" else "soon" for place, word in enumerate(words)]
    examples = Examples.of({"colour": words, "number": known}, truth)
    evaluation = evaluate_classifier(Logistic(ridge=0.01).learn(examples), examples)
    assert evaluation.accuracy == 1.0
    assert evaluation.mean(evaluation.log_losses) < 0.1


def test_a_weight_counts_as_often_as_it_says() -> None:
    once = Examples.of({"a": [0.0, 1.0, 1.0, 1.0]}, ["x", "y", "y", "x"])
    weighed = Examples.of({"a": [0.0, 1.0, 1.0]}, ["x", "y", "x"], weights=[1.0, 2.0, 1.0])
    row = Examples.of({"a": [1.0]}, ["x"], labels=["x", "y"])
    learner = Logistic(iterations=2000)
    first = learner.learn(once)
    assert first.distributions(row)[0, 1] == pytest.approx(learner.learn(weighed).distributions(row)[0, 1], abs=0.02)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(BadSpec):
        Logistic(ridge=-1.0).learn(Examples.of({"a": [0.0, 1.0]}, ["x", "y"]))
