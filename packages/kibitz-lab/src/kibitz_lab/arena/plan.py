"""The plan of a tournament: all series in the order of play, made only if every part of the definition fits."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import msgspec

from kibitz.core.agent import Agent
from kibitz.core.errors import BadDefinition, KibitzError, UnknownName
from kibitz.core.game import Game
from kibitz.core.match.watchers import make_watcher
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import checked_seed, derived_seed, derived_seeds
from kibitz.remote.program_agent import Process, sealed_spec
from kibitz_lab.arena.series import Series, known_game
from kibitz_lab.arena.tournament import (
    FORMATS,
    LABELS,
    MOST,
    Field,
    Tournament,
    is_label,
    make_tournament,
    most_seatings,
    read_tournament,
    seatings,
)

AT_ONCE = 4096
"""The most seeds that are derived in advance."""
Made = TypeVar("Made")


class Meeting(NamedTuple):
    """A field in one game, with its seatings."""

    game: str
    field: Field
    seatings: list[Field]


class Plan:
    """The order of play: all meetings once, then all again, so that the table fills evenly."""

    def __init__(self, tournament: Tournament, games: dict[str, Game], agents: dict[tuple[str, str], Agent]) -> None:
        """The games by spec; the agents by game and name. `Plan.of` makes both."""
        self.tournament, self.games, self.agents = tournament, games, agents
        self.meetings = [
            Meeting(spec, field, seatings(field, tournament.seats))
            for spec, game in games.items()
            for field in FORMATS[tournament.format].fields(tournament, game.players)
        ]

    @classmethod
    def of(cls, tournament: Tournament, source: object = "tournament") -> Self:
        """The plan of a tournament, if that can be played; an error names *source* and the key.

        The command lines of programs are left out of it.
        """
        say = _Sayer(source)
        sealed = {name: say.make_value(f"agents.{name}", sealed_spec, spec) for name, spec in tournament.agents.items()}
        tournament = msgspec.structs.replace(tournament, agents=sealed)
        _check_names(tournament, say)
        made = [say.make_value("games", known_game, spec) for spec in tournament.games]
        twice = _first_duplicate(map(repr, made))
        say.unless(twice is None, "games", f"{twice!r} is named twice")
        games = {repr(game): game for game in made}
        agents: dict[tuple[str, str], Agent] = {}
        for spec, game in games.items():
            agents |= {(spec, name): agent for name, agent in _checked_agents(tournament, game, say).items()}
        _check_format(tournament, say)
        _check_count(tournament, games, say)
        _check_seeds(tournament, say)
        return cls(tournament, games, agents)

    def with_blocks(self, blocks: int) -> "Plan":
        """The same with so many blocks of every field."""
        tournament = msgspec.structs.replace(self.tournament, repeats=blocks)
        _check_count(tournament, self.games, _Sayer("tournament"))
        return Plan(tournament, self.games, self.agents)

    @property
    def block_size(self) -> int:
        """The number of matches in one block of all fields."""
        return sum(len(meeting.seatings) for meeting in self.meetings) * self.tournament.series

    @property
    def match_count(self) -> int:
        """The number of matches."""
        return self.block_size * self.tournament.blocks

    def series(self) -> Iterator[Series]:
        """All series, in order."""
        options, blocks = self.tournament.options, self.block_seeds()
        specs = {key: str(spec_of(agent)) for key, agent in self.agents.items()}
        shared = self.tournament.shared or bool(self.tournament.seeds)
        index = block = 0
        for repeat in range(self.tournament.blocks):
            if shared:
                seeds = self.seeds(repeat, next(blocks))
            for meeting in self.meetings:
                if not shared:
                    seeds = self.seeds(repeat, next(blocks))
                for names in meeting.seatings:
                    seated = tuple(specs[meeting.game, name] for name in names)
                    yield Series(index, block, meeting.game, names, seated, seeds, options)
                    index += 1
                block += not shared
            block += shared

    def block_seeds(self) -> Iterator[int]:
        """The seeds of all blocks, derived many at a time."""
        block, count = 0, 1
        while True:
            yield from derived_seeds(self.tournament.seed, "block", range(block, block + count))
            block, count = block + count, min(8 * count, AT_ONCE)

    def seeds(self, repeat: int, derived: int) -> tuple[int, ...]:
        """The seeds of the matches of a series: those of a block are the same in every seating."""
        tournament = self.tournament
        own = tournament.seeds[repeat] if tournament.seeds else derived
        return (own, *(derived_seed(own, "match", number) for number in range(1, tournament.series)))

    def check_programs(self, source: object) -> None:
        """Raise BadDefinition if the command line of a program is not known here."""
        for (_, name), agent in self.agents.items():
            if isinstance(agent, Process):
                _Sayer(source).make_value(f"agents.{name}", agent.trouble)


def read_plan(path: Path | str) -> Plan:
    """The plan of the tournament in a file; an error names the file and the key."""
    return Plan.of(read_tournament(path), path)


def make_plan(given: Mapping[str, Any], source: Path | str = "tournament") -> Plan:
    """The plan of the tournament with the given fields; an error names *source* and the key."""
    return Plan.of(make_tournament(given, source), source)


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


def _check_names(tournament: Tournament, say: _Sayer) -> None:
    """Require games, agents with valid names, and a known format."""
    say.unless(tournament.games, "games", "name at least one game")
    say.unless(tournament.agents, "agents", "name at least one agent")
    say.unless(tournament.format in FORMATS, "format", f"expected {', '.join(FORMATS)}, not {tournament.format!r}")
    for name in tournament.agents:
        say.unless(is_label(name), "agents", f"{name!r} is not a valid name: {LABELS}")


def _checked_agents(tournament: Tournament, game: Game, say: _Sayer) -> dict[str, Agent]:
    """The agents, by name, if they and the models fit the game and are enough for its seats."""
    name, agents = spec_of(game).name, {}
    for label, spec in tournament.agents.items():
        agent = agents[label] = say.make_value(f"agents.{label}", make_agent, spec, name)
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
    alone = f"{len(agents)} agents for the {game.players} seats of {game!r}"
    say.unless(tournament.fields or len(agents) >= needed, "agents", alone + "; name more, or set mirror")
    return agents


def _check_format(tournament: Tournament, say: _Sayer) -> None:
    """Require that keys of one format are given only with it."""
    chosen = FORMATS[tournament.format]
    named = [*(name for field in tournament.fields for name in field), *filter(None, [tournament.champion])]
    for name in named:
        if name not in tournament.agents:
            error = UnknownName("agent", name, tuple(tournament.agents), "(every name must be listed under agents)")
            raise BadDefinition(say.source, f"{'champion' if name == tournament.champion else 'fields'}: {error}")
    for name, other in FORMATS.items():
        if other is not chosen:
            say.unless(not getattr(tournament, other.key), other.key, f"it goes with format {name!r}")
    say.unless(not chosen.needed or getattr(tournament, chosen.key), chosen.key, chosen.needed)
    repeated = _first_duplicate(tuple(sorted(field)) for field in tournament.fields)
    say.unless(not repeated, "fields", f"{repeated} is given twice; use repeats")


def _check_count(tournament: Tournament, games: dict[str, Game], say: _Sayer) -> None:
    """Require that the matches are not too many."""
    listed = chain.from_iterable(FORMATS[tournament.format].fields(tournament, each.players) for each in games.values())
    fields = sum(1 for _ in islice(listed, MOST + 1))
    seatings = most_seatings(max(game.players for game in games.values()), tournament.seats)
    count = fields * seatings * tournament.blocks * tournament.series
    say.unless(count <= MOST, "repeats", f"this makes up to {count:,} matches; at most {MOST:,} can be played")


def _check_seeds(tournament: Tournament, say: _Sayer) -> None:
    """Require valid and different seeds."""
    for seed in (tournament.seed, *tournament.seeds):
        say.make_value("seeds" if tournament.seeds else "seed", checked_seed, seed)
    if tournament.seeds:
        say.unless(tournament.seed == 0, "seeds", "give either seed or seeds")
        again = _first_duplicate(tournament.seeds)
        say.unless(again is None, "seeds", f"{again} is given twice, which would repeat the same matches")


def _first_duplicate(things: Iterable[Made]) -> Made | None:
    """The first repeated item."""
    seen: set[Made] = set()
    for thing in things:
        if thing in seen:
            return thing
        seen.add(thing)
    return None
