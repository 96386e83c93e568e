"""Plays a series: matches by the same agents in the same seats. A pure function, run by executors.

Many series are played at once: whole batches in one kernel call where game and agents allow it, the others in the loop.
Both give the same matches, seed by seed.
"""

import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import msgspec
import numpy as np

from kibitz.core.agent import Agent, TimeControl
from kibitz.core.game import Game
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.records import Ending, Record
from kibitz.core.records.packed import PackedRecord, shared_header
from kibitz.core.registry import kit_of, make_agent, make_game, spec_of
from kibitz_lab.store.results import MatchResult, StoredMatch


class Series(msgspec.Struct, frozen=True):
    """Matches on *seeds*, one after another; the agents keep what they learn."""

    index: int
    block: int
    game: str
    names: tuple[str, ...]
    agents: tuple[str, ...]
    """The specs behind the names, seat by seat."""
    seeds: tuple[int, ...]
    options: MatchOptions = MatchOptions()
    """Options of every match, except the seed."""

    def __str__(self) -> str:
        return f"match {self.first}, {' against '.join(self.names)} in {self.game}"

    @property
    def first(self) -> int:
        """The index of its first match in the run; all series of a run are of one length."""
        return self.index * len(self.seeds)


Played = PackedRecord | Record
"""A match as it is stored; one that cannot be packed in full."""


class CachedSeries(msgspec.Struct):
    """A series without random draws: its matches without times, and how often it was played."""

    records: list[Played]
    played: int = 1


Certain = OrderedDict[tuple[object, ...], CachedSeries]
REMEMBERED = 200
"""Number of deterministic series that a process remembers."""
certain: Certain = OrderedDict()
"""Series that are the same for every seed, by everything that determines them."""


def played_series(series: Series, remembered: Certain = certain) -> list[StoredMatch]:
    """Play all matches of a series, or copy them from an earlier one that did not depend on the seed.

    A series in which no agent drew from its stream is played twice before it is cached: an agent may use another
    source of randomness, or a clock.
    """
    key = (series.game, series.agents, series.options, len(series.seeds))
    known = remembered.get(key)
    if known is not None and known.played > 1:
        return [_copy_match(series, number, known) for number in range(len(series.seeds))]
    matches, drew = _played_matches(series)
    if not drew and series.options.time_control == TimeControl():  # a clock makes play random
        timeless = [_without_times(record, 0) for record, _ in matches]
        same = known is not None and known.records == timeless
        remembered[key] = CachedSeries(timeless, 2 if same else 1)
        if len(remembered) > REMEMBERED:
            remembered.popitem(last=False)
    return [stored_match(series, number, *match) for number, match in enumerate(matches)]


def _copy_match(series: Series, number: int, known: CachedSeries) -> StoredMatch:
    """A copy of a deterministic match, without playing it again."""
    record = _without_times(known.records[number], series.seeds[number])
    return stored_match(series, number, record, (0.0,) * len(series.names))


def _played_matches(series: Series) -> tuple[list[tuple[Played, tuple[float, ...]]], bool]:
    """The matches by the same agents, in order, with the players' seconds; and whether anything random was drawn."""
    game = known_game(series.game)
    name = spec_of(game).name
    agents = [make_agent(spec, name) for spec in series.agents]
    found: list[tuple[Played, tuple[float, ...]]] = []
    drew = False
    for seed in series.seeds:
        table = RecordedMatch(game, agents, msgspec.structs.replace(series.options, seed=seed))
        found.append((table.play_packed(), tuple(table.used)))
        drew = drew or table.has_used_randomness()
    return found, drew


@lru_cache(maxsize=64)
def known_game(spec: str) -> Game:
    """The game of a spec, built once in a process."""
    return make_game(spec)


def _without_times(record: Played, seed: int) -> Played:
    """The same match under another seed, without times."""
    if isinstance(record, Record):
        timeless = record.without_times()
        return Record(msgspec.structs.replace(timeless.header, seed=seed), timeless.entries, timeless.ending)
    return record.without_times(seed)


def stored_match(series: Series, number: int, record: Played, seconds: tuple[float, ...]) -> StoredMatch:
    """The row and the record of one match of a series."""
    ending = record.ending
    assert ending is not None, "a played match has an ending"
    where = series.first + number, series.index, series.block
    result = result_row(ending, where, series.game, series.seeds[number], series.names, seconds)
    return StoredMatch(result, record.to_bytes())


def result_of(
    record: Record, index: int, names: tuple[str, ...], seconds: tuple[float, ...], series: int | None = None
) -> MatchResult:
    """The row of a finished match in a block of its own, by default in its own series, too."""
    assert record.ending is not None, "a played match has an ending"
    where = index, index if series is None else series, index
    return result_row(record.ending, where, record.header.game, record.header.seed, names, seconds)


def result_row(
    ending: Ending,
    where: tuple[int, int, int],
    game: str,
    seed: int,
    names: tuple[str, ...],
    seconds: tuple[float, ...],
) -> MatchResult:
    """The row of a match; *where* is its index, its series and its block."""
    index, series, block = where
    return MatchResult(
        index=index,
        series=series,
        block=block,
        game=game,
        seed=seed,
        names=names,
        returns=tuple(ending.returns),
        plies=ending.plies,
        reason=ending.reason,
        seconds=seconds,
        strikes=ending.strikes,
        forfeits=ending.forfeits,
    )


def thinking(record: Record, players: int) -> tuple[float, ...]:
    """Total seconds of each player."""
    alone = [0.0] * players
    together = []
    for entry in record.entries:
        if len(entry.seconds) == 1:
            alone[entry.player] += entry.seconds[0]
        elif entry.seconds:
            together.append(entry.seconds)
    return tuple(map(sum, zip(alone, *together, strict=True)))


Matches = list[StoredMatch]


class SeriesWork:
    """The work of executors on series: one, or many together."""

    def __call__(self, series: Series) -> Matches:
        return played_batch([series])[0]

    def together(self, batch: Sequence[Series]) -> list[Matches]:
        """The matches of each series."""
        return played_batch(batch)


def played_batch(batch: Sequence[Series]) -> list[Matches]:
    """The matches of each series."""
    found: dict[int, Matches] = {}
    groups: dict[tuple[str, MatchOptions], list[int]] = {}
    for place, series in enumerate(batch):
        if compiled_agents(series) is None:
            found[place] = played_series(series)
        else:
            groups.setdefault((series.game, series.options), []).append(place)
    for places in groups.values():
        found |= zip(places, play_compiled([batch[place] for place in places]), strict=True)
    return [found[place] for place in range(len(batch))]


def compiled_agents(series: Series) -> list[Agent] | None:
    """The agents of a series if its game plays their matches in kernels; otherwise None."""
    return agents_of(series.game, series.options, tuple(series.agents))


@lru_cache(maxsize=8192)
def agents_of(spec: str, options: MatchOptions, agents: tuple[str, ...]) -> list[Agent] | None:
    """The same for all series of these agents."""
    game = known_game(spec)
    batches = kit_of(game).batches
    asked = options.models or options.memory or options.opening or options.given
    cut = options.max_plies is not None and options.max_plies < game.max_plies
    if asked or cut or options.time_control != TimeControl() or batches is None:
        return None
    seats = [make_agent(each, spec_of(game).name) for each in agents]
    return seats if batches.plays(seats) else None


def play_compiled(group: Sequence[Series]) -> list[Matches]:
    """The matches of each series of one game under the same options, played in one call."""
    game, options = known_game(group[0].game), group[0].options
    matches = kit_of(game).batches
    assert matches is not None, "the agents are those of batches"
    seats = [compiled_agents(series) or [] for series in group]
    seeds = np.array(list(chain.from_iterable(series.seeds for series in group)), np.uint64)
    tables = [agents for series, agents in zip(group, seats, strict=True) for _ in series.seeds]
    start = time.perf_counter()
    played = iter(matches.play(game, tables, seeds))
    shared = ((time.perf_counter() - start) / (len(seeds) * game.players),) * game.players
    """The seconds of each player: they share the time of the batch."""
    found = []
    lines: dict[tuple[str, ...], bytes] = {}
    for series, agents in zip(group, seats, strict=True):
        line = lines[series.agents] = lines.get(series.agents) or shared_line(game, agents, options)
        stored = []
        for number, seed in enumerate(series.seeds):
            match = next(played)
            packed = PackedRecord(line, seed, match.actions, b"", match.ending, {}, matches.truths_change)
            stored.append(stored_match(series, number, packed, shared))
        found.append(stored)
    return found


def shared_line(game: Game, agents: Sequence[Agent], options: MatchOptions) -> bytes:
    """The header of all matches of these agents, as packed records hold it."""
    match = RecordedMatch(game, agents, options)
    truths = match.seats.truths(match, match.position.state)
    return shared_header(msgspec.structs.replace(match.record.header, truths=truths))
