"""What an action does and whether it is legal, in any phase. Twin of `rules.state`."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk import phases
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.kernels.attacking import attack, borders_on, fight, legal_attacks, move_in, roll
from kibitz.games.risk.kernels.fortifying import can_march, legal_marches, march
from kibitz.games.risk.kernels.layout import Words, armies_at, missions_at, unseen_count
from kibitz.games.risk.kernels.reinforcing import can_trade, place_armies, trade
from kibitz.games.risk.kernels.setup import begin, choose_capital, deal_mission, set_up, settle
from kibitz.games.risk.kernels.turns import draw
from kibitz.games.risk.packing import (
    DEFENCE,
    DEFENDED,
    MISSIONS,
    MISSIONS_DEALT,
    MOVER,
    NONE,
    ORIGIN,
    OWNERS,
    PHASE,
    PLAYERS,
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
    END_ATTACK,
    OVER,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    TRADE,
)


@kernel("int64(int64[::1], int64[::1], int64)")
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


@kernel("boolean(int64[::1], int64[::1], int64)")
def may_happen(game: Words, state: Words, action: int) -> bool:
    """Whether chance may draw *action*. Twin of `action in State.chance_outcomes`."""
    phase = state[PHASE]
    if phase == DICE:
        return bool(0 <= action <= min(state[ROLLED], state[DEFENDED]))
    if phase == phases.FIRST:
        return bool(0 <= action < game[PLAYERS])
    if phase == phases.MISSION:
        for place in range(missions_at(game), missions_at(game) + state[MISSIONS_DEALT]):
            if state[place] == action:
                return False
        return bool(0 <= action < game[MISSIONS])
    if phase == DRAW:
        return bool(0 <= action <= game[TERRITORIES] and unseen_count(game, state, action) > 0)
    return bool(0 <= action < game[TERRITORIES] and state[OWNERS + action] == NONE)


@kernel("boolean(int64[::1], int64[::1], int64)")
def is_legal(game: Words, state: Words, action: int) -> bool:
    """Whether the mover, or chance, may do this. Twin of `action in State.legal_actions`."""
    phase, count, mover = state[PHASE], game[TERRITORIES], state[MOVER]
    if phase in (DICE, DRAW, DEAL, phases.FIRST, phases.MISSION):
        return may_happen(game, state, action)
    if phase == ROLL:
        return bool(RETREAT <= action <= min(MOST_DICE, state[armies_at(game) + state[ORIGIN]] - 1))
    if phase == DEFEND:
        return bool(1 <= action <= min(game[DEFENCE], state[armies_at(game) + state[TARGET]]))
    if phase == CONQUER:
        return bool(state[ROLLED] <= action < state[armies_at(game) + state[ORIGIN]])
    if phase in (TRADE, SPOILS):
        return can_trade(game, state, action)
    if phase in (SETUP, CAPITAL, DRAFT):
        return bool(0 <= action < count and state[OWNERS + action] == (NONE if phase == DRAFT else mover))
    if action < 0 or phase == OVER:
        return False
    if phase == PLACE:
        place, armies = action // AMOUNTS, action % AMOUNTS
        return bool(place < count and state[OWNERS + place] == mover and 1 <= armies <= state[TO_PLACE])
    if action == END_ATTACK:  # which is also STAY
        return True
    way = action - 1 if phase == ATTACK else action // AMOUNTS - 1
    origin, to = way // count, way % count
    if phase == phases.FORTIFY:
        return can_march(game, state, origin, to, action % AMOUNTS)
    if origin >= count or state[OWNERS + origin] != mover or state[OWNERS + to] == mover:
        return False
    return bool(state[OWNERS + count + origin] > 1 and borders_on(game, origin, to))
