"""A study: settings, parts that produce rows, and sections that tell what the rows say. All of it is declared data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self

import msgspec

from kibitz.arena.tournament import Tournament
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import derived_seed

if TYPE_CHECKING:
    from kibitz.studies.blocks import Block
    from kibitz.studies.results import Results

Case = dict[str, Any]
"""What one piece of work is given: levels of factors, `repeat`, `seed`, and whatever else it needs."""
Row = dict[str, Any]
"""What comes of a case, as JSON holds it, with the levels of the case."""
Settings = dict[str, Any]
Weight = Annotated[float, msgspec.Meta(gt=0.0)]


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    """A part that is a tournament. It is played in the store as any other, and shared with others of its definition."""

    name: str
    tournament: "Tournament | Callable[[Results], Tournament]"
    """A function where it depends on earlier parts."""
    planned: int | None = None
    """Matches there will be, where they cannot be counted before the earlier parts are done; for the progress only."""
    weight: Weight = 1.0
    """How long a match takes, compared with the steps of other parts; for the progress only."""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A part that does the same work on many cases, each by itself, in any order."""

    name: str
    work: Callable[[Case], Row]
    """A pure function of a module: the same case gives the same row, in any process."""
    cases: "Sequence[Case] | Callable[[Results], Sequence[Case]]"
    """A function where they depend on earlier parts."""
    version: int = 1
    """Of the work. Raise it when the function comes to answer differently, so that older rows are not taken for its."""
    planned: int | None = None
    """Cases there will be, where they cannot be counted before the earlier parts are done; for the progress only."""
    weight: Weight = 1.0
    """How long a case takes, compared with the steps of other parts; for the progress only."""


Part = Matches | Work


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter of the report, made from the results of some parts; without them it says that they are missing."""

    title: str
    parts: tuple[str, ...]
    blocks: "Callable[[Results], Iterable[Block]]"


class Subject(Protocol):
    """A module of a study. It may offer `SETTINGS`, what decides how large it is, and `QUICK`, where that differs.

    Names of settings and parts are the study's own, so that a module takes its name for theirs.
    """

    @property
    def SECTIONS(self) -> tuple[Section, ...]:  # noqa: N802
        """What the report says of it."""

    def parts(self, settings: Settings, seed: int, /) -> Sequence[Part]:
        """The parts of the module."""


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment. The same study with the same settings and seed gives the same rows, wherever it is run."""

    name: str
    title: str
    asks: str
    """What it wants to know and how it goes about it, in paragraphs."""
    settings: Settings
    """What decides how large it is. Budgets are counted in nodes, simulations or matches, never in seconds."""
    quick: Settings
    """The settings that differ in the small version."""
    parts: Callable[[Settings, int], Sequence[Part]]
    """The parts in their order, from the settings and the seed."""
    sections: tuple[Section, ...]
    sources: tuple[str, ...] = ()
    """The documents it is compared with, each as one line of a bibliography."""

    @classmethod
    def of(
        cls,
        *subjects: Subject,
        name: str,
        title: str,
        asks: str,
        sources: tuple[str, ...],
        settings: Mapping[str, Any] = MappingProxyType({}),
        quick: Mapping[str, Any] = MappingProxyType({}),
        first: tuple[Section, ...] = (),
    ) -> Self:
        """A study of several subjects in the order of the report; later ones may use the parts of earlier ones.

        *settings* and *quick* are those that belong to no subject, and *first* the sections before theirs.
        """

        def parts(settings: Settings, seed: int) -> list[Part]:
            return [part for subject in subjects for part in subject.parts(settings, seed)]

        return cls(
            name=name,
            title=title,
            asks=asks,
            settings=merge_settings(name, settings, *(getattr(subject, "SETTINGS", {}) for subject in subjects)),
            quick=merge_settings(name, quick, *(getattr(subject, "QUICK", {}) for subject in subjects)),
            parts=parts,
            sections=(*first, *(section for subject in subjects for section in subject.SECTIONS)),
            sources=sources,
        )

    def effective_settings(self, *, quick: bool = False, changed: Mapping[str, Any] = MappingProxyType({})) -> Settings:
        """The settings of the whole study, or of the small version, with those that were *changed*."""
        for what, names in (("quick", self.quick), ("this study", changed)):
            unknown = sorted(set(names) - set(self.settings))
            if unknown:
                raise BadDefinition(self.name, f"{what}: {', '.join(unknown)} is no setting")
        return {**self.settings, **(self.quick if quick else {}), **changed}

    def checked_parts(self, settings: Settings, seed: int) -> list[Part]:
        """The parts, checked: every name once, and every section about parts that there are."""
        parts = list(self.parts(settings, seed))
        names = [part.name for part in parts]
        for name in names:
            if names.count(name) > 1 or not name.replace("_", "").isalnum():
                raise BadDefinition(self.name, f"part {name!r}: a part has a name of its own, of letters and digits")
        for section in self.sections:
            missing = [name for name in section.parts if name not in names]
            if missing:
                raise BadDefinition(self.name, f"section {section.title!r}: there is no part {missing[0]!r}")
        return parts


def merge_settings(study: str, *settings: Mapping[str, Any]) -> Settings:
    """The settings of several subjects of a study, which must not share a name."""
    names = [name for each in settings for name in each]
    for name in names:
        if names.count(name) > 1:
            raise BadDefinition(study, f"setting {name!r}: two subjects have it")
    return {name: value for each in settings for name, value in each.items()}


def cross_factors(
    factors: Mapping[str, Sequence[Any]], *, repeats: int = 1, seed: int = 0, paired: Sequence[str] = ()
) -> list[Case]:
    """All levels of all factors with each other, each *repeats* times; every case has its `repeat` and `seed`.

    A seed depends on the levels and not on their place, so that a new level leaves the other cases as they are. Cases
    that differ in the factors named in *paired* only have the same seed: they can be compared pair by pair.

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
