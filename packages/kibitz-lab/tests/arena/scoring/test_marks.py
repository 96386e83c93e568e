"""The mark of one answer, by hand."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.actions import Distribution
from kibitz_lab.arena.scoring.metrics import (
    Mark,
    belief_mark,
    belief_marks,
    check,
    label_of,
    prediction_mark,
    true_labels,
    uniform_mark,
)


def marked(belief: dict[str, float], truth: str, top: int, seen: str = "") -> Mark:
    return belief_mark(belief, [truth], seen or truth, top)


def test_a_belief_is_marked_by_what_it_gave_the_truth() -> None:
    found = marked({"a": 0.5, "b": 0.3, "c": 0.2}, "b", top=2)
    assert found == pytest.approx((0.3, 0.0, 1.0, 0.25 + 0.49 + 0.04, 0.5))


def test_tied_labels_share_the_places() -> None:
    found = marked({"a": 0.4, "b": 0.2, "c": 0.2, "d": 0.2}, "c", top=2)
    assert (found.first, found.among) == (0.0, pytest.approx(1 / 3))  # one place is left for three
    assert marked({"a": 0.5, "b": 0.5}, "a", top=1).first == 0.5
    assert marked({"a": 0.1 + 0.2, "b": 0.3, "c": 0.4 - 1e-17}, "b", top=2).among == 0.5  # rounding is no lead


def test_unknown_is_spread_over_the_labels_seen_that_are_not_named() -> None:
    held = {"a": 0.2, "unknown": 0.8}
    assert marked(held, "z", 1, "az") == pytest.approx((0.8, 1.0, 1.0, 0.04 + 0.04, 0.8))
    assert marked(held, "a", 1, "az") == pytest.approx((0.2, 0.0, 0.0, 0.64 + 0.64, 0.8))
    assert marked(held, "z", 1, "axyz") == pytest.approx(
        (0.8 / 3, 1 / 3, 1 / 3, 0.04 + 2 * (0.8 / 3) ** 2 + (1 - 0.8 / 3) ** 2, 0.8 / 3)
    )
    assert marked(held, "a", 1, "vwxyza").first == 1.0  # none of the five others has as much


def test_unknown_is_one_more_label_where_all_labels_seen_are_named() -> None:
    assert marked({"a": 0.2, "unknown": 0.8}, "a", 1, "a") == pytest.approx((0.2, 0.0, 0.0, 1.28, 0.8))


def test_whoever_says_unknown_and_nothing_else_knows_nothing() -> None:
    assert marked({"unknown": 1.0}, "b", 2, "abc") == pytest.approx(uniform_mark(3, top=2))


def test_a_label_that_is_not_named_was_held_impossible() -> None:
    assert marked({"a": 0.6, "b": 0.4}, "z", top=5) == pytest.approx((0.0, 0.0, 0.0, 0.36 + 0.16 + 1.0, 0.6))


def test_many_beliefs_are_marked_row_by_row_and_an_empty_one_has_no_mark() -> None:
    held = np.array([[0.4, nan, 0.6], [nan, nan, nan]])
    found = belief_marks(held, ["a", "b", "unknown"], [["a"], ["b"]], "abc", 1)
    assert found[0] == pytest.approx(belief_mark({"a": 0.4, "unknown": 0.6}, ["a"], "abc", 1))
    assert np.isnan(found[1]).all()
    assert np.isnan(belief_marks(np.empty((2, 0)), [], [["a"], ["b"]], "ab", 3)).all()


def test_actions_that_share_the_rest_are_counted_and_not_listed() -> None:
    legal = range(10**15)
    expected = Distribution({7: 0.5, 8: 0.25}, legal, rest=0.25)
    assert prediction_mark(expected, 7, top=1) == pytest.approx((0.5, 1.0, 1.0, 0.25 + 0.0625, 0.5))
    other = prediction_mark(expected, 12345, top=3)
    assert other.probability == pytest.approx(0.25e-15)
    assert (other.first, other.confidence) == (0.0, 0.5)
    assert other.among == pytest.approx(1e-15)  # one place for all that are not named
    assert other.brier == pytest.approx(1.0 + 0.25 + 0.0625)


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=8), st.integers(0, 7), st.integers(1, 9))
def test_a_rest_is_marked_as_if_it_were_listed(weights: list[float], truth: int, top: int) -> None:
    total = sum(weights) + 3 * 0.05
    shares = [weight / total for weight in weights]
    legal = range(len(shares) + 3)
    short = Distribution(dict(enumerate(shares)), legal, rest=0.15 / total)
    listed = Distribution(dict(enumerate([*shares, *[0.05 / total] * 3])), legal)
    action = truth % len(legal)
    assert prediction_mark(short, action, top) == pytest.approx(prediction_mark(listed, action, top))


def test_an_action_that_is_not_legal_for_the_model_was_held_impossible() -> None:
    found = prediction_mark(Distribution.uniform(range(4)), 9, top=4)
    assert found == pytest.approx((0.0, 0.0, 0.0, 0.25 + 1.0, 0.25))


def test_whoever_knows_nothing_is_marked_as_a_uniform_belief() -> None:
    assert uniform_mark(4, top=3) == pytest.approx(marked(dict.fromkeys("abcd", 0.25), "c", top=3))
    assert uniform_mark(2, top=3) == Mark(0.5, 0.5, 1.0, 0.5, 0.5)


@pytest.mark.parametrize(
    ("belief", "words"),
    [({"a": 0.6}, "add up to 0.6"), ({"a": 1.5, "b": -0.5}, "probability of -0.5"), ({"a": nan}, "add up to nan")],
)
def test_what_is_no_probability_is_refused(belief: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check(belief.values())


def test_predictions_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match=r"add up to 0\.3"):
        prediction_mark(Distribution({0: 0.2}, range(3), rest=0.1), 0, top=1)


def test_of_several_true_labels_probabilities_and_precision_add_up() -> None:
    both, first, neither = (
        belief_mark(dict(zip("abc", row, strict=True)), "ab", "abc", 2)
        for row in ((0.5, 0.5, 0.0), (0.6, 0.3, 0.1), (0.1, 0.1, 0.8))
    )
    assert (both.probability, both.first, both.brier) == pytest.approx((1.0, 1.0, 0.0))
    assert (first.probability, first.first) == pytest.approx((0.9, 1.0))
    assert first.brier == pytest.approx(0.1**2 + 0.2**2 + 0.1**2)
    assert neither.first == 0.0
    even = belief_mark(dict.fromkeys("abc", 1 / 3), "ab", "abc", 2)
    assert even == pytest.approx(uniform_mark(3, 2, true=2))


def test_a_list_is_a_set_of_truths_unless_it_is_named_itself() -> None:
    assert label_of(["run", "hunt"]) == label_of(["hunt", "run"]) == '["hunt","run"]'
    assert true_labels('["hunt","run"]', ("hunt", "run")) == ("hunt", "run")
    assert true_labels('["hunt","run"]', ('["hunt","run"]',)) == ('["hunt","run"]',)
    for text in ("[", "[1,2]", '["a","a"]', "ace"):
        assert true_labels(text, ()) == (text,)
