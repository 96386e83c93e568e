"""Loading and unloading, and fighters on allied carriers. Twin of the part of `orders` about transports."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    BERTH,
    BY_SEA,
    COMBAT,
    DECK,
    DOMAIN,
    GUN,
    IN_AIR,
    ITEM_BITS,
    LOAD,
    LOADED_LATE,
    MOST_CARGO,
    MOVER,
    PHASE,
    ROOM,
    SEA,
    SEA_FROM,
    SPENT,
    STACK,
    STACKS,
    UNITS,
    UNLOADED_EARLY,
    WAS_IN_BATTLE,
    WAYS,
    WAYS_FROM,
    Words,
    area_of,
    came_of,
    cargo_count,
    damage_of,
    is_friend,
    item_fresh,
    item_kind,
    item_of,
    item_power,
    item_to,
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
from kibitz.games.axis.full.kernels.order_numbers import order_number, tell
from kibitz.games.axis.full.kernels.stacks import (
    add_units,
    end_row,
    enter_area,
    find_row,
    first_row,
    has_enemies,
    owns,
)  # fmt: skip
from kibitz.games.axis.full.orders import LOADING, UNLOADING


@kernel("int64(int64[::1], int64[::1], int64)")
def room_left(board: Words, s: Words, row: int) -> int:
    """The room that each transport of a stack has left."""
    room = trait(board, kind_of(s, row), ROOM)
    for place in range(MOST_CARGO):
        item = item_of(s, row, place)
        if item > 0:
            room -= trait(board, item_kind(item), LOAD)
    return room


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def can_carry(board: Words, s: Words, row: int, load: int) -> int:
    """Whether a transport of a stack takes one more unit."""
    if not trait(board, kind_of(s, row), ROOM) or landed_of(s, row) >= 0:
        return 0
    return int(
        is_friend(board, s[MOVER], power_of(s, row))
        and room_left(board, s, row) >= load
        and item_of(s, row, MOST_CARGO - 1) == 0
    )


@kernel("int64(int64[::1], int64[::1], int64, int64, int64[::1], int64[:, ::1], int64)")
def list_loads(board: Words, s: Words, row: int, variant: int, front: Words, orders: Words, count: int) -> int:
    """Write the orders of a stack to go aboard."""
    kind, area = kind_of(s, row), area_of(s, row)
    load = trait(board, kind, LOAD)
    if spent_of(s, row) or load == 0 or (trait(board, kind, GUN) and s[PHASE] == COMBAT):
        return count
    end = end_row(board, s)
    for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
        zone = board[board[BY_SEA] + at]
        if front[zone]:
            continue
        fits, each = 0, first_row(board, s, zone)
        while each < end and area_of(s, each) == zone:
            if can_carry(board, s, each, load):
                fits += s[each + 4] * min(room_left(board, s, each) // load, MOST_CARGO - cargo_count(s, each))
            each += STACK
        most = min(fits, s[row + 4])
        if most:
            count = tell(orders, count, order_number(LOADING, area, kind, variant, zone, -1), most)
    return count


@kernel("void(int64[::1], int64)")
def sort_items(items: Words, count: int) -> None:
    """Put units aboard in their order."""
    for place in range(1, count):
        item, at = items[place], place
        while at > 0 and items[at - 1] > item:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64[::1], int64, int64)")
def change_ship(board: Words, s: Words, row: int, k0: int, k1: int, items: Words, count: int, number: int) -> None:
    """Some ships of a stack get other first words, and carry these units."""
    sort_items(items, count)
    words = np.zeros(MOST_CARGO, dtype=np.int64)
    for place in range(count):
        words[place] = items[place]
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    add_units(board, s, a, b, c, d, -number)
    add_units(board, s, k0, k1, words[0] << ITEM_BITS | words[1], words[2] << ITEM_BITS | words[3], number)


@kernel("int64(int64[::1], int64, int64[::1])")
def read_items(s: Words, row: int, items: Words) -> int:
    """Write the units aboard a ship; return how many."""
    count = 0
    for place in range(MOST_CARGO):
        item = item_of(s, row, place)
        if item > 0:
            items[count] = item
            count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def find_group(board: Words, s: Words, area: int, kind: int, variant: int) -> int:
    """The row of the mover's group that an order is for."""
    return int(find_row(board, s, pack_place(area, s[MOVER], kind, 0, -1), 0, 0, 0) + variant * STACK)


@kernel("void(int64[::1], int64[::1], int64, int64, int64)")
def load_units(board: Words, s: Words, row: int, zone: int, count: int) -> None:
    """Land units go aboard, each onto an own transport if any has room, the fullest first."""
    kind, mover = kind_of(s, row), s[MOVER]
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    items = np.zeros(MOST_CARGO + 1, dtype=np.int64)
    late = 0 if s[PHASE] == COMBAT else LOADED_LATE
    for _ in range(count):
        best, least, each = -1, 0, first_row(board, s, zone)
        while each < end_row(board, s) and area_of(s, each) == zone:
            if can_carry(board, s, each, trait(board, kind, LOAD)):
                rank = (power_of(s, each) != mover) * 1000 + room_left(board, s, each)
                if best < 0 or rank < least:
                    best, least = each, rank
            each += STACK
        held = read_items(s, best, items)
        items[held] = pack_item(mover, kind, 1, -1)
        k1 = pack_state(damage_of(s, best), marks_of(s, best) | late, landed_of(s, best))
        change_ship(board, s, best, s[best], k1, items, held + 1, 1)
    add_units(board, s, a, b, c, d, -count)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def may_unload(board: Words, s: Words, row: int, item: int, to: int) -> int:
    """Whether a unit may leave a transport for an area now."""
    mover, combat, power = s[MOVER], s[PHASE] == COMBAT, power_of(s, row)
    if item_power(item) != mover or item_to(item) >= 0 or not is_friend(board, mover, power):
        return 0
    landed, marks = landed_of(s, row), marks_of(s, row)
    if landed >= 0 and landed != to:
        return 0
    enemies = has_enemies(board, s, area_of(s, row), mover)
    if power != mover and (item_fresh(item) or enemies):
        return 0
    friendly = owns(board, s, to, mover) and not has_enemies(board, s, to, mover)
    if combat:
        return int(not (friendly and enemies) and not trait(board, item_kind(item), GUN))
    if marks & UNLOADED_EARLY:
        return 0
    return int(friendly and not enemies and not (marks & WAS_IN_BATTLE and marks & LOADED_LATE))


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64)")
def list_unloads(board: Words, s: Words, front: Words, orders: Words, count: int) -> int:
    """Write the orders to go ashore, one for each zone, kind and area."""
    begun = count
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if item_of(s, row, 0) == 0:
            continue
        zone = area_of(s, row)
        for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
            to = board[board[WAYS] + at]
            if board[board[SEA] + to]:
                continue
            for place in range(MOST_CARGO):
                item = item_of(s, row, place)
                if item == 0 or not may_unload(board, s, row, item, to):
                    continue
                order, known = order_number(UNLOADING, zone, item_kind(item), 0, to, -1), -1
                for each in range(begun, count):
                    if orders[each, 0] == order + 1:
                        known = each
                if known >= 0:
                    orders[known, 1] += s[row + 4]
                else:
                    count = tell(orders, count, order, s[row + 4])
    return count


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def unload_units(board: Words, s: Words, zone: int, kind: int, to: int, count: int) -> None:
    """Units leave their transports; where enemy ships are near they wait for the battle at sea."""
    mover, combat = s[MOVER], s[PHASE] == COMBAT
    waits = combat and has_enemies(board, s, zone, mover)
    items = np.zeros(MOST_CARGO + 1, dtype=np.int64)
    for _ in range(count):
        best, least, chosen, row = -1, 0, 0, first_row(board, s, zone)
        while row < end_row(board, s) and area_of(s, row) == zone:
            for place in range(MOST_CARGO):
                item = item_of(s, row, place)
                if item == 0 or item_kind(item) != kind or not may_unload(board, s, row, item, to):
                    continue
                rank = (landed_of(s, row) != to) * 100 + (power_of(s, row) != mover) * 10 + cargo_count(s, row)
                if best < 0 or rank < least:
                    best, least, chosen = row, rank, place
            row += STACK
        held = read_items(s, best, items)
        item = items[chosen]
        if waits:
            items[chosen] = pack_item(item_power(item), kind, item_fresh(item), to)
        else:
            for place in range(chosen, held - 1):
                items[place] = items[place + 1]
            held -= 1
        own = power_of(s, best) == mover
        marks, spent = marks_of(s, best), spent_of(s, best)
        if own:
            marks, spent = marks | (UNLOADED_EARLY if combat else 0), SPENT
        k0 = pack_place(zone, power_of(s, best), kind_of(s, best), spent, came_of(s, best))
        change_ship(board, s, best, k0, pack_state(damage_of(s, best), marks, to), items, held, 1)
        if not waits:
            add_units(board, s, pack_place(to, mover, kind, SPENT, zone), pack_state(0, 0, -1), 0, 0, 1)
    if combat and not waits:
        enter_area(board, s, to, mover)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def take_guests(board: Words, s: Words, area: int, power: int, to: int, room: int) -> None:
    """Fighters of allies leave a zone with the carriers of a power."""
    needed, others, row = 0, 0, first_row(board, s, area)
    while row < end_row(board, s) and area_of(s, row) == area:
        kind, whose = kind_of(s, row), power_of(s, row)
        if whose != power:
            others += s[row + 4] * trait(board, kind, DECK)
            if trait(board, kind, DOMAIN) == IN_AIR and is_friend(board, power, whose):
                needed += s[row + 4] * trait(board, kind, BERTH)
        row += STACK
    going = min(room, max(0, needed - others))
    row = first_row(board, s, area)
    while going > 0 and row < end_row(board, s) and area_of(s, row) == area:
        kind, whose = kind_of(s, row), power_of(s, row)
        berth = trait(board, kind, BERTH) if trait(board, kind, DOMAIN) == IN_AIR else 0
        aboard = 0
        if berth and whose != power and is_friend(board, power, whose):
            aboard = min(s[row + 4], going // berth)
        if aboard == 0:
            row += STACK
            continue
        going -= aboard * berth
        b, c, d, whole = s[row + 1], s[row + 2], s[row + 3], s[row + 4]
        k0 = pack_place(to, whose, kind, spent_of(s, row), came_of(s, row))
        add_units(board, s, s[row], b, c, d, -aboard)
        add_units(board, s, k0, b, c, d, aboard)
        if to < area:
            row = first_row(board, s, area)  # rows have moved
            if aboard < whole:
                break
        elif aboard < whole:
            row += STACK
