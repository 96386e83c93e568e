"""Research, purchase, raids, rockets and placing. Twin of `economy`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.economy import DIE, MOST_BOUGHT, MOST_ZONES, ROCKET_RANGE
from kibitz.games.axis.full.kernels.layout import (
    AIR,
    AREAS,
    AT_SEA,
    BERTH,
    BID,
    BID_PLACE,
    BOUGHT,
    BY_SEA,
    DECK,
    DOMAIN,
    FACTORIES,
    FACTORY,
    GUN,
    IN_AIR,
    KINDS,
    KNOWN,
    LHTR,
    LIMITS,
    MONEY,
    MOST_PLACED,
    MOST_ROCKETS,
    MOVER,
    OWNERS,
    PHASE,
    PLACED,
    PLACED_LIST,
    PRICES,
    PURSE,
    RAID,
    RAIDED,
    RAIDING,
    RESEARCH_ON,
    ROCKET_LIST,
    ROCKETS,
    SEA,
    SEA_FROM,
    STACK,
    STACKS,
    TAKEN,
    UNITS,
    VALUE,
    WITHDRAWN,
    Words,
    area_of,
    came_of,
    damage_of,
    is_friend,
    kind_of,
    landed_of,
    marks_of,
    pack_place,
    pack_state,
    power_of,
    spent_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.order_numbers import order_number, tell
from kibitz.games.axis.full.kernels.stacks import add_units, end_row, first_row, holds_capital, owns, sort_stacks
from kibitz.games.axis.full.orders import BOARD, BUY, DONE, FIRE_ROCKET, HOLD_ROCKET, INVEST, PUT
from kibitz.games.axis.full.units import ROCKETS as KNOWS_ROCKETS
from kibitz.games.axis.full.units import TECHNOLOGIES

TECHNOLOGY_COUNT = len(TECHNOLOGIES)


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_research(board: Words, s: Words, orders: Words) -> int:
    """Write the technologies that may be tried for, after `done`."""
    count, mover = tell(orders, 0, order_number(DONE, -1, -1, 0, -1, -1), 0), s[MOVER]
    if not board[RESEARCH_ON] or not holds_capital(board, s, mover):
        return count
    dice = s[board[MONEY] + mover] // DIE
    for technology in range(TECHNOLOGY_COUNT):
        if dice and not s[board[KNOWN] + mover] >> technology & 1:
            count = tell(orders, count, order_number(INVEST, -1, technology, 0, -1, -1), dice)
    return count


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_purchases(board: Words, s: Words, orders: Words) -> int:
    """Write what the money buys, after `done`."""
    count, mover = tell(orders, 0, order_number(DONE, -1, -1, 0, -1, -1), 0), s[MOVER]
    if not holds_capital(board, s, mover):
        return count
    money = s[PURSE] if s[PHASE] == BID else s[board[MONEY] + mover]
    for kind in range(board[KINDS]):
        price = board[board[PRICES] + mover * board[KINDS] + kind]
        most = min(MOST_BOUGHT, money // price) if price else 0
        if most:
            count = tell(orders, count, order_number(BUY, -1, kind, 0, -1, -1), most)
    return count


@kernel("void(int64[::1], int64[::1], int64, int64)")
def buy(board: Words, s: Words, kind: int, count: int) -> None:
    """A power buys units."""
    cost = count * board[board[PRICES] + s[MOVER] * board[KINDS] + kind]
    s[board[BOUGHT] + kind] += count
    if s[PHASE] == BID:
        s[PURSE] -= cost
    else:
        s[board[MONEY] + s[MOVER]] -= min(cost, s[board[MONEY] + s[MOVER]])


# Raids and rockets.


@kernel("int64(int64[::1], int64[::1], int64)")
def raiders(board: Words, s: Words, area: int) -> int:
    """How many aircraft raid an area."""
    row, count = first_row(board, s, area), 0
    while row < end_row(board, s) and area_of(s, row) == area:
        if power_of(s, row) == s[MOVER] and marks_of(s, row) & RAIDING:
            count += s[row + 4]
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64)")
def next_raid(board: Words, s: Words, after: int) -> int:
    """The first area behind *after* with aircraft on a raid; -1 if there is none."""
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if power_of(s, row) == s[MOVER] and marks_of(s, row) & RAIDING and area_of(s, row) > after:
            return area_of(s, row)
    return -1


@kernel("void(int64[::1], int64[::1], int64, int64)")
def damage_area(board: Words, s: Words, area: int, damage: int) -> None:
    """The owner of an area pays for the damage, and at most what it has."""
    before = max(0, s[board[RAIDED] + area])
    if board[LHTR]:
        damage = min(damage, max(0, board[board[VALUE] + area] - before))
    s[board[RAIDED] + area] = before + damage
    owner = s[board[OWNERS] + area]
    if owner >= 0:
        s[board[MONEY] + owner] -= min(damage, s[board[MONEY] + owner])


@kernel("void(int64[::1], int64[::1], int64)")
def finish_raid(board: Words, s: Words, damage: int) -> None:
    """The bombers have done their damage, and take part in no battle."""
    area = s[RAID]
    row = first_row(board, s, area)
    while row < end_row(board, s) and area_of(s, row) == area:
        marks = marks_of(s, row)
        if power_of(s, row) == s[MOVER] and marks & RAIDING:
            s[row + 1] = pack_state(damage_of(s, row), marks & ~RAIDING | WITHDRAWN, landed_of(s, row))
        row += STACK
    sort_stacks(board, s)
    s[RAID] = -1
    damage_area(board, s, area, damage)


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_rockets(board: Words, s: Words, orders: Words) -> int:
    """Write what the next gun with rockets may fire at; none if no gun is left to be asked about."""
    mover = s[MOVER]
    if not s[board[KNOWN] + mover] >> KNOWS_ROCKETS & 1 or s[ROCKETS] >= MOST_ROCKETS:
        return 0
    areas, rockets = board[AREAS], board[ROCKET_LIST]
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        area = area_of(s, row)
        if power_of(s, row) != mover or not trait(board, kind_of(s, row), GUN) or spent_of(s, row):
            continue
        known = s[board[TAKEN] + area] or board[board[SEA] + area]
        for each in range(s[ROCKETS]):
            known = known or s[rockets + 2 * each] == area
        if known:
            continue
        count = 0
        for to in range(areas):
            if not s[board[FACTORIES] + to] or board[board[AIR] + area * areas + to] > ROCKET_RANGE:
                continue
            aimed = owns(board, s, to, mover)
            for each in range(s[ROCKETS]):
                aimed = aimed or s[rockets + 2 * each + 1] == to
            if not aimed:
                count = tell(orders, count, order_number(FIRE_ROCKET, area, -1, 0, to, -1), 0)
        if count:
            return tell(orders, count, order_number(HOLD_ROCKET, area, -1, 0, -1, -1), 0)
    return 0


# Placing.


@kernel("int64(int64[::1], int64[::1], int64)")
def capacity(board: Words, s: Words, area: int) -> int:
    """How many units the mover's factory in an area makes in a turn; -1 if there is none that makes any."""
    if not s[board[FACTORIES] + area] or s[board[OWNERS] + area] != s[MOVER] or s[board[TAKEN] + area]:
        return -1
    placed = board[PLACED_LIST]
    for each in range(s[PLACED]):
        if s[placed + 3 * each + 1] == area and trait(board, s[placed + 3 * each], FACTORY):
            return -1
    return int(board[board[LIMITS] + area])


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def fits(board: Words, s: Words, kind: int, where: int, more: int) -> int:
    """Whether the factories can have made what was placed and these units, too: all groups of zones have room."""
    areas, placed = board[AREAS], board[PLACED_LIST]
    land = np.zeros(areas, dtype=np.int64)
    zones, counts, found = np.zeros(MOST_ZONES, dtype=np.int64), np.zeros(MOST_ZONES, dtype=np.int64), 0
    for each in range(s[PLACED] + 1):
        one, area, number = kind, where, more
        if each < s[PLACED]:
            one, area, number = s[placed + 3 * each], s[placed + 3 * each + 1], s[placed + 3 * each + 2]
        if trait(board, one, FACTORY):
            continue
        if not board[board[SEA] + area]:
            land[area] += number
            continue
        known = -1
        for zone in range(found):
            known = zone if zones[zone] == area else known
        if known < 0:
            if found == MOST_ZONES:
                return 0
            known, found = found, found + 1
            zones[known] = area
        counts[known] += number
    rooms = np.zeros(areas, dtype=np.int64)
    beside = np.zeros(areas, dtype=np.int64)
    for area in range(areas):
        rooms[area] = max(0, capacity(board, s, area)) - land[area]
        if rooms[area] < 0:
            return 0
        if rooms[area]:
            for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
                for zone in range(found):
                    if zones[zone] == board[board[BY_SEA] + at]:
                        beside[area] |= 1 << zone
    for group in range(1, 1 << found):
        wanted, room = 0, 0
        for zone in range(found):
            wanted += counts[zone] if group >> zone & 1 else 0
        for area in range(areas):
            room += rooms[area] if beside[area] & group else 0
        if wanted > room:
            return 0
    return 1


@kernel("int64(int64[::1], int64[::1], int64)")
def deck_room(board: Words, s: Words, zone: int) -> int:
    """What room the carriers in a zone have left for fighters of the mover."""
    room, row = 0, first_row(board, s, zone)
    while row < end_row(board, s) and area_of(s, row) == zone:
        kind = kind_of(s, row)
        if is_friend(board, s[MOVER], power_of(s, row)):
            berth = trait(board, kind, BERTH) if trait(board, kind, DOMAIN) == IN_AIR else 0
            room += s[row + 4] * (trait(board, kind, DECK) - berth)
        row += STACK
    return max(0, room)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def may_be_placed(board: Words, s: Words, kind: int, area: int, beside: int) -> int:
    """Whether a kind belongs into an area; *beside* says whether the area is beside land that may make it."""
    free, sea = s[PHASE] == BID_PLACE, board[board[SEA] + area]
    own = s[board[OWNERS] + area] == s[MOVER] and not s[board[TAKEN] + area] and not sea
    if trait(board, kind, FACTORY):
        return int(own and not s[board[FACTORIES] + area])
    domain = trait(board, kind, DOMAIN)
    if sea:
        guest = domain == IN_AIR and trait(board, kind, BERTH)
        return int(beside and (domain == AT_SEA or guest))
    return int(domain != AT_SEA and (own if free else capacity(board, s, area) >= 0))


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_placings(board: Words, s: Words, orders: Words) -> int:
    """Write where bought units may be placed, and fighters that may go onto new carriers, after `done`."""
    areas, mover, free = board[AREAS], s[MOVER], s[PHASE] == BID_PLACE
    count = tell(orders, 0, order_number(DONE, -1, -1, 0, -1, -1), 0)
    makers, beside = np.zeros(areas, dtype=np.int64), np.zeros(areas, dtype=np.int64)
    for area in range(areas):
        own = s[board[OWNERS] + area] == mover and not s[board[TAKEN] + area] and not board[board[SEA] + area]
        makers[area] = capacity(board, s, area) >= 0
        if own if free else makers[area]:
            for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
                beside[board[board[BY_SEA] + at]] = 1
    for kind in range(board[KINDS]):
        for area in range(areas if s[board[BOUGHT] + kind] else 0):
            if not may_be_placed(board, s, kind, area, beside[area]):
                continue
            most = most_placed(board, s, kind, area, free)
            if most:
                count = tell(orders, count, order_number(PUT, -1, kind, 0, area, -1), most)
    for each in range(0 if board[LHTR] else s[PLACED]):
        placed = board[PLACED_LIST] + 3 * each
        zone, again = s[placed + 1], False
        for before in range(each):
            other = board[PLACED_LIST] + 3 * before
            again = again or bool(s[other + 1] == zone and trait(board, s[other], DECK) > 0)
        if not again and trait(board, s[placed], DECK):
            count = list_boardings(board, s, zone, makers, orders, count)
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def most_placed(board: Words, s: Words, kind: int, area: int, free: int) -> int:
    """How many units of a kind may be placed in an area."""
    if trait(board, kind, FACTORY):
        return 1
    berth = trait(board, kind, BERTH) if trait(board, kind, DOMAIN) == IN_AIR else 0
    low, high = 0, s[board[BOUGHT] + kind]
    if berth and board[board[SEA] + area]:
        high = min(high, deck_room(board, s, area) // berth)
    while low < high and not free:  # what fits for many fits for fewer
        middle = (low + high + 1) // 2
        if fits(board, s, kind, area, middle):
            low = middle
        else:
            high = middle - 1
    return int(high)


@kernel("int64(int64[::1], int64[::1], int64, int64[::1], int64[:, ::1], int64)")
def list_boardings(board: Words, s: Words, zone: int, makers: Words, orders: Words, count: int) -> int:
    """Write the fighters beside factories that may go onto a carrier placed in a zone."""
    room = deck_room(board, s, zone)
    for area in range(board[AREAS]):
        near = False
        for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
            near = near or board[board[BY_SEA] + at] == zone
        if not near or not makers[area]:
            continue
        for kind in range(board[KINDS]):
            berth = trait(board, kind, BERTH) if trait(board, kind, DOMAIN) == IN_AIR else 0
            number, row = 0, first_row(board, s, area)
            while berth and row < end_row(board, s) and area_of(s, row) == area:
                if power_of(s, row) == s[MOVER] and kind_of(s, row) == kind:
                    number += s[row + 4]
                row += STACK
            if berth and min(number, room // berth) > 0:
                count = tell(orders, count, order_number(BOARD, area, kind, 0, zone, -1), min(number, room // berth))
    return count


@kernel("void(int64[::1], int64[::1], int64, int64, int64)")
def place_units(board: Words, s: Words, kind: int, area: int, count: int) -> None:
    """Bought units come onto the board."""
    s[board[BOUGHT] + kind] -= count
    base, at = board[PLACED_LIST], 0
    while at < s[PLACED]:
        one, where = s[base + 3 * at], s[base + 3 * at + 1]
        if one > kind or (one == kind and where >= area):
            break
        at += 1
    row = base + 3 * at
    if at < s[PLACED] and s[row] == kind and s[row + 1] == area:
        s[row + 2] += count
    elif s[PLACED] < MOST_PLACED:
        for place in range(base + 3 * s[PLACED] - 1, row - 1, -1):
            s[place + 3] = s[place]
        s[row], s[row + 1], s[row + 2] = kind, area, count
        s[PLACED] += 1
    if trait(board, kind, FACTORY):
        s[board[FACTORIES] + area] = 1
    else:
        add_units(board, s, pack_place(area, s[MOVER], kind, 0, -1), pack_state(0, 0, -1), 0, 0, count)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def board_carrier(board: Words, s: Words, area: int, kind: int, zone: int, count: int) -> None:
    """Fighters beside a factory go onto a carrier that was just placed."""
    for _ in range(count):
        row = first_row(board, s, area)
        while power_of(s, row) != s[MOVER] or kind_of(s, row) != kind:
            row += STACK
        b, c, d = s[row + 1], s[row + 2], s[row + 3]
        k0 = pack_place(zone, s[MOVER], kind, spent_of(s, row), came_of(s, row))
        add_units(board, s, s[row], b, c, d, -1)
        add_units(board, s, k0, b, c, d, 1)
