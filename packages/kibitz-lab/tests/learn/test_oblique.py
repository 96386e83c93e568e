"""Oblique trees: the step kernel and its twin, readable coefficients, and what they are better and worse for."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_gain import merit

from kibitz.core.kernels import python_twin
from kibitz_lab.learn.decision_tree import C45, Oblique
from kibitz_lab.learn.decision_tree.oblique import ObliqueNode, simplest_between, simplest_bound
from kibitz_lab.learn.decision_tree.split_kernels import NO_GAIN, best_step
from kibitz_lab.learn.evaluation import evaluate_classifier
from kibitz_lab.learn.examples import Examples
from kibitz_lab.learn.feature_grammar import Grammar

Bears = Callable[[int, int], Examples]


def gain_of(node: ObliqueNode, heights: np.ndarray) -> float:
    """The gain of the test `heights <= 0`, NO_GAIN if a branch is too light."""
    low, high = (
        np.bincount(node.labels[side], node.weights[side], node.number) for side in (heights <= 0, heights > 0)
    )
    return merit([low.tolist(), high.tolist()]).gain if min(low.sum(), high.sum()) >= node.least else NO_GAIN


def points() -> st.SearchStrategy[list[tuple[float, float, int, float]]]:
    numbers = st.integers(-4, 4).map(float)
    point = st.tuples(numbers, numbers, st.integers(0, 2), st.sampled_from([0.5, 1.0, 2.0]))
    return st.lists(point, min_size=2, max_size=20)


@pytest.mark.long
@given(points(), st.sampled_from([0.5, 2.0]))
@settings(max_examples=60)
def test_the_best_step_is_the_best_of_all_steps(drawn: list[tuple[float, float, int, float]], least: float) -> None:
    heights, slopes, labels, weights = (np.array(column) for column in zip(*drawn, strict=True))
    node = ObliqueNode(np.empty((len(drawn), 0)), labels, weights, 3, least)
    turns = np.unique([-h / s for h, s in zip(heights, slopes, strict=True) if s != 0.0])
    gains = [gain_of(node, heights + step * slopes) for step in (turns[:-1] + turns[1:]) / 2.0]
    for kernel in (best_step, python_twin(best_step)):
        between = np.empty(2)
        found = kernel(heights, slopes, labels, weights, 3, least, between)
        assert found == pytest.approx(max(gains, default=NO_GAIN), abs=1e-9)
        if found > NO_GAIN:
            assert gain_of(node, heights + between.mean() * slopes) == pytest.approx(found, abs=1e-9)


@given(st.floats(-50.0, 50.0), st.floats(1e-3, 20.0))
def test_the_simplest_number_lies_between(low: float, width: float) -> None:
    found = simplest_between(low, low + width)
    assert low < found < low + width
    if width > 1.001:
        assert found.is_integer()
    bound = simplest_bound(low, low + width)
    assert low - 1e-8 <= bound < low + width


def sloping(rows: int, seed: int) -> Examples:
    """Labels by which side of 2x - y = 3 a point of whole numbers lies on."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.integers(-20, 21, (3, rows))
    return Examples.of({"x": x, "y": y, "z": z}, np.where(2 * x - y <= 3, "below", "above"))


def test_a_sloping_line_is_found_and_written_with_whole_numbers() -> None:
    program = Oblique().learn(sloping(400, 1))
    assert program.size.answers == 2
    assert program.lines()[0] == "if 2*x - y is at most 3:"
    assert evaluate_classifier(program, sloping(2000, 2)).accuracy == 1.0
    assert C45().learn(sloping(400, 1)).size.answers > 10


def test_missing_values_and_nominal_columns_leave_a_tree_that_works() -> None:
    data = sloping(300, 6)
    x: list[float | None] = data.by_name["x"].tolist()
    x[::10] = [None] * 30
    colour = ["red" if place % 3 else "blue" for place in range(300)]
    targets = [data.labels[label] for label in data.allowed.argmax(axis=1)]
    holey = Examples.of({"x": x, "y": data.by_name["y"], "colour": colour}, targets)
    program = Oblique().learn(holey)
    assert evaluate_classifier(program, holey).accuracy > 0.9
    assert Oblique().learn(Examples.of({"a": [1, 2, 3, 4]}, ["p", "p", "q", "q"])).size.answers == 2


@pytest.mark.long
def test_where_single_features_are_as_good_there_is_nothing_oblique(bears: Bears) -> None:
    data = bears(5, 6)
    program = Oblique().learn(data, Grammar().features(data))
    assert evaluate_classifier(program, data).accuracy == 1.0
    assert program.size.answers <= 5


def test_the_grammar_beats_oblique_tests_on_bare_variables(bears: Bears) -> None:
    data = bears(3, 3)
    bare = Oblique(restarts=3, jumps=2).learn(data)
    assert bare.size.answers > 10  # five leaves with the grammar
    assert 0.95 < evaluate_classifier(bare, data).accuracy <= 1.0
