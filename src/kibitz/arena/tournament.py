"""Tournament: the data that determines everything that is played, and its checks."""

from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

import msgspec

from kibitz.arena.formats import FORMATS
from kibitz.arena.seatings import Field, Seats, most_seatings
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadDefinition, KibitzError, UnknownName, printable
from kibitz.core.game import Game
from kibitz.core.match import MatchOptions
from kibitz.core.match.watchers import make_watcher
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import checked_seed
from kibitz.remote.process import Process, sealed_spec

LABELS = "up to 200 printable characters in one line"
"""Names that agents may have."""
MOST = 10_000_000
"""The largest number of matches of a tournament."""

Positive = Annotated[int, msgspec.Meta(ge=1, le=MOST)]
Seconds = Annotated[float, msgspec.Meta(gt=0.0)]
Made = TypeVar("Made")


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that determines what is played. The same tournament gives the same results on every machine."""

    games: tuple[str, ...]
    agents: dict[str, str]
    """Name in the tables to spec."""
    format: str = "round-robin"
    """One of `FORMATS`."""
    champion: str | None = None
    """The champion of a gauntlet."""
    fields: tuple[Field, ...] = ()
    """The groups that meet, if the format is `fields`."""
    mirror: bool = False
    """Whether an agent meets itself in a round robin."""
    repeats: Positive = 10
    """Blocks that every field plays; a block is every seating once, on the same seeds."""
    seed: int = 0
    seeds: tuple[int, ...] = ()
    """Explicit seeds, shared by all fields, instead of *seed* and *repeats*."""
    shared: bool = False
    """Whether all fields meet on the same seeds, so that agents can be compared match by match; they form one block."""
    seats: Seats = "rotate"
    series: Positive = 1
    """Matches in a row by agents that keep what they learned."""
    opening: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    """Number of random events at the start, the same throughout a block."""
    models: tuple[str, ...] = ()
    """Models that watch; their beliefs are recorded."""
    move_time: Seconds | None = None
    game_time: Seconds | None = None
    max_plies: Positive | None = None
    strikes: Positive = 3

    @property
    def options(self) -> MatchOptions:
        """The options of every match, except the seed."""
        return MatchOptions(
            models=self.models,
            time_control=TimeControl(self.move_time, self.game_time),
            max_plies=self.max_plies,
            strikes=self.strikes,
            opening=self.opening,
        )

    @property
    def blocks(self) -> int:
        """Blocks that every field plays."""
        return len(self.seeds) or self.repeats


def check_tournament(tournament: Tournament, source: object = "tournament") -> Tournament:
    """The tournament, if it can be played, without command lines of programs; an error names its key."""
    say = _Sayer(source)
    agents = {name: say.make_value(f"agents.{name}", sealed_spec, spec) for name, spec in tournament.agents.items()}
    tournament = msgspec.structs.replace(tournament, agents=agents)
    say.unless(tournament.games, "games", "name at least one game")
    say.unless(tournament.agents, "agents", "name at least one agent")
    say.unless(tournament.format in FORMATS, "format", f"expected {', '.join(FORMATS)}, not {tournament.format!r}")
    for name in tournament.agents:
        say.unless(is_label(name), "agents", f"{name!r} is not a valid name: {LABELS}")
    games = [say.make_value("games", make_game, spec) for spec in tournament.games]
    twice = _first_duplicate(map(repr, games))
    say.unless(twice is None, "games", f"{twice!r} is named twice")
    for game in games:
        _check_game(tournament, game, say)
    _check_format(tournament, games, say)
    say.make_value("move_time, game_time", lambda each: each.options, tournament)
    for seed in (tournament.seed, *tournament.seeds):
        say.make_value("seeds" if tournament.seeds else "seed", checked_seed, seed)
    if tournament.seeds:
        say.unless(tournament.seed == 0, "seeds", "give either seed or seeds")
        again = _first_duplicate(tournament.seeds)
        say.unless(again is None, "seeds", f"{again} is given twice, which would repeat the same matches")
    return tournament


def is_label(name: str) -> bool:
    """Whether an agent may have this name."""
    return bool(name.strip()) and name == printable(name) and len(name) <= 200


class _Sayer:
    """Raises BadDefinition with the source and the key."""

    def __init__(self, source: object) -> None:
        self.source = source

    def unless(self, fine: object, key: str, why: str) -> None:
        if not fine:
            raise BadDefinition(self.source, f"{key}: {why}")

    def make_value(self, key: str, make: Callable[..., Made], *arguments: object) -> Made:
        try:
            return make(*arguments)
        except (KibitzError, ValueError) as error:
            raise BadDefinition(self.source, f"{key}: {error}") from None


def _check_game(tournament: Tournament, game: Game, say: _Sayer) -> None:
    """Require that every agent and model fits the game, and that there are enough agents for its seats."""
    name = spec_of(game).name
    for label, spec in tournament.agents.items():
        agent = say.make_value(f"agents.{label}", make_agent, spec, name)
        if isinstance(agent, Process) and agent.has_command:
            say.make_value(f"agents.{label}", agent.words)
        say.unless(
            not agent.interactive, f"agents.{label}", "a person answers for it, and tournaments run without people"
        )
    for model in tournament.models:
        say.make_value("models", make_watcher, model, game)
    for field in tournament.fields:
        why = f"{'-'.join(field)} names {len(field)} agents; {game!r} seats {game.players}"
        say.unless(len(field) == game.players, "fields", why)
    needed = 1 if tournament.mirror else game.players
    alone = f"{len(tournament.agents)} agents for the {game.players} seats of {game!r}"
    say.unless(tournament.fields or len(tournament.agents) >= needed, "agents", alone + "; name more, or set mirror")


def _check_format(tournament: Tournament, games: list[Game], say: _Sayer) -> None:
    """Require that keys of one format are given only with it."""
    chosen = FORMATS[tournament.format]
    named = [*(name for field in tournament.fields for name in field), *filter(None, [tournament.champion])]
    for name in named:
        if name not in tournament.agents:
            error = UnknownName("agent", name, tuple(tournament.agents), "(every name must be listed under agents)")
            raise BadDefinition(say.source, f"{'champion' if name == tournament.champion else 'fields'}: {error}")
    for other in FORMATS.values():
        if other is not chosen:
            say.unless(not getattr(tournament, other.key), other.key, f"it goes with format {other.name!r}")
    for key, why in chosen.problems(tournament):
        say.unless(False, key, why)
    repeated = _first_duplicate(tuple(sorted(field)) for field in tournament.fields)
    say.unless(not repeated, "fields", f"{repeated} is given twice; use repeats")
    fields = sum(chosen.count(tournament, game.players) for game in games)
    seatings = most_seatings(max(game.players for game in games), tournament.seats)
    count = fields * seatings * tournament.blocks * tournament.series
    say.unless(count <= MOST, "repeats", f"this makes up to {count:,} matches; at most {MOST:,} can be played")


def _first_duplicate(things: Iterable[Made]) -> Made | None:
    """The first repeated item."""
    seen: set[Made] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None
