"""A tournament: declared data that says everything that decides what is played, and is checked as a whole."""

from collections.abc import Callable, Iterable
from math import comb, factorial
from typing import Annotated, Literal, TypeVar

import msgspec

from kibitz.arena.pairings import Field, Seats
from kibitz.arena.series import Conditions
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadDefinition, KibitzError, UnknownName, printable
from kibitz.core.game import Game
from kibitz.core.match import checked_time
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import checked_seed
from kibitz.core.watchers import seated
from kibitz.remote.process import Process
from kibitz.remote.program import split_command

MOST = 10_000_000
"""Matches a tournament may have."""

Format = Literal["round-robin", "gauntlet", "ladder", "fields"]
Positive = Annotated[int, msgspec.Meta(ge=1, le=MOST)]
Seconds = Annotated[float, msgspec.Meta(gt=0.0)]
Made = TypeVar("Made")


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that decides what is played. The same tournament gives the same results wherever it is run."""

    games: tuple[str, ...]
    agents: dict[str, str]
    """What each is called in the tables, and its spec."""
    format: Format = "round-robin"
    champion: str | None = None
    """Of a gauntlet."""
    fields: tuple[Field, ...] = ()
    """Who meets whom, where that is given one by one."""
    mirror: bool = False
    """Whether an agent meets itself in a round robin."""
    rounds: Positive | None = None
    """Of a ladder; as many as there are agents where nothing is said."""
    repeats: Positive = 10
    """Blocks that every field plays; a block is every seating once, on the same seeds."""
    seed: int = 0
    seeds: tuple[int, ...] = ()
    """Given one by one, they take the place of *seed* and *repeats*, and are shared."""
    shared: bool = False
    """Whether all fields meet on the same seeds, so that agents can be compared match by match; such are one block."""
    seats: Seats = "rotate"
    series: Positive = 1
    """Matches in a row by agents that keep what they learned."""
    opening: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    """So many events at the start are drawn at random, the same ones throughout a block."""
    models: tuple[str, ...] = ()
    """Watchers, whose beliefs are kept."""
    move_time: Seconds | None = None
    game_time: Seconds | None = None
    max_plies: Positive | None = None
    strikes: Positive = 3

    @property
    def conditions(self) -> Conditions:
        """What holds for every match."""
        control = checked_time(TimeControl(self.move_time, self.game_time))
        return Conditions(self.models, control, self.max_plies, self.strikes, self.opening)

    @property
    def blocks(self) -> int:
        """Blocks that every field plays."""
        return len(self.seeds) or self.repeats


def checked(tournament: Tournament, source: object = "tournament") -> Tournament:
    """The tournament, if it can be played; a mistake is named with the key it stands under."""
    say = _Sayer(source)
    say.unless(tournament.games, "games", "name at least one game")
    say.unless(tournament.agents, "agents", "name at least one agent")
    for name in tournament.agents:
        fits = name.strip() and name == printable(name) and len(name) <= 200
        say.unless(fits, "agents", f"{name!r} is no name: up to 200 printable characters in one line")
    games = [say.made("games", make_game, spec) for spec in tournament.games]
    twice = _repeated(map(repr, games))
    say.unless(twice is None, "games", f"{twice!r} is named twice")
    for game in games:
        _check_game(tournament, game, say)
    _check_format(tournament, games, say)
    say.made("move_time, game_time", lambda each: each.conditions, tournament)
    for seed in (tournament.seed, *tournament.seeds):
        say.made("seeds" if tournament.seeds else "seed", checked_seed, seed)
    if tournament.seeds:
        say.unless(tournament.seed == 0, "seeds", "give either seed or seeds")
        again = _repeated(tournament.seeds)
        say.unless(again is None, "seeds", f"{again} is given twice, and would be the same matches again")
    return tournament


class _Sayer:
    """Raises BadDefinition with the source and the key."""

    def __init__(self, source: object) -> None:
        self.source = source

    def unless(self, fine: object, key: str, why: str) -> None:
        if not fine:
            raise BadDefinition(self.source, f"{key}: {why}")

    def made(self, key: str, make: Callable[..., Made], *arguments: object) -> Made:
        try:
            return make(*arguments)
        except (KibitzError, ValueError) as error:
            raise BadDefinition(self.source, f"{key}: {error}") from None


def _check_game(tournament: Tournament, game: Game, say: _Sayer) -> None:
    """Every agent and model can be made for the game, and there are enough to fill its seats."""
    name = spec_of(game).name
    for label, spec in tournament.agents.items():
        agent = say.made(f"agents.{label}", make_agent, spec, name)
        if isinstance(agent, Process):
            say.made(f"agents.{label}", split_command, agent.command)
        say.unless(not agent.interactive, f"agents.{label}", "a person answers for it, and tournaments wait for nobody")
    for model in tournament.models:
        say.made("models", seated, model, game)
    for field in tournament.fields:
        why = f"{'-'.join(field)} names {len(field)} agents; {game!r} seats {game.players}"
        say.unless(len(field) == game.players, "fields", why)
    needed = 1 if tournament.mirror else game.players
    alone = f"{len(tournament.agents)} agents for the {game.players} seats of {game!r}"
    say.unless(tournament.fields or len(tournament.agents) >= needed, "agents", alone + "; name more, or set mirror")


def _check_format(tournament: Tournament, games: list[Game], say: _Sayer) -> None:
    """What belongs to one format only is given with that one."""
    gauntlet, ladder = tournament.format == "gauntlet", tournament.format == "ladder"
    named = [*(name for field in tournament.fields for name in field), *filter(None, [tournament.champion])]
    for name in named:
        if name not in tournament.agents:
            error = UnknownName("agent", name, tuple(tournament.agents), "(every name must stand under agents)")
            raise BadDefinition(say.source, f"{'champion' if name == tournament.champion else 'fields'}: {error}")
    say.unless(bool(tournament.fields) == (tournament.format == "fields"), "fields", "they go with format 'fields'")
    say.unless(gauntlet or tournament.champion is None, "champion", "it goes with format 'gauntlet'")
    say.unless(not gauntlet or tournament.champion, "champion", "a gauntlet needs one: the agent all others meet")
    say.unless(tournament.format == "round-robin" or not tournament.mirror, "mirror", "it goes with a round robin")
    say.unless(ladder or tournament.rounds is None, "rounds", "they go with format 'ladder'")
    say.unless(not ladder or len(games) == 1, "games", "a ladder is climbed in one game")
    unfit = f"a ladder is climbed by earning more than the others at the table, and {games[0]!r} is not zero-sum"
    say.unless(not ladder or games[0].zero_sum, "format", f"{unfit}; use a round robin")
    repeated = _repeated(tuple(sorted(field)) for field in tournament.fields)
    say.unless(not repeated, "fields", f"{repeated} is given twice; use repeats")
    fields = sum(_field_count(tournament, game.players) for game in games)
    count = fields * _seating_count(tournament, games) * tournament.blocks * tournament.series
    say.unless(count <= MOST, "repeats", f"this makes up to {count:,} matches; at most {MOST:,} can be played")


def _field_count(tournament: Tournament, players: int) -> int:
    """How many fields there are in a game, counted and not listed."""
    agents = len(tournament.agents)
    match tournament.format:
        case "round-robin":
            return comb(agents + players - 1 if tournament.mirror else agents, players)
        case "gauntlet":
            return comb(agents - 1, players - 1)
        case "ladder":
            return agents // players * (tournament.rounds or agents)
        case "fields":
            return len(tournament.fields)


def _seating_count(tournament: Tournament, games: list[Game]) -> int:
    """In how many orders a field sits down at most."""
    players = max(game.players for game in games)
    return {"fixed": 1, "rotate": players, "swap": 2 * players, "all": factorial(players)}[tournament.seats]


def _repeated(things: Iterable[Made]) -> Made | None:
    """The first thing that comes twice."""
    seen: set[Made] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None
