"""Games played to their end inside a kernel by players on their missions; `risk.aware` values its choices with them."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below, draw_unit
from kibitz.games.risk import phases
from kibitz.games.risk.kernels.attacking import armies_lost
from kibitz.games.risk.kernels.layout import Words, discards_at, hand_at
from kibitz.games.risk.kernels.mission_player import Floats, on_mission
from kibitz.games.risk.kernels.playing import play
from kibitz.games.risk.packing import (
    COPIES_AT,
    DEFENDED,
    LEFT_TO_DRAW,
    MOVER,
    PHASE,
    PLAYERS,
    ROLLED,
    TERRITORIES,
)


@kernel("int64(int64[::1], int64[::1], int64)")
def nth_card(game: Words, state: Words, number: int) -> int:
    """A card of the deck by its number in their order."""
    kinds = game[TERRITORIES] + 1
    for card in range(kinds):
        number -= game[game[COPIES_AT] + card] - state[discards_at(game) + card]
        for place in range(hand_at(game, 0) + card, discards_at(game), kinds + 1):
            number += state[place]
        if number < 0:
            return card
    return int(kinds - 1)


@kernel("int64(int64[::1], int64[::1], uint64[::1])")
def draw_chance(game: Words, state: Words, draws: NDArray[np.uint64]) -> int:
    """What chance draws after the setup: losses by dice, or a card."""
    if state[PHASE] == phases.DICE:
        return armies_lost(state[ROLLED], state[DEFENDED], draw_unit(draws))
    return nth_card(game, state, draw_below(draws, state[LEFT_TO_DRAW]))


@kernel("int64(int64[::1], int64[::1], uint64[::1], int64, int64[::1], float64[::1], float64[:, ::1], float64)")
def play_missions(
    game: Words,
    state: Words,
    draws: NDArray[np.uint64],
    most: int,
    continent: Words,
    value: Floats,
    chances: Floats,
    weight: float,
) -> int:
    """Let all play as `risk.mission` from any turn to the end, in place, or for *most* plies; return how many."""
    plies = 0
    while plies < most and state[PHASE] != phases.OVER:
        plies += 1
        if state[PHASE] in (phases.DICE, phases.DRAW):
            play(game, state, draw_chance(game, state, draws))
        else:
            play(game, state, on_mission(game, state, continent, value, chances, weight))
    return plies


@kernel(
    "int64(int64[::1], int64[:, ::1], uint64[::1], int64[::1], int64, int64, int64,"
    " int64[::1], float64[::1], float64[:, ::1], float64, int64[::1])"
)
def try_choices(
    game: Words,
    worlds: NDArray[np.int64],
    draws: NDArray[np.uint64],
    choices: Words,
    times: int,
    most: int,
    player: int,
    continent: Words,
    value: Floats,
    chances: Floats,
    weight: float,
    earned: Words,
) -> int:
    """Play every choice out *times* times, in the worlds by turns, with the same luck; add what *player* earns.

    All players put in 1 and the winner takes all; after *most* plies without a winner all get their own back.
    """
    plies = 0
    for time in range(times):
        luck = draws.copy()
        for number in range(len(choices)):
            draws[:] = luck
            state = worlds[time % len(worlds)].copy()
            play(game, state, choices[number])
            plies += play_missions(game, state, draws, most, continent, value, chances, weight)
            if state[PHASE] != phases.OVER:
                earned[number] += 1
            elif state[MOVER] == player:
                earned[number] += game[PLAYERS]
    return plies
