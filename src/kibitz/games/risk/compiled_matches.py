"""The ability `POLICIES` of Risk: batches of matches between players of `risk.mission`, dice and cards included."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches
from kibitz.core.game import Game
from kibitz.core.kernels import jit_enabled, kernel
from kibitz.core.kernels.streams import STREAM, open_stream, stream_key, stream_unit
from kibitz.games.risk import fast, phases
from kibitz.games.risk.kernels.attacking import armies_lost
from kibitz.games.risk.kernels.layout import Words, missions_at, unseen_count
from kibitz.games.risk.kernels.mission_player import knowledge_of, on_mission
from kibitz.games.risk.kernels.playing import play
from kibitz.games.risk.packing import (
    DEFENDED,
    MISSIONS,
    MISSIONS_DEALT,
    MOVER,
    NONE,
    OWNERS,
    PHASE,
    PLAYERS,
    ROLLED,
    TERRITORIES,
)

ROOM = 1 << 22
"""The most actions of a part of a batch, besides those of its last match."""


class MissionPolicy(msgspec.Struct, frozen=True):
    """The agent `risk.mission`, by how much its card counts."""

    weight: float


class RiskTable(NamedTuple):
    """A game and what its players know of it."""

    game: Annotated[NDArray[np.int64], "int64[::1]"]
    continent: Annotated[NDArray[np.int64], "int64[::1]"]
    value: Annotated[NDArray[np.float64], "float64[::1]"]
    chances: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    most: int


@kernel("int64(int64[::1], int64[::1], int64)")
def outcome_count(game: Words, state: Words, action: int) -> int:
    """How many of all equally likely outcomes are this one, dice aside. Twin of `State.chance_outcomes`."""
    phase, first = state[PHASE], missions_at(game)
    if phase == phases.DRAW:
        return int(unseen_count(game, state, action))
    if phase == phases.DEAL:
        return int(state[OWNERS + action] == NONE)
    return int(phase != phases.MISSION or action not in state[first : first + state[MISSIONS_DEALT]])


@kernel("int64(int64[::1], int64[::1], float64)")
def chance_outcome(game: Words, state: Words, draw: float) -> int:
    """The outcome that a draw in [0, 1) falls on. Twin of `drawn_outcome`."""
    phase = state[PHASE]
    if phase == phases.DICE:
        return armies_lost(state[ROLLED], state[DEFENDED], draw)
    kinds = game[TERRITORIES] + (phase == phases.DRAW)
    if phase == phases.FIRST:
        kinds = game[PLAYERS]
    elif phase == phases.MISSION:
        kinds = game[MISSIONS]
    total = 0
    for action in range(kinds):
        total += outcome_count(game, state, action)
    last = 0
    for action in range(kinds):
        count = outcome_count(game, state, action)
        if count:
            last = action
            draw -= count / total
            if draw < 0.0:
                return action
    return last


@kernel(
    "int64(RiskTable, int64[::1], uint64[::1], uint64[::1], float64[:, ::1], int64[:, ::1], int64[::1], int64[::1])"
)
def play_missions(
    table: RiskTable,
    start: Words,
    key: NDArray[np.uint64],
    seeds: NDArray[np.uint64],
    weights: NDArray[np.float64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    moves: NDArray[np.int64],
) -> int:
    """Play matches on these seeds as long as there is room for moves; return how many were played."""
    stream = np.empty(STREAM, np.uint64)
    state = np.empty_like(start)
    place = 0
    for match in range(len(seeds)):
        if place + table.most > len(moves):
            return match
        open_stream(seeds[match], key, stream)
        state[:] = start
        ply = 0
        while ply < table.most and state[PHASE] != phases.OVER:
            phase = state[PHASE]
            if phase in (phases.DICE, phases.DRAW, phases.DEAL, phases.MISSION, phases.FIRST):
                action = chance_outcome(table.game, state, stream_unit(stream))
            else:
                weight = weights[match, state[MOVER]]
                action = on_mission(table.game, state, table.continent, table.value, table.chances, weight)
            play(table.game, state, action)
            moves[place] = action
            place += 1
            ply += 1
        ends[match] = state
        lengths[match] = ply
    return len(seeds)


class MissionMatches(CompiledMatches):
    """Batches of matches of Risk."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, MissionPolicy) for each in policies)

    def most_plies(self, game: Game) -> int:
        return game.max_plies

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        assert isinstance(game, fast.Risk)
        lore = knowledge_of(game)
        chances = np.ascontiguousarray(lore.chances)
        table = RiskTable(game.words, lore.continent, lore.value, chances, game.max_plies)
        first = game.new_initial_state()
        assert isinstance(first, fast.State)
        weights = np.array([[policy.weight for policy in seats] for seats in matches], np.float64)
        ends = np.empty((len(seeds), len(first.numbers)), np.int64)
        lengths = np.empty(len(seeds), np.int64)
        moves = np.empty(ROOM + game.max_plies, np.int64)
        found = BatchPlayed(truths_remade=True)
        key, done = stream_key("chance"), 0
        while done < len(seeds):
            parts = seeds[done:], weights[done:], ends[done:], lengths[done:]
            count = play_missions(table, first.numbers, key, *parts, moves)
            place = 0
            for end, length in zip(ends[done : done + count], lengths[done : done + count].tolist(), strict=True):
                found.add_match(game, moves[place : place + length], fast.State(game, end))
                place += length
            done += count
        return found


POLICIES = MissionMatches()
