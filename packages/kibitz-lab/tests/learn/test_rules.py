"""Rules by inverse entailment and decision lists: found, short, ordered, and right for sets of labels."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadSpec
from kibitz.core.kernels import python_twin
from kibitz_lab.learn.evaluation import evaluate_classifier
from kibitz_lab.learn.examples import Examples
from kibitz_lab.learn.feature_grammar import Grammar
from kibitz_lab.learn.learner import Learner
from kibitz_lab.learn.programs import Program, RuleList
from kibitz_lab.learn.rules import DecisionList, Mode, Progol
from kibitz_lab.learn.rules.literals import MEASURED, MODES, background
from kibitz_lab.learn.rules.search import ClauseLimits, best_clause, tally

Bears = Callable[[int, int], Examples]
LEARNERS = [Progol(), DecisionList()]


def accuracy(program: Program, examples: Examples) -> float:
    return evaluate_classifier(program, examples).accuracy


def learned(learner: Learner, examples: Examples, grammar: Grammar | None = None) -> Program:
    program = learner.learn(examples, grammar.features(examples) if grammar else None)
    assert isinstance(program, Program)
    assert isinstance(program.body, RuleList)
    return program


@given(st.integers(0, 2**32 - 1))
def test_the_compiled_tally_is_the_readable_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truths = rng.integers(0, 2, (20, 7)).astype(np.uint8)
    right, wrong = rng.integers(0, 3, 20).astype(float), rng.integers(0, 3, 20).astype(float)
    covered = np.flatnonzero(rng.random(20) < 0.6)
    for kernel in (tally, python_twin(tally)):
        out = np.empty((2, 7))
        assert kernel(truths, covered, right, wrong, out) == len(covered)
        holds = truths[covered].astype(float)
        assert out.tolist() == [(right[covered] @ holds).tolist(), (wrong[covered] @ holds).tolist()]


def test_literals_that_hold_for_the_same_examples_come_once() -> None:
    data = Examples.of({"x": [-1, 0, 1, 2], "colour": ["red", "blue", "red", "blue"]}, ["p", "q", "q", "q"])
    known = background(data, data.variables(), MODES)
    texts = [str(literal) for literal in known.literals]
    numbers = ["x <= 0", "x <= 1", "x <= -1", "x >= 0", "x >= 1", "x >= 2", "x == 0", "x == 1"]
    assert texts == [*numbers, "colour == 'blue'", "colour == 'red'"]
    assert known.holds[0].tolist() == [1, 1, 0, 0]


def test_the_search_finds_the_best_of_all_clauses() -> None:
    rng = np.random.default_rng(2)
    data = Examples.of({name: rng.integers(-2, 3, 120) for name in "abc"}, rng.choice(["p", "q"], 120))
    known = background(data, data.variables(), MODES)
    right = np.where(known.examples.allowed[:, 0], known.examples.weights, 0.0)
    wrong = known.examples.weights - right
    everything = np.arange(len(known.literals))
    for noise in (0.2, 0.5):
        found = best_clause(known, MODES, everything, right, wrong, ClauseLimits(2, 10_000, noise))
        singles = [(literal,) for literal in everything]
        pairs = [(one, other) for one in everything for other in everything if one < other]
        best = 0.0
        for literals in (*singles, *pairs):
            covered = known.covered_examples(literals)
            good, bad = right[covered].sum(), wrong[covered].sum()
            if bad <= noise * (good + bad):
                best = max(best, good - bad - len(literals))
        assert (found.compression if found else 0.0) == pytest.approx(best)


def test_a_mode_is_used_as_often_as_it_may_be() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-3, 4, (2, 200))
    data = Examples.of({"a": a, "b": b}, np.where((a <= 0) & (b <= 0), "p", "q"))
    once = (Mode("<=", recall=1),)
    known = background(data, data.variables(), once)
    right = np.where(known.examples.allowed[:, 0], known.examples.weights, 0.0)
    wrong = known.examples.weights - right
    literals = np.arange(len(known.literals))
    assert best_clause(known, once, literals, right, wrong, ClauseLimits(4, 1000, 0.0)) is None
    twice = (Mode("<=", recall=2),)
    found = best_clause(known, twice, literals, right, wrong, ClauseLimits(4, 1000, 0.0))
    assert found is not None
    assert [str(known.literals[literal]) for literal in found.literals] == ["a <= 0", "b <= 0"]


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNERS, ids=["progol", "foidl"])
def test_three_rules_from_a_small_board_hold_on_a_large_one(learner: Learner, bears: Bears) -> None:
    small, large = bears(3, 3), bears(6, 12)
    program = learned(learner, small, Grammar())
    assert accuracy(program, small) == 1.0
    assert accuracy(program, large) == 1.0
    assert program.size.answers <= 4
    assert program.size.tests <= 4


def test_exceptions_come_before_what_they_are_exceptions_of() -> None:
    winged, polar = [1] * 46 + [0] * 60, [0] * 40 + [1] * 6 + [0] * 30 + [1] * 30
    data = Examples.of({"winged": winged, "polar": polar}, ["flies"] * 40 + ["swims"] * 66)
    program = learned(DecisionList(length=1, exceptions=(0.3,)), data)
    assert program.lines() == [
        "if polar is at least 1: swims (36 cases)",
        "if winged is at least 1: flies (40 cases)",
        "otherwise swims (30 cases)",
    ]
    strict = learned(DecisionList(length=1, exceptions=(0.0,)), data)
    assert accuracy(strict, data) < 1.0


@pytest.mark.parametrize("learner", LEARNERS, ids=["progol", "foidl"])
def test_labels_are_chosen_where_they_make_the_rules_few(learner: Learner) -> None:
    places = np.arange(-8, 9)
    allowed = [{"left"} if x > 0 else {"right"} if x < 0 else {"left", "stay"} for x in places]
    program = learned(learner, Examples.of({"x": places}, allowed))
    assert program.size.answers == 2
    assert accuracy(program, Examples.of({"x": places}, allowed)) == 1.0
    assert "stay" not in str(program)


@pytest.mark.parametrize("learner", LEARNERS, ids=["progol", "foidl"])
def test_one_label_needs_no_rule(learner: Learner) -> None:
    assert learned(learner, Examples.of({"x": [1, 2, 3]}, ["p"] * 3)).lines() == ["otherwise p (3 cases)"]
    assert learned(learner, Examples.of({"x": [1, 1, 1]}, ["p", "q", "p"])).lines() == [
        "otherwise p (3 cases, 1 wrong)"
    ]


@pytest.mark.parametrize(
    "learner", [Progol(modes=MEASURED, noise=0.25), DecisionList(modes=MEASURED)], ids=["progol", "foidl"]
)
def test_measured_numbers_are_cut_where_the_data_is(learner: Learner) -> None:
    rng = np.random.default_rng(8)
    x, y = rng.normal(50.0, 10.0, (2, 400))
    label = np.where((x > 55.0) ^ (rng.random(400) < 0.05), "far", "near")
    program = learned(learner, Examples.of({"x": x, "y": y}, label))
    assert accuracy(program, Examples.of({"x": x, "y": y}, np.where(x > 55.0, "far", "near"))) > 0.9
    assert program.size.answers <= 6


def test_weights_count_as_copies_would() -> None:
    rng = np.random.default_rng(5)
    data = Examples.of({"x": rng.integers(-3, 4, 60)}, rng.choice(["p", "q"], 60))
    times = rng.integers(1, 4, 60)
    copied, weighted = data.subset(np.repeat(np.arange(60), times)), data.subset(np.arange(60), times.astype(float))
    for learner in LEARNERS:
        assert learned(learner, copied).lines() == learned(learner, weighted).lines()


def test_rules_do_not_apply_where_a_value_is_missing() -> None:
    data = Examples.of({"x": [-2, -1, 1, 2, None] * 5}, ["low", "low", "high", "high", "high"] * 5)
    program = learned(DecisionList(), data)
    assert accuracy(program, data) == 1.0
    assert program.predict({"x": None}) == "high"


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(BadSpec, match="noise"):
        Progol(noise=2.0).learn(Examples.of({"x": [1, 2]}, ["p", "q"]))
