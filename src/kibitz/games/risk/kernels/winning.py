"""When a game is won. Twin of `rules.winning`."""

from kibitz.core.kernels import kernel
from kibitz.games.risk.kernels.layout import CAPITAL_MODE, MISSION_MODE, Words, holds, missions_at, territory_count
from kibitz.games.risk.packing import (
    ANY_BLOW,
    ANY_SLOT,
    AT_END,
    CONTINENTS,
    MISSION_WORDS,
    MISSIONS_AT,
    MODE,
    MOVER,
    NONE,
    OWNERS,
    PHASE,
    PLAYERS,
    TERRITORIES,
    TO_PLACE,
    WANTED,
)
from kibitz.games.risk.phases import OVER


@kernel("boolean(int64[::1], int64[::1], int64)")
def is_fulfilled(game: Words, state: Words, mission: int) -> bool:
    """Whether the mover has done what a mission asks. Twin of `missions.is_fulfilled`."""
    at, player, count = game[MISSIONS_AT] + MISSION_WORDS * mission, state[MOVER], game[TERRITORIES]
    victim = game[at]
    if victim not in (NONE, player):
        destroyer = state[missions_at(game) + 2 * game[PLAYERS] + victim]
        if destroyer == NONE:
            return False
        if game[ANY_BLOW] or destroyer == player:
            return True
    if 0 < game[at + 1] <= territory_count(game, state, player):
        held = 0
        for place in range(OWNERS, OWNERS + count):
            held += state[place] == player and state[place + count] >= game[at + 2]
        if held >= game[at + 1]:
            return True
    if not game[at + 7]:
        return False
    for slot in range(at + 3, at + 6):
        if game[slot] not in (NONE, ANY_SLOT) and not holds(game, state, game[slot], player):
            return False
    if game[at + 6] == 0:
        return True
    continents = 0
    for continent in range(game[CONTINENTS]):
        continents += holds(game, state, continent, player)
    return bool(continents >= game[at + 6])


@kernel("boolean(int64[::1], int64[::1])")
def has_won(game: Words, state: Words) -> bool:
    """Whether the mover has done what the mode asks. Twin of `winning.has_won`."""
    player = state[MOVER]
    if territory_count(game, state, player) >= game[WANTED]:
        return True
    if game[MODE] == CAPITAL_MODE:
        start = missions_at(game) + game[PLAYERS]
        held = 0
        for place in range(start, start + game[PLAYERS]):
            held += state[OWNERS + state[place]] == player
        return bool(held == game[PLAYERS])
    if game[MODE] != MISSION_MODE:
        return False
    mission = state[missions_at(game) + player]
    return mission != NONE and is_fulfilled(game, state, mission)


@kernel("boolean(int64[::1], int64[::1], boolean)")
def end_if_won(game: Words, state: Words, at_end: bool) -> bool:
    """Let the game be over if the mover has won. Twin of `winning.end_if_won`."""
    looked_at = at_end or not game[AT_END] or territory_count(game, state, state[MOVER]) == game[TERRITORIES]
    if looked_at and has_won(game, state):
        state[PHASE], state[TO_PLACE] = OVER, 0
        return True
    return False
