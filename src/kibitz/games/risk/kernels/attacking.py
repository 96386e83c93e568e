"""Battles. Twin of `rules.attacking`."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk.dice import MOST_DICE, loss_odds
from kibitz.games.risk.kernels.layout import (
    ITALIAN_RULE,
    MISSION_MODE,
    Words,
    armies_at,
    counts_at,
    hand_at,
    hand_size,
    missions_at,
)
from kibitz.games.risk.kernels.winning import end_if_won
from kibitz.games.risk.packing import (
    BORDERS_AT,
    CAPTURED,
    CARDS,
    DEFENDED,
    MODE,
    MOVER,
    NONE,
    ORIGIN,
    OWNERS,
    PHASE,
    PLAYERS,
    ROLLED,
    TARGET,
    TERRITORIES,
)
from kibitz.games.risk.phases import ATTACK, CONQUER, DEFEND, DICE, END_ATTACK, FORTIFY, RETREAT, ROLL, SPOILS
from kibitz.games.risk.rules.attacking import MUST_TRADE_SPOILS

LOSS_ODDS = np.array(
    [
        [[*loss_odds(a, d), *[0.0] * (MOST_DICE - min(a, d))] if a and d else [0.0] * 4 for d in range(MOST_DICE + 1)]
        for a in range(MOST_DICE + 1)
    ]
)
"""The probability that a roll costs the defender so many armies, by the dice of both."""


@kernel("int64(int64, int64, float64)")
def armies_lost(attackers: int, defenders: int, draw: float) -> int:
    """What a roll costs the defender, by a draw in [0, 1)."""
    most = min(attackers, defenders)
    for lost in range(most):
        draw -= LOSS_ODDS[attackers, defenders, lost]
        if draw < 0.0:
            return lost
    return most


@kernel("boolean(int64[::1], int64, int64)")
def borders_on(game: Words, origin: int, to: int) -> bool:
    """Whether a territory may be attacked from another."""
    at = game[BORDERS_AT]
    for way in range(game[at + origin], game[at + origin + 1]):  # noqa: SIM110  (kernels have no generators)
        if game[at + game[TERRITORIES] + 1 + way] == to:
            return True
    return False


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal_attacks(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Twin of `attacking.attacks`."""
    count, borders = game[TERRITORIES], game[BORDERS_AT]
    out[0, 0], out[0, 1], found = END_ATTACK, END_ATTACK + 1, 1
    for origin in range(count):
        if state[OWNERS + origin] == state[MOVER] and state[OWNERS + count + origin] > 1:
            for way in range(game[borders + origin], game[borders + origin + 1]):
                to = game[borders + count + 1 + way]
                if state[OWNERS + to] != state[MOVER]:
                    out[found, 0] = 1 + origin * count + to
                    out[found, 1] = out[found, 0] + 1
                    found += 1
    return found


@kernel("int64(int64[::1], int64[::1], int64)")
def attack(game: Words, state: Words, action: int) -> int:
    """Twin of `attacking.attack`."""
    if action == END_ATTACK:
        state[PHASE] = FORTIFY
    else:
        state[ORIGIN], state[TARGET] = (action - 1) // game[TERRITORIES], (action - 1) % game[TERRITORIES]
        state[PHASE] = ROLL
    return 0


@kernel("int64(int64[::1])")
def end_battle(state: Words) -> int:
    """Twin of `attacking.end_battle`."""
    state[ORIGIN], state[TARGET], state[ROLLED], state[DEFENDED], state[PHASE] = NONE, NONE, 0, 0, ATTACK
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def roll(game: Words, state: Words, dice: int) -> int:
    """Twin of `attacking.roll`."""
    if dice == RETREAT:
        return end_battle(state)
    state[ROLLED], state[DEFENDED] = dice, 1
    state[PHASE] = DEFEND if state[armies_at(game) + state[TARGET]] > 1 else DICE
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def move_in(game: Words, state: Words, count: int) -> int:
    """Twin of `attacking.move_in`."""
    armies = armies_at(game)
    state[armies + state[ORIGIN]] -= count
    state[armies + state[TARGET]] += count
    end_battle(state)
    if not end_if_won(game, state, False):
        many = hand_size(game, state, state[MOVER]) >= MUST_TRADE_SPOILS
        if many and game[CARDS] != ITALIAN_RULE:
            state[PHASE] = SPOILS
    return 0


@kernel("int64(int64[::1], int64[::1])")
def capture(game: Words, state: Words) -> int:
    """Twin of `attacking.capture`."""
    mover, target = state[MOVER], state[TARGET]
    loser = state[OWNERS + target]
    state[OWNERS + target], state[CAPTURED] = mover, 1
    counts = counts_at(game)
    state[counts + mover] += 1
    state[counts + loser] -= 1
    if state[counts + loser] == 0:
        counts += game[PLAYERS]
        state[counts + mover] += state[counts + loser]
        state[counts + loser] = 0
        own, other = hand_at(game, mover), hand_at(game, loser)
        for card in range(game[TERRITORIES] + 2):
            state[own + card] += state[other + card]
            state[other + card] = 0
        if game[MODE] == MISSION_MODE:
            state[missions_at(game) + 2 * game[PLAYERS] + loser] = mover
    state[PHASE] = CONQUER
    if state[ROLLED] == state[armies_at(game) + state[ORIGIN]] - 1:
        move_in(game, state, state[ROLLED])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def fight(game: Words, state: Words, lost: int) -> int:
    """Twin of `attacking.fight`."""
    origin, target = armies_at(game) + state[ORIGIN], armies_at(game) + state[TARGET]
    state[target] -= lost
    state[origin] -= min(state[ROLLED], state[DEFENDED]) - lost
    if state[target] == 0:
        capture(game, state)
    elif state[origin] == 1:
        end_battle(state)
    else:
        state[PHASE], state[ROLLED], state[DEFENDED] = ROLL, 0, 0
    return 0
