"""The setup: first player, missions, first owners, first armies, capitals. Twin of `rules.setup`."""

from kibitz.core.kernels import kernel
from kibitz.games.risk.kernels.layout import (
    CAPITAL_MODE,
    MISSION_MODE,
    Words,
    armies_at,
    counts_at,
    missions_at,
    territory_count,
)
from kibitz.games.risk.kernels.turns import start_turn
from kibitz.games.risk.packing import (
    ARMIES_AT_START,
    CAPITALS_CHOSEN,
    DEALT,
    FIRST,
    MISSIONS_DEALT,
    MODE,
    MOVER,
    OWNERS,
    PHASE,
    PLAYERS,
    TERRITORIES,
)
from kibitz.games.risk.phases import CAPITAL, DEAL, DRAFT, MISSION, SETUP


@kernel("int64(int64[::1])")
def settling_phase(game: Words) -> int:
    """Twin of `setup.settling_phase`."""
    return DEAL if game[DEALT] else DRAFT


@kernel("int64(int64[::1], int64[::1], int64)")
def begin(game: Words, state: Words, player: int) -> int:
    """Twin of `setup.begin`."""
    state[FIRST] = state[MOVER] = player
    state[PHASE] = MISSION if game[MODE] == MISSION_MODE else settling_phase(game)
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def deal_mission(game: Words, state: Words, mission: int) -> int:
    """Twin of `setup.deal_mission`."""
    state[missions_at(game) + state[MISSIONS_DEALT]] = mission
    state[MISSIONS_DEALT] += 1
    if state[MISSIONS_DEALT] == game[PLAYERS]:
        state[PHASE] = settling_phase(game)
    return 0


@kernel("int64(int64[::1], int64[::1])")
def end_setup(game: Words, state: Words) -> int:
    """Twin of `setup.end_setup`."""
    start, total = armies_at(game), 0
    for place in range(start, start + game[TERRITORIES]):
        total += state[place]
    if total == game[ARMIES_AT_START] * game[PLAYERS]:
        if game[MODE] == CAPITAL_MODE:
            state[PHASE] = CAPITAL
        else:
            start_turn(game, state, state[MOVER])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def settle(game: Words, state: Words, place: int) -> int:
    """Twin of `setup.settle`."""
    state[OWNERS + place], state[armies_at(game) + place] = state[MOVER], 1
    state[counts_at(game) + state[MOVER]] += 1
    state[MOVER] = (state[MOVER] + 1) % game[PLAYERS]
    settled = 0
    for player in range(game[PLAYERS]):
        settled += territory_count(game, state, player)
    if settled < game[TERRITORIES]:
        return 0
    state[PHASE] = SETUP
    return end_setup(game, state)


@kernel("int64(int64[::1], int64[::1], int64)")
def set_up(game: Words, state: Words, place: int) -> int:
    """Twin of `setup.set_up`."""
    state[armies_at(game) + place] += 1
    state[MOVER] = (state[MOVER] + 1) % game[PLAYERS]
    return end_setup(game, state)


@kernel("int64(int64[::1], int64[::1], int64)")
def choose_capital(game: Words, state: Words, place: int) -> int:
    """Twin of `setup.choose_capital`: capitals stand in the order they were chosen until all are."""
    players = game[PLAYERS]
    start = missions_at(game) + players
    state[start + state[CAPITALS_CHOSEN]] = place
    state[CAPITALS_CHOSEN] += 1
    state[MOVER] = (state[MOVER] + 1) % players
    if state[CAPITALS_CHOSEN] == players:
        chosen = state[start : start + players].copy()
        for turn in range(players):
            state[start + (state[FIRST] + turn) % players] = chosen[turn]
        start_turn(game, state, state[MOVER])
    return 0
