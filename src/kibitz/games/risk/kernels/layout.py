"""Where things are in the row of a state (twins of `packing`), and what is read from there in every phase."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk.packing import (
    CARD_RULES,
    CONTINENTS,
    COPIES_AT,
    MARCHES,
    MEMBERS_AT,
    MODES,
    OWNERS,
    PLAYERS,
    SHOWN,
    SHOWN_CARDS,
    TERRITORIES,
)

Words = NDArray[np.int64]
MISSION_MODE, CAPITAL_MODE = MODES.index("mission"), MODES.index("capital")
INCREASING, ITALIAN_RULE = CARD_RULES.index("increasing"), CARD_RULES.index("italian")
ADJACENT, UNLIMITED = MARCHES.index("adjacent"), MARCHES.index("unlimited")


@kernel("int64(int64[::1])")
def armies_at(game: Words) -> int:
    """Where the armies begin. Twin of `packing.armies_at`, as those below."""
    return int(OWNERS + game[TERRITORIES])


@kernel("int64(int64[::1], int64)")
def hand_at(game: Words, player: int) -> int:
    """Where the hand of a player begins."""
    return int(OWNERS + 2 * game[TERRITORIES] + player * (game[TERRITORIES] + 2))


@kernel("int64(int64[::1])")
def discards_at(game: Words) -> int:
    """Where the discards begin."""
    return hand_at(game, game[PLAYERS])


@kernel("int64(int64[::1])")
def missions_at(game: Words) -> int:
    """Where the missions begin; capitals and destroyers follow."""
    return int(discards_at(game) + game[TERRITORIES] + 1)


@kernel("int64(int64[::1])")
def settled_at(game: Words) -> int:
    """Where the territories begin that armies have marched to."""
    return int(missions_at(game) + 3 * game[PLAYERS])


@kernel("int64(int64[::1])")
def counts_at(game: Words) -> int:
    """Where the numbers of all players' territories begin, and behind them those of their cards."""
    return int(settled_at(game) + game[TERRITORIES])


@kernel("int64(int64[::1], int64[::1], int64)")
def territory_count(game: Words, state: Words, player: int) -> int:
    """How many territories a player has."""
    return int(state[counts_at(game) + player])


@kernel("int64(int64[::1], int64[::1], int64)")
def hand_size(game: Words, state: Words, player: int) -> int:
    """How many cards a player has."""
    return int(state[counts_at(game) + game[PLAYERS] + player])


@kernel("int64(int64[::1], int64[::1], int64)")
def unseen_count(game: Words, state: Words, card: int) -> int:
    """How many of a kind of card are unseen. Twin of `Position.unseen_cards`."""
    left = game[game[COPIES_AT] + card] - state[discards_at(game) + card]
    for place in range(SHOWN_CARDS, SHOWN_CARDS + state[SHOWN]):
        left -= state[place] == card
    for player in range(game[PLAYERS]):
        left -= state[hand_at(game, player) + card]
    return int(left)


@kernel("boolean(int64[::1], int64[::1], int64, int64)")
def holds(game: Words, state: Words, continent: int, player: int) -> bool:
    """Whether a player has all of a continent."""
    at = game[MEMBERS_AT]
    members = at + game[CONTINENTS] + 1
    for number in range(game[at + continent], game[at + continent + 1]):
        if state[OWNERS + game[members + number]] != player:
            return False
    return True
