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
    KINDS,
    LHTR,
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
FEW_STEPS, MOST_STEPS = 200, 100_000
"""How many steps aircraft are shared out among carriers in, before and after it is asked whether it can be hopeless."""
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
    return count + (list_new_decks(board, s, zones, rooms, count) if board[LHTR] else 0)


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


@kernel("void(int64, int64, int64[::1], uint64[:, ::1], uint64[:, ::1], int64[::1])")
def unseat(number: int, deck: int, needy: Words, kept: Sets, zones: Sets, rooms: Words) -> None:
    """Take back that an aircraft uses a carrier."""
    for word in range(kept.shape[1]):
        zones[deck, word] = kept[number, word]
    rooms[deck] += needy[3 * number + 2]


@kernel("int64(int64[::1], int64, int64)")
def is_twin(needy: Words, number: int, traits: int) -> int:
    """Whether the first traits of an aircraft are those of the one before it."""
    for place in range(traits if number else 0):
        if needy[3 * number + place] != needy[3 * number - 3 + place]:
            return 0
    return int(number > 0)


@kernel("int64(uint64[::1], uint64[::1])")
def meets(one: Sets, other: Sets) -> int:
    """Whether two sets of zones share one."""
    for word in range(len(one)):
        if one[word] & other[word]:
            return 1
    return 0


@kernel("int64(int64[::1], int64, uint64[:, ::1], uint64[:, ::1], int64[::1], int64)")
def can_seat_apart(needy: Words, count: int, reach: Sets, zones: Sets, rooms: Words, decks: int) -> int:
    """Whether all aircraft find a carrier if a carrier could be in several zones at once: a matching."""
    least = needy[2]
    for number in range(count):
        least = min(least, needy[3 * number + 2])
    seat, taken = np.full(count, -1, dtype=np.int64), np.zeros(decks, dtype=np.int64)
    through, waiting = np.empty(decks, dtype=np.int64), np.empty(count, dtype=np.int64)
    for number in range(count):
        through[:] = -1
        waiting[0], read, end, free = number, 0, 1, -1
        while read < end and free < 0:
            asking = waiting[read]
            read += 1
            for deck in range(decks):
                if through[deck] >= 0 or not meets(zones[deck], reach[asking]):
                    continue
                through[deck] = asking
                if taken[deck] < rooms[deck] // least:
                    free = deck
                    break
                for other in range(number):
                    if seat[other] == deck:
                        waiting[end] = other
                        end += 1
        if free < 0:
            return 0
        taken[free] += 1
        while free >= 0:  # each gives its place to the one that asked for it
            asking = through[free]
            seat[asking], free = free, seat[asking]
    return 1


@kernel("int64(int64[::1], int64, uint64[:, ::1], uint64[:, ::1], int64[::1], int64, int64)")
def search_seats(needy: Words, count: int, reach: Sets, zones: Sets, rooms: Words, decks: int, most: int) -> int:
    """Whether all aircraft find carriers, by trying; -1 if so many steps do not tell."""
    kept = np.zeros((count + 1, zones.shape[1]), dtype=np.uint64)
    choice, first = np.full(count + 1, -1, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    at, found = 0, -1
    for _ in range(most):
        if at == count:
            found = 1
            break
        seated = False
        for deck in range(choice[at] + 1, decks):
            if rooms[deck] < needy[3 * at + 2] or not meets(zones[deck], reach[at]):
                continue
            if deck > first[at] and rooms[deck] == rooms[deck - 1] and same_zones(zones, deck):
                continue  # as good as the one before, which was tried
            for word in range(zones.shape[1]):
                kept[at, word] = zones[deck, word]
                zones[deck, word] &= reach[at, word]
            rooms[deck] -= needy[3 * at + 2]
            choice[at], seated = deck, True
            break
        if seated:
            at += 1  # aircraft that are alike take carriers in their order
            first[at] = choice[at - 1] if at < count and is_twin(needy, at, 3) else 0
            choice[at] = first[at] - 1
            continue
        if at == 0:
            return 0
        at -= 1
        unseat(at, choice[at], needy, kept, zones, rooms)
    for number in range(at - 1, -1, -1):
        unseat(number, choice[number], needy, kept, zones, rooms)
    return found


@kernel("int64(uint64[:, ::1], int64)")
def same_zones(zones: Sets, deck: int) -> int:
    """Whether a carrier can be where the one before it can be."""
    for word in range(zones.shape[1]):
        if zones[deck, word] != zones[deck - 1, word]:
            return 0
    return 1


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
    reach = np.zeros((count + 1, board[ZONE_WORDS]), dtype=np.uint64)
    for number in range(count):
        if is_twin(needy, number, 2):
            reach[number] = reach[number - 1]
        else:
            mark_reach(board, reach[number], needy[3 * number], needy[3 * number + 1])
    found = search_seats(needy, count, reach, zones, rooms, decks, FEW_STEPS)
    if found < 0 and can_seat_apart(needy, count, reach, zones, rooms, decks):
        found = search_seats(needy, count, reach, zones, rooms, decks, MOST_STEPS)
    return int(found == 1)


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def all_can_land(board: Words, s: Words, front: Words) -> int:
    """Whether every aircraft of the mover has a place to land. Twin of `aircraft_can_land`."""
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
    if s[PHASE] == NONCOMBAT and board[LHTR] and power == s[MOVER]:
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
