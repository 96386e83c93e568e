"""Tournament: the data that determines everything that is played, and how TOML gives it. `Plan.of` checks it.

Its format decides who meets whom: a new one is a function here and an entry in `FORMATS`. A *field* is the agents of
one match, not yet in seats. There are tournament files, and agent files that give agents their names.

# agents.toml                              # tournament.toml
[agents]                                   game = "pawns"
shallow = "alphabeta(depth=2)"             agents = "agents.toml"
deep = "alphabeta(depth=6)"                format = "gauntlet"
mine = { command = "./my-bot --fast" }     champion = "mine"
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, permutations
from math import factorial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from kibitz.core.errors import BadDefinition, KibitzError, advice, printable, short_repr
from kibitz.core.match import Conditions, MatchOptions
from kibitz.core.match.options import Opening
from kibitz.core.specs import Spec, convert_value, parse_spec
from kibitz.remote.command_lines import program_name
from kibitz_lab.games.definition_file import definition_text, toml_tables

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


KEYS = tuple(field for field in Tournament.__struct_fields__)
NAMED = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*=(?!=)\s*(.+)", re.DOTALL)


def read_tournament(path: Path | str) -> Tournament:
    """The tournament in a file; an error names the file and the key."""
    return tournament_from(definition_text(path), path, lambda name: read_agents(Path(path).parent / name))


def tournament_from(
    text: str,
    source: Path | str,
    agent_file: Callable[[str], dict[str, str]],
    permit: Callable[[str], str] = str,
) -> Tournament:
    """The tournament in the text of a file; *agent_file* reads the agents of a file that it names.

    Every spec first passes through *permit*.
    """
    found = toml_tables(source, text)
    for key in found:
        if key not in (*KEYS, "game"):
            raise BadDefinition(source, f"there is no key {key!r}; {advice(key, (*KEYS, 'game'), 30)}")
    if "game" in found:
        if "games" in found:
            raise BadDefinition(source, "give either game or games")
        found["games"] = [found.pop("game")]
    for needed in ("games", "agents"):
        if needed not in found:
            raise BadDefinition(source, f"{needed} is missing; {EXAMPLES[needed]}")
    if found.get("fields") and "format" not in found:
        found["format"] = "fields"
    agents = found["agents"]
    named = agent_file(agents) if isinstance(agents, str) else _agents(agents, source)
    found["agents"] = {name: permit(spec) for name, spec in named.items()}
    for key in ("games", "models"):
        if isinstance(found.get(key), list):
            found[key] = [permit(spec) if isinstance(spec, str) else spec for spec in found[key]]
    return make_tournament(found, source)


def make_tournament(given: Mapping[str, Any], source: Path | str = "tournament") -> Tournament:
    """The tournament with the given fields; an error names *source* and the key."""
    return convert_value(given, Tournament, lambda found: BadDefinition(source, str(found)))


EXAMPLES = {
    "games": 'write: game = "pawns"',
    "agents": 'write: agents = ["random", "alphabeta(depth=2)"], a table of names, or the name of an agent file',
}


def read_agents(path: Path | str) -> dict[str, str]:
    """The agents in an agent file: name to spec."""
    found = toml_tables(path, definition_text(path))
    if set(found) != {"agents"}:
        extra = next((key for key in found if key != "agents"), None)
        why = f"there is no key {extra!r}" if extra else "it names no agents"
        raise BadDefinition(path, f'{why}; an agent file holds one table, [agents], of lines such as: deep = "mcts"')
    return _agents(found["agents"], path)


def named_agents(texts: Sequence[str]) -> dict[str, str]:
    """The agents of a command line: each a spec, or NAME=SPEC; a repeated name gets a number.

    >>> named_agents(["random", "deep=alphabeta(depth=6)", "random"])
    {'random': 'random', 'deep': 'alphabeta(depth=6)', 'random#2': 'random'}
    """
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for text in texts:
        match = NAMED.fullmatch(text)
        name, spec = match.groups() if match else (default_label(text), text)
        label = name
        while label in found:
            counts[name] = counts.get(name, 1) + 1
            label = f"{name}#{counts[name]}"
        found[label] = agent_spec(spec)
    return found


def default_label(text: str) -> str:
    """The name of an agent that is given none: its spec, or that of its program's file."""
    spec = parse_spec(text)
    given = {"name": "", "command": "", "folder": "", **spec.parameters}
    name = given["name"] or program_name(str(given["command"]), Path(str(given["folder"])))
    return str(name) if spec.name == "process" else text.strip()


def agent_spec(text: str) -> str:
    """An agent's spec in its normal form."""
    return str(parse_spec(text))


def _agents(given: object, path: Path | str) -> dict[str, str]:
    """A list of specs, or a table of names with a spec or command each."""
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        try:
            return named_agents(given)
        except KibitzError as error:
            raise BadDefinition(path, f"agents: {error}") from None
    if not isinstance(given, Mapping):
        raise BadDefinition(path, f"agents: a list of specs, a table, or a file's name, not {short_repr(given)}")
    found = {}
    for name, value in given.items():
        if not is_label(name):
            raise BadDefinition(path, f"agents: {name!r} is not a valid name: {LABELS}")
        try:
            found[name] = _one(value)
        except (KibitzError, ValueError) as error:
            raise BadDefinition(path, f"agents.{name}: {error}") from None
    return found


def _one(value: object) -> str:
    """An agent's entry as a spec: text, or a table with a command line and other parameters of `process`."""
    if isinstance(value, str):
        return agent_spec(value)
    if isinstance(value, Mapping) and isinstance(value.get("command"), str):
        return str(Spec("process", dict(value)))
    raise ValueError('write a spec such as "mcts", or { command = COMMAND }')
