"""Sources of records: files and folders, a run of the store, or matches still to be played."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from kibitz.core.agent import Agent, Strategy
from kibitz.core.errors import BadDefinition, BadRecord, BadSpec, KibitzError, reason, short_list
from kibitz.core.files import read_bytes
from kibitz.core.game import Game
from kibitz.core.match.options import check_count
from kibitz.core.match.play import play
from kibitz.core.records import LARGEST, Record, record_from_bytes
from kibitz.core.registry import house_agents, make_agent, make_game, spec_of
from kibitz.core.seeds import checked_seed, derived_seed, stream
from kibitz.core.specs import parse_spec

if TYPE_CHECKING:
    from kibitz_lab.store import Store

ENDING = ".krec"


class Fixture(msgspec.Struct, frozen=True):
    """A match still to be played."""

    game: str
    agents: tuple[str, ...]
    seed: int
    opening: int = 0
    max_plies: int | None = None


class SourceRecord(msgspec.Struct, frozen=True):
    """A record with its name in messages and its unit for the bootstrap."""

    record: Record | bytes | Fixture | str
    """The record itself, its bytes, a match to play, or the reason why it cannot be read."""
    name: str = "record"
    unit: str | int | None = None
    """Records of one unit are resampled together; None is a unit of its own."""


class Source(Protocol):
    """Records with a known number, read one by one when needed."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[SourceRecord]: ...


class Files:
    """The records in files, and in folders with their subfolders; opening an unreadable one says why."""

    def __init__(self, paths: Iterable[Path | str]) -> None:
        self.paths = list(dict.fromkeys(found for path in paths for found in files_below(Path(path))))

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[SourceRecord]:
        for path in self.paths:
            yield SourceRecord(content(path), str(path))


def files_below(path: Path) -> list[Path]:
    """A file itself, or the records of a folder by name."""
    try:
        if not path.is_dir():
            if not path.exists():
                raise BadRecord(path, "no such file or folder")
            return [path]
        found = sorted(each for each in path.rglob(f"*{ENDING}") if each.is_file())
    except (OSError, ValueError) as error:
        if isinstance(error, KibitzError):
            raise
        raise BadRecord(path, reason(error)) from None
    if not found:
        raise BadRecord(path, f"there are no records (*{ENDING}) in this folder")
    return found


def content(path: Path) -> bytes | str:
    """The bytes of a file, or the reason why it cannot be read."""
    try:
        return read_bytes(path, BadRecord, LARGEST)
    except BadRecord as error:
        return error.why


class RunRecords:
    """The records of a run, of one game if it has several; matches of a block are one unit."""

    def __init__(self, store: "Store", run: int, game: str | None = None) -> None:
        self.store, self.run = store, run
        store.run(run)  # raises if there is none
        results = store.results(run)
        self.blocks = {each.index: each.block for each in results if game is None or is_wanted_game(game, each.game)}
        if not self.blocks:
            others = sorted({each.game for each in results})
            why = f"it holds no match of {game}, only of {short_list(others)}" if others else "it holds no match yet"
            raise BadDefinition(f"run {run}", why)

    def __len__(self) -> int:
        return len(self.blocks)

    def __iter__(self) -> Iterator[SourceRecord]:
        for index, data in self.store.records(self.run):
            if index in self.blocks:
                yield SourceRecord(data, f"match {index} of run {self.run}", self.blocks[index])


class Fixtures:
    """Matches with players drawn independently from the agents, each at most once unless there are too few."""

    def __init__(
        self,
        game: str,
        agents: Sequence[str],
        matches: int,
        *,
        seed: int = 0,
        opening: int = 0,
        max_plies: int | None = None,
    ) -> None:
        rules = make_game(game)
        self.game, self.players = repr(rules), rules.players
        name = spec_of(rules).name
        made = [make_agent(each, name) for each in agents] or usual_agents(name)
        self.agents = [str(spec_of(each)) for each in map(checked_agent, made)]
        check_count("matches", matches)
        check_count("opening", opening, least=0)
        self.matches, self.opening = matches, opening
        self.seed, self.max_plies = checked_seed(seed), max_plies

    def __len__(self) -> int:
        return self.matches

    def __iter__(self) -> Iterator[SourceRecord]:
        for number in range(self.matches):
            rng = stream(self.seed, "seats", number)
            drawn = rng.choice(len(self.agents), size=self.players, replace=len(self.agents) < self.players)
            agents = tuple(self.agents[place] for place in drawn.tolist())
            seed = derived_seed(self.seed, "match", number)
            yield SourceRecord(Fixture(self.game, agents, seed, self.opening, self.max_plies), f"match {number}")


def checked_agent(agent: Agent) -> Agent:
    """An agent that can play by itself."""
    if agent.interactive:
        raise BadSpec(repr(agent), "a person answers for it, and these matches run without people")
    return agent


def open_record(kept: SourceRecord) -> Record:
    """The record, read or played."""
    found = kept.record
    if isinstance(found, str):
        raise BadRecord(kept.name, found)
    if isinstance(found, Fixture):
        return play(found.game, found.agents, seed=found.seed, opening=found.opening, max_plies=found.max_plies)
    return record_from_bytes(found, kept.name) if isinstance(found, bytes) else found


def check_game(record: Record, name: str, game: str | Game | None) -> None:
    """Raise BadRecord if a record is of another game than the wanted one (`is_wanted_game`)."""
    found = record.header.game
    try:
        fits = game is None or (is_wanted_game(game, found) if isinstance(game, str) else repr(game) == found)
    except KibitzError as error:  # an unknown game, or invalid options
        raise BadRecord(name, str(error)) from None
    if not fits:
        raise BadRecord(name, f"it is a record of {found}, not of {game if isinstance(game, str) else repr(game)}")


def is_wanted_game(game: str, found: str) -> bool:
    """Whether *found* is the wanted game; a bare name means that game with any options."""
    asked = parse_spec(game)
    return repr(make_game(game)) == repr(make_game(found)) if asked.parameters else asked.name == parse_spec(found).name


def usual_agents(game: str) -> list[Agent]:
    """The agents that come with *game* but for strategies that no model takes a player for; `random` if none do."""
    made = [make_agent(each, game) for each in house_agents(game)]
    return [agent for agent in made if not isinstance(agent, Strategy) or agent.supposed] or [make_agent("random")]
