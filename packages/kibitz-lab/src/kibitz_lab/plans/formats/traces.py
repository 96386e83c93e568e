"""Traces: what one actor was seen to do, and for which goals if that is known; read from text or JSON lines.

    trace repair(chair), garden
    fetch(chair)
    saw

A trace begins with a line `trace` and its goals. In JSON lines every line is one trace:
`{"goals": ["repair(chair)"], "observations": ["fetch(chair)", "saw"]}`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from kibitz.core.errors import BadPlan, short_repr
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.formats.files import read_cases, read_observations, written_text
from kibitz_lab.plans.formats.observation_text import given_values, text_event, values_of
from kibitz_lab.plans.formats.tokens import Line, lines
from kibitz_lab.plans.formats.xml_form import parse_elements, without_declaration
from kibitz_lab.plans.library import Instance, PlanLibrary

TRACE = "trace"
"""The word with which a trace begins."""
GOLD = ".gold.xml"
"""How the name of a file ends that holds the true trees of the observations in the file beside it."""


class Trace(NamedTuple):
    """The observations of one actor, and the true goals; no goals if they are unknown."""

    observations: tuple[Observation, ...]
    goals: tuple[Instance, ...] = ()


class LibraryTrace(NamedTuple):
    """A trace, the library that explains it, and where it was read."""

    library: PlanLibrary
    trace: Trace
    source: str = ""


class TraceRow(msgspec.Struct, forbid_unknown_fields=True):
    """A trace as a line of JSON."""

    observations: list[str]
    goals: list[str] = []


def read_traces(path: Path | str, library: PlanLibrary, *, lenient: bool = False) -> list[Trace]:
    """The traces of a file that one library explains; with *lenient*, unknown actions are accepted as well."""
    text = written_text(path)
    begins = text.lstrip()[:1]
    if begins == "(":
        return [check_trace(Trace(each.observations), library, path) for each in read_cases(path)]
    if begins == "{" and '"action"' not in text.lstrip().partition("\n")[0]:
        return list(parse_json_traces(text, library, path, lenient=lenient))
    if begins in "<{" or not has_headings(text, library, path):
        return [Trace(tuple(read_observations(path, library, lenient=lenient)), gold_goals(path, library))]
    return parse_traces(text, library, path, lenient=lenient)


def read_library_traces(
    library: Path | str, sources: Sequence[Path | str] = (), *, lenient: bool = False
) -> list[LibraryTrace]:
    """Traces with their libraries: cases in Lisp bring their own; all others belong to the first file.

    A folder stands for all its files, apart from those with true trees.
    """
    if Path(library).is_dir():
        held, files = None, [file for source in (library, *sources) for file in files_of(source)]
    else:
        held, files = read_cases(library)[0].library, [file for source in sources for file in files_of(source)]
    found: list[LibraryTrace] = [] if files else _lisp_traces(library)
    for path in files:
        if written_text(path).lstrip()[:1] == "(":
            found += _lisp_traces(path)
        elif held is None:
            raise BadPlan(path, "it is no case in Lisp, which brings its library; name a library before the folder")
        else:
            read = read_traces(path, held, lenient=lenient)
            found += [LibraryTrace(held, each, f"{path} trace {number}") for number, each in enumerate(read, 1)]
    return found


def _lisp_traces(path: Path | str) -> list[LibraryTrace]:
    cases = [case for case in read_cases(path) if case.observations]
    if not cases:
        raise BadPlan(path, "it holds no observations; add files of traces after it")
    return [
        LibraryTrace(case.library, Trace(case.observations, tuple(map(Instance, case.goals))), f"{path} case {n}")
        for n, case in enumerate(cases, 1)
    ]


def files_of(source: Path | str) -> list[Path]:
    """A file, or all files of a folder but those with true trees."""
    if not Path(source).is_dir():
        return [Path(source)]
    found = sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.endswith(GOLD))
    if not found:
        raise BadPlan(source, "the folder holds no files")
    return found


def check_trace(trace: Trace, library: PlanLibrary, source: object) -> Trace:
    """The trace; BadPlan if the library lacks one of its actions."""
    for each in trace.observations:
        if each.action not in library.actions:
            raise BadPlan(source, library.unknown_action_text(each.action))
    return trace


def gold_goals(path: Path | str, library: PlanLibrary) -> tuple[Instance, ...]:
    """The goals of the true trees in the file beside some observations; none if there is no such file."""
    gold = Path(path).with_name(Path(path).stem + GOLD)
    if not gold.is_file():
        return ()
    whole = parse_elements(without_declaration(written_text(gold)), gold)
    if whole.tag != "Explanation":
        raise BadPlan(gold, f"an explanation is an <Explanation>, not a <{whole.tag}>", whole.line)
    roots = [child.tag for child in whole.children]
    for name in roots:
        if name not in library.goals:
            raise BadPlan(gold, f"{name!r} is not a goal of {library.name}")
    return tuple(map(Instance, roots))


def is_heading(line: Line, library: PlanLibrary) -> bool:
    """Whether a line begins a trace."""
    return line.words[0].text == TRACE and (TRACE not in library.actions or len(line.words) > 1)


def has_headings(text: str, library: PlanLibrary, source: object) -> bool:
    """Whether a text holds traces, each with a heading, and not only observations."""
    return is_heading(next(lines(text, source), Line(source, 1, [("", "")])), library)  # type: ignore[list-item]


def parse_traces(text: str, library: PlanLibrary, source: object = "traces", *, lenient: bool = False) -> list[Trace]:
    """Parse traces, each with its heading.

    >>> from kibitz_lab.plans.formats.text_form import parse_text
    >>> library = parse_text("goal tea\\ntea -> fill boil")
    >>> [len(trace.observations) for trace in parse_traces("trace tea\\nfill\\nboil\\ntrace\\nfill", library)]
    [2, 1]
    """
    found: list[tuple[tuple[Instance, ...], list[Observation], Line]] = []
    for line in lines(text, source):
        if is_heading(line, library):
            line.name(TRACE)
            found.append((tuple(parse_goals(line, library)), [], line))
        else:
            found[-1][1].append(text_event(line, library, lenient).observation)
    for _, observations, line in found:
        if not observations:
            raise line.error("this trace holds no observation")
    return [Trace(tuple(observations), goals) for goals, observations, _ in found]


def parse_goals(line: Line, library: PlanLibrary) -> Iterator[Instance]:
    """The goals of a heading, with commas between."""
    while not line.is_at_end():
        name = line.name("a goal")
        if name not in library.goals:
            raise line.error(f"{short_repr(name)} is not a goal of {library.name}")
        given, parameters = given_values(line), library.plans[name].parameters
        yield Instance(name, values_of(name, parameters, given, line.source, line.number))
        if not line.take(","):
            line.end()


def parse_json_traces(
    text: str, library: PlanLibrary, source: object = "traces", *, lenient: bool = False
) -> Iterator[Trace]:
    """Parse traces from JSON lines."""
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        try:
            read = msgspec.json.decode(row, type=TraceRow)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise BadPlan(source, f"not a trace: {error}", number) from None
        if not read.observations:
            raise BadPlan(source, "this trace holds no observation", number)
        observations = tuple(
            text_event(one_line(each, source, number), library, lenient).observation for each in read.observations
        )
        goals = tuple(goal for each in read.goals for goal in parse_goals(one_line(each, source, number), library))
        yield Trace(observations, goals)


def one_line(text: str, source: object, number: int) -> Line:
    """The words of a text that holds one statement."""
    found = list(lines(text, source))
    if len(found) != 1:
        raise BadPlan(source, f"expected one action or goal, but found {short_repr(text)}", number)
    found[0].number = number
    return found[0]
