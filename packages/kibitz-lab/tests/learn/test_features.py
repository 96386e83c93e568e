"""Expressions, the grammar that makes features of variables, and the examples they are evaluated over."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadExamples, BadProgram
from kibitz_lab.learn.examples import Examples, Expression, variable
from kibitz_lab.learn.feature_grammar import Grammar

NAMES = ("x", "y", "speed")
ROW = {"x": -3, "y": 5, "speed": 2}


def expressions() -> st.SearchStrategy[Expression]:
    factors = st.sampled_from([-1.0, 2.0, -0.5, 3.0])
    return st.recursive(
        st.sampled_from(NAMES).map(variable),
        lambda inner: st.one_of(
            inner.map(abs),
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
            st.tuples(factors, inner).map(lambda pair: pair[0] * pair[1]),
        ),
        max_leaves=6,
    )


@given(expressions())
def test_an_expression_is_what_it_prints(expression: Expression) -> None:
    assert Expression.of(str(expression)).evaluate(ROW) == expression.evaluate(ROW)
    assert eval(str(expression), {"abs": abs}, dict(ROW)) == expression.evaluate(ROW)


@given(expressions(), st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=5))
def test_columns_and_rows_give_the_same_values(expression: Expression, rows: list[tuple[int, ...]]) -> None:
    columns = {name: np.array([row[place] for row in rows]) for place, name in enumerate(NAMES)}
    by_row = [expression.evaluate(dict(zip(NAMES, row, strict=True))) for row in rows]
    assert expression.evaluate(columns).tolist() == by_row


@pytest.mark.parametrize(
    "text", ["", "x ** 2", "x * y", "x + 1", "abs(x, y)", "abs(3)", "print(x)", "x if y", "a.b", f"{'9' * 400}*x"]
)
def test_what_is_no_feature_is_refused(text: str) -> None:
    with pytest.raises(BadProgram, match="write it with names"):
        Expression.of(text)


@pytest.mark.parametrize("name", ["abs", "lambda", "2x", "a b", ""])
def test_variables_have_names_as_in_python(name: str) -> None:
    with pytest.raises(BadProgram, match="needs a valid Python name"):
        Examples.of({name: [1]}, ["yes"])


def test_the_grammar_makes_what_it_says() -> None:
    data = Examples.of({"a": [-3, 2, 5, 0], "b": [-1, 4, -2, -3]}, ["p", "q", "p", "q"])
    made = [str(feature) for feature in Grammar(depth=2).features(data)]
    ones = ["a", "b", "abs(a)", "abs(b)", "a - b", "a + b"]
    assert made == [*ones, "abs(a) - abs(b)", "abs(a) + abs(b)", "abs(a - b)", "abs(a + b)"]
    assert [str(feature) for feature in Grammar(depth=0).features(data)] == ["a", "b"]
    assert "a + b" not in [str(feature) for feature in Grammar(depth=1, sums=False).features(data)]
    assert str(Grammar(depth=3).features(data)[-1]) == "abs(abs(a) - abs(b))"


def test_features_that_tell_the_same_come_once_and_constants_never() -> None:
    data = Examples.of(
        {"a": [1, 2, 3], "twice": [-2, -4, -6], "copy": [-1, -2, -3], "same": [7, 7, 7]}, ["p", "q", "p"]
    )
    made = [str(feature) for feature in Grammar(depth=1, sums=False).features(data)]
    assert made[:2] == ["a", "twice"]
    assert not {"copy", "same", "abs(a)", "abs(copy)"} & set(made)


def test_variables_never_below_0_need_no_absolute_value(bears: Callable[[int, int], Examples]) -> None:
    made = [str(feature) for feature in Grammar().features(bears(3, 3))]
    assert "u - abs(x)" in made
    assert not any("abs(u)" in feature for feature in made)


def test_extra_features_join_and_nominal_variables_stay() -> None:
    data = Examples.of({"a": [1, 5, 2], "b": [4, 2, 9], "colour": ["red", "blue", "red"]}, ["p", "q", "p"])
    made = [str(feature) for feature in Grammar(depth=0, extra=("2*a - b",)).features(data)]
    assert made == ["colour", "a", "b", "2*a - b"]
    with pytest.raises(BadExamples, match="no column 'c'"):
        Grammar(depth=0, extra=("a - c",)).features(data)


def test_sets_of_labels_are_chosen_so_that_few_are_needed() -> None:
    data = Examples.of({"a": [1, 2, 3, 4]}, [{"left", "stay"}, {"right", "stay"}, "left", ["stay", "right"]])
    assert data.labels == ("left", "right", "stay")
    chosen = data.choose_labels(np.arange(4), data.weights)
    assert [data.labels[label] for label in chosen] == ["stay", "stay", "left", "stay"]
    assert data.best_label(np.arange(4), data.weights) == (2, 1.0)


def test_a_matrix_of_flags_says_the_same_as_sets() -> None:
    flags = np.array([[True, True], [False, True]])
    data = Examples.of({"a": [1, 2]}, flags, labels=["left", "right"])
    again = Examples.of({"a": [1, 2]}, [{"left", "right"}, {"right"}])
    assert data.allowed.tolist() == again.allowed.tolist()


@pytest.mark.parametrize(
    ("columns", "targets", "options", "complaint"),
    [
        ({}, [], {}, "examples: there are no columns"),
        ({"a": []}, [], {}, "examples: there are no rows"),
        ({"a": [1.0, float("nan")]}, ["p", "q"], {}, "row 1: a is nan; use finite numbers, and None"),
        ({"a": [1, 2], "b": [1]}, ["p", "q"], {}, "column 'b': 1 entries, but 2 rows"),
        ({"a": [1, 2]}, ["p"], {}, "targets: 1 entries, but 2 rows"),
        ({"a": [1, "red"]}, ["p", "q"], {}, "row 0: a is 1; known: red"),
        ({"a": [1, [2]]}, ["p", "q"], {}, "not a number; use None"),
        ({"a": ["red", "green"]}, ["p", "q"], {"words": {"a": ["red"]}}, "row 1: a is 'green'; known: red"),
        ({"a": [1, 2]}, ["p", "r"], {"labels": ["p", "q"]}, "row 1: unknown label 'r'; known: p, q"),
        ({"a": [1, 2]}, ["p", set()], {}, "row 1: no label is allowed"),
        ({"a": [1, 2]}, ["p", {"p": 0.5}], {}, "is not a label; use text or whole numbers"),
        ({"a": [1, 2]}, ["p", "q"], {"weights": [1, 0]}, "row 1: its weight is 0"),
        ({"a": [1, 2]}, ["p", "q"], {"groups": [1]}, "groups: 1 entries, but 2 rows"),
        ({"a": [1]}, np.array([[True, False]]), {}, "a matrix of 2 columns needs as many labels"),
        ({"a": [1]}, np.array([[False, False]]), {"labels": ["p", "q"]}, "row 0: no label is allowed"),
    ],
)
def test_bad_examples_are_refused_in_a_line(columns, targets, options, complaint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadExamples) as caught:
        Examples.of(columns, targets, **options)
    assert complaint in str(caught.value)


def test_missing_values_are_none_or_masked() -> None:
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    for column in ([1.0, None], masked):
        data = Examples.of({"a": column}, ["p", "q"])
        assert data.values[0, 0] == 1.0
        assert np.isnan(data.values[1, 0])
