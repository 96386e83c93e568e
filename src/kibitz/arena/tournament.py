"""Tournament: the data that determines everything that is played. `Plan.of` checks it.

Its format decides who meets whom: a new one is a function here and an entry in `FORMATS`. A *field* is the agents of
one match, not yet in seats.
"""

from collections.abc import Callable, Iterable
from itertools import combinations, combinations_with_replacement, permutations
from math import factorial
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from kibitz.core.errors import printable
from kibitz.core.match import Conditions, MatchOptions
from kibitz.core.match.options import Opening

Field = tuple[str, ...]
Seats = Literal["rotate", "swap", "all", "fixed"]


def seatings(field: Field, seats: Seats = "rotate") -> list[Field]:
    """The seatings of a field, each once: every agent in every seat, all orders, or as given.

    With "swap" the first two also change places in every order, so that both have the same neighbours.

    >>> seatings(("a", "b"))
    [('a', 'b'), ('b', 'a')]
    """
    turned = [field[turn:] + field[:turn] for turn in range(len(field))]
    other = dict(zip(field[:2], reversed(field[:2]), strict=True))
    swapped = (order for turn in turned for order in (turn, tuple(other.get(name, name) for name in turn)))
    orders = {"rotate": iter(turned), "swap": swapped, "all": permutations(field), "fixed": iter([field])}[seats]
    return list(dict.fromkeys(orders))


def most_seatings(players: int, seats: Seats) -> int:
    """The largest number of seatings of a field."""
    return {"fixed": 1, "rotate": players, "swap": 2 * players, "all": factorial(players)}[seats]


class Format(NamedTuple):
    """Who meets whom in a tournament."""

    fields: "Callable[[Tournament, int], Iterable[Field]]"
    """The fields in a game of so many players."""
    key: str
    """The key that only tournaments of this format may have."""
    needed: str = ""
    """Why they must have it; empty if they need not."""


def round_robin(tournament: "Tournament", players: int) -> Iterable[Field]:
    """All fields of as many agents as the game seats; with *mirror* an agent also meets itself."""
    choose = combinations_with_replacement if tournament.mirror else combinations
    return choose(tournament.agents, players)


def gauntlet(tournament: "Tournament", players: int) -> Iterable[Field]:
    """The champion in every field, the others in all combinations."""
    champion = tournament.champion or ""
    others = [name for name in tournament.agents if name != champion]
    return ((champion, *rest) for rest in combinations(others, players - 1))


def given_fields(tournament: "Tournament", players: int) -> Iterable[Field]:
    """The *fields* of the definition, as given."""
    return tournament.fields


FORMATS = {
    "round-robin": Format(round_robin, "mirror"),
    "gauntlet": Format(gauntlet, "champion", "a gauntlet needs one: the agent all others meet"),
    "fields": Format(given_fields, "fields", "name at least one, a list of agents each"),
}


LABELS = "up to 200 printable characters in one line"
"""Names that agents may have."""
MOST = 10_000_000
"""The largest number of matches of a tournament."""

Positive = Annotated[int, Meta(ge=1)]


class RunConditions(Conditions, frozen=True, kw_only=True):
    """How the matches of a run are played."""

    series: Positive = 1
    """Matches in a row by agents that keep what they learned."""
    seed: Annotated[int, "-s"] = 0
    """Seed of the run; another seed is another run."""


class Schedule(RunConditions, frozen=True, kw_only=True):
    """Who meets whom, how often, and how."""

    champion: Annotated[str | None, "--gauntlet", "NAME"] = None
    """Play only the matches of NAME against the others."""
    mirror: bool = False
    """Agents meet themselves, too."""
    repeats: Annotated[Positive, "-n"] = 10
    """Times every group meets, in every seating, on new seeds."""
    seats: Annotated[Seats, "HOW"] = "rotate"
    """rotate, swap, all or fixed."""
    opening: Opening = 0
    models: Annotated[tuple[Annotated[str, "MODEL"], ...], "--model", "-m"] = ()
    """A model that watches; repeat for more. MODEL@0 watches from seat 0."""


class Tournament(Schedule, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that determines what is played. The same tournament gives the same results on every machine."""

    games: tuple[str, ...]
    agents: dict[str, str]
    """Name in the tables to spec."""
    format: str = "round-robin"
    """One of `FORMATS`."""
    fields: tuple[Field, ...] = ()
    """The groups that meet, if the format is `fields`."""
    seeds: tuple[int, ...] = ()
    """Explicit seeds, shared by all fields, instead of *seed* and *repeats*."""
    shared: bool = False
    """Whether all fields meet on the same seeds, so that agents can be compared match by match; they form one block."""

    @property
    def options(self) -> MatchOptions:
        """The options of every match, except the seed."""
        return MatchOptions(models=self.models, opening=self.opening, **self.conditions())

    @property
    def blocks(self) -> int:
        """Blocks that every field plays."""
        return len(self.seeds) or self.repeats


def is_label(name: str) -> bool:
    """Whether an agent may have this name."""
    return bool(name.strip()) and name == printable(name) and len(name) <= 200
