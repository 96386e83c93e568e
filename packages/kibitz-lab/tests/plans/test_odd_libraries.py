"""Odd but legal libraries of every form: read, written and read again they stay what they are, and are understood."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from enumeration import Enumeration
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions, Meaning
from kibitz_lab.plans.formats.files import read_cases, read_observations
from kibitz_lab.plans.formats.lisp_form import Case, lisp_of, parse_lisp
from kibitz_lab.plans.formats.text_form import parse_text, text_of
from kibitz_lab.plans.formats.xml_form import parse_xml, xml_of
from kibitz_lab.plans.library import PlanLibrary
from recognition import recognise_plans

TEXT = {
    "a mark at the beginning, line ends of other systems, comments, tabs": (
        '\ufefflibrary odd # a comment\r\n\r\n# nothing\r\ngoal\tGo [1] "to \\"go\\""\r\n'
        "Go -> Left\r\n\tright :\r\n\tordered\r\n",
        "Left right",
    ),
    "names that differ by case, that are numbers, and that look like statements": (
        'goal go\ngoal Go\ngo -> GO 1 2 : 1 < 2\nGo -> GO "goal" "->" : ordered\n"goal" -> "library" | depth',
        "GO GO library 1",
    ),
    "a shared plan, an action with the name of a plan, parts that occur again": (
        "goal X [0.3]\ngoal Y [0.7]\nX -> M M c\nY -> M! M : ordered\nM -> a b : ordered [0.4] | M! [0.6]",
        "M a b M",
    ),
}
XML = {
    "another encoding, comments, single quotes, indices that leave gaps": (
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- a library -->\n<PL><Letters><Non-Terminals>"
        "<Letter id='Caf\u00e9' goal='yes'/></Non-Terminals><Terminals><Letter id='a'/><Letter id='b'/></Terminals>"
        "</Letters><Recipes><Recipe lhs='Caf\u00e9'><Letter id='b' index='9'/><Letter id='a' index='4'/>"
        "<Order><OrderCons firstIndex='1' secondIndex='2'/></Order></Recipe></Recipes></PL>",
        "a b",
    ),
    "an id that is plan and action, signs that must be escaped, no order, empty sections": (
        '<PL><Letters><NonTerminals><Letter id="K&amp;R" goal="yes" name="&lt;both&gt;"/><Letter id="Pass" goal="no"/>'
        '</NonTerminals><Terminals><Letter id="Pass"/><Letter id="b"><Params/></Letter></Terminals></Letters><Recipes>'
        '<Recipe lhs="K&amp;R" desc="&quot;so&quot;"><Order/><Equals/><Letter id="Pass" index="1"/>'
        '<Letter id="b" index="2"/><Letter id="Pass" index="3"/></Recipe>'
        '<Recipe lhs="Pass"><Letter id="Pass" index="1"/></Recipe></Recipes></PL>',
        "Pass b Pass",
    ),
}
LISP = {
    "line ends of other systems and much space": (
        "(\r\n ( (NIL\t(OR A1 A2) (OR A3)) )\r\n (0)\r\n A3\r\n A1 )\r\n",
        "",
    ),
    "ANDs below ORs below ANDs, the same action again and again": (
        "(((((0 . 1)) (OR (NIL (OR A1) (OR A1 A2)) A1) (OR A1))) (0) A1 A1 A1)",
        "",
    ),
    "names that are no A and differ by case": ("(((NIL (OR go Go) (OR GO))) (0) Go GO)", ""),
}
FORMS: dict[str, tuple[dict[str, tuple[str, str]], str]] = {
    "text": (TEXT, "plans"),
    "xml": (XML, "xml"),
    "lisp": (LISP, "txt"),
}
EVERY = [(form, name) for form, (texts, _) in FORMS.items() for name in texts]
WRITTEN: dict[str, Callable[[PlanLibrary], PlanLibrary]] = {
    "text": lambda library: parse_text(text_of(library)),
    "xml": lambda library: parse_xml(xml_of(library), library.name),
    "lisp": lambda library: parse_lisp(lisp_of([Case(library)]), library.name.removesuffix(" case 1"))[0].library,
}


@pytest.mark.parametrize(("form", "name"), EVERY)
def test_odd_but_legal_libraries_are_read_written_and_understood(
    form: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text, seen = FORMS[form][0][name]
    folder = tmp_path_factory.mktemp("odd")
    path, observed = folder / f"odd.{FORMS[form][1]}", folder / "seen.txt"
    path.write_bytes(text.encode("latin-1" if "ISO-8859-1" in text else "utf-8"))
    (case,) = read_cases(path)
    library, observations = case.library, list(case.observations)
    if seen:
        observed.write_text(seen.replace(") ", ")\n") if "(" in seen else seen.replace(" ", "\r\n"), newline="")
        observations = read_observations(observed, library)
    assert WRITTEN[form](library) == library
    if form != "lisp":
        undeep = replace(library, depth=None)
        assert WRITTEN["text"](library) == library
        if name != "a shared plan, an action with the name of a plan, parts that occur again":
            assert WRITTEN["xml"](undeep) == undeep
    understood(library, observations)


leaves = st.sampled_from(["A1", "A2", "go"])


def conjunctions(depth: int) -> st.SearchStrategy[str]:
    """ANDs of one to three parts in some order."""
    orders = st.sampled_from(["NIL", "FULL-AND", "((0 . 1))"])
    parts = st.lists(leaves | choices(depth), min_size=1, max_size=3)
    return st.builds(lambda order, own: f"({order if len(own) > 1 else 'NIL'} {' '.join(own)})", orders, parts)


def choices(depth: int) -> st.SearchStrategy[str]:
    """ORs of one or two ways."""
    ways = leaves | conjunctions(depth - 1) if depth else leaves
    return st.lists(ways, min_size=1, max_size=2).map(lambda own: f"(OR {' '.join(own)})")


@given(st.lists(conjunctions(2), min_size=1, max_size=3))
def test_trees_in_lisp_survive_being_written(goals: list[str]) -> None:
    cases = parse_lisp(f"(({' '.join(goals)}) (0))", "drawn")
    assert parse_lisp(lisp_of(cases), "drawn") == cases


def understood(library: PlanLibrary, observations: list[Observation]) -> None:
    """Recognition is what full enumeration says, in both meanings."""
    meanings: tuple[Meaning, ...] = ("frontier", "leaves")
    for meaning in meanings:
        assumptions = Assumptions(meaning=meaning, instances=1, roots=2, depth=3)
        probability, goals = Enumeration(library, assumptions).posterior(observations)
        assert probability > 0.0
        for trees in (False, True):
            found = recognise_plans(library, observations, assumptions, trees=trees)
            assert found.probability == pytest.approx(probability, rel=1e-12)
            assert found.goals() == pytest.approx(goals, abs=1e-12)
