"""Cards traded for armies, and armies placed. Twin of `rules.reinforcing`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.risk.board import WILD
from kibitz.games.risk.cards import FIXED, ITALIAN, MIXED, RISING, SET, WITH_WILD
from kibitz.games.risk.kernels.layout import (
    INCREASING,
    ITALIAN_RULE,
    Words,
    armies_at,
    counts_at,
    discards_at,
    hand_at,
    hand_size,
    unseen_count,
)
from kibitz.games.risk.kernels.winning import end_if_won
from kibitz.games.risk.packing import (
    CARDS,
    MOVER,
    OWNERS,
    PHASE,
    PLAYERS,
    SHOWN,
    SHOWN_CARDS,
    SYMBOL_AT,
    TERRITORIES,
    TO_PLACE,
    TRADED,
)
from kibitz.games.risk.phases import AMOUNTS, ATTACK, PLACE, SPOILS
from kibitz.games.risk.rules.reinforcing import MUST_TRADE

FIXED_WORTH = np.array([FIXED[symbol] for symbol in range(4)])
ITALIAN_WORTH = np.array([ITALIAN[symbol] for symbol in range(3)])
RISING_WORTH = np.array(RISING)


@kernel("int64(int64, int64, int64, int64, int64)")
def worth(rule: int, one: int, two: int, three: int, traded: int) -> int:
    """Armies for a set. Twin of `cards.worth`."""
    wilds = (one == WILD) + (two == WILD) + (three == WILD)
    plain = one if one != WILD else two if two != WILD else three
    alike = (one in (plain, WILD)) and (two in (plain, WILD)) and (three in (plain, WILD))
    if wilds == 0 and not alike and (one in (two, three) or two == three):
        return 0
    if rule == INCREASING:
        rising = len(RISING_WORTH)
        return RISING_WORTH[traded] if traded < rising else RISING_WORTH[-1] + 5 * (traded - rising + 1)  # type: ignore[no-any-return]
    if rule == ITALIAN_RULE:
        if wilds:
            return WITH_WILD if wilds == 1 and alike else 0
        return ITALIAN_WORTH[plain] if alike else MIXED
    if wilds == SET:
        return FIXED_WORTH[WILD]  # type: ignore[no-any-return]
    return FIXED_WORTH[plain] if alike and wilds < 2 else MIXED


@kernel("boolean(int64[::1], int64[::1], int64, int64[::1])")
def begins_set(game: Words, state: Words, symbol: int, held: Words) -> bool:
    """Whether the cards shown and one of *symbol* can become a set with those *held*. Twin of `cards.begins_set`."""
    rule, shown, at = game[CARDS], state[SHOWN], game[SYMBOL_AT]
    if shown == 2:
        return worth(rule, game[at + state[SHOWN_CARDS]], game[at + state[SHOWN_CARDS + 1]], symbol, 0) > 0
    for one in range(4):
        if not held[one]:
            continue
        if shown == 1:
            if worth(rule, game[at + state[SHOWN_CARDS]], symbol, one, 0):
                return True
            continue
        for other in range(one, 4):
            if held[other] >= 1 + (one == other) and worth(rule, symbol, one, other, 0):
                return True
    return False


@kernel("boolean(int64[::1], int64[::1])")
def must_trade(game: Words, state: Words) -> bool:
    """Whether the mover must trade. Twin of `reinforcing.must_trade`."""
    if game[CARDS] == ITALIAN_RULE:
        return False
    return bool(state[PHASE] == SPOILS or hand_size(game, state, state[MOVER]) >= MUST_TRADE)


@kernel("boolean(int64[::1], int64[::1], int64)")
def can_trade(game: Words, state: Words, card: int) -> bool:
    """Whether the mover may put down a card, or keep all. Twin of `reinforcing.trades`."""
    count, hand = game[TERRITORIES], hand_at(game, state[MOVER])
    if card == count + 1:
        return bool(state[SHOWN] == 0 and not must_trade(game, state))
    hidden = state[hand + count + 1] > 0
    if card < 0 or card > count or not (state[hand + card] or (hidden and unseen_count(game, state, card))):
        return False
    held = np.zeros(4, np.int64)
    for each in range(count + 1):
        held[game[game[SYMBOL_AT] + each]] += state[hand + each] + (unseen_count(game, state, each) if hidden else 0)
    symbol = game[game[SYMBOL_AT] + card]
    held[symbol] -= 1
    return begins_set(game, state, symbol, held)


@kernel("int64(int64[::1], int64[::1], int64)")
def trade(game: Words, state: Words, card: int) -> int:
    """Twin of `reinforcing.trade` and `reinforcing.trade_in`."""
    count, hand = game[TERRITORIES], hand_at(game, state[MOVER])
    if card > count:
        state[PHASE] = PLACE
        return 0
    state[hand + (card if state[hand + card] else count + 1)] -= 1
    state[counts_at(game) + game[PLAYERS] + state[MOVER]] -= 1
    state[SHOWN_CARDS + state[SHOWN]] = card
    state[SHOWN] += 1
    if state[SHOWN] < SET:
        return 0
    at, shown = game[SYMBOL_AT], state[SHOWN_CARDS : SHOWN_CARDS + SET]
    symbols = game[at + shown[0]], game[at + shown[1]], game[at + shown[2]]
    state[TO_PLACE] += worth(game[CARDS], *symbols, state[TRADED])
    for each in shown:
        if each < count and state[OWNERS + each] == state[MOVER]:
            state[OWNERS + count + each] += 2
            break
    for each in shown:
        state[discards_at(game) + each] += 1
    state[SHOWN] = 0
    state[TRADED] += game[CARDS] == INCREASING
    enough = MUST_TRADE if state[PHASE] == SPOILS else SET
    if hand_size(game, state, state[MOVER]) < enough:
        state[PHASE] = PLACE
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def place_armies(game: Words, state: Words, action: int) -> int:
    """Twin of `reinforcing.place_armies`."""
    state[armies_at(game) + action // AMOUNTS] += action % AMOUNTS
    state[TO_PLACE] -= action % AMOUNTS
    if not end_if_won(game, state, False) and state[TO_PLACE] == 0:
        state[PHASE] = ATTACK
    return 0
