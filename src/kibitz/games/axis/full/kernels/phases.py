"""How phases, turns and rounds end over arrays. Twin of the ends of phases in `turn`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.landing import lose_stranded
from kibitz.games.axis.full.kernels.layout import (
    AREAS,
    BID,
    BID_PLACE,
    BIDS,
    BOUGHT,
    CITIES,
    CITY,
    COMBAT,
    DOMAIN,
    FOUGHT,
    IN_AIR,
    ITEM_BITS,
    KINDS,
    KNOWN,
    MONEY,
    MOST_CARGO,
    MOVER,
    NONCOMBAT,
    ORDER,
    OVER,
    OWNERS,
    PHASE,
    PLACE,
    PLACED,
    PLACED_LIST,
    PURSE,
    RAIDED,
    RESEARCH,
    ROCKET_LIST,
    ROCKETS,
    ROUND,
    ROUNDS,
    SIDE,
    SIDES,
    SPENT,
    STACK,
    STACKS,
    SUBMERGED,
    TAKEN,
    TECHNOLOGY,
    TURNS,
    UNITS,
    VALUE,
    WINNER,
    Words,
    area_of,
    came_of,
    damage_of,
    item_kind,
    item_of,
    item_power,
    kind_of,
    landed_of,
    marks_of,
    pack_item,
    pack_place,
    pack_state,
    power_of,
    spent_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.stacks import holds_capital, sort_stacks
from kibitz.games.axis.full.kernels.transports import sort_items


@kernel("void(int64[::1], int64[::1])")
def learn_technology(board: Words, s: Words) -> None:
    """The technology that was found works from now on."""
    if s[TECHNOLOGY] >= 0:
        s[board[KNOWN] + s[MOVER]] |= 1 << s[TECHNOLOGY]
    s[TECHNOLOGY] = -1


@kernel("void(int64[::1], int64[::1])")
def finish_phase(board: Words, s: Words) -> None:
    """The end of a phase, and the next one; after the last one of a turn, the next power's first."""
    phase, mover = s[PHASE], s[MOVER]
    if phase == COMBAT:
        for number in range(s[UNITS]):
            row = board[STACKS] + number * STACK
            if power_of(s, row) == mover and spent_of(s, row) and trait(board, kind_of(s, row), DOMAIN) != IN_AIR:
                s[row] = pack_place(area_of(s, row), mover, kind_of(s, row), SPENT, came_of(s, row))
        sort_stacks(board, s)
    elif phase == NONCOMBAT:
        lose_stranded(board, s, mover, -1)
        for number in range(s[UNITS]):
            row = board[STACKS] + number * STACK
            if marks_of(s, row) & SUBMERGED:
                s[row + 1] = pack_state(damage_of(s, row), marks_of(s, row) & ~SUBMERGED, landed_of(s, row))
        sort_stacks(board, s)
    elif phase == PLACE:
        lose_stranded(board, s, mover, -1)
        learn_technology(board, s)
        earned = 0
        for area in range(board[AREAS] if holds_capital(board, s, mover) else 0):
            earned += board[board[VALUE] + area] if s[board[OWNERS] + area] == mover else 0
        s[board[MONEY] + mover] += earned
        for kind in range(board[KINDS]):
            s[board[BOUGHT] + kind] = 0
    if phase == BID_PLACE:
        next_bid(board, s)
    elif phase == PLACE:
        next_turn(board, s)
    else:
        s[PHASE] += 1


@kernel("int64(int64[::1], int64[::1])")
def place_in_order(board: Words, s: Words) -> int:
    """The place of the mover among the powers that have turns."""
    place = 0
    while board[board[ORDER] + place] != s[MOVER]:
        place += 1
    return place


@kernel("void(int64[::1], int64[::1])")
def clear_placed(board: Words, s: Words) -> None:
    """Forget what was placed in this turn."""
    for place in range(3 * s[PLACED]):
        s[board[PLACED_LIST] + place] = 0
    s[PLACED] = 0


@kernel("void(int64[::1], int64[::1])")
def next_bid(board: Words, s: Words) -> None:
    """The next power with a bid, or the first turn; what is left of a bid is kept."""
    s[board[MONEY] + s[MOVER]] += s[PURSE]
    s[PURSE] = 0
    for kind in range(board[KINDS]):
        s[board[BOUGHT] + kind] = 0
    clear_placed(board, s)
    for place in range(place_in_order(board, s) + 1, board[TURNS]):
        power = board[board[ORDER] + place]
        if board[board[BIDS] + power]:
            s[PHASE], s[MOVER], s[PURSE] = BID, power, board[board[BIDS] + power]
            return
    s[PHASE], s[MOVER] = RESEARCH, board[board[ORDER]]


@kernel("void(int64[::1], int64[::1])")
def next_turn(board: Words, s: Words) -> None:
    """The next power's turn; after the last power, the cities are counted."""
    items = np.zeros(MOST_CARGO, dtype=np.int64)
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        s[row] = pack_place(area_of(s, row), power_of(s, row), kind_of(s, row), 0, -1)
        s[row + 1] = pack_state(0, 0, -1)
        if s[row + 2]:
            count = 0
            items[:] = 0
            for place in range(MOST_CARGO):
                item = item_of(s, row, place)
                if item > 0:
                    items[count] = pack_item(item_power(item), item_kind(item), 0, -1)
                    count += 1
            sort_items(items, count)
            s[row + 2], s[row + 3] = items[0] << ITEM_BITS | items[1], items[2] << ITEM_BITS | items[3]
    sort_stacks(board, s)
    place = place_in_order(board, s) + 1
    last = place == board[TURNS]
    s[PHASE], s[MOVER] = RESEARCH, board[board[ORDER] + (0 if last else place)]
    s[ROUND] += last
    clear_placed(board, s)
    for area in range(board[AREAS]):
        s[board[TAKEN] + area], s[board[FOUGHT] + area], s[board[RAIDED] + area] = 0, 0, -1
    for each in range(2 * s[ROCKETS]):
        s[board[ROCKET_LIST] + each] = 0
    s[ROCKETS] = 0
    if last:
        end_round(board, s)


@kernel("void(int64[::1], int64[::1])")
def end_round(board: Words, s: Words) -> None:
    """The cities are counted; a side with enough of them has won, and after the last round the game is over."""
    held = np.zeros(board[SIDES], dtype=np.int64)
    for area in range(board[AREAS]):
        owner = s[board[OWNERS] + area]
        if board[board[CITY] + area] and owner >= 0:
            held[board[board[SIDE] + owner]] += 1
    best = 0
    for side in range(board[SIDES]):
        best = side if held[side] > held[best] else best
    if held[best] >= board[CITIES]:
        s[PHASE], s[WINNER] = OVER, best
    elif s[ROUND] > board[ROUNDS]:
        s[PHASE] = OVER
