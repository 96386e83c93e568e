"""Evaluation: by hand, grouped folds, naive Bayes beside the tree, and intervals over groups."""

import numpy as np
import pytest

from kibitz.core.errors import BadSpec
from kibitz_lab.arena.statistics import mean_interval
from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.evaluation import Evaluation, cross_validation, evaluate_classifier, folds_of
from kibitz_lab.learn.examples import Examples
from kibitz_lab.learn.naive_bayes import NaiveBayes

SMALL = Examples.of({"a": [1, 2, 3, 4]}, ["p", "p", "q", {"p", "q"}], weights=[1, 1, 2, 4])
SAID = Evaluation(SMALL, np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]]))


def test_figures_by_hand() -> None:
    assert SAID.hits.tolist() == [1, 0, 1, 1]
    assert SAID.accuracy == pytest.approx(7 / 8)
    assert SAID.confusion.tolist() == [[1, 1], [0, 6]]
    assert SAID.label_shares == {"p": 0.25, "q": 0.75}
    assert SAID.log_losses.tolist() == pytest.approx([-np.log(0.9), -np.log(0.4), -np.log(0.7), 0.0])
    assert SAID.lines() == ["truth  p  q", "    p  1  1", "    q  0  6"]


def games(number: int, seed: int) -> Examples:
    """Rows that share the habit of their game: inside a game x tells everything, across games nothing."""
    rng = np.random.default_rng(seed)
    game = np.repeat(np.arange(number), 20)
    habit = rng.random(number)[game]
    label = np.where(rng.random(number)[game] < 0.5, "yes", "no")
    return Examples.of({"habit": habit, "noise": rng.random(len(game))}, label, groups=game.tolist())


def test_folds_keep_groups_together_and_labels_even() -> None:
    data = games(40, 1)
    fold = folds_of(data, 5, seed=0)
    assert all(len(np.unique(fold[data.groups == game])) == 1 for game in range(40))
    assert np.bincount(fold).tolist() == [160] * 5
    yes = data.allowed[:, data.labels.index("yes")]
    shares = [yes[fold == number].mean() for number in range(5)]
    assert max(shares) - min(shares) <= 1 / 8
    assert folds_of(data, None, seed=0).max() == 39
    assert folds_of(data, 5, seed=1).tolist() != fold.tolist()


def test_rows_of_one_game_flatter_a_learner_unless_they_are_held_out_together() -> None:
    data = games(40, 2)
    apart = Examples(data.columns, data.values, data.labels, data.allowed, data.weights, np.arange(len(data)))
    assert cross_validation(C45(), apart, folds=5).accuracy > 0.95
    assert cross_validation(C45(), data, folds=5).accuracy < 0.75


def test_intervals_are_over_groups() -> None:
    data = games(40, 3)
    judged = cross_validation(C45(), data, folds=5)
    honest = mean_interval(judged.hits, judged.groups, bounds=(0, 1))
    naive = mean_interval(judged.hits, bounds=(0, 1))
    assert honest.mean == pytest.approx(judged.accuracy)
    assert honest.blocks == 40
    assert honest.high - honest.low > 2 * (naive.high - naive.low)


@pytest.mark.parametrize("folds", [0, 1, 5])
def test_folds_must_be_at_least_two_and_not_more_than_groups(folds: int) -> None:
    with pytest.raises(BadSpec, match="use 2 to 4 folds"):
        cross_validation(C45(), SMALL, folds=folds)


def test_naive_bayes_by_hand() -> None:
    colour, label = ["red", "red", "blue", "blue", None], ["p", "p", "p", "q", "q"]
    data = Examples.of({"colour": colour}, label)
    learned = NaiveBayes().learn(data)
    red = learned.distributions(Examples.of({"colour": ["red", "blue", None]}, ["p", "p", "p"]))
    p, q = 4 / 7, 3 / 7
    likelihoods = np.array([[2 / 5, 2 / 3], [3 / 5, 1 / 3]])  # of blue and red, which come in this order
    expected = np.array([p, q]) * np.array([likelihoods[1], likelihoods[0], [1.0, 1.0]])
    assert np.allclose(red, expected / expected.sum(axis=1, keepdims=True))


@pytest.mark.long
def test_naive_bayes_agrees_with_scikit_learns_on_words() -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes", reason="scikit-learn is not installed")
    rng = np.random.default_rng(7)
    codes, labels = rng.integers(0, 4, (300, 3)), rng.integers(0, 3, 300)
    words = np.array(["a", "b", "c", "d"])
    data = Examples.of({f"w{place}": words[codes[:, place]].tolist() for place in range(3)}, labels)
    smoothed = (np.bincount(labels) + 1) / 303
    theirs = bayes.CategoricalNB(alpha=1.0, class_prior=smoothed).fit(codes, labels).predict_proba(codes)
    assert np.allclose(NaiveBayes().learn(data).distributions(data), theirs, atol=1e-12)


def test_labels_that_a_classifier_never_saw_get_nothing() -> None:
    program = C45().learn(Examples.of({"a": [1, 2]}, ["p", "p"]))
    judged = evaluate_classifier(program, Examples.of({"a": [1, 2]}, ["q", "p"]))
    assert judged.shares.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert judged.accuracy == 0.5
