"""The recogniser is the full enumeration, only quicker."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from enumeration import Enumeration, plan_instances
from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.answers.explanations import explanations, plan_probabilities
from kibitz_lab.plans.assumptions import Assumptions, Meaning
from kibitz_lab.plans.formats.text_form import parse_text, text_of
from kibitz_lab.plans.formats.xml_form import parse_xml, xml_of
from kibitz_lab.plans.library import (
    NOISE,
    Instance,
    Part,
    Places,
    PlanLibrary,
    Rule,
    Symbol,
    check_library,
    unfinishable,
)
from kibitz_lab.plans.recogniser import Recogniser, best_goals
from recognition import recognise_plans

MEANINGS: tuple[Meaning, ...] = ("leaves", "frontier")
ACTIONS = "abcd"
PLANS = ("X", "Y", "M", "N")
both = pytest.mark.parametrize("meaning", MEANINGS)


def action(name: str) -> Part:
    return Part(name, True)


def plan(name: str) -> Part:
    return Part(name, False)


def golden() -> PlanLibrary:
    return parse_text("""
goal X
goal Y
goal Z
X -> a b : ordered
Y -> a c
Z -> M d : ordered
M -> a | e
""")


def seen(text: str) -> list[Observation]:
    return [Observation(letter) for letter in text]


GOLDEN = [
    ("a", "leaves", "2/3", "1/2 1/4 1/4"),
    ("a", "frontier", "2/3", "1/2 1/4 1/4"),
    ("ac", "leaves", "5/27", "1/15 1 1/30"),
    ("ac", "frontier", "3/16", "2/27 1 1/27"),
    ("aa", "leaves", "2/27", "19/24 5/8 7/12"),
    ("aa", "frontier", "5/72", "4/5 3/5 3/5"),
    ("ad", "leaves", "1/6", "0 0 1"),
    ("ad", "frontier", "1/6", "0 0 1"),
    ("abc", "leaves", "1/162", "1 1 0"),
    ("abc", "frontier", "1/72", "1 1 0"),
]


def check_golden(probability: float, goals: dict[str, float], expected: str, shares: str) -> None:
    assert probability == pytest.approx(float(Fraction(expected)), rel=1e-12)
    assert list(goals.values()) == pytest.approx([float(Fraction(share)) for share in shares.split()], abs=1e-12)


@pytest.mark.parametrize(("text", "meaning", "probability", "shares"), GOLDEN)
def test_golden_numbers(text: str, meaning: Meaning, probability: str, shares: str) -> None:
    assumptions = Assumptions(meaning=meaning)
    found = recognise_plans(golden(), seen(text), assumptions)
    check_golden(found.probability, found.goals(), probability, shares)
    check_golden(*Enumeration(golden(), assumptions).posterior(seen(text)), probability, shares)


def test_golden_numbers_with_two_instances_of_a_goal() -> None:
    assumptions = Assumptions(meaning="leaves", instances=2)
    found = recognise_plans(golden(), seen("ac"), assumptions)
    check_golden(found.probability, found.goals(), "7/36", "4/63 1 2/63")
    check_golden(*Enumeration(golden(), assumptions).posterior(seen("ac")), "7/36", "4/63 1 2/63")


@st.composite
def libraries(draw: st.DrawFn, *, recursive: bool = False, parameters: bool = False) -> PlanLibrary:
    """Small libraries: goals X and Y, plans M and N that may be parts, up to two rules each."""
    names = ("p", "q") if parameters else ()
    rules = []
    for number, head in enumerate(PLANS):
        below = PLANS[2:] if recursive and number >= 2 else PLANS[max(number + 1, 2) :]
        parts = st.sampled_from([action(name) for name in ACTIONS] + [plan(name) for name in below])
        chosen = draw(st.lists(st.lists(parts, min_size=1, max_size=2 if number >= 2 else 3), min_size=1, max_size=2))
        share = draw(st.sampled_from([0.25, 0.5, 0.75])) if len(chosen) == 2 else 1.0
        for probability, own in zip((share, 1.0 - share), chosen, strict=False):
            pairs = [(i, j) for j in range(len(own)) for i in range(j)]
            order = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
            slots = st.tuples(st.integers(0, len(own)), st.sampled_from(names or ("",)))
            equal = draw(st.lists(st.lists(slots, min_size=2, max_size=3), max_size=2)) if names else []
            rules.append(Rule(head, tuple(own), tuple(order), probability, tuple(map(tuple, equal))))
    prior = draw(st.sampled_from([0.2, 0.5, 0.7]))
    plans, actions = ({name: Symbol(name, names) for name in own} for own in (PLANS, ACTIONS))
    found = PlanLibrary({"X": prior, "Y": 1.0 - prior}, plans, actions, tuple(rules), depth=2 if recursive else None)
    for head in unfinishable(found):  # a way out where there is none
        more = [replace(rule, probability=rule.probability / 2) for rule in found.rules if rule.head == head]
        others = [rule for rule in found.rules if rule.head != head]
        found = PlanLibrary(
            found.goals, plans, actions, (*others, *more, Rule(head, (action("a"),), probability=0.5)), found.depth
        )
    return check_library(found, Places())


def stories(**fixed: object) -> st.SearchStrategy[Assumptions]:
    options = {
        "meaning": st.sampled_from(MEANINGS),
        "instances": st.integers(1, 2),
        "roots": st.sampled_from([None, 1, 2]),
        "priors": st.sampled_from(["product", "odds"]),
    }
    return st.builds(Assumptions, **{**options, **{name: st.just(value) for name, value in fixed.items()}})


observed = st.text(alphabet=ACTIONS, min_size=1, max_size=3).map(seen)


def agree(
    library: PlanLibrary,
    observations: Sequence[Observation],
    assumptions: Assumptions,
    confidences: Sequence[float] = (1.0, 1.0, 1.0),
) -> None:
    probability, goals = Enumeration(library, assumptions).posterior(observations, confidences)
    for trees in (False, True):
        found = Recogniser(library, assumptions, trees=trees)
        for each, confidence in zip(observations, confidences, strict=False):
            found.observe(each, confidence=confidence)
        assert found.probability == pytest.approx(probability, rel=1e-12, abs=1e-300)
        assert found.goals() == pytest.approx(goals, abs=1e-12)


@pytest.mark.long
@given(libraries(), observed, stories())
def test_it_equals_full_enumeration(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    agree(library, observations, assumptions)


@pytest.mark.long
@given(libraries(recursive=True), observed, stories(roots=2))
@settings(max_examples=30)
def test_it_equals_full_enumeration_of_recursive_libraries(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    try:
        Recogniser(library, assumptions)
    except BadPlan as error:
        assert "depth" in str(error)  # noqa: PT017  a goal that needs more depth than 2
        return
    agree(library, observations[:2], assumptions)


@pytest.mark.long
@given(libraries(), observed, stories(miss=0.2, silent=1, roots=2))
@settings(max_examples=30)
def test_it_equals_full_enumeration_where_actions_may_be_missed(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    agree(library, observations[:2], assumptions)


@pytest.mark.long
@given(libraries(), observed, st.sampled_from([0.3, 0.6]), stories(slip=0.1))
def test_it_equals_full_enumeration_with_slips_and_goals_given_up(
    library: PlanLibrary, observations: list[Observation], abandon: float, assumptions: Assumptions
) -> None:
    agree(
        library,
        observations,
        Assumptions(assumptions.meaning, assumptions.instances, assumptions.roots, slip=0.1, abandon=abandon),
    )


@pytest.mark.long
@given(libraries(), st.text(alphabet="abcdz", min_size=1, max_size=3).map(seen), stories() | stories(slip=0.1))
def test_it_equals_full_enumeration_with_doubtful_observations_and_unknown_actions(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    agree(library, observations, assumptions, (0.9, 0.5, 1.0))


@pytest.mark.long
@given(libraries(), observed, stories() | stories(miss=0.2, roots=2))
@settings(max_examples=40)
def test_explanations_are_those_of_the_enumeration(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    observations = observations[:2] if assumptions.miss else observations
    found = explanations(recognise_plans(library, observations, assumptions, trees=True))
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)
    told = [each.words(library, observations) for each in found]
    assert len(set(told)) == len(told)
    total, by_goals = 0.0, dict[tuple[str, ...], float]()
    for each in Enumeration(library, assumptions).explanations(observations):
        total += each.probability
        goals = tuple(sorted(each.goals))
        by_goals[goals] = by_goals.get(goals, 0.0) + each.probability
    for goals, share in by_goals.items():
        mass = sum(each.probability for each in found if tuple(sorted(each.goals)) == goals)
        assert mass == pytest.approx(share / total, abs=1e-9)


values = st.sampled_from([None, "1", "2"])
with_values = st.lists(
    st.builds(Observation, st.sampled_from(ACTIONS), st.tuples(values, values)), min_size=1, max_size=3
)


@pytest.mark.long
@given(libraries(parameters=True), with_values, stories())
def test_it_equals_full_enumeration_where_parameters_must_agree(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    agree(library, observations, assumptions)


def test_parts_tied_to_different_parameters_are_not_interchangeable() -> None:
    library = parse_text(
        "goal G(p, q)\nplan X(p, q)\naction m(a)\naction f(a)\nG(p, q) -> X(p, q) f(p)\nX(p, q) -> m(p) m(q)"
    )
    for meaning in MEANINGS:
        observations = [Observation("m", ("1",)), Observation("f", ("2",))]
        assert recognise_plans(library, observations, Assumptions(meaning=meaning)).is_explained
        agree(library, observations, Assumptions(meaning=meaning))


@pytest.mark.long
@given(libraries(parameters=True), with_values, stories() | stories(miss=0.2, roots=1))
def test_values_of_goals_and_plans_are_those_of_the_enumeration(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    observations = observations[:2]
    total, goals, plans = 0.0, dict[Instance, float](), dict[Instance, float]()
    for each in Enumeration(library, assumptions).explanations(observations):
        total += each.probability
        own = [plan_instances(library, root.node) for root in each.roots]
        for instance in {plans[0] for plans in own}:
            goals[instance] = goals.get(instance, 0.0) + each.probability
        for instance in {plan for plans in own for plan in plans}:
            plans[instance] = plans.get(instance, 0.0) + each.probability
    for trees in (False, True):
        found = recognise_plans(library, observations, assumptions, trees=trees)
        assert found.instances() == pytest.approx({each: share / total for each, share in goals.items()}, abs=1e-12)
    told = plan_probabilities(explanations(found))
    assert told == pytest.approx({each: share / total for each, share in plans.items()}, abs=1e-9)


@pytest.mark.long
@given(libraries(), observed, stories())
def test_noise_explains_everything(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    assumptions = Assumptions(assumptions.meaning, noises=3)
    noisy = library.with_noise(0.05)
    found = recognise_plans(noisy, observations, assumptions)
    assert found.is_explained
    assert found.goals()[NOISE] > 0.0
    agree(noisy, observations, assumptions)


@pytest.mark.long
@given(libraries(), observed, stories(), st.randoms(use_true_random=False))
def test_the_order_of_goals_and_rules_does_not_matter(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions, random: object
) -> None:
    rules, goals = list(library.rules), list(library.goals.items())
    random.shuffle(rules)  # type: ignore[attr-defined]
    random.shuffle(goals)  # type: ignore[attr-defined]
    other = PlanLibrary(dict(goals), library.plans, library.actions, tuple(rules))
    first, second = (recognise_plans(each, observations, assumptions) for each in (library, other))
    assert second.probability == pytest.approx(first.probability, rel=1e-12)
    assert second.goals() == pytest.approx(first.goals(), abs=1e-12)


@pytest.mark.long
@given(libraries(), st.text(alphabet=ACTIONS, min_size=2, max_size=5).map(seen), stories(), st.integers(1, 6))
def test_the_true_posterior_lies_within_the_bound_of_the_beam(
    library: PlanLibrary, observations: list[Observation], assumptions: Assumptions, beam: int
) -> None:
    exact, narrow = (recognise_plans(library, observations, assumptions, beam=most) for most in (None, beam))
    assert narrow.forest_count <= beam
    if narrow.is_explained:
        true = exact.goals()
        for goal, (low, high) in narrow.intervals().items():
            assert low - 1e-12 <= true[goal] <= high + 1e-12
            assert high - low <= narrow.bound + 1e-12
    elif exact.is_explained:
        assert narrow.bound == 1.0


@both
def test_given_the_goals_everything_that_may_come_adds_up_to_1(meaning: Meaning) -> None:
    assumptions = Assumptions(meaning=meaning, roots=1)
    for count in (1, 2):
        total = sum(
            recognise_plans(golden(), seen("".join(text)), assumptions).probability
            for text in product("abcde", repeat=count)
        )
        assert total == pytest.approx(1.0, rel=1e-12)


@both
def test_what_is_foretold_is_what_comes(meaning: Meaning) -> None:
    library, assumptions = golden(), Assumptions(meaning=meaning, instances=2)
    for text in ("a", "ac", "aa"):
        expected = {
            letter: recognise_plans(library, seen(text + letter), assumptions).probability for letter in "abcde"
        }
        total = sum(expected.values())
        expected = {letter: share / total for letter, share in expected.items() if share}
        assert recognise_plans(library, seen(text), assumptions).next_actions() == pytest.approx(expected, rel=1e-12)


def doubling(levels: int, more: str = "") -> PlanLibrary:
    """A plan of so many levels, each of two plans of the next: the goal is 2 ** levels actions. And more."""
    rules = "\n".join(f"P{level} -> P{level + 1} P{level + 1}" for level in range(levels))
    return parse_text(f"goal P0\n{rules}\nP{levels} -> a\n{more}")


@both
def test_plans_that_double_and_double_are_no_more_work_than_their_levels(meaning: Meaning) -> None:
    agree(doubling(2), seen("aaa"), Assumptions(meaning=meaning))
    found = recognise_plans(doubling(40), seen("aa"), Assumptions(meaning=meaning))
    assert found.forest_count == 40
    assert found.goals() == {"P0": 1.0}
    assert found.next_actions() == {"a": 1.0}
    assert len(found.table.trees) < 50


@both
def test_under_a_beam_no_observation_leads_to_trees_without_end(
    meaning: Meaning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "NEW_TREES", 20)
    library = doubling(12, "goal Z\nZ -> a b : ordered")
    exact = recognise_plans(library, seen("aaaa"), Assumptions(meaning=meaning))
    narrow = recognise_plans(library, seen("aaaa"), Assumptions(meaning=meaning), beam=100)
    assert len(narrow.table.trees) < len(exact.table.trees) / 2
    assert 0.0 < narrow.bound < 1.0
    for goal, (low, high) in narrow.intervals().items():
        assert low - 1e-12 <= exact.goals()[goal] <= high + 1e-12


@pytest.mark.long
@given(libraries(parameters=True), with_values, stories(miss=0.1, abandon=0.3))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_trees_that_are_forgotten_are_not_missed(
    monkeypatch: pytest.MonkeyPatch, library: PlanLibrary, observations: list[Observation], assumptions: Assumptions
) -> None:
    exact = recognise_plans(library, observations, assumptions)
    with monkeypatch.context() as patched:
        patched.setattr(limits, "SPENT_TREES", 0)
        forgetful = recognise_plans(library, observations, assumptions)
    held = {tree for forest in forgetful.rows.forests for tree in forest}
    assert len(forgetful.table.trees) <= len(held) + sum(map(len, forgetful.table.roots.values()))
    # trees that come back have other numbers, so that sums are taken in another order
    assert forgetful.probability == pytest.approx(exact.probability, rel=1e-12, abs=1e-300)
    assert forgetful.goals() == pytest.approx(exact.goals(), abs=1e-12)


@pytest.mark.long
@both
def test_hundreds_of_parts_in_any_order_are_taken_in(meaning: Meaning) -> None:
    names = [f"a{number}" for number in range(400)]
    found = recognise_plans(
        parse_text(f"goal X\nX -> {' '.join(names)}"), [Observation("a7")], Assumptions(meaning=meaning)
    )
    assert found.next_actions() == pytest.approx({name: 1 / 399 for name in names if name != "a7"})
    alike = parse_text("goal X\nX -> " + "M " * 100 + "\nM -> a b : ordered [0.5] | c d [0.5]")
    found = recognise_plans(alike, seen("acd"), Assumptions(meaning=meaning))
    assert found.forest_count < 200
    assert sum(found.next_actions().values()) == pytest.approx(1.0)


@pytest.mark.long
def test_ways_beyond_counting_are_refused_where_they_must_be_told_apart() -> None:
    forks = "\n".join(f"P{n} -> Q{n} | R{n}\nQ{n} -> P{n + 1}\nR{n} -> P{n + 1}" for n in range(25))
    library = parse_text(f"goal P0\n{forks}\nP25 -> a")
    assert recognise_plans(library, seen("a")).forest_count == 1
    with pytest.raises(
        BadPlan, match=r"more than 20,000 ways to carry out .*; remove some rules, or do not ask for explanations"
    ):
        recognise_plans(library, seen("a"), trees=True)
    leaves = "\n".join(f"P{n} -> P{n + 1} P{n + 1} | b" for n in range(25))
    with pytest.raises(
        BadPlan, match=r"more than 20,000 ways to carry out .*; remove some rules, or use the meaning frontier"
    ):
        Recogniser(parse_text(f"goal P0\n{leaves}\nP25 -> a"), Assumptions(meaning="leaves"))


def test_what_is_not_possible_is_not_pending() -> None:
    found = Recogniser(golden())
    found.observe(Observation("a"), possible=seen("ade"))
    # of Y only a is possible, so that it is certain; of Z either a or e
    assert found.goals() == pytest.approx({"X": 0.4, "Y": 0.4, "Z": 0.2})
    with pytest.raises(BadPlan, match="in the meaning frontier"):
        Recogniser(golden(), Assumptions(meaning="leaves")).observe(Observation("a"), possible=seen("a"))


def test_a_thousand_observations_neither_underflow_nor_fill_the_memory() -> None:
    library = parse_text(
        "goal X\ngoal Y\nX -> a X : ordered [0.9] | b [0.1]\nY -> M Y : ordered [0.9] | b [0.1]\nM -> a [0.8] | c [0.2]"
    )
    found = recognise_plans(library, seen("a" * 2000), Assumptions(roots=1))
    assert found.forest_count == 2
    assert found.log_probability < -300.0 * 0.5
    assert found.goals()["X"] == pytest.approx(1.0 / (1.0 + exp(2000 * -0.2231435513142097)), rel=1e-6)
    assert len(found.table.trees) < 10


def test_what_cannot_be_is_said() -> None:
    found = recognise_plans(golden(), seen("b"))
    assert not found.is_explained
    assert found.goals() == {"X": 0.0, "Y": 0.0, "Z": 0.0}
    assert best_goals(found.goals()) == []
    with pytest.raises(BadPlan, match="its parameters are: none"):
        found.observe(Observation("a", ("1",)))


def test_an_action_outside_the_library_serves_no_goal() -> None:
    slipping = Assumptions(slip=0.1)
    plain, strange = (recognise_plans(golden(), seen(text), slipping) for text in ("ac", "azc"))
    assert strange.goals() == pytest.approx(plain.goals())
    assert strange.probability == pytest.approx(plain.probability * 0.1 / 5)
    assert not recognise_plans(golden(), seen("az")).is_explained


def test_a_goal_that_was_left_long_ago_is_given_up() -> None:
    library = parse_text("goal X\ngoal Y\nX -> a b : ordered\nY -> c Y : ordered [0.9] | d [0.1]")
    patient, strict = (recognise_plans(library, seen("accccc"), Assumptions(abandon=least)) for least in (0.0, 0.1))
    assert patient.next_actions()["b"] == pytest.approx(0.5)
    assert "b" not in strict.next_actions()
    assert strict.goals()["X"] == 1.0


@pytest.mark.long
@given(libraries(recursive=True, parameters=True))
def test_a_library_survives_text_and_xml(library: PlanLibrary) -> None:
    times = [(None, None), (2.5, None), (None, 60.0), (1e-3, 7.0)]
    rules = [
        replace(rule, duration=times[number % 4][0], timeout=times[number % 4][1])
        for number, rule in enumerate(library.rules)
    ]
    library = replace(library, rules=tuple(rules))
    assert parse_text(text_of(library)) == library
    undeep = replace(library, depth=None)
    assert parse_xml(xml_of(undeep), library.name) == undeep
