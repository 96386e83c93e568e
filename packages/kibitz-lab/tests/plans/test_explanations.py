"""Explanations as trees, and the questions that tell them apart."""

from math import log2
from pathlib import Path

import pytest

from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.answers.explanation_trees import Branch
from kibitz_lab.plans.answers.explanations import (
    Explanation,
    answer_entropy,
    best_question,
    consistent_explanations,
    explanations,
    questions_of,
    shares,
)
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.files import read_cases, read_library
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.formats.xml_form import Element, parse_elements, without_declaration
from kibitz_lab.plans.recogniser import Recogniser, best_goals
from recognition import recognise_plans

LIBRARY = parse_text("""
goal X
goal Y
goal Z
X -> a b : ordered
Y -> a c
Z -> M d : ordered
M -> a | e
""")


def watched(text: str, assumptions: Assumptions | None = None) -> Recogniser:
    return recognise_plans(LIBRARY, [Observation(letter) for letter in text], assumptions, trees=True)


Shape = tuple[str, tuple["Shape", ...]]
"""The names in a tree, from the root down."""


def shape(root: Branch) -> Shape:
    return root.part.symbol, tuple(map(shape, root.parts))


def gold_shape(root: Element) -> Shape:
    return root.tag, tuple(map(gold_shape, root.children))


def test_the_trees_of_an_explanation_say_who_did_what() -> None:
    found = explanations(watched("aac"))
    assert sum(each.probability for each in found) == pytest.approx(1.0)
    shapes = {tuple(map(shape, each.roots)): each for each in found}
    both = shapes[("X", (("a", ()), ("b", ()))), ("Y", (("a", ()), ("c", ())))]
    assert [sorted(root.times()) for root in both.roots] == [[0], [1, 2]]
    assert [root.complete() for root in both.roots] == [False, True]
    assert both.words(LIBRARY, [Observation(letter) for letter in "aac"]) == "X (under way): a#1 … b; Y (done): a#2, c"
    nested = shapes[("Y", (("a", ()), ("c", ()))), ("Z", (("M", (("a", ()),)), ("d", ())))]
    assert nested.goals == ("Y", "Z")
    assert nested.words(LIBRARY, [Observation(letter) for letter in "aac"]).endswith("; Z (under way): M > a#2 … d")


def worded(text: str, letters: str, assumptions: Assumptions | None = None) -> list[str]:
    """The explanations of some letters in words."""
    library, seen = parse_text(text), [Observation(letter) for letter in letters]
    found = explanations(recognise_plans(library, seen, assumptions, trees=True))
    return [f"{each.probability:.3f} {each.words(library, seen)}" for each in found]


def test_parts_that_could_change_places_make_one_explanation() -> None:
    assert worded("goal X\nX -> M M M\nM -> a b : ordered", "aa") == [
        "1.000 X (under way): M (a#1 … b), M (a#2 … b) … M"
    ]
    assert sorted(worded("goal X\nX -> M M\nM -> a b : ordered", "aab")) == [
        "0.500 X (under way): M (a#1 … b), M (a#2, b)",
        "0.500 X (under way): M (a#1, b), M (a#2 … b)",
    ]
    chosen_first = worded("goal X\nX -> M M d\nM -> a | b c", "b", Assumptions(meaning="leaves"))
    assert chosen_first == ["1.000 X (under way): M (b … c) … M, d"]
    many = worded(f"goal X\nX -> {'a ' * 300}", "aaaaa")
    assert many == ["1.000 X (under way): a#1, a#2, a#3, a#4, a#5 … a ×295"]


@pytest.mark.parametrize(
    ("text", "letters", "assumptions"),
    [
        ("goal X\nX -> a b c : ordered\ngoal Y\nY -> d e : ordered", "dc", Assumptions(miss=0.3, silent=2)),
        ("goal X\nX -> a M N M\nM -> p q r | s | t u\nN -> b b | c d b : ordered", "as", Assumptions(meaning="leaves")),
    ],
)
def test_probabilities_that_may_be_higher_are_not_called_exact(
    text: str, letters: str, assumptions: Assumptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = [Observation(letter) for letter in letters]
    watching = recognise_plans(parse_text(text), seen, assumptions, trees=True)
    every = explanations(watching)
    true = {each.words(watching.library, seen): each.probability for each in every}
    assert len(true) == len(every)
    assert all(each.exact for each in [*every, *explanations(watching, 1)])
    monkeypatch.setattr("kibitz_lab.plans.limits.FEWEST_EXPLANATIONS", 1)
    monkeypatch.setattr("kibitz_lab.plans.limits.HISTORIES", 1)
    (hasty,) = explanations(watching, 1)
    assert not hasty.exact
    assert hasty.probability < true[hasty.words(watching.library, seen)]


def test_explanations_add_up_to_the_posterior() -> None:
    for meaning in ("leaves", "frontier"):
        watching = watched("aa", Assumptions(meaning=meaning, instances=2))  # type: ignore[arg-type]
        found = explanations(watching)
        for goal, share in watching.goals().items():
            assert sum(each.probability for each in found if goal in each.goals) == pytest.approx(share)
        assert explanations(watching, 2) == found[:2] or len(explanations(watching, 2)) == 2


def test_what_was_not_seen_is_done_all_the_same() -> None:
    (found,) = explanations(watched("b", Assumptions(miss=0.1)))
    (root,) = found.roots
    assert root.complete()
    assert root.times() == {0}


def test_explanations_need_histories() -> None:
    with pytest.raises(BadPlan, match="trees=True keeps explanations"):
        explanations(recognise_plans(LIBRARY, [Observation("a")]))


def test_every_gold_explanation_is_found_and_the_true_goal_is_on_top(corpus: Path) -> None:
    folder = corpus / "plans" / "spr"
    if not folder.is_dir():
        pytest.skip("the corpora hold no gold explanations")
    for gold in sorted(folder.glob("*.gold.xml")):
        (case,) = read_cases(gold.with_name(gold.name.replace(".gold.xml", ".txt")))
        watching = recognise_plans(case.library, case.observations, trees=True)
        wanted = tuple(map(gold_shape, parse_elements(without_declaration(gold.read_text()), gold).children))
        assert wanted in [tuple(map(shape, each.roots)) for each in explanations(watching)]
        best = best_goals(watching.goals())
        assert sum(goal in best for goal in case.goals) / len(best) == 1.0


def test_the_cook_of_the_thesis_is_recognised() -> None:
    cooking = read_library("cooking")
    watching = Recogniser(cooking, Assumptions(roots=1), trees=True)
    for action in ("take_buns", "toast_buns"):
        watching.observe(Observation(action))
        assert watching.goals() == {"veg_burger": pytest.approx(0.5), "meat_burger": pytest.approx(0.5)}
    watching.observe(Observation("take_chicken_patties"))
    assert watching.goals() == {"veg_burger": 0.0, "meat_burger": 1.0}
    assert watching.next_actions() == {"cook_chicken_patties": pytest.approx(1.0)}


def entropy(found: list[Explanation]) -> float:
    total = sum(each.probability for each in found)
    return sum(-p * log2(p) for each in found if (p := each.probability / total) > 0.0)


@pytest.fixture
def open_case() -> list[Explanation]:
    return explanations(watched("aac", Assumptions(instances=2)))


def test_the_question_of_least_entropy_is_the_best(open_case: list[Explanation]) -> None:
    best = best_question(open_case)
    assert best is not None
    left = {}
    for question, yes in shares(open_case).items():
        sides = ((answer, consistent_explanations(open_case, question, answer)) for answer in (True, False))
        left[question] = sum((yes if answer else 1.0 - yes) * entropy(side) for answer, side in sides)
        assert left[question] == pytest.approx(entropy(open_case) - answer_entropy(yes))
    assert left[best] == pytest.approx(min(left.values()))


def test_questions_lead_to_one_explanation(open_case: list[Explanation]) -> None:
    truth, left = open_case[-1], open_case
    for _ in range(50):
        question = best_question(left)
        if question is None:
            break
        left = consistent_explanations(left, question, question in questions_of(truth))
    assert truth.goals in [each.goals for each in left]
    assert all(questions_of(each) == questions_of(truth) for each in left)
    assert entropy(left) <= entropy(open_case)
