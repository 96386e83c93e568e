"""Tournament formats, which decide who meets whom. A new format is a class here and an entry in `FORMATS`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament

Problem = tuple[str, str]
"""The wrong key of a tournament, and the reason."""


class Format(ABC):
    """Who meets whom in a tournament."""

    name: ClassVar[str]
    key: ClassVar[str]
    """The key that only tournaments of this format may have."""

    @abstractmethod
    def fields(self, tournament: "Tournament", players: int) -> Iterable[Field]:
        """The fields in a game of *players* players."""

    @abstractmethod
    def count(self, tournament: "Tournament", players: int) -> int:
        """The number of fields, without listing them."""

    def problems(self, tournament: "Tournament") -> Iterator[Problem]:
        """The reasons why the tournament cannot be played in this format."""
        yield from ()


class RoundRobin(Format):
    """All fields of as many agents as the game seats; with *mirror* an agent also meets itself."""

    name, key = "round-robin", "mirror"

    def fields(self, tournament: "Tournament", players: int) -> Iterable[Field]:
        choose = combinations_with_replacement if tournament.mirror else combinations
        return choose(tournament.agents, players)

    def count(self, tournament: "Tournament", players: int) -> int:
        agents = len(tournament.agents)
        return comb(agents + players - 1 if tournament.mirror else agents, players)


class Gauntlet(Format):
    """The champion in every field, the others in all combinations."""

    name, key = "gauntlet", "champion"

    def fields(self, tournament: "Tournament", players: int) -> Iterable[Field]:
        champion = tournament.champion or ""
        others = [name for name in tournament.agents if name != champion]
        return ((champion, *rest) for rest in combinations(others, players - 1))

    def count(self, tournament: "Tournament", players: int) -> int:
        return comb(len(tournament.agents) - 1, players - 1)

    def problems(self, tournament: "Tournament") -> Iterator[Problem]:
        if not tournament.champion:
            yield "champion", "a gauntlet needs one: the agent all others meet"


class GivenFields(Format):
    """The *fields* of the definition, as given."""

    name, key = "fields", "fields"

    def fields(self, tournament: "Tournament", players: int) -> Iterable[Field]:
        return tournament.fields

    def count(self, tournament: "Tournament", players: int) -> int:
        return len(tournament.fields)

    def problems(self, tournament: "Tournament") -> Iterator[Problem]:
        if not tournament.fields:
            yield "fields", "name at least one, a list of agents each"


FORMATS: dict[str, Format] = {each.name: each for each in (RoundRobin(), Gauntlet(), GivenFields())}
