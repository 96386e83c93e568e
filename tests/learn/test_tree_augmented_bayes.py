"""Tree-augmented naive Bayes: by hand, the best of all trees, and what it knows that naive Bayes does not."""

from itertools import product

import numpy as np
import pytest

from kibitz.core.errors import BadSpec
from kibitz.learn.evaluation import cross_validation
from kibitz.learn.examples import Examples
from kibitz.learn.naive_bayes import NaiveBayes
from kibitz.learn.tree_augmented_bayes import ALONE, TreeAugmentedBayes, spanning_tree


def test_tables_by_hand() -> None:
    one, other, label = ["a", "a", "b", "b"], ["x", "y", "x", "x"], ["p", "p", "p", "q"]
    data = Examples.of({"one": one, "other": other}, label)
    learned = TreeAugmentedBayes(fallback=1.0).learn(data)
    assert learned.parents == [ALONE, 0]
    table = np.exp(learned.tables[1])[:, :, 0]  # of "other", given p: by a, b or an unknown "one", then x or y
    x_alone, y_alone = 3 / 5, 2 / 5
    assert table[2].tolist() == pytest.approx([x_alone, y_alone])
    assert table[0].tolist() == pytest.approx([(1 + x_alone) / 3, (1 + y_alone) / 3])
    assert table[1].tolist() == pytest.approx([(1 + x_alone) / 2, y_alone / 2])
    unknown = Examples.of({"one": [None], "other": ["x"]}, ["p"], words={"one": ["a", "b"], "other": ["x", "y"]})
    said = learned.distributions(unknown)
    naive = NaiveBayes().learn(data).distributions(unknown)
    assert said == pytest.approx(naive), "where the parent is unknown naive Bayes answers"


@pytest.mark.parametrize("seed", range(20))
def test_no_tree_is_worth_more_than_the_one_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worth = rng.random((5, 5))
    worth = worth + worth.T
    found = spanning_tree(worth)

    def total(parents: list[int]) -> float:
        return sum(worth[child, parent] for child, parent in enumerate(parents) if parent != ALONE)

    def joined(parents: tuple[int, ...]) -> bool:
        reached = {0}
        for _ in parents:
            reached |= {child for child, parent in enumerate(parents, 1) if parent in reached}
        return len(reached) == 5

    every = [[ALONE, *parents] for parents in product(range(5), repeat=4) if joined(parents)]
    assert len(every) == 125, "so many trees of five there are (Cayley)"
    assert total(found) == pytest.approx(max(map(total, every)))


def test_it_sees_what_two_features_say_only_together() -> None:
    rng = np.random.default_rng(6)
    a, b, noise = rng.integers(0, 2, (3, 800))
    data = Examples.of({"noise": noise, "a": a, "b": b}, np.where(a ^ b, "odd", "even"))
    assert cross_validation(NaiveBayes(), data).accuracy < 0.65
    assert cross_validation(TreeAugmentedBayes(), data).accuracy == 1.0


def test_what_is_fallen_back_on_is_naive_bayes() -> None:
    rng = np.random.default_rng(3)
    label = rng.integers(0, 2, 300)
    columns = {f"f{place}": np.ma.masked_less(rng.normal(label, 1.2), -1.5) for place in range(4)}
    data = Examples.of(columns, label)
    naive, tree = (learner.learn(data).distributions(data) for learner in (NaiveBayes(), TreeAugmentedBayes()))
    assert np.allclose(TreeAugmentedBayes(fallback=1e12).learn(data).distributions(data), naive, atol=1e-6)
    assert not np.allclose(tree, naive, atol=0.05)


def test_one_feature_is_enough_and_bad_settings_are_refused() -> None:
    data = Examples.of({"a": [1, 2, 1, 2]}, ["p", "q", "p", "q"])
    tree, naive = (learner.learn(data).distributions(data) for learner in (TreeAugmentedBayes(), NaiveBayes()))
    assert tree == pytest.approx(naive)
    with pytest.raises(BadSpec, match="fallback"):
        TreeAugmentedBayes(fallback=-1.0).learn(data)
