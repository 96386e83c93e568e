"""Where aircraft can land: on land, or on carriers that can still be where they can be. Twin of `landing`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    AIR,
    AREAS,
    BERTH,
    BOUGHT,
    BY_SEA,
    COMBAT,
    DECK,
    DOMAIN,
    FACTORIES,
    IN_AIR,
    KAMIKAZE,
    KINDS,
    LHTR_CARRIERS,
    MOVER,
    NONCOMBAT,
    OWNERS,
    PHASE,
    SEA,
    SEA_FROM,
    STACK,
    STACKS,
    SUBMERGED,
    TAKEN,
    UNITS,
    ZONE_NUMBER,
    ZONE_WORDS,
    Words,
    area_of,
    is_friend,
    kind_of,
    marks_of,
    movement_left,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.routes import MOST_ROUTES, NEAREST, ROUTE, sea_routes
from kibitz.games.axis.full.kernels.stacks import end_row, first_row

MOST_DECKS = 120
"""The most carriers, and the most aircraft that need one."""
MOST_TRIED = 100_000
"""The most steps in which aircraft are shared out among carriers."""
SETS = "uint64[:, ::1]"
Sets = np.ndarray


@kernel("void(int64[::1], uint64[::1], int64)")
def mark_zone(board: Words, zones: Sets, area: int) -> None:
    """Put a zone into a set of zones."""
    number = board[board[ZONE_NUMBER] + area]
    zones[number // 64] |= np.uint64(1) << np.uint64(number % 64)


@kernel("void(int64[::1], uint64[::1], int64, int64)")
def mark_reach(board: Words, zones: Sets, area: int, left: int) -> None:
    """Put the zones within so many steps of an area into a set."""
    row = board[AIR] + area * board[AREAS]
    for zone in range(board[AREAS]):
        if board[row + zone] <= left and board[board[SEA] + zone]:
            mark_zone(board, zones, zone)


@kernel("int64(int64[::1], int64[::1], int64[::1], uint64[:, ::1], int64[::1])")
def list_decks(board: Words, s: Words, front: Words, zones: Sets, rooms: Words) -> int:
    """Write of every carrier that the mover's aircraft may use the zones it can end in, and its room."""
    mover, count, row, end = s[MOVER], 0, board[STACKS], end_row(board, s)
    routes = np.empty(MOST_ROUTES * ROUTE, dtype=np.int64)
    while row < end:
        area, start, guests, carriers = area_of(s, row), row, 0, 0
        while row < end and area_of(s, row) == area:
            kind, power = kind_of(s, row), power_of(s, row)
            if is_friend(board, mover, power):
                carriers += trait(board, kind, DECK) > 0
                if trait(board, kind, DOMAIN) == IN_AIR and power != mover:
                    guests += s[row + 4] * trait(board, kind, BERTH)
            row += STACK
        for own in range(2 if carriers else 0):
            for each in range(start, row, STACK):
                deck, power = trait(board, kind_of(s, each), DECK), power_of(s, each)
                if deck == 0 or not is_friend(board, mover, power) or (power == mover) != (own == 1):
                    continue
                reach = 0
                if own and (s[PHASE] == NONCOMBAT or (s[PHASE] == COMBAT and not front[area])):
                    reach = sea_routes(board, s, each, front, 1, routes)
                for _ in range(s[each + 4]):
                    used = min(deck, guests)
                    guests -= used
                    if used < deck and count < MOST_DECKS:
                        zones[count] = np.uint64(0)
                        mark_zone(board, zones[count], area)
                        for number in range(reach):
                            mark_zone(board, zones[count], routes[number * ROUTE])
                        rooms[count] = deck - used
                        count += 1
    return count + (list_new_decks(board, s, zones, rooms, count) if board[LHTR_CARRIERS] else 0)


@kernel("int64(int64[::1], int64[::1], uint64[:, ::1], int64[::1], int64)")
def list_new_decks(board: Words, s: Words, zones: Sets, rooms: Words, count: int) -> int:
    """The same of carriers that are bought and will be placed beside a factory."""
    more = 0
    for kind in range(board[KINDS]):
        for _ in range(s[board[BOUGHT] + kind] if trait(board, kind, DECK) else 0):
            if count + more >= MOST_DECKS:
                return more
            zones[count + more] = np.uint64(0)
            for area in range(board[AREAS]):
                if s[board[FACTORIES] + area] and s[board[OWNERS] + area] == s[MOVER] and not s[board[TAKEN] + area]:
                    for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
                        mark_zone(board, zones[count + more], board[board[BY_SEA] + at])
            rooms[count + more] = trait(board, kind, DECK)
            more += 1
    return more


@kernel("int64(int64[::1], int64[::1], int64[::1], int64, int64, int64[::1])")
def list_needy(board: Words, s: Words, front: Words, without: int, fewer: int, needy: Words) -> int:
    """Write area, movement left and berth of the mover's aircraft that reach no land; -1 if one can use no carrier.

    Of the stack in the row *without*, *fewer* units are left out.
    """
    near, count = NEAREST * board[AREAS], 0
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        kind = kind_of(s, row)
        if power_of(s, row) != s[MOVER] or trait(board, kind, DOMAIN) != IN_AIR:
            continue
        left, units = movement_left(board, s, row), s[row + 4] - (fewer if row == without else 0)
        if units == 0 or front[near + area_of(s, row)] <= left:
            continue
        if trait(board, kind, BERTH) == 0:
            return -1
        for _ in range(units):
            if count < MOST_DECKS:
                needy[3 * count], needy[3 * count + 1] = area_of(s, row), left
                needy[3 * count + 2] = trait(board, kind, BERTH)
                count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64, uint64[:, ::1], int64[::1], int64)")
def can_seat(board: Words, needy: Words, count: int, zones: Sets, rooms: Words, decks: int) -> int:
    """Whether all needy aircraft find a carrier that can be where they can be. Zones and rooms stay as they are."""
    berths, room = 0, 0
    for number in range(count):
        berths += needy[3 * number + 2]
    for deck in range(decks):
        room += rooms[deck]
    if berths > room:
        return 0
    words = board[ZONE_WORDS]
    reach = np.zeros((count + 1, words), dtype=np.uint64)
    kept = np.zeros((count + 1, words), dtype=np.uint64)
    choice = np.full(count + 1, -1, dtype=np.int64)
    for number in range(count):
        mark_reach(board, reach[number], needy[3 * number], needy[3 * number + 1])
    at, found, tried = 0, 1, 0
    while at < count:
        tried += 1
        if tried > MOST_TRIED:  # so many aircraft and carriers that nobody can tell
            for number in range(at - 1, -1, -1):
                unseat(number, choice[number], needy, kept, zones, rooms)
            return 0
        place, seated = choice[at], False
        for deck in range(place + 1, decks):
            both = False
            for word in range(words):
                both = both or (zones[deck, word] & reach[at, word]) != np.uint64(0)
            if rooms[deck] >= needy[3 * at + 2] and both:
                for word in range(words):
                    kept[at, word] = zones[deck, word]
                    zones[deck, word] &= reach[at, word]
                rooms[deck] -= needy[3 * at + 2]
                choice[at], seated = deck, True
                break
        if seated:
            at += 1
            choice[at] = -1
            continue
        at -= 1
        if at < 0:
            found = 0
            break
        unseat(at, choice[at], needy, kept, zones, rooms)
    if found:
        for number in range(count - 1, -1, -1):
            unseat(number, choice[number], needy, kept, zones, rooms)
    return found


@kernel("void(int64, int64, int64[::1], uint64[:, ::1], uint64[:, ::1], int64[::1])")
def unseat(number: int, deck: int, needy: Words, kept: Sets, zones: Sets, rooms: Words) -> None:
    """Take back that an aircraft uses a carrier."""
    for word in range(kept.shape[1]):
        zones[deck, word] = kept[number, word]
    rooms[deck] += needy[3 * number + 2]


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def all_can_land(board: Words, s: Words, front: Words) -> int:
    """Whether every aircraft of the mover has a place to land. Twin of `aircraft_can_land`."""
    if board[KAMIKAZE]:
        return 1
    needy = np.empty(3 * MOST_DECKS + 3, dtype=np.int64)
    count = list_needy(board, s, front, -1, 0, needy)
    if count <= 0:
        return int(count == 0)
    zones, rooms = np.zeros((MOST_DECKS, board[ZONE_WORDS]), dtype=np.uint64), np.zeros(MOST_DECKS, dtype=np.int64)
    return can_seat(board, needy, count, zones, rooms, list_decks(board, s, front, zones, rooms))


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def room_at_sea(board: Words, s: Words, zone: int, power: int) -> int:
    """The room for aircraft of a power on the carriers in a zone, and on those that will be placed there."""
    decks, guests = 0, 0
    row, end = first_row(board, s, zone), end_row(board, s)
    while row < end and area_of(s, row) == zone:
        kind, whose = kind_of(s, row), power_of(s, row)
        if is_friend(board, power, whose):
            if trait(board, kind, DECK) and not marks_of(s, row) & SUBMERGED:
                decks += s[row + 4] * trait(board, kind, DECK)
            elif trait(board, kind, DOMAIN) == IN_AIR and whose != power:
                guests += s[row + 4] * trait(board, kind, BERTH)
        row += STACK
    room = max(0, decks - guests)
    if s[PHASE] == NONCOMBAT and board[LHTR_CARRIERS] and power == s[MOVER]:
        beside = False
        for area in range(board[AREAS]):
            if s[board[FACTORIES] + area] and s[board[OWNERS] + area] == power and not s[board[TAKEN] + area]:
                for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
                    beside = beside or board[board[BY_SEA] + at] == zone
        if beside:
            for kind in range(board[KINDS]):
                room += trait(board, kind, DECK) * s[board[BOUGHT] + kind]
    return room


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def may_land_on(board: Words, s: Words, area: int, power: int) -> int:
    """Whether aircraft of a power may end the turn on this land."""
    owner = s[board[OWNERS] + area]
    return int(not board[board[SEA] + area] and is_friend(board, power, owner) and not s[board[TAKEN] + area])


@kernel("void(int64[::1], int64[::1], int64, int64)")
def lose_stranded(board: Words, s: Words, power: int, only: int) -> None:
    """Aircraft of a power without a place are lost, everywhere or (*only* >= 0) in one area."""
    row = board[STACKS]
    while row < end_row(board, s):
        area = area_of(s, row)
        flying = power_of(s, row) == power and trait(board, kind_of(s, row), DOMAIN) == IN_AIR
        if not flying or (only >= 0 and area != only) or may_land_on(board, s, area, power):
            row += STACK
            continue
        room = room_at_sea(board, s, area, power) if board[board[SEA] + area] else 0
        while row < end_row(board, s) and area_of(s, row) == area:
            kind = kind_of(s, row)
            if power_of(s, row) == power and trait(board, kind, DOMAIN) == IN_AIR:
                berth = trait(board, kind, BERTH)
                kept = min(s[row + 4], room // berth) if berth else 0
                room -= kept * berth
                s[row + 4] = kept
            row += STACK
        # rows that are empty now go when the stacks are put in order
    remove_empty(board, s)


@kernel("void(int64[::1], int64[::1])")
def remove_empty(board: Words, s: Words) -> None:
    """Take away stacks without units."""
    base, kept, count = board[STACKS], 0, s[UNITS]
    for number in range(count):
        row = base + number * STACK
        if s[row + 4]:
            if kept != number:
                for part in range(STACK):
                    s[base + kept * STACK + part] = s[row + part]
            kept += 1
    for place in range(base + kept * STACK, base + count * STACK):
        s[place] = 0
    s[UNITS] = kept
