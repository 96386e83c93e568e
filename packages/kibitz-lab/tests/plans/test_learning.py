"""EM finds the probabilities behind traces, and counts what the enumeration counts."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from enumeration import Enumeration, Node
from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.formats.traces import Trace
from kibitz_lab.plans.learning.learner import CLOSE, Losses, PlanLearner, expected_counts, expected_goals
from kibitz_lab.plans.library import Instance, PlanLibrary
from recognition import recognise_plans
from trace_sampler import TraceSampler

LIBRARY = parse_text(
    "goal X [0.5]\ngoal Y [0.3]\ngoal Z [0.2]\nX -> M b : ordered\nY -> M c M\nZ -> N d : ordered\n"
    "M -> a [0.6] | c [0.4]\nN -> a c : ordered [0.7] | b [0.3]",
    "small",
)


def rules_of(node: Node) -> Iterator[int]:
    if node.rule is not None:
        yield node.rule
        for part in node.parts:
            yield from rules_of(part)


def seen(text: str) -> list[Observation]:
    return [Observation(letter) for letter in text]


@pytest.mark.parametrize(
    ("text", "assumptions"),
    [
        ("a", Assumptions()),
        ("acc", Assumptions(instances=2)),
        ("acd", Assumptions(slip=0.2)),
        ("ab", Assumptions(miss=0.3)),
        ("aca", Assumptions(slip=0.1, miss=0.1, roots=2)),
    ],
)
def test_expected_counts_are_those_of_the_enumeration(text: str, assumptions: Assumptions) -> None:
    found = expected_counts(recognise_plans(LIBRARY, seen(text), assumptions, trees=True))
    rules, goals, sizes, total = Counter[int](), Counter[str](), Counter[int](), 0.0
    for each in Enumeration(LIBRARY, assumptions).explanations(seen(text)):
        total += each.probability
        sizes[len(each.roots)] += each.probability  # type: ignore[assignment]
        for root in each.roots:
            goals[root.node.part.symbol] += each.probability  # type: ignore[assignment]
            for rule in rules_of(root.node):
                rules[rule] += each.probability  # type: ignore[assignment]
    for mine, theirs in ((found.rules, rules), (found.goals, goals), (found.sizes, sizes)):
        assert set(mine) == {key for key, count in theirs.items() if count}
        for key, count in theirs.items():
            assert mine[key] == pytest.approx(count / total, abs=1e-12)  # type: ignore[index]
    assert found.seen + found.slips == pytest.approx(len(text))


def test_given_goals_count_alone() -> None:
    watched = recognise_plans(LIBRARY, seen("ac"), trees=True)
    assert expected_counts(watched, [Instance("Z")]).goals == {"Z": pytest.approx(1.0)}
    assert set(expected_counts(watched, [Instance("X"), Instance("X")]).goals) == {"X", "Y", "Z"}  # impossible


def with_even_shares(library: PlanLibrary) -> PlanLibrary:
    """The same library with all goals alike, and all rules of a plan alike: what learning may begin with."""
    count = {plan: len(own) for plan, own in library.rules_by_plan().items()}
    rules = tuple(msgspec.structs.replace(rule, probability=1.0 / count[rule.head]) for rule in library.rules)
    return msgspec.structs.replace(library, goals=dict.fromkeys(library.goals, 1.0 / len(library.goals)), rules=rules)


def learned(library: PlanLibrary, traces: list[Trace], assumptions: Assumptions, most: int = 60) -> PlanLearner:
    """A learner that has begun with even shares, after some iterations; each makes the traces likelier."""
    learner = PlanLearner(with_even_shares(library), assumptions, traces)
    before = -np.inf
    for _ in range(most):
        now = learner.iterate()
        assert now > before - (1e-9 if learner.complete else CLOSE)  # cut traces are learned by an approximation
        if now - before < CLOSE:
            break
        before = now
    return learner


def largest_error(library: PlanLibrary, learner: PlanLearner) -> float:
    pairs = zip(library.rules, learner.estimate.library.rules, strict=True)
    return max(abs(true.probability - found.probability) for true, found in pairs)


def drawn(library: PlanLibrary, assumptions: Assumptions, count: int, seed: int, goals: int = 1) -> list[Trace]:
    """Traces without their goals."""
    traces = TraceSampler(library, assumptions).traces(count, np.random.default_rng(seed), goals=goals)
    return [Trace(trace.observations) for trace in traces]


@pytest.mark.long
def test_probabilities_are_recovered_and_held_out_traces_become_likelier() -> None:
    assumptions = Assumptions(roots=1, slip=0.1)
    traces = drawn(LIBRARY, assumptions, 500, seed=3)
    learner = learned(LIBRARY, traces[:400], msgspec.structs.replace(assumptions, slip=0.02))
    assert largest_error(LIBRARY, learner) < 0.07
    assert learner.estimate.assumptions.slip == pytest.approx(0.1, abs=0.03)
    for goal, prior in LIBRARY.goals.items():
        assert learner.estimate.library.goals[goal] == pytest.approx(prior, abs=0.08)
    losses = Losses.of(learner, traces[400:])
    assert losses.after.mean() < losses.before.mean()


def test_traces_cut_short_are_learned_as_such() -> None:
    assumptions = Assumptions(roots=1)
    cut = [
        Trace(trace.observations)
        for trace in TraceSampler(LIBRARY, assumptions).traces(300, np.random.default_rng(5), length=2)
    ]
    learner = learned(LIBRARY, cut, assumptions)
    assert not learner.complete
    assert largest_error(LIBRARY, learner) < 0.08


def test_priors_allow_for_goals_that_may_not_occur_twice() -> None:
    expected = expected_goals(LIBRARY, Assumptions(), {2: 1.0})
    pairs = {"XY": 0.15, "XZ": 0.1, "YZ": 0.06}
    total = sum(pairs.values())
    for goal in "XYZ":
        assert expected[goal] == pytest.approx(sum(share for pair, share in pairs.items() if goal in pair) / total)
    assert expected_goals(LIBRARY, Assumptions(instances=9), {3: 2.0})["X"] == pytest.approx(3.0)


def test_what_cannot_be_learned_is_refused() -> None:
    with pytest.raises(BadPlan, match="in the meaning frontier"):
        PlanLearner(LIBRARY, Assumptions(meaning="leaves"), [])
    with pytest.raises(BadPlan, match="no trace has an explanation"):
        PlanLearner(LIBRARY, Assumptions(roots=1), [Trace(tuple(seen("dd")))]).iterate()


def test_recursion_within_a_depth_does_not_bias_the_rules() -> None:
    library = parse_text("depth 3\ngoal G\nG -> D e : ordered\nD -> d D : ordered [0.7] | d [0.3]", "deep")
    learner = learned(library, drawn(library, Assumptions(), 500, seed=1), Assumptions())
    assert largest_error(library, learner) < 0.04  # counting all choices alike would say 0.57
