"""Plays many series at once: whole batches in one kernel call where game and agents allow it, the others in the loop.

Both give the same matches, seed by seed.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kibitz import __version__
from kibitz.arena.series import Series, played_series, result_row
from kibitz.core.abilities import ability
from kibitz.core.abilities.measures import Measure
from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches
from kibitz.core.agent import Agent
from kibitz.core.clocks import TimeControl
from kibitz.core.game import Game, digest
from kibitz.core.match import MatchOptions
from kibitz.core.records import Ending, Header
from kibitz.core.records.measures import packed_measures
from kibitz.core.records.packed import PackedRecord, shared_header
from kibitz.core.registry import has_ability, make_agent, make_game, spec_of
from kibitz.store.results import StoredMatch

Matches = list[StoredMatch]


class SeriesWork:
    """The work of executors on series: one, or many together."""

    def __call__(self, series: Series) -> Matches:
        return played_batch([series])[0]

    def together(self, batch: Sequence[Series]) -> list[Matches]:
        """The matches of each series."""
        return played_batch(batch)


class CompiledSeat(NamedTuple):
    """An agent in a seat: what its record calls it, and its policy, or None."""

    spec: str
    policy: Any


class CompiledGroup(NamedTuple):
    """Series of one game under the same options that kernels play."""

    places: list[int]
    series: list[Series]
    seats: list[list[CompiledSeat]]


def played_batch(batch: Sequence[Series]) -> list[Matches]:
    """The matches of each series."""
    found: dict[int, Matches] = {}
    groups: dict[tuple[str, MatchOptions], CompiledGroup] = {}
    for place, series in enumerate(batch):
        seats = compiled_seats(series)
        if seats is None:
            found[place] = played_series(series)
            continue
        group = groups.setdefault((series.game, series.options), CompiledGroup([], [], []))
        group.places.append(place)
        group.series.append(series)
        group.seats.append(seats)
    for (game, _), group in groups.items():
        found |= zip(group.places, play_compiled(game, group.series, group.seats), strict=True)
    return [found[place] for place in range(len(batch))]


def compiled_seats(series: Series) -> list[CompiledSeat] | None:
    """The agents of a series as policies, if kernels can play it."""
    return seats_of(series.game, series.options, tuple(series.agents))


@lru_cache(maxsize=8192)
def seats_of(game: str, options: MatchOptions, agents: tuple[str, ...]) -> list[CompiledSeat] | None:
    """The same for all series of these agents."""
    matches = compiled_matches(game, options)
    if matches is None:
        return None
    seats = [compiled_seat(game, spec, player) for player, spec in enumerate(agents)]
    if any(seat.policy is None for seat in seats):
        return None
    return seats if matches.plays(known_game(game), [seat.policy for seat in seats]) else None


@lru_cache(maxsize=64)
def known_game(spec: str) -> Game:
    """The game of a spec."""
    return make_game(spec)


@lru_cache(maxsize=64)
def compiled_matches(spec: str, options: MatchOptions) -> CompiledMatches | None:
    """The kernels that play matches of a game under these options; None if the loop must play them."""
    game = known_game(spec)
    name = spec_of(game).name
    plain = not options.models and not options.memory and not options.opening and not options.given
    if not plain or options.time_control != TimeControl() or not has_ability(name, "POLICIES"):
        return None
    matches = ability(name, "POLICIES")
    most = game.max_plies if options.max_plies is None else options.max_plies
    return matches if matches.most_plies(game) <= most else None


@lru_cache(maxsize=8192)
def compiled_seat(game: str, spec: str, player: int) -> CompiledSeat:
    """An agent as a policy."""
    rules = known_game(game)
    agent = make_agent(spec, spec_of(rules).name)
    hides = type(agent).truth is not Agent.truth  # what it holds true is not known without playing
    return CompiledSeat(agent.public_spec, None if hides else agent.compiled_policy(rules, player))


def play_compiled(spec: str, group: Sequence[Series], seats: Sequence[Sequence[CompiledSeat]]) -> list[Matches]:
    """The matches of each series, played in one call."""
    game, options = known_game(spec), group[0].options
    matches = ability(spec_of(game).name, "POLICIES")
    seeds = np.array(list(chain.from_iterable(series.seeds for series in group)), np.uint64)
    pairs = zip(group, seats, strict=True)
    policies = [[seat.policy for seat in chosen] for series, chosen in pairs for _ in series.seeds]
    start = time.perf_counter()
    played = matches.play(game, policies, seeds)
    each = (time.perf_counter() - start) / (len(seeds) * game.players)
    header = first_header(game, options)
    found, first = [], 0
    measured = BatchMeasures(game)
    lines: dict[tuple[str, ...], bytes] = {}
    for series, chosen in zip(group, seats, strict=True):
        agents = tuple([seat.spec for seat in chosen])
        line = lines[agents] = lines.get(agents) or header_of(header, agents)
        count = len(series.seeds)
        places = range(first, first + count)
        packed = [
            measured.add_to(packed_match(seed, place, played, line, game.players))
            for seed, place in zip(series.seeds, places, strict=True)
        ]
        found.append([stored_match(series, number, match, each) for number, match in enumerate(packed)])
        first += count
    return found


class BatchMeasures:
    """Adds what the game measures to the matches of a batch; matches of the same moves are measured once."""

    def __init__(self, game: Game) -> None:
        self.game, self.wanted = game, has_ability(spec_of(game).name, "MEASURES")
        self.known: dict[tuple[int, bytes], tuple[Measure, ...]] = {}

    def add_to(self, packed: PackedRecord) -> PackedRecord:
        """The match with its measures, if there are any."""
        if not self.wanted:
            return packed
        key = packed.plies, packed.actions
        if key not in self.known:
            self.known[key] = packed_measures(self.game, packed)
        packed.ending = msgspec.structs.replace(packed.ending, measures=self.known[key])
        return packed


def first_header(game: Game, options: MatchOptions) -> Header:
    """The header of all matches of a group, without their agents."""
    start = game.new_initial_state()
    return Header(
        kibitz=__version__,
        game=repr(game),
        seed=0,
        agents=(),
        max_plies=game.max_plies if options.max_plies is None else options.max_plies,
        strikes=options.strikes,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        hash=digest(start),
        truths=[dict(start.truth(player)) for player in range(game.players)],
    )


def header_of(header: Header, agents: Sequence[str]) -> bytes:
    """The header of a series, as packed records hold it."""
    truths = [{**known, "strategy": spec} for known, spec in zip(header.truths, agents, strict=True)]
    return shared_header(msgspec.structs.replace(header, agents=tuple(agents), truths=truths))


def packed_match(seed: int, place: int, played: BatchPlayed, header: bytes, players: int) -> PackedRecord:
    """One match of a batch."""
    plies = played.plies[place]
    reason = played.reasons[place] if played.reasons else "terminal"
    ending = Ending(list(played.returns[place]), reason, plies, (0,) * players, (), played.hashes[place])
    return PackedRecord(
        header, seed, plies, played.bits[place], played.actions[place], b"", ending, {}, played.truths_remade
    )


def stored_match(series: Series, number: int, packed: PackedRecord, seconds: float) -> StoredMatch:
    """One match of a batch for the store; its players share the time of the batch."""
    where = series.first + number, series.index, series.block
    shared = (seconds,) * len(series.names)
    row = result_row(packed.ending, where, series.game, packed.seed, series.names, shared)
    return StoredMatch(row, packed.to_bytes())
