"""Programs: one row and many rows get the same answers, JSON gives them back, and files that are wrong are refused."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadExamples, BadProgram
from kibitz_lab.learn.examples import Column, Examples, Expression
from kibitz_lab.learn.programs import Choice, Condition, Leaf, Program, Rule, RuleList, Split, Tree
from kibitz_lab.learn.programs.balance import balance_condition
from kibitz_lab.learn.programs.program import OPERATORS

COLUMNS = (Column("x"), Column("y"), Column("colour", ("red", "green", "blue")))
LABELS = ("stay", "go")
FEATURES = [Expression.of(text) for text in ("x", "y", "abs(x) - abs(y)", "2*x - y", "x + y")]


def leaves() -> st.SearchStrategy[Leaf]:
    return st.sampled_from([Leaf(LABELS[share < 0.5], (share, 1.0 - share), 3.0, 1.0) for share in (0.0, 0.25, 0.9)])


def conditions() -> st.SearchStrategy[Condition]:
    numeric = st.builds(
        Condition, st.sampled_from(FEATURES), st.sampled_from(OPERATORS), st.sampled_from([-1.0, 0.0, 2.5])
    )
    words = st.sampled_from(COLUMNS[2].values)
    nominal = st.builds(Condition, st.just(Expression.of("colour")), st.sampled_from(["==", "!="]), words)
    return st.one_of(numeric, nominal)


def trees() -> st.SearchStrategy[Tree]:
    shares = st.sampled_from([0.0, 0.3, 1.0])
    return st.recursive(
        leaves(),
        lambda below: st.one_of(
            st.builds(Split, conditions(), below, below, shares),
            st.tuples(below, below, below).map(
                lambda ways: Choice("colour", COLUMNS[2].values, ways, (0.5, 0.25, 0.25))
            ),
        ),
        max_leaves=8,
    )


def rule_lists() -> st.SearchStrategy[RuleList]:
    rules = st.builds(Rule, st.lists(conditions(), max_size=3).map(tuple), leaves())
    return st.builds(RuleList, st.lists(rules, max_size=4).map(tuple), leaves())


def programs() -> st.SearchStrategy[Program]:
    return st.one_of(trees(), rule_lists()).map(lambda body: Program("drawn", COLUMNS, LABELS, body))


def rows() -> st.SearchStrategy[dict[str, Any]]:
    numbers = st.one_of(st.none(), st.integers(-4, 4))
    return st.fixed_dictionaries(
        {"x": numbers, "y": numbers, "colour": st.one_of(st.none(), st.sampled_from(COLUMNS[2].values))}
    )


def coded(row: dict[str, Any]) -> list[float]:
    return [column.encode_value(row[column.name], "row") for column in COLUMNS]


def leaves_reached(body: Tree | RuleList, row: dict[str, Any], weight: float) -> Iterator[tuple[Leaf, float]]:
    """The leaves that a row reaches, and the fraction of it that reaches each."""
    if isinstance(body, Leaf):
        yield body, weight
    elif isinstance(body, RuleList):
        applying = (rule.leaf for rule in body.rules if all(each.holds(row) for each in rule.conditions))
        yield next(applying, body.default), weight
    elif isinstance(body, Choice):
        for word, branch, share in zip(body.values, body.branches, body.shares, strict=True):
            part = share if row[body.variable] is None else float(row[body.variable] == word)
            if part > 0.0:
                yield from leaves_reached(branch, row, weight * part)
    else:
        held = body.condition.holds(row)
        part = body.share if held is None else float(held)
        for branch, share in ((body.yes, part), (body.no, 1.0 - part)):
            if share > 0.0:
                yield from leaves_reached(branch, row, weight * share)


@pytest.mark.long
@given(programs(), st.lists(rows(), min_size=1, max_size=4))
@settings(max_examples=150)
def test_many_rows_get_what_each_gets_by_itself(program: Program, given_rows: list[dict[str, Any]]) -> None:
    reached = [list(leaves_reached(program.body, row, 1.0)) for row in given_rows]
    readable = [[sum(leaf.shares[label] * weight for leaf, weight in each) for label in range(2)] for each in reached]
    assert [program.shares(row) for row in given_rows] == readable
    values = np.array([coded(row) for row in given_rows])
    assert program.coded_distributions(values).tolist() == readable
    assert [sum(shares) for shares in readable] == pytest.approx([1.0] * len(readable))


@given(programs())
def test_json_gives_a_program_back(program: Program) -> None:
    again = Program.from_json(program.to_json())
    assert again == program
    assert again.lines() == program.lines()


YES, NO = Leaf("stay", (0.75, 0.25), 8.0, 2.0), Leaf("go", (0.0, 1.0), 4.0)
BY_COLOUR = Choice("colour", COLUMNS[2].values, (NO, YES, NO), (0.5, 0.5, 0.0))
SMALL = Program("hand", COLUMNS, LABELS, Split(Condition(FEATURES[2], "<=", 0.0), YES, BY_COLOUR, 0.25))


def test_a_missing_value_goes_all_ways_by_weight() -> None:
    shares = SMALL.distribution({"x": None, "y": 1, "colour": None})
    assert shares["stay"] == pytest.approx(0.25 * 0.75 + 0.75 * 0.5 * 0.75)
    assert SMALL.predict([1, 2, "red"]) == "stay"
    assert SMALL.predict({"x": 2, "y": 1, "colour": "red", "unused": 7}) == "go"


def test_words_may_be_in_another_order() -> None:
    data = Examples.of({"colour": ["blue", "red"], "x": [5, 5], "y": [0, 0]}, ["go", "go"])
    assert SMALL.distributions(data).tolist() == [[0.0, 1.0], [0.0, 1.0]]
    with pytest.raises(KeyError, match="no column named 'y'"):
        SMALL.distributions(Examples.of({"colour": ["blue"], "x": [5]}, ["go"]))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ([1, 2], "row: 2 values, but 3 columns"),
        ({"x": 1, "colour": "red"}, "row: it has no 'y'"),
        ({"x": float("nan"), "y": 1, "colour": "red"}, "row: x is nan"),
        ({"x": 1, "y": 1, "colour": "pink"}, "row: colour is 'pink'; known: red, green, blue"),
    ],
)
def test_bad_rows_are_refused_in_a_line(row: Any, complaint: str) -> None:
    with pytest.raises(BadExamples) as caught:
        SMALL.predict(row)
    assert complaint in str(caught.value)


def changed(**changes: Any) -> str:
    return json.dumps({**json.loads(SMALL.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "mine.json: "),
        ("[1, 2]", "mine.json: Expected `object`"),
        (changed(labels=["stay"]), "a leaf says"),
        (changed(columns=[{"name": "x", "values": []}]), "which is not a column"),
        (changed(columns=[{"name": name, "values": []} for name in ("x", "y", "colour")]), "not one for each value"),
        (SMALL.to_json().decode().replace("abs(x) - abs(y)", "x ** 2"), "write it with names"),
        (SMALL.to_json().decode().replace('"abs(x) - abs(y)"', "7"), "a feature must be text"),
        (SMALL.to_json().decode().replace('"<="', '"<>"'), "Invalid enum value"),
    ],
)
def test_files_that_are_wrong_are_refused_in_a_line(text: str, complaint: str) -> None:
    with pytest.raises(BadProgram) as caught:
        Program.from_json(text, "mine.json")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "operator", "bound", "expected"),
    [
        ("abs(x) - abs(y)", "<=", -1.0, "abs(x) < abs(y)"),
        ("abs(x) - abs(y)", ">", -1.0, "abs(x) >= abs(y)"),
        ("u - v", "<=", 1.0, "u <= v + 1"),
        ("u - v", ">=", -2.0, "u >= v - 2"),
        ("-u + v + 3*abs(x) - 3*abs(y)", "<=", -1.0, "v + 3*abs(x) < u + 3*abs(y)"),
        ("-x", "<=", 2.0, "x >= -2"),
        ("x + y", ">=", 1.0, "x + y > 0"),
        ("0.5*x - y", "<=", -1.0, "0.5*x <= y - 1"),
        ("x - x", "<=", 3.0, "0 <= 3"),
    ],
)
def test_conditions_are_written_without_minus_signs(text: str, operator: Any, bound: float, expected: str) -> None:
    condition = Condition(Expression.of(text), operator, bound)
    assert str(balance_condition(condition, whole=True)) == expected
    for x in range(-3, 4):
        row = {"x": x, "y": 2, "u": x + 1, "v": 1}
        assert eval(expected, {}, row) == condition.holds(row)
