"""The one state machine over arrays: orders, phases and turns. Twin of `turn`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.economy import DIE
from kibitz.games.axis.full.kernels.dice import NO_ROLL, RESEARCH_ROLL, apply_result, what_is_rolled
from kibitz.games.axis.full.kernels.fighting import (
    DEFENDERS_SUBMERGE,
    decide_battle,
    list_battle_orders,
    start_battle,
)
from kibitz.games.axis.full.kernels.layout import (
    AREAS,
    BATTLE,
    BATTLE_AREA,
    BID,
    BID_PLACE,
    COMBAT,
    DICE,
    DOMAIN,
    FIGHTS,
    FOUGHT,
    LHTR,
    MONEY,
    MOST_CARGO,
    MOVER,
    NONCOMBAT,
    ON_LAND,
    OVER,
    PHASE,
    PLACE,
    PURCHASE,
    RAID,
    RESEARCH,
    ROCKET_LIST,
    ROCKETS,
    SEA,
    STACK,
    STACKS,
    STEP,
    TECHNOLOGY,
    UNITS,
    Words,
    area_of,
    item_of,
    item_to,
    kind_of,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.losses import chooser
from kibitz.games.axis.full.kernels.money import (
    board_carrier,
    buy,
    list_placings,
    list_purchases,
    list_research,
    list_rockets,
    next_raid,
    place_units,
)  # fmt: skip
from kibitz.games.axis.full.kernels.moving import list_moves, move_units
from kibitz.games.axis.full.kernels.order_numbers import order_number, tell
from kibitz.games.axis.full.kernels.phases import finish_phase, learn_technology
from kibitz.games.axis.full.kernels.sides import ATTACKER, DEFENDER, count_side
from kibitz.games.axis.full.kernels.stacks import (
    has_enemy_trait,
    owns,
    take_area,
)  # fmt: skip
from kibitz.games.axis.full.kernels.transports import find_group, load_units, unload_units
from kibitz.games.axis.full.notation import BASES
from kibitz.games.axis.full.orders import (
    BUY,
    DONE,
    FIGHT,
    FIRE_ROCKET,
    HOLD_ROCKET,
    INVEST,
    LOADING,
    MOVE,
    PUT,
    UNLOADING,
)  # fmt: skip
from kibitz.games.axis.full.orders import (
    RAID as RAID_ORDER,
)

B1, B2, B3, B4, B5, B6 = BASES[1:]
MOST_ORDERS = 6_000


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def list_battles(board: Words, s: Words, areas: Words) -> int:
    """Write the areas where a battle is to be fought; a landing waits for the battle at sea."""
    waiting = np.zeros(board[AREAS], dtype=np.int64)
    own = np.zeros(board[AREAS], dtype=np.int64)
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if power_of(s, row) != s[MOVER]:
            continue
        own[area_of(s, row)] = 1
        for place in range(MOST_CARGO):
            item = item_of(s, row, place)
            if item > 0 and item_to(item) >= 0:
                waiting[item_to(item)] = 1
    count = 0
    for area in range(board[AREAS]):
        open_area = own[area] and not waiting[area] and not s[board[FOUGHT] + area]
        if open_area and count_side(board, s, area, ATTACKER, -1) and count_side(board, s, area, DEFENDER, -1):
            areas[count] = area
            count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])", entry=True)
def list_orders(board: Words, s: Words, orders: Words) -> int:
    """Write what may be ordered in this phase; return how many orders there are. Twin of `PHASE_RULES`."""
    if s[BATTLE_AREA]:
        return list_battle_orders(board, s, orders)
    phase = s[PHASE]
    if phase in (COMBAT, NONCOMBAT):
        return list_moves(board, s, orders)
    if phase in (BID, PURCHASE):
        return list_purchases(board, s, orders)
    if phase == RESEARCH:
        return list_research(board, s, orders)
    if phase in (PLACE, BID_PLACE):
        return list_placings(board, s, orders)
    count = list_rockets(board, s, orders)
    if count:
        return count
    areas = np.empty(board[AREAS], dtype=np.int64)
    for number in range(list_battles(board, s, areas)):
        count = tell(orders, count, order_number(FIGHT, areas[number], -1, 0, -1, -1), 0)
    return count


@kernel("int64(int64[::1], int64[::1])")
def settle_battles(board: Words, s: Words) -> int:
    """What needs no decision in the battle phase; returns whether there was any."""
    if list_rockets(board, s, np.empty((200, 2), dtype=np.int64)):
        return 0
    raid = next_raid(board, s, -1)
    if raid >= 0:
        s[RAID] = raid
        return 1
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if power_of(s, row) != s[MOVER] or trait(board, kind_of(s, row), DOMAIN) != ON_LAND:
            continue
        area = area_of(s, row)
        hostile = not board[board[SEA] + area] and not owns(board, s, area, s[MOVER])
        if hostile and not has_enemy_trait(board, s, area, s[MOVER], FIGHTS):
            take_area(board, s, area, s[MOVER])
            return 1
    areas = np.empty(board[AREAS], dtype=np.int64)
    if list_battles(board, s, areas) == 1:
        start_battle(board, s, areas[0])
        return 1
    return 0


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def advance(board: Words, s: Words, orders: Words) -> int:
    """Everything up to dice or a decision; returns how many orders it has written, if it had to look."""
    while s[PHASE] < OVER and what_is_rolled(board, s) == NO_ROLL:
        if s[BATTLE_AREA]:
            return 0
        if s[PHASE] == BATTLE and settle_battles(board, s):
            continue
        count = list_orders(board, s, orders)
        if count > 1 or (count == 1 and s[PHASE] == BATTLE):
            return count
        finish_phase(board, s)
    return 0


# Orders and dice from outside.


@kernel("int64(int64[::1], int64[::1], int64, int64[:, ::1])")
def play_order(board: Words, s: Words, number: int, orders: Words) -> int:
    """Play an order, up to the next decision or roll of dice; see `advance`. Twin of `turn.apply_order`."""
    count = number % B6
    via = number // B6 % B5 - 1
    to = number // (B6 * B5) % B4 - 1
    variant = number // (B6 * B5 * B4) % B3
    kind = number // (B6 * B5 * B4 * B3) % B2 - 1
    area = number // (B6 * B5 * B4 * B3 * B2) % B1 - 1
    verb = number // (B6 * B5 * B4 * B3 * B2 * B1)
    if s[BATTLE_AREA]:
        decide_battle(board, s, verb, to)
    elif verb == DONE:
        finish_phase(board, s)
    elif verb == INVEST:
        s[board[MONEY] + s[MOVER]] -= min(DIE * count, s[board[MONEY] + s[MOVER]])
        s[TECHNOLOGY], s[DICE] = kind, count
    elif verb == BUY:
        buy(board, s, kind, count)
    elif verb == LOADING:
        load_units(board, s, find_group(board, s, area, kind, variant), to, count)
    elif verb == UNLOADING:
        unload_units(board, s, area, kind, to, count)
    elif verb in (MOVE, RAID_ORDER):
        move_units(board, s, area, kind, variant, to, via, int(verb == RAID_ORDER), count)
    elif verb in (FIRE_ROCKET, HOLD_ROCKET):
        at = board[ROCKET_LIST] + 2 * s[ROCKETS]
        s[at], s[at + 1] = area, to
        s[ROCKETS] += 1
    elif verb == FIGHT:
        start_battle(board, s, area)
    elif verb == PUT:
        place_units(board, s, kind, to, count)
    else:
        board_carrier(board, s, area, kind, to, count)
    return advance(board, s, orders)


@kernel("int64(int64[::1], int64[::1], int64, int64[:, ::1])")
def play_result(board: Words, s: Words, result: int, orders: Words) -> int:
    """Play a result of dice, up to the next decision or roll; see `advance`. Twin of `turn.apply_roll`."""
    what = what_is_rolled(board, s)
    if what == RESEARCH_ROLL:
        s[TECHNOLOGY], s[DICE] = s[TECHNOLOGY] if result else -1, 0
        if not board[LHTR]:
            learn_technology(board, s)
        s[PHASE] += 1
    else:
        apply_result(board, s, what, result)
    return advance(board, s, orders)


@kernel("int64(int64[::1], int64[::1])")
def player_to_move(board: Words, s: Words) -> int:
    """Who decides now; -1 if dice are rolled, -2 if the game is over."""
    if s[PHASE] == OVER:
        return -2
    if what_is_rolled(board, s) != NO_ROLL:
        return -1
    if not s[BATTLE_AREA]:
        return int(s[MOVER])
    return chooser(board, s, s[BATTLE_AREA] - 1, DEFENDER if s[STEP] == DEFENDERS_SUBMERGE else ATTACKER)
