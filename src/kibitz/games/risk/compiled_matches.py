"""The ability `POLICIES` of Risk: batches of matches between players of `risk.mission`, dice and cards included."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches
from kibitz.core.game import Game
from kibitz.core.kernels import jit_enabled, kernel, machine_code
from kibitz.core.kernels.streams import STREAM, open_stream, stream_key, stream_unit
from kibitz.games.risk.chance import chance_outcome
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.mission_player import Grid, Ints, MapKnowledge, knowledge_of, on_mission
from kibitz.games.risk.phases import DEAL, DICE, DRAW, FIRST, MISSION, OVER
from kibitz.games.risk.position import Position, Setting, first_position
from kibitz.games.risk.rules import play

Words = Annotated[NDArray[np.uint64], "uint64[::1]"]
ROOM = 1 << 22
"""The most actions of a part of a batch, besides those of its last match."""


class MissionPolicy(msgspec.Struct, frozen=True):
    """The agent `risk.mission`, by how much its card counts."""

    weight: float


@kernel(entry=True)
def play_matches(
    game: Setting,
    start: Position,
    lore: MapKnowledge,
    most: int,
    key: Words,
    seeds: Words,
    weights: Grid,
    ends: list[Position],
    lengths: Ints,
    moves: Ints,
) -> int:
    """Play matches on these seeds as long as there is room for moves; return how many were played."""
    stream = np.empty(STREAM, np.uint64)
    place = 0
    for match in range(len(seeds)):
        if place + most > len(moves):
            return match
        open_stream(seeds[match], key, stream)
        position = ends[match]
        position.assign(start)
        ply = 0
        while ply < most and position.phase != OVER:
            if position.phase in (DICE, DRAW, DEAL, MISSION, FIRST):
                action = chance_outcome(game, position, stream_unit(stream))
            else:
                action = on_mission(game, position, lore, weights[match, position.mover])
            play(game, position, action)
            moves[place] = action
            place += 1
            ply += 1
        lengths[match] = ply
    return len(seeds)


class MissionMatches(CompiledMatches):
    """Batches of matches of Risk."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, MissionPolicy) for each in policies)

    def most_plies(self, game: Game) -> int:
        return game.max_plies

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        assert isinstance(game, Risk)
        setting, start, lore = game.setting.pack(), first_position(game).pack(), knowledge_of(game)
        weights = np.array([[policy.weight for policy in seats] for seats in matches], np.float64)
        ends = np.repeat(start[None], len(seeds), axis=0)
        lengths = np.empty(len(seeds), np.int64)
        moves = np.empty(ROOM + game.max_plies, np.int64)
        batch = BatchPlayed(truths_remade=True)
        key, done, run = stream_key("chance"), 0, machine_code(play_matches)
        while done < len(seeds):
            parts = seeds[done:], weights[done:], ends[done:], lengths[done:]
            count = run(setting, start, lore, game.max_plies, key, *parts, moves)
            place = 0
            for end, length in zip(ends[done : done + count], lengths[done : done + count].tolist(), strict=True):
                batch.add_match(game, moves[place : place + length], State(game, Position.unpack(end)))
                place += length
            done += count
        return batch


POLICIES = MissionMatches()
