"""Read and write files of plan libraries and observations; the beginning of a file tells its form."""

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from kibitz.core.errors import BadPlan
from kibitz.core.files import read_text, write_file
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.formats.lisp_form import Case, lisp_of, parse_lisp
from kibitz_lab.plans.formats.observation_text import parse_events
from kibitz_lab.plans.formats.text_form import parse_text, text_of
from kibitz_lab.plans.formats.xml_form import parse_xml, parse_xml_observations, xml_of
from kibitz_lab.plans.library import Event, PlanLibrary

SHIPPED = files("kibitz_lab.plans") / "data"
ENDING = ".plans"
PDDL = re.compile(r"(\s|;.*\n)*\(\s*define\b", re.IGNORECASE)


def read_cases(path: Path | str) -> list[Case]:
    """The cases of a Lisp file, or the one library of any other file, or a library that comes with kibitz, by name."""
    if str(path) in shipped_libraries():
        text = (SHIPPED / f"{path}{ENDING}").read_text(encoding="utf-8")
        return [Case(parse_text(text, f"{path}{ENDING}"))]
    text = written_text(path)
    begins = text.lstrip()[:1]
    if not begins:
        raise BadPlan(path, "it is empty")
    if PDDL.match(text):
        raise BadPlan(path, "PDDL is not read; a plan library is text (goal ...), XML (<PL>) or Lisp of SLIM or SPR")
    if begins == "(":
        return parse_lisp(text, path)
    return [Case(parse_xml(text, path) if begins == "<" else parse_text(text, path))]


def read_library(path: Path | str) -> PlanLibrary:
    """The library of a file; of several, the first.

    >>> from kibitz_lab.plans import read_library
    >>> sorted(read_library("cooking").goals)
    ['meat_burger', 'veg_burger']
    """
    return read_cases(path)[0].library


def shipped_libraries() -> list[str]:
    """The names of the libraries that come with kibitz."""
    return sorted(each.name.removesuffix(ENDING) for each in SHIPPED.iterdir() if each.name.endswith(ENDING))


def read_events(path: Path | str, library: PlanLibrary, *, lenient: bool = False) -> list[Event]:
    """The events of a file, as text, JSON or XML; with *lenient* also of actions that the library does not have."""
    text = written_text(path)
    if text.lstrip()[:1] == "<":
        found = list(map(Event, parse_xml_observations(text, library, path, lenient=lenient)))
    else:
        found = parse_events(text, library, path, lenient=lenient)
    if not found:
        raise BadPlan(path, "it holds no observation")
    return found


def read_observations(path: Path | str, library: PlanLibrary, *, lenient: bool = False) -> list[Observation]:
    """The observations of a file, without their times and confidences."""
    return [event.observation for event in read_events(path, library, lenient=lenient)]


def written_text(path: Path | str) -> str:
    """The text of a file; BadPlan if it is not text."""
    text = read_text(path, BadPlan)
    if "\0" in text:
        raise BadPlan(path, "it is not text in UTF-8 or Latin-1, but binary data or another encoding")
    return text


def check_ending(path: Path | str) -> str:
    """The suffix of a file to which a library can be written; BadPlan if it names no form."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise BadPlan(path, f"the name of a library's file must end in {', '.join(ENDINGS)}")
    return ending


def write_library(path: Path | str, library: PlanLibrary) -> None:
    """Write a library as text, XML or Lisp, by the ending of the file."""
    write_file(path, ENDINGS[check_ending(path)](library))


def _lisp(library: PlanLibrary) -> str:
    return lisp_of([Case(library)])


ENDINGS: dict[str, Callable[[PlanLibrary], str]] = {ENDING: text_of, ".txt": text_of, ".xml": xml_of, ".lisp": _lisp}
