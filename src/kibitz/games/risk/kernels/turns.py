"""How a turn begins and ends. Twin of `rules.turns`."""

from kibitz.core.kernels import kernel
from kibitz.games.risk.cards import SET
from kibitz.games.risk.kernels.layout import (
    UNLIMITED,
    Words,
    counts_at,
    discards_at,
    hand_at,
    hand_size,
    holds,
    missions_at,
    settled_at,
    territory_count,
)
from kibitz.games.risk.kernels.winning import end_if_won
from kibitz.games.risk.packing import (
    BONUS_AT,
    CAPTURED,
    CONTINENTS,
    FIRST,
    FORTIFY,
    LEFT_TO_DRAW,
    MOVER,
    PHASE,
    PLAYERS,
    RECYCLE,
    TERRITORIES,
    TO_PLACE,
)
from kibitz.games.risk.phases import DRAW, PLACE, TRADE


@kernel("int64(int64[::1], int64[::1], int64)")
def start_turn(game: Words, state: Words, player: int) -> int:
    """Twin of `turns.start_turn` and `turns.reinforcements`."""
    state[MOVER], state[FIRST], state[CAPTURED] = player, 0, 0
    if game[FORTIFY] == UNLIMITED:
        start = settled_at(game)
        state[start : start + game[TERRITORIES]] = 0
    armies = max(3, territory_count(game, state, player) // 3)
    for continent in range(game[CONTINENTS]):
        if holds(game, state, continent, player):
            armies += game[game[BONUS_AT] + continent]
    state[TO_PLACE] = armies
    state[PHASE] = TRADE if hand_size(game, state, player) >= SET else PLACE
    return 0


@kernel("int64(int64[::1], int64[::1])")
def next_turn(game: Words, state: Words) -> int:
    """Twin of `turns.next_turn`."""
    following = (state[MOVER] + 1) % game[PLAYERS]
    while territory_count(game, state, following) == 0:
        following = (following + 1) % game[PLAYERS]
    return start_turn(game, state, following)


@kernel("int64(int64[::1], int64[::1])")
def reshuffle(game: Words, state: Words) -> int:
    """Twin of `turns.reshuffle`."""
    if game[RECYCLE] and state[LEFT_TO_DRAW] == 0:
        for place in range(discards_at(game), missions_at(game)):
            state[LEFT_TO_DRAW] += state[place]
            state[place] = 0
    return 0


@kernel("int64(int64[::1], int64[::1])")
def end_turn(game: Words, state: Words) -> int:
    """Twin of `turns.end_turn`."""
    if end_if_won(game, state, True):
        return 0
    reshuffle(game, state)
    if state[CAPTURED] and state[LEFT_TO_DRAW] > 0:
        state[PHASE] = DRAW
        return 0
    return next_turn(game, state)


@kernel("int64(int64[::1], int64[::1], int64)")
def draw(game: Words, state: Words, card: int) -> int:
    """Twin of `turns.draw`."""
    state[hand_at(game, state[MOVER]) + card] += 1
    state[counts_at(game) + game[PLAYERS] + state[MOVER]] += 1
    state[LEFT_TO_DRAW] -= 1
    reshuffle(game, state)
    return next_turn(game, state)
