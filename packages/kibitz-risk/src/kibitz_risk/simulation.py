"""Whole games in kernels, by players on their missions: those that `risk.aware` foresees, and batches of matches."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.kernels import jit_enabled, kernel, machine_code
from kibitz.core.kernels.random import Rng, next_below, next_unit, restart
from kibitz.core.kernels.structs import Ints
from kibitz.core.kit.matches import CompiledMatches, PlayedMatch, played_match
from kibitz.core.seeds import sequence
from kibitz_risk.actions import chance_outcome
from kibitz_risk.agents import OnMission
from kibitz_risk.cards import nth_card
from kibitz_risk.dice import armies_lost
from kibitz_risk.game import Risk, State
from kibitz_risk.options import Setting
from kibitz_risk.phases import DEAL, DICE, DRAW, FIRST, MISSION, OVER
from kibitz_risk.planning import Grid, MapKnowledge, knowledge_of, on_mission
from kibitz_risk.position import Position, first_position
from kibitz_risk.rules import play

if TYPE_CHECKING:
    from numpy.typing import NDArray

U = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
STEP_HIGH, STEP_LOW = U(0x2360ED051FC65DA4), U(0x4385DF649FCCF645)
UNIT = 1.0 / 9007199254740992.0


def stream_words(seed: int, *names: str | int) -> "NDArray[np.uint64]":
    """The state and the increment of the stream of this name, the high halves first. Twin of `core.seeds.stream`."""
    held = np.random.PCG64(sequence(seed, *names)).state["state"]
    return np.array([half for each in (held["state"], held["inc"]) for half in divmod(each, 1 << 64)], np.uint64)


@kernel("uint64(uint64, uint64)")
def high_product(one: Any, other: Any) -> Any:
    """The upper 64 bits of a product."""
    one_low, one_high, other_low, other_high = one & LOW, one >> HALF, other & LOW, other >> HALF
    middle = one_high * other_low + (one_low * other_low >> HALF)
    across = one_low * other_high + (middle & LOW)
    return one_high * other_high + (middle >> HALF) + (across >> HALF)


@kernel("float64(uint64[::1])")
def stream_unit(stream: "NDArray[np.uint64]") -> float:
    """A number in [0, 1). Twin of `numpy.random.Generator.random`, as agents draw from that.

    This is PCG64 (O'Neill 2014, XSL-RR 128/64): one step of 128 bits, which are then mixed.
    """
    high, low = stream[0], stream[1]
    product, low = low * STEP_LOW, low * STEP_LOW + stream[3]
    high = high_product(stream[1], STEP_LOW) + high * STEP_LOW + stream[1] * STEP_HIGH + stream[2]
    stream[0], stream[1] = high + (U(1) if low < product else U(0)), low
    turn, mixed = stream[0] >> U(58), stream[0] ^ stream[1]
    return ((mixed >> turn | mixed << (U(64) - turn & U(63))) >> U(11)) * UNIT  # type: ignore[no-any-return]


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
