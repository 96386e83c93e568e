"""How a battle ends: areas taken, cargo ashore, fighters without a deck."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.landing import lose_stranded, may_land_on, room_at_sea
from kibitz.games.axis.full.kernels.layout import (
    BATTLE_AREA,
    BERTH,
    DOMAIN,
    DOOMED,
    DOOMED_LIST,
    FOUGHT,
    IN_AIR,
    MOST_CARGO,
    MOST_DOOMED,
    MOVER,
    OWNERS,
    POWERS,
    SEA,
    SPENT,
    STACK,
    UNLOADED_EARLY,
    WAYS,
    WAYS_FROM,
    Words,
    area_of,
    damage_of,
    is_friend,
    item_fresh,
    item_kind,
    item_power,
    item_to,
    kind_of,
    marks_of,
    pack_item,
    pack_place,
    pack_state,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.sides import (
    ATTACKER,
    DEFENDER,
    count_side,
    has_shots,
)
from kibitz.games.axis.full.kernels.stacks import (
    add_units,
    end_row,
    first_row,
    has_enemies,
    owns,
    take_area,
)  # fmt: skip
from kibitz.games.axis.full.kernels.transports import change_ship, read_items


@kernel("void(int64[::1], int64[::1], int64, int64, int64[::1])")
def keep_aboard(board: Words, s: Words, row: int, k0: int, items: Words) -> None:
    """Ships get another first word, and cargo that waited to land does not land after all."""
    held, waited = read_items(s, row, items), False
    for place in range(held):
        item = items[place]
        if item_to(item) >= 0:
            items[place], waited = pack_item(item_power(item), item_kind(item), item_fresh(item), -1), True
    k1 = pack_state(damage_of(s, row), marks_of(s, row) & ~UNLOADED_EARLY, -1) if waited else s[row + 1]
    change_ship(board, s, row, k0, k1, items, held, s[row + 4])


@kernel("void(int64[::1], int64[::1])")
def end_battle(board: Words, s: Words) -> None:
    """Survivors take the area, cargo that waited goes ashore, and fighters look for a deck."""
    area, power = s[BATTLE_AREA] - 1, s[MOVER]
    standing = count_side(board, s, area, ATTACKER, -2) > 0
    defended = count_side(board, s, area, DEFENDER, -1) > 0
    for side in range(2):
        base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
        s[base : base + s[DOOMED + side] * STACK] = 0
    for place in range(BATTLE_AREA, DOOMED + 2):
        s[place] = 0
    s[board[FOUGHT] + area] = 1
    if board[board[SEA] + area]:
        land_cargo(board, s, area)
        save_fighters(board, s, area)
    elif standing and not defended and not owns(board, s, area, power):
        take_area(board, s, area, power)


@kernel("void(int64[::1], int64[::1], int64)")
def land_cargo(board: Words, s: Words, zone: int) -> None:
    """Cargo that waited for a battle at sea goes ashore if no enemy is left there, and else stays aboard."""
    power = s[MOVER]
    won = not has_enemies(board, s, zone, power)
    items, kept = np.zeros(MOST_CARGO + 1, dtype=np.int64), np.zeros(MOST_CARGO + 1, dtype=np.int64)
    again = True
    while again:
        again = False
        row = first_row(board, s, zone)
        while row < end_row(board, s) and area_of(s, row) == zone:
            held, staying, waits = read_items(s, row, items), 0, False
            for place in range(held):
                if item_to(items[place]) >= 0:
                    waits = True
                else:
                    kept[staying] = items[place]
                    staying += 1
            if not waits or power_of(s, row) != power:
                row += STACK
                continue
            number = s[row + 4]
            if won:
                change_ship(board, s, row, s[row], s[row + 1], kept, staying, number)
                for place in range(held):
                    to = item_to(items[place])
                    if to >= 0:
                        k0 = pack_place(to, power, item_kind(items[place]), SPENT, zone)
                        add_units(board, s, k0, pack_state(0, 0, -1), 0, 0, number)
            else:
                keep_aboard(board, s, row, s[row], items)
            again = True
            break


@kernel("void(int64[::1], int64[::1], int64)")
def save_fighters(board: Words, s: Words, zone: int) -> None:
    """Defending fighters without a carrier go one step to friendly land or a carrier with room, or are lost."""
    for power in range(board[POWERS]):
        if power == s[MOVER]:
            continue
        if is_friend(board, s[MOVER], power):
            lose_stranded(board, s, power, zone)
            continue
        rows = np.zeros((MOST_DOOMED, STACK), dtype=np.int64)
        count = list_stranded(board, s, zone, power, rows)
        for number in range(count):
            for _ in range(rows[number, 4]):
                a, b, c, d = rows[number, 0], rows[number, 1], rows[number, 2], rows[number, 3]
                kind, spent, came = a >> 18 & 255, a >> 11 & 127, (a & 2047) - 1
                place = find_refuge(board, s, zone, power, kind)
                add_units(board, s, a, b, c, d, -1)
                if place >= 0:
                    add_units(board, s, pack_place(place, power, kind, spent, came), b, c, d, 1)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64[:, ::1])")
def list_stranded(board: Words, s: Words, area: int, power: int, rows: Words) -> int:
    """Write the aircraft of a power that have no place where they are: four words of the stack, and how many."""
    if may_land_on(board, s, area, power):
        return 0
    room = room_at_sea(board, s, area, power) if board[board[SEA] + area] else 0
    count, row = 0, first_row(board, s, area)
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        if power_of(s, row) == power and trait(board, kind, DOMAIN) == IN_AIR:
            berth = trait(board, kind, BERTH)
            kept = min(s[row + 4], room // berth) if berth else 0
            room -= kept * berth
            if s[row + 4] > kept and count < MOST_DOOMED:
                for part in range(4):
                    rows[count, part] = s[row + part]
                rows[count, 4] = s[row + 4] - kept
                count += 1
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def find_refuge(board: Words, s: Words, zone: int, power: int, kind: int) -> int:
    """Where a fighter without a carrier goes; -1 if it is lost."""
    land = -1
    for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
        to = board[board[WAYS] + at]
        owner = s[board[OWNERS] + to]
        if not board[board[SEA] + to] and is_friend(board, power, owner):
            if owner == power:
                return int(to)
            land = to if land < 0 else land
    if land >= 0:
        return int(land)
    rows = np.zeros((MOST_DOOMED, STACK), dtype=np.int64)
    berth = trait(board, kind, BERTH)
    for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
        to = board[board[WAYS] + at]
        if board[board[SEA] + to] and berth:
            after = s.copy()
            add_units(board, after, pack_place(to, power, kind, 0, -1), pack_state(0, 0, -1), 0, 0, 1)
            if list_stranded(board, after, to, power, rows) == 0:
                return int(to)
    return -1


@kernel("void(int64[::1], int64[::1])")
def end_if_decided(board: Words, s: Words) -> None:
    """The battle ends if a side is gone, or if nobody can hit any more."""
    area, able = s[BATTLE_AREA] - 1, False
    both = count_side(board, s, area, ATTACKER, -1) > 0 and count_side(board, s, area, DEFENDER, -1) > 0
    for side in range(2 if both else 0):
        able = able or bool(has_shots(board, s, area, side, 1) or has_shots(board, s, area, side, 0))
    if not able:
        end_battle(board, s)
