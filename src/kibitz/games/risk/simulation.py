"""Whole games in kernels, by players on their missions: those that `risk.aware` foresees, and batches of matches."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.kernels import jit_enabled, kernel, machine_code
from kibitz.core.kernels.position import Ints
from kibitz.core.kernels.random import Rng, next_below, next_unit, restart
from kibitz.core.kit.matches import CompiledMatches, PlayedMatch, played_match
from kibitz.games.risk.actions import chance_outcome, nth_card
from kibitz.games.risk.agents import OnMission
from kibitz.games.risk.dice import armies_lost
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.phases import DEAL, DICE, DRAW, FIRST, MISSION, OVER
from kibitz.games.risk.planning import Grid, MapKnowledge, knowledge_of, on_mission
from kibitz.games.risk.position import Position, Setting, first_position
from kibitz.games.risk.rules import play
from kibitz.games.risk.streams import stream_unit, stream_words


@kernel
def draw_chance(game: Setting, position: Position, draws: Rng) -> int:
    """What chance draws after the setup: losses by dice, or a card."""
    if position.phase == DICE:
        return armies_lost(position.rolled, position.defended, next_unit(draws))
    return nth_card(game, position, next_below(draws, position.left_to_draw))


@kernel(entry=True)
def play_missions(game: Setting, position: Position, draws: Rng, most: int, lore: MapKnowledge, weight: float) -> int:
    """Let all play as `risk.mission` from any turn to the end, in place, or for *most* plies; return how many."""
    plies = 0
    while plies < most and position.phase != OVER:
        plies += 1
        if position.phase in (DICE, DRAW):
            play(game, position, draw_chance(game, position, draws))
        else:
            play(game, position, on_mission(game, position, lore, weight))
    return plies


@kernel(entry=True)
def try_choices(
    game: Setting,
    worlds: list[Position],
    position: Position,
    draws: Rng,
    luck: Rng,
    choices: Ints,
    times: int,
    most: int,
    player: int,
    lore: MapKnowledge,
    weight: float,
    earned: Ints,
) -> int:
    """Play every choice out *times* times, in the worlds by turns, with the same luck; add what *player* earns.

    All players put in 1 and the winner takes all; after *most* plies without a winner all get their own back.
    *position* and *luck* are overwritten.
    """
    plies = 0
    for time in range(times):
        restart(luck, draws)
        for number in range(len(choices)):
            restart(draws, luck)
            position.assign(worlds[time % len(worlds)])
            play(game, position, choices[number])
            plies += play_missions(game, position, draws, most, lore, weight)
            if position.phase != OVER:
                earned[number] += 1
            elif position.mover == player:
                earned[number] += game.players
    return plies


Streams = Annotated[NDArray[np.uint64], "uint64[:, ::1]"]
ROOM = 1 << 22
"""The most actions of a part of a batch, besides those of its last match."""


@kernel(entry=True)
def play_matches(
    game: Setting,
    start: Position,
    lore: MapKnowledge,
    most: int,
    streams: Streams,
    weights: Grid,
    ends: list[Position],
    lengths: Ints,
    moves: Ints,
) -> int:
    """Play matches with these streams of chance as long as there is room for moves; return how many were played."""
    place = 0
    for match in range(len(streams)):
        if place + most > len(moves):
            return match
        position = ends[match]
        position.assign(start)
        ply = 0
        while ply < most and position.phase != OVER:
            if position.phase in (DICE, DRAW, DEAL, MISSION, FIRST):
                action = chance_outcome(game, position, stream_unit(streams[match]))
            else:
                action = on_mission(game, position, lore, weights[match, position.mover])
            play(game, position, action)
            moves[place] = action
            place += 1
            ply += 1
        lengths[match] = ply
    return len(streams)


class MissionMatches(CompiledMatches):
    """Batches of matches of Risk."""

    truths_change = True

    def plays(self, agents: Sequence[Agent]) -> bool:
        return jit_enabled() and all(type(agent) is OnMission for agent in agents)

    def play(self, game: Game, matches: Sequence[Sequence[Agent]], seeds: NDArray[np.uint64]) -> list[PlayedMatch]:
        assert isinstance(game, Risk)
        setting, start, lore = game.setting.pack(), first_position(game).pack(), knowledge_of(game)
        players = [[each for each in agents if isinstance(each, OnMission)] for agents in matches]
        weights = np.array([[each.w for each in agents] for agents in players], np.float64)
        ends = np.repeat(start[None], len(seeds), axis=0)
        lengths = np.empty(len(seeds), np.int64)
        moves = np.empty(ROOM + game.max_plies, np.int64)
        found: list[PlayedMatch] = []
        streams = np.array([stream_words(seed, "chance") for seed in seeds.tolist()])
        done, run = 0, machine_code(play_matches)
        while done < len(seeds):
            parts = streams[done:], weights[done:], ends[done:], lengths[done:]
            count = run(setting, start, lore, game.max_plies, *parts, moves)
            place = 0
            for end, length in zip(ends[done : done + count], lengths[done : done + count].tolist(), strict=True):
                found.append(played_match(game, moves[place : place + length], State(game, Position.unpack(end))))
                place += length
            done += count
        return found


BATCHES = MissionMatches()
