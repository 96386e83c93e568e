"""The declaration of a study: settings, parts that produce rows, measures, and claims that the measures answer.

A study holds no words about its results. A part does the same work on many cases (`Work`). A `Measure` is a table: its
lines are the levels of the factors in `by`, its columns means with intervals, paired differences (`less`), exact
entries, or functions of a line's rows. A `Claim` is a number of a document and the cell that answers it. One template
makes every report, and one function every verdict; quick runs are not judged.
`kibitz_lab.studies` shows an example; `find_study` loads a study by its name.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Self

import msgspec
import zstandard

from kibitz.core.errors import BadDefinition, BrokenPlugin, UnknownName
from kibitz.core.seeds import derived_seed
from kibitz.plugins import plugins

if TYPE_CHECKING:
    from kibitz_lab.studies.claims import Claim
    from kibitz_lab.studies.measures import Measure
    from kibitz_lab.studies.runs import PartRun

Case = dict[str, Any]
"""The input of one piece of work: levels of factors, `repeat`, `seed`, and whatever else it needs."""
Row = dict[str, Any]
"""The result of a case as JSON, with the levels of the case."""
Settings = dict[str, Any]
ROWS = "rows of the case"
"""The entry of a stored row that holds several rows of one case."""
Weight = Annotated[float, msgspec.Meta(gt=0.0)]


class Results:
    """The rows of all parts so far by the name of the part, with the settings and the seed."""

    def __init__(self, settings: Settings, seed: int, runs: "Mapping[str, PartRun]") -> None:
        self.settings, self.seed, self.runs = settings, seed, runs

    def rows(self, part: str) -> list[Row]:
        """The rows of a part, in the order of its cases; work that gives several rows gives each the case's levels."""
        if part not in self.runs:
            raise UnknownName("finished part", part, tuple(self.runs), "(a part can use only earlier parts)")
        rows = (each.row for each in self.runs[part].rows)
        return [{**row, **each} for row in rows for each in row.get(ROWS, ({},))]

    def complete(self, *parts: str) -> bool:
        """Whether these parts are done."""
        return all(name in self.runs and self.runs[name].complete for name in parts)


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A part that does the same work on many independent cases, in any order."""

    name: str
    work: Callable[[Case], Row | list[Row]]
    """A pure function of a module: the same case gives the same row, or rows, in any process."""
    cases: Sequence[Case] | Callable[[Results], Sequence[Case]]
    """A function if they depend on earlier parts."""
    version: int = 1
    """The version of the work. Raise it when the function's results change, so that older rows are not reused."""
    planned: int | None = None
    """The expected cases, if they cannot be counted before earlier parts are done; only for the progress."""
    weight: Weight = 1.0
    """How long a case takes, compared with the steps of other parts; only for the progress."""


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment. The same study with the same settings and seed gives the same rows on any machine."""

    name: str
    title: str
    asks: str
    """The question and the method, in paragraphs."""
    settings: Settings
    """The settings that decide its size. Budgets count nodes, simulations or matches, never seconds."""
    quick: Settings
    """The settings that differ in the small version."""
    parts: Callable[[Settings, int], Sequence[Work]]
    """The parts in their order, from the settings and the seed."""
    measures: "tuple[Measure, ...]" = ()
    """The tables of the report, in their order."""
    claims: "tuple[Claim, ...]" = ()
    """The claims of the documents, each with the cell that answers it."""
    sources: tuple[str, ...] = ()
    """The documents it is compared with, each as one line of a bibliography."""

    @classmethod
    def of(cls, *subjects: Any, **words: Any) -> Self:
        """A study of several modules in the order of the report; *words* are its name, title, asks and sources.

        A module has `parts`, and may have `SETTINGS`, `QUICK`, `MEASURES` and `CLAIMS`. All share the names of settings
        and parts, and later ones may use the parts of earlier ones.
        """

        def parts(settings: Settings, seed: int) -> list[Work]:
            return [part for subject in subjects for part in subject.parts(settings, seed)]

        def settings_of(kind: str) -> Settings:
            return {name: value for subject in subjects for name, value in getattr(subject, kind, {}).items()}

        def parts_of_report(kind: str) -> tuple[Any, ...]:
            return tuple(each for subject in subjects for each in getattr(subject, kind, ()))

        measures, claims = parts_of_report("MEASURES"), parts_of_report("CLAIMS")
        settings, quick = settings_of("SETTINGS"), settings_of("QUICK")
        return cls(settings=settings, quick=quick, parts=parts, measures=measures, claims=claims, **words)

    def effective_settings(self, *, quick: bool = False, changed: Mapping[str, Any] = MappingProxyType({})) -> Settings:
        """The settings of the whole study, or of the small version, with the *changed* ones."""
        for what, names in (("quick", self.quick), ("this study", changed)):
            unknown = sorted(set(names) - set(self.settings))
            if unknown:
                raise BadDefinition(self.name, f"{what}: {', '.join(unknown)} is not a setting")
        return {**self.settings, **(self.quick if quick else {}), **changed}

    def checked_parts(self, settings: Settings, seed: int) -> list[Work]:
        """The parts, after checking that names are unique and that the parts of every measure exist."""
        parts = list(self.parts(settings, seed))
        names = [part.name for part in parts]
        for name in names:
            if names.count(name) > 1 or not name.replace("_", "").isalnum():
                raise BadDefinition(self.name, f"part {name!r}: a part needs a unique name of letters and digits")
        self.check_measures(names)
        return parts

    def check_measures(self, parts: Sequence[str]) -> None:
        """Raise if a measure lacks a part, or a claim its measure or column."""
        measures = {measure.name: measure for measure in self.measures}
        if len(measures) < len(self.measures):
            raise BadDefinition(self.name, "two measures have the same name")
        for measure in self.measures:
            for name in set(measure.parts) - set(parts):
                raise BadDefinition(self.name, f"measure {measure.name!r}: there is no part {name!r}")
        for claim in self.claims:
            if claim.measure not in measures:
                raise BadDefinition(self.name, f"claim {claim.what!r}: there is no measure {claim.measure!r}")
            measures[claim.measure].column(claim.column)


def names_in(settings: Mapping[str, Any], study: str, name: str) -> list[str]:
    """A setting that is a list of names or specs, each once; it must not be empty."""
    found = list(dict.fromkeys(each for each in settings[name] if each))
    if not found:
        raise BadDefinition(study, f"{name}: name at least one")
    return found


def pack(value: Any) -> bytes:
    """A value as compressed JSON, small enough to go with every case."""
    return zstandard.compress(msgspec.json.encode(value))


@lru_cache(maxsize=16)
def unpack(packed: bytes, kind: Any = Any) -> Any:
    """The value that was packed; it is kept, so do not change it."""
    return msgspec.json.decode(zstandard.decompress(packed), type=kind)


def cross_factors(
    factors: Mapping[str, Sequence[Any]], *, repeats: int = 1, seed: int = 0, paired: Sequence[str] = ()
) -> list[Case]:
    """All combinations of the levels of all factors, each *repeats* times; every case has its `repeat` and `seed`.

    A seed depends on the levels and not on their place, so a new level does not change the other cases. Cases that
    differ only in the factors named in *paired* have the same seed: you can compare them pair by pair.

    >>> [(case["agent"], case["repeat"]) for case in cross_factors({"agent": ["a", "b"]}, repeats=2)]
    [('a', 0), ('b', 0), ('a', 1), ('b', 1)]
    """
    cases = []
    for repeat in range(repeats):
        for levels in product(*factors.values()):
            case = dict(zip(factors, levels, strict=True))
            names = [f"{factor}={level!r}" for factor, level in case.items() if factor not in paired]
            cases.append({**case, "repeat": repeat, "seed": derived_seed(seed, *names, "repeat", repeat)})
    return cases


def studies() -> dict[str, str]:
    """All studies of all packages: names and targets."""
    return dict(sorted(each for plugin in plugins() for each in plugin.studies.items()))


def find_study(name: str) -> Study:
    """The study called *name*, or the object of `module:object`, which may be in the current folder."""
    known = studies()
    if ":" not in name and name not in known:
        raise UnknownName("study", name, tuple(known), "(kibitz study list shows them)")
    if name not in known and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # worker processes inherit the path, and so find the same module
    target = known.get(name, name)
    module, _, thing = target.partition(":")
    try:
        found = getattr(import_module(module), thing)
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        raise BrokenPlugin(name, target, f"{type(error).__name__}: {error}") from None
    if not isinstance(found, Study):
        raise BrokenPlugin(name, target, f"it is a {type(found).__name__}, not a Study")
    return found
