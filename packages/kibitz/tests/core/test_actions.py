"""Lazy sets of actions and probabilities over them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core import Distribution, ProductActions

counts = st.lists(st.integers(0, 4), min_size=1, max_size=4)


@pytest.mark.long
@given(counts)
def test_a_product_is_what_listing_it_gives(most: list[int]) -> None:
    actions = ProductActions.up_to({f"k{i}": count for i, count in enumerate(most)}, verb="give")
    listed = list(actions)
    assert len(listed) == len(actions) == len(set(listed))
    assert listed == sorted(listed) == [actions[i] for i in range(len(actions))]
    assert actions[-1] == listed[-1]
    assert actions[1:3] == listed[1:3]
    everything = range(-2, max(listed) + 3)
    assert [action for action in everything if action in actions] == listed
    for action in listed:
        assert actions.action(actions.values(action)) == action
        assert actions.from_phrase(actions.phrase(action)) == action


def test_a_huge_product_is_never_listed() -> None:
    actions = ProductActions.up_to(dict.fromkeys("abcdef", 999))
    assert len(actions) == 10**18
    assert actions[10**18 - 1] == 10**18 - 1
    assert 123_456_789 in actions
    assert Distribution.uniform(actions).sample(np.random.default_rng(1)) in actions


def test_the_same_combination_is_the_same_action_whatever_is_legal() -> None:
    few = ProductActions({"a": range(2), "b": (0, 3)}, bases=(10, 10))
    many = ProductActions({"a": range(10), "b": range(10)}, bases=(10, 10))
    assert set(few) < set(many)
    assert few.values(13) == many.values(13) == (1, 3)
    assert 11 not in few


@pytest.mark.parametrize("text", ["", "give", "give 1", "give x a", "give 9 a", "give 1 z", "give -1 a", "give 1 a 1"])
def test_a_phrase_that_means_nothing_legal_is_none(text: str) -> None:
    assert ProductActions.up_to({"a": 3, "b": 2}, verb="give").from_phrase(text) is None


@given(st.dictionaries(st.integers(0, 9), st.floats(0.01, 1.0), max_size=10), st.floats(0.0, 1.0))
def test_probabilities_add_up_and_samples_follow_them(weights: dict[int, float], rest: float) -> None:
    rest = rest if len(weights) < 10 else 0.0
    total = sum(weights.values()) + rest
    if total == 0.0:
        return
    found = Distribution({a: w / total for a, w in weights.items()}, range(10), rest / total)
    assert sum(found.probability(action) for action in range(10)) == pytest.approx(1.0)
    assert found.probability(11) == 0.0
    likeliest = sorted((found.probability(a) for a in range(10)), reverse=True)
    assert [share for _, share in found.top(10)] == [share for share in likeliest if share > 0.0]
    rng = np.random.default_rng(0)
    assert all(found.probability(found.sample(rng)) > 0.0 for _ in range(20))


def test_samples_come_as_often_as_they_should() -> None:
    found = Distribution({2: 0.5, 7: 0.2}, range(10), rest=0.3)
    rng = np.random.default_rng(0)
    drawn = np.bincount([found.sample(rng) for _ in range(20_000)], minlength=10) / 20_000
    assert drawn == pytest.approx([found.probability(action) for action in range(10)], abs=0.015)


@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=4))
def test_a_mixture_is_the_weighted_mean(weights: list[float]) -> None:
    rng = np.random.default_rng(len(weights))
    parts = []
    for weight in weights:
        named = dict(zip(rng.choice(8, 3, replace=False).tolist(), rng.dirichlet([1, 1, 1]) * 0.7, strict=True))
        parts.append((weight, Distribution(named, range(8), 0.3)))
    mixed = Distribution.mixture(parts, range(8))
    for action in range(8):
        mean = sum(w * part.probability(action) for w, part in parts) / sum(weights)
        assert mixed.probability(action) == pytest.approx(mean)
    assert mixed.total() == pytest.approx(1.0)
