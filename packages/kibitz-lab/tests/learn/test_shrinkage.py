"""Trees shrunk to what is usual: by how far groups differ."""

import numpy as np
import pytest

from kibitz.core.errors import BadSpec
from kibitz_lab.learn.decision_tree import C45
from kibitz_lab.learn.evaluation import cross_validation
from kibitz_lab.learn.examples import Examples, Floats
from kibitz_lab.learn.shrinkage import ShrunkTree, best_share


def people(alike: float, seed: int) -> Examples:
    """Twelve people who do what *x* says if they are like the most, and the opposite if not."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(12), 40)
    x = rng.integers(0, 2, len(person))
    contrary = (np.arange(12) >= round(12 * alike))[person]
    return Examples.of(
        {"x": x, "y": rng.random(len(person))}, np.where(x ^ contrary, "yes", "no"), groups=person.tolist()
    )


def share_of(data: Examples) -> float:
    """How much of what is usual there is in a shrunk tree: its leaves lie so much nearer to it."""
    plain, made = C45().learn(data).distributions(data), ShrunkTree().learn(data).distributions(data)
    usual: Floats = data.support / data.support.sum()
    far = np.abs(plain - usual).max(axis=1)
    return float((1.0 - np.abs(made - usual).max(axis=1) / far).max())


def test_the_best_share_is_that_of_the_mixture() -> None:
    said, usual = np.array([1.0] * 80 + [0.0] * 20), np.full(100, 0.5)
    assert best_share(said, usual, np.ones(100)) == pytest.approx(0.4, abs=1e-4)
    assert best_share(np.ones(5), usual[:5], np.ones(5)) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.long
def test_the_more_people_differ_the_less_a_tree_claims_to_know() -> None:
    assert share_of(people(1.0, 1)) < 0.01
    assert share_of(people(1.0, 1)) < share_of(people(11 / 12, 1)) < share_of(people(9 / 12, 1))


@pytest.mark.long
def test_strangers_are_foretold_with_less_loss_and_the_same_labels() -> None:
    data = people(10 / 12, 2)
    plain, made = (cross_validation(learner, data, folds=None) for learner in (C45(), ShrunkTree()))
    assert made.mean(made.log_losses) < plain.mean(plain.log_losses)
    assert made.shares.sum(axis=1) == pytest.approx(np.ones(len(data)))
    assert (made.predictions == plain.predictions).all()


def test_one_group_alone_is_not_shrunk() -> None:
    data = Examples.of({"x": [0, 1, 0, 1]}, ["p", "q", "p", "q"], groups=[0, 0, 0, 0])
    assert ShrunkTree().learn(data) == C45().learn(data)
    with pytest.raises(BadSpec, match="folds"):
        ShrunkTree(folds=1).learn(data)
