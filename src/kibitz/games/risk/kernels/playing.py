"""What an action does and which are legal, in any phase. Twin of `rules.state`."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk import phases
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.kernels.attacking import attack, fight, legal_attacks, move_in, roll
from kibitz.games.risk.kernels.fortifying import legal_marches, march
from kibitz.games.risk.kernels.layout import Words, armies_at
from kibitz.games.risk.kernels.reinforcing import can_trade, place_armies, trade
from kibitz.games.risk.kernels.setup import begin, choose_capital, deal_mission, set_up, settle
from kibitz.games.risk.kernels.turns import draw
from kibitz.games.risk.packing import (
    DEFENCE,
    DEFENDED,
    MOVER,
    NONE,
    ORIGIN,
    OWNERS,
    PHASE,
    ROLLED,
    TARGET,
    TERRITORIES,
    TO_PLACE,
)
from kibitz.games.risk.phases import (
    AMOUNTS,
    ATTACK,
    CAPITAL,
    CONQUER,
    DEAL,
    DEFEND,
    DICE,
    DRAFT,
    DRAW,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    TRADE,
)


@kernel("int64(int64[::1], int64[::1], int64)", entry=True)
def play(game: Words, state: Words, action: int) -> int:
    """Play a legal action in place; return the phase after it. Twin of `State.apply_action`."""
    phase = state[PHASE]
    if phase == DICE:
        fight(game, state, action)
    elif phase == ROLL:
        roll(game, state, action)
    elif phase == DEFEND:
        state[DEFENDED], state[PHASE] = action, DICE
    elif phase == ATTACK:
        attack(game, state, action)
    elif phase == CONQUER:
        move_in(game, state, action)
    elif phase == PLACE:
        place_armies(game, state, action)
    elif phase == phases.FORTIFY:
        march(game, state, action)
    elif phase in (TRADE, SPOILS):
        trade(game, state, action)
    elif phase == SETUP:
        set_up(game, state, action)
    elif phase in (DEAL, DRAFT):
        settle(game, state, action)
    elif phase == DRAW:
        draw(game, state, action)
    elif phase == phases.FIRST:
        begin(game, state, action)
    elif phase == phases.MISSION:
        deal_mission(game, state, action)
    else:
        choose_capital(game, state, action)
    return int(state[PHASE])


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Write ranges of legal actions, sorted; return how many there are. Twin of `State.legal_actions`."""
    phase, count = state[PHASE], game[TERRITORIES]
    if phase == ATTACK:
        return legal_attacks(game, state, out)
    if phase == phases.FORTIFY:
        return legal_marches(game, state, out)
    found = 0
    if phase == ROLL:
        out[0, 0], out[0, 1], found = RETREAT, 1 + min(MOST_DICE, state[armies_at(game) + state[ORIGIN]] - 1), 1
    elif phase == DEFEND:
        out[0, 0], out[0, 1], found = 1, 1 + min(game[DEFENCE], state[armies_at(game) + state[TARGET]]), 1
    elif phase == CONQUER:
        out[0, 0], out[0, 1], found = state[ROLLED], state[armies_at(game) + state[ORIGIN]], 1
    elif phase == PLACE:
        for place in range(count):
            if state[OWNERS + place] == state[MOVER]:
                out[found, 0], out[found, 1] = place * AMOUNTS + 1, place * AMOUNTS + 1 + state[TO_PLACE]
                found += 1
    elif phase in (TRADE, SPOILS):
        for card in range(count + 2):
            if can_trade(game, state, card):
                out[found, 0], out[found, 1] = card, card + 1
                found += 1
    elif phase in (SETUP, DRAFT, CAPITAL):
        wanted = NONE if phase == DRAFT else state[MOVER]
        for place in range(count):
            if state[OWNERS + place] == wanted:
                out[found, 0], out[found, 1] = place, place + 1
                found += 1
    return found
