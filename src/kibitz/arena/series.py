"""Plays a series: matches by the same agents in the same seats. A pure function, run by executors."""

from collections import OrderedDict

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.records import Record
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.store.results import MatchResult, StoredMatch, belief_rows


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


class CachedSeries(msgspec.Struct):
    """A series without random draws: its matches without times, and how often it was played."""

    records: list[Record]
    tails: list[bytes]
    """All lines of the records but the header, ready to be written."""
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
    records, drew = _records(series)
    if not drew and series.options.time_control == TimeControl():  # a clock makes play random
        timeless = [_change_seed(record.without_times(), 0) for record in records]
        same = known is not None and known.records == timeless
        remembered[key] = CachedSeries(timeless, [record.tail() for record in timeless], 2 if same else 1)
        if len(remembered) > REMEMBERED:
            remembered.popitem(last=False)
    return [_stored_match(series, series.first + number, record) for number, record in enumerate(records)]


def _copy_match(series: Series, number: int, known: CachedSeries) -> StoredMatch:
    """A copy of a deterministic match, without playing it again."""
    record = _change_seed(known.records[number], series.seeds[number])
    seconds = (0.0,) * len(series.names)
    return StoredMatch(_result(series, series.first + number, record, seconds), record.to_bytes(known.tails[number]))


def _records(series: Series) -> tuple[list[Record], bool]:
    """The matches by the same agents, in order, and whether anything random was drawn."""
    game = make_game(series.game)
    name = spec_of(game).name
    agents = [make_agent(spec, name) for spec in series.agents]
    records, drew = [], False
    for seed in series.seeds:
        table = RecordedMatch(game, agents, msgspec.structs.replace(series.options, seed=seed))
        for _ in table.moments():
            pass
        records.append(table.record)
        drew = drew or table.has_used_randomness()
    return records, drew


def _change_seed(record: Record, seed: int) -> Record:
    """The same match under another seed."""
    return Record(msgspec.structs.replace(record.header, seed=seed), record.entries, record.ending)


def _stored_match(series: Series, index: int, record: Record) -> StoredMatch:
    beliefs = belief_rows(record) if series.options.models else ()
    seconds = thinking(record, len(series.names))
    return StoredMatch(_result(series, index, record, seconds), record.to_bytes(), beliefs)


def _result(series: Series, index: int, record: Record, seconds: tuple[float, ...]) -> MatchResult:
    return result_of(record, index, series.names, seconds, game=series.game, series=series.index, block=series.block)


def result_of(
    record: Record,
    index: int,
    names: tuple[str, ...],
    seconds: tuple[float, ...],
    *,
    game: str = "",
    series: int | None = None,
    block: int | None = None,
) -> MatchResult:
    """The row of a finished match, by default in its own series and block."""
    ending = record.ending
    assert ending is not None, "a played match has an ending"
    return MatchResult(
        index=index,
        series=index if series is None else series,
        block=index if block is None else block,
        game=game or record.header.game,
        seed=record.header.seed,
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
