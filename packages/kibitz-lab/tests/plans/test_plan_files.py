"""Plan libraries as files: our own form, XML and Lisp, read, written and refused."""

import warnings
from pathlib import Path

import msgspec
import pytest

from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.files import (
    read_cases,
    read_library,
    read_observations,
    shipped_libraries,
    write_library,
)
from kibitz_lab.plans.formats.lisp_form import Case, lisp_of, parse_lisp
from kibitz_lab.plans.formats.observation_text import parse_events
from kibitz_lab.plans.formats.text_form import parse_text, text_of
from kibitz_lab.plans.formats.xml_form import parse_xml, parse_xml_observations, xml_of
from kibitz_lab.plans.library import Part, PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser
from recognition import recognise_plans

ROBBERY = """
library robbery
depth 3
goal rob(place) [0.25] "rob a bank"
goal deposit [0.75]   # most people
plan enter(place)
action walk(from, to) "go on foot"
action "draw gun!"
action whistle

rob(place) -> enter(place), "draw gun!", leave : enter < "draw gun!" < leave
deposit -> enter queue leave : ordered
enter(place) -> walk(_, place) [0.6]
    | walk(_, middle) enter(middle) walk(middle, place) : 1 < 2, 2 < 3 [0.4] "in stages"
leave -> leave! [0.5] | run
    [0.5]
"""


def test_the_text_form_says_everything() -> None:
    library = parse_text(ROBBERY, "robbery.plans")
    assert library.name == "robbery"
    assert library.depth == 3
    assert library.goals == {"rob": 0.25, "deposit": 0.75}
    assert set(library.plans) == {"rob", "deposit", "enter", "leave"}
    assert set(library.actions) == {"walk", "draw gun!", "whistle", "queue", "leave", "run"}
    assert library.plans["rob"].title == "rob a bank"
    rob, deposit, straight, staged, leave, run = library.rules
    assert rob.order == ((0, 1), (1, 2)) == deposit.order
    assert rob.equal == (((0, "place"), (1, "place")),)
    assert straight.equal == (((0, "place"), (1, "to")),)
    assert staged.equal == (((0, "place"), (3, "to")), ((1, "to"), (2, "place"), (3, "from")))
    assert (staged.probability, staged.title) == (0.4, "in stages")
    assert leave.parts == (Part("leave", True),)
    assert run.probability == 0.5


BAD_TEXT = {
    "": "it names no goal",
    "goal": "p.plans:1: expected a name, but the line ends",
    "goal tea\n": "p.plans:1: plan 'tea' has no rule",
    "gaol tea": "p.plans:1: expected one of library, depth, goal, plan, action, or a rule",
    "goal tea [0.5]\ntea -> boil": "p.plans:1: the priors of the goals add up to 0.5, not to 1",
    "goal tea [.5]\ngoal pie\ntea -> a\npie -> b": "p.plans:2: give all goals a probability, or none",
    "goal tea\ntea ->": "p.plans:2: expected a part, but the line ends",
    "goal tea\ntea -> a [0.5] | b": "p.plans:2: give all rules of 'tea' a probability, or none",
    "goal tea\ntea -> a [0.5] | b [0.6]": "p.plans:2: the probabilities of the rules of 'tea' add up to 1.1",
    "goal tea\ntea -> a b : a < b, b < a": "p.plans:2: a rule of 'tea': part 1, 'a', comes before itself",
    "goal tea\ntea -> a b : a < c": "p.plans:2: 'c' is not a part",
    "goal tea\ntea -> a a : a < 2": "p.plans:2: 'a' occurs more than once",
    "goal tea\ntea -> a a : 1 < 3": "p.plans:2: there is no part 3; there are 2",
    "goal tea\ntea -> tea a": "p.plans:1: these plans can never be finished: tea",
    "goal tea\ngoal tea": "p.plans:2: 'tea' is declared twice",
    "depth 1000\ngoal tea\ntea -> a": "p.plans:1: depth must be a whole number from 1 to 100, not 1000",
    "goal tea\ntea -> boil(x)": "p.plans:2: say what the parameters of 'boil' are",
    "goal tea\naction boil(p)\ntea -> boil(x, y)": "p.plans:3: of 'boil' 2 parameters are named, but it has: p",
    "goal tea\ntea -> a > b": "p.plans:2: cannot read '> b'",
}


@pytest.mark.parametrize("text", BAD_TEXT)
def test_a_mistake_in_a_text_is_named_with_its_line(text: str) -> None:
    with pytest.raises(BadPlan) as raised:
        parse_text(text, "p.plans")
    assert BAD_TEXT[text] in str(raised.value)
    assert "\n" not in str(raised.value)


BAD_LISP = {
    "(": "it may be cut off",
    "()": "it holds no case",
    "((((NIL (OR A1)))) (0) A1)": "expected an AND",
    "(((NIL (OR A1 A2))) (1) A1)": "there is no goal 1; there are 1",
    "(((NIL (OR A1 A2))) (0) A3)": "'A3' is observed but is not an action",
    "(((NIL (OR A1 A2))) (0) (A1))": "a list is observed",
    "((((0 . 9)) (OR A1) (OR A2))) (0) A1)": "f.txt:1",
    "((((0 . 1) (1 . 0)) (OR A1) (OR A2))) (0))": "f.txt:1",
    "(((SOME (OR A1 A2))) (0) A1)": "an order is NIL, FULL-AND or a list of pairs",
    "(" * 300: "deeper than 200",
    "(\n(((NIL (OR A1))) (0) A1)\n(((NIL (OR A1))) A1))": "f.txt:3: a case is a list",
}


@pytest.mark.parametrize("text", BAD_LISP)
def test_a_mistake_in_lisp_is_named(text: str) -> None:
    with pytest.raises(BadPlan, match=r"^f\.txt:\d+: ") as raised:
        parse_lisp(text, "f.txt")
    assert BAD_LISP[text] in str(raised.value)


def in_pl(letters: str, recipes: str) -> str:
    return f"<PL>\n<Letters>{letters}</Letters>\n<Recipes>{recipes}</Recipes></PL>"


TEA = '<NonTerminals><Letter id="T" goal="yes"/></NonTerminals><Terminals><Letter id="a"/></Terminals>'
BAD_XML = {
    "<Plan/>": "a plan library is a <PL>, not a <Plan>",
    '<!DOCTYPE x [<!ENTITY y "z">]><PL/>': "document types are not supported",
    "<a>" * 300: "deeper than 200",
    in_pl(TEA, ""): "f.xml:2: plan 'T' has no rule",
    in_pl(TEA, '<Recipe lhs="T"><Letter id="b"/></Recipe>'): "f.xml:3: a rule of 'T' names 'b', which is not a plan",
    in_pl(TEA, "<Recipe/>"): "f.xml:3: <Recipe> has no lhs",
    in_pl(TEA, '<Recipe lhs="U"><Letter id="a"/></Recipe>'): "f.xml:3: a rule of 'U': no such plan",
    in_pl(TEA, '<Recipe lhs="T" prob="0"><Letter id="a"/></Recipe>'): "f.xml:3: prob must be a number above 0, not '0'",
    in_pl(TEA, '<Recipe lhs="T"><Letter id="a" index="x"/></Recipe>'): "f.xml:3: index must be a whole number, not 'x'",
    in_pl(TEA + TEA, ""): "f.xml:2: 'T' is declared twice",
}


@pytest.mark.parametrize("text", BAD_XML)
def test_a_mistake_in_xml_is_named(text: str) -> None:
    with pytest.raises(BadPlan) as raised:
        parse_xml(text, "f.xml")
    assert BAD_XML[text] in str(raised.value)


SOCCER = """<?xml version="1.0" encoding="ISO-8859-1"?>
<PL><Letters>
  <Non-Terminals> <Letter id="Attack"/> <Letter id="Defend"/> <Letter id="Pass"/> </Non-Terminals>
  <Terminals> <Letter id="Pass"><Params><Param name="to"/></Params></Letter> <Letter id="Kick"/> </Terminals>
</Letters><Recipes>
  <Recipe prob="0.5" lhs="root"><Letter id="Attack" index="1"/></Recipe>
  <Recipe prob="1.5" lhs="root"><Letter id="Defend" index="1"/></Recipe>
  <Recipe prob="0.1" lhs="Attack"><Order><OrderCons firstIndex="1" secondIndex="3"/></Order>
    <Letter id="Kick" index="2"/><Letter id="Pass" index="1"/></Recipe>
  <Recipe prob="0.3" lhs="Attack"><Letter id="Kick" index="1"/></Recipe>
  <Recipe lhs="Defend"><Equals><EqualCons firstIndex="0" firstParam="to" secondIndex="1" secondParam="to"/></Equals>
    <Letter id="Pass" index="1"/></Recipe>
  <Recipe prob="0.1" lhs="Pass"><Letter id="Pass" index="1"/></Recipe>
</Recipes></PL>"""


def test_the_traps_of_public_xml_are_known() -> None:
    with pytest.warns(UserWarning, match="left out") as told:
        library = parse_xml(SOCCER, "s.xml")
    assert [str(each.message).split(": ", 1)[1] for each in told] == [
        "OrderCons left out: it orders children 1 and 3 of 2",
        "EqualCons left out: 'Defend' has no parameter 'to'",
    ]
    assert library.goals == {"Attack": 0.25, "Defend": 0.75}
    attack, shot, defend, passing = library.rules
    assert attack.parts == (Part("Pass", False), Part("Kick", True))
    assert (attack.probability, shot.probability) == (pytest.approx(0.25), pytest.approx(0.75))
    assert defend.parts == (Part("Pass", False),)
    assert passing.parts == (Part("Pass", True),)
    assert parse_xml(xml_of(library), "s.xml") == library


def test_what_xml_cannot_tell_apart_is_not_written() -> None:
    library = parse_text("goal go\nkick -> shoot\ngo -> kick! kick")
    with pytest.raises(BadPlan, match="cannot tell the action 'kick' from the plan"):
        xml_of(library)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("goal tea\ntea -> a M\nM -> a | b c", "rules of 'M' have several parts"),
        ("goal tea [0.4]\ngoal pie [0.6]\ntea -> a\npie -> b", "its goals have different priors"),
        ("goal tea\ntea -> a M M\nM -> b | c", "'M' is a part in more than one place"),
        ("goal tea\ntea -> a M\nM -> b [0.4] | c [0.6]", "or different probabilities"),
        ("goal tea\ntea -> a | b", "goal 'tea' has several rules"),
        ('goal tea\ntea -> "a b" c', "there are spaces or brackets in the name 'a b'"),
        ("depth 2\ngoal tea\ntea -> a b", "because it has a depth or parameters"),
    ],
)
def test_what_lisp_cannot_hold_is_not_written(text: str, what: str) -> None:
    with pytest.raises(BadPlan) as raised:
        lisp_of([Case(parse_text(text))])
    assert what in str(raised.value)


TREE = "(((FULL-AND (OR A1 A2) (OR (NIL A3 A4) A5) (OR A6 A7)) (((0 . 2)) (OR A1) (OR A3) (OR A7))) (1) A1 A7)"


def test_lisp_is_numbered_as_the_gold_files_are_and_survives() -> None:
    (case,) = parse_lisp(TREE)
    assert list(case.library.goals) == ["B5", "B9"]
    assert case.goals == ("B9",)
    assert [str(each) for each in case.observations] == ["A1", "A7"]
    heads = [rule.head for rule in case.library.rules]
    assert heads == ["B1", "B1", "B3", "B2", "B2", "B4", "B4", "B5", "B6", "B7", "B8", "B9"]
    assert lisp_of([case]).split() == TREE.split()
    assert len(parse_lisp(f"({TREE}\n{TREE})")) == 2


def test_observations_are_read() -> None:
    library = parse_text(ROBBERY)
    walk = Observation("walk", (None, "bank"))
    text = '1 walk(_, bank)\n2 walk(to=bank)\nwalk("a, b", "")\n"draw gun!" # now\n'
    first, second, third, fourth = (event.observation for event in parse_events(text, library))
    assert first == second == walk
    assert third == Observation("walk", ("a, b", ""))
    assert fourth == Observation("draw gun!")
    xml = '<Observations><Observation id="walk"><Param name="to" val="bank"/></Observation></Observations>'
    assert parse_xml_observations(xml, library) == [walk]
    strange = parse_events("fly(high)\nrun", library, lenient=True)
    assert [event.observation for event in strange] == [Observation("fly"), Observation("run")]
    assert parse_xml_observations(xml.replace("walk", "fly"), library, lenient=True) == [Observation("fly")]
    with pytest.warns(UserWarning, match="'walk' has no parameter 'speed'; left out"):
        parse_xml_observations(xml.replace('name="to"', 'name="speed"'), library)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fly", "o:1: 'fly' is not an action of robbery"),
        ("leave\nwalk(a, b, c)", "o:2: 'walk' has more values than parameters, which are: from, to"),
        ("walk(speed=3)", "o:1: 'walk' has no parameter 'speed'"),
        ("walk(a", "o:1: expected ',' or ')'"),
        ("leave leave", "o:1: expected nothing more"),
        ("[", "o:1: expected an action"),
    ],
)
def test_a_mistake_in_observations_is_named(text: str, why: str) -> None:
    with pytest.raises(BadPlan) as raised:
        parse_events(text, parse_text(ROBBERY), "o")
    assert why in str(raised.value)


def test_files_are_told_by_how_they_begin(tmp_path: Path) -> None:
    library = msgspec.structs.replace(parse_lisp(TREE)[0].library, name="x")
    for ending in ("plans", "xml", "lisp"):
        write_library(tmp_path / f"x.{ending}", library)
        found = read_library(tmp_path / f"x.{ending}")
        assert (found.rules, found.goals, set(found.actions)) == (library.rules, library.goals, set(library.actions))
    (tmp_path / "o").write_text("A1")
    assert read_observations(tmp_path / "o", library) == [Observation("A1")]
    for name, why in (("none", "cannot be read"), ("empty", "is empty")):
        (tmp_path / "empty").write_text(" \n")
        with pytest.raises(BadPlan, match=why):
            read_cases(tmp_path / name)
    with pytest.raises(BadPlan, match=r"must end in \.plans, \.txt, \.xml, \.lisp"):
        write_library(tmp_path / "x.foo", library)
    with pytest.raises(BadPlan, match="it holds no observation"):
        read_observations(tmp_path / "empty", library)


def test_libraries_that_come_with_kibitz_can_be_read() -> None:
    assert "cooking" in shipped_libraries()
    for name in shipped_libraries():
        library = read_library(name)
        assert parse_text(text_of(library)) == library


def test_recursion_needs_a_bound_where_it_may_begin_with_itself() -> None:
    left = parse_text("goal go\ngo -> go step [0.5] | step [0.5]")
    with pytest.raises(BadPlan, match="plan 'go' may begin with itself without end; set a depth to bound it"):
        Recogniser(left)
    assert recognise_plans(left, [Observation("step")] * 3, Assumptions(depth=3)).is_explained
    right = parse_text("goal go\ngo -> step go : ordered [0.5] | step [0.5]")
    assert recognise_plans(right, [Observation("step")] * 50).is_explained
    deep = parse_text("goal go\ngo -> in far [0.5] | far [0.5]\nfar -> go x y [0.5] | a [0.5]")
    with pytest.raises(BadPlan, match="goal 'go' cannot be finished within depth 1; it needs 2"):
        Recogniser(deep, Assumptions(depth=1))


def plans(corpus: Path) -> Path:
    folder = corpus / "plans"
    if not folder.is_dir():
        pytest.skip("the corpora hold no plan libraries")
    return folder


def read_quietly(path: Path) -> tuple[PlanLibrary, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        library = read_library(path)
    return library, [str(each.message) for each in told]


@pytest.mark.long
def test_all_public_cases_parse(corpus: Path) -> None:
    cases = read_cases(plans(corpus) / "1-5-2-3-2-random.txt")
    assert len(cases) == 102
    for case in cases:
        library = case.library
        assert list(library.goals) == ["B28", "B56", "B84", "B112", "B140"]
        assert len(library.plans) == 140
        assert len(case.observations) == 9
        assert len(case.goals) == 1
        for goal in library.goals:
            (rule,) = (rule for rule in library.rules if rule.head == goal)
            assert len(rule.parts) == 3
            choices = [rule for rule in library.rules if rule.head == rule.parts[0].symbol]
            assert all(len(choice.parts) == 1 for choice in choices)
    (again,) = parse_lisp(lisp_of(cases[:1]), cases[0].library.name.removesuffix(" case 1"))
    assert again == cases[0]


def test_public_xml_loads_with_the_warnings_it_deserves(corpus: Path) -> None:
    monroe, told = read_quietly(plans(corpus) / "Monroe.xml")
    assert (len(monroe.plans), len(monroe.actions), len(monroe.goals), len(monroe.rules)) == (40, 30, 10, 59)
    assert sum("OrderCons" in each for each in told) == 2
    assert sum("EqualCons" in each for each in told) == 6
    cradle, told = read_quietly(plans(corpus) / "cradle_domain.xml")
    assert (len(cradle.plans), len(cradle.actions), len(cradle.goals), len(cradle.rules)) == (2, 1, 1, 5)
    assert told == []
    for library in (monroe, cradle):
        assert parse_xml(xml_of(library), library.name) == library
        assert parse_text(text_of(library), library.name) == library
    seen = read_observations(plans(corpus) / "cradle_observations.xml", cradle)
    assert [each.values[:2] for each in seen] == [("4", "5"), ("3", "5"), ("2", "5"), ("1", "5")]
    assert recognise_plans(cradle, seen, Assumptions(depth=3)).goals() == {"C": pytest.approx(1.0)}
