"""Orders of the phases of moves, and what they do. Twin of `orders`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.landing import (
    MOST_DECKS,
    all_can_land,
    can_seat,
    list_decks,
    list_needy,
)  # fmt: skip
from kibitz.games.axis.full.kernels.layout import (
    AIR,
    AREAS,
    AT_SEA,
    BERTH,
    COMBAT,
    DECK,
    DOMAIN,
    FACTORIES,
    FAR,
    FOUGHT,
    GUN,
    IN_AIR,
    LHTR,
    MOST_OVERFLOWN,
    MOVER,
    ON_LAND,
    OVER_AREAS,
    OVER_COUNT,
    OVER_NUMBER,
    OVER_STACK,
    OWNERS,
    PHASE,
    RAIDED,
    RAIDING,
    RAIDS,
    SEA,
    STACK,
    STACKS,
    UNITS,
    WAYS,
    WAYS_FROM,
    ZONE_WORDS,
    Words,
    area_of,
    came_of,
    damage_of,
    kind_of,
    landed_of,
    marks_of,
    movement_left,
    pack_place,
    pack_state,
    power_of,
    spent_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.order_numbers import order_number, tell
from kibitz.games.axis.full.kernels.routes import (
    FRIEND,
    MOST_ROUTES,
    NEAREST,
    ROUTE,
    land_routes,
    measure_land,
    route_to,
    sea_routes,
    see_front,
)  # fmt: skip
from kibitz.games.axis.full.kernels.stacks import (
    add_units,
    enter_area,
    has_enemy_trait,
    take_area,
)  # fmt: skip
from kibitz.games.axis.full.kernels.transports import find_group, list_loads, list_unloads, take_guests
from kibitz.games.axis.full.orders import DONE, MOVE, RAID


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def list_moves(board: Words, s: Words, orders: Words) -> int:
    """Write all orders of a phase of moves; return how many."""
    areas, mover = board[AREAS], s[MOVER]
    front = np.zeros(6 * areas + 2, dtype=np.int64)
    routes = np.empty(MOST_ROUTES * ROUTE, dtype=np.int64)
    see_front(board, s, front)
    count = tell(orders, 0, order_number(DONE, -1, -1, 0, -1, -1), 0)
    measured, variant, same, needed = 0, 0, -1, -1
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if power_of(s, row) != mover:
            continue
        kind, area = kind_of(s, row), area_of(s, row)
        group = area * 256 + kind
        variant = variant + 1 if group == same else 0
        same = group
        domain = trait(board, kind, DOMAIN)
        if domain == IN_AIR:
            if not measured:
                measure_land(board, s, front)
                measured = 1
            continue
        if domain == ON_LAND:
            found = land_routes(board, s, row, front, routes)
        else:
            found = sea_routes(board, s, row, front, 0, routes)
        guarded = 0
        if domain == AT_SEA and trait(board, kind, DECK) and found:
            if not measured:
                measure_land(board, s, front)
                measured = 1
            needed = needs_decks(board, s, front) if needed < 0 else needed
            guarded = needed
        for route in range(found):
            to, via, most = routes[route * ROUTE], routes[route * ROUTE + 1], s[row + 4]
            if guarded:
                most = most_carriers(board, s, row, to, routes[route * ROUTE + 2], routes[route * ROUTE + 3])
            if most:
                count = tell(orders, count, order_number(MOVE, area, kind, variant, to, via), most)
        if domain == ON_LAND:
            count = list_loads(board, s, row, variant, front, orders, count)
    if measured:
        count = list_flights(board, s, front, orders, count)
    return list_unloads(board, s, front, orders, count)


@kernel("int64(int64[::1], int64[::1], int64[::1])")
def needs_decks(board: Words, s: Words, front: Words) -> int:
    """Whether some aircraft need carriers, and all find one now: then carriers may not go just anywhere."""
    needy = np.empty(3 * MOST_DECKS + 3, dtype=np.int64)
    count = list_needy(board, s, front, -1, 0, needy)
    return int(count > 0 and all_can_land(board, s, front))


@kernel("int64(int64[::1], int64[::1], int64, int64, int64, int64)")
def most_carriers(board: Words, s: Words, row: int, to: int, length: int, before: int) -> int:
    """How many carriers of a stack may go there without leaving aircraft behind."""
    for most in range(s[row + 4], 0, -1):
        after = s.copy()
        go(board, after, row, to, length, before, most)
        front = np.zeros(6 * board[AREAS] + 2, dtype=np.int64)
        see_front(board, after, front)
        measure_land(board, after, front)
        if all_can_land(board, after, front):
            return most
    return 0


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64)")
def list_flights(board: Words, s: Words, front: Words, orders: Words, count: int) -> int:
    """Write the moves and raids of aircraft after which all can still land."""
    areas, mover, near = board[AREAS], s[MOVER], NEAREST * board[AREAS]
    zones, rooms = np.zeros((MOST_DECKS, board[ZONE_WORDS]), dtype=np.uint64), np.zeros(MOST_DECKS, dtype=np.int64)
    needy = np.empty(3 * MOST_DECKS + 3, dtype=np.int64)
    decks = list_decks(board, s, front, zones, rooms)
    harbour = np.full(areas, FAR, dtype=np.int64)
    mark_harbours(board, zones, decks, harbour)
    base = list_needy(board, s, front, -1, 0, needy)
    landed = base == 0 or (base > 0 and can_seat(board, needy, base, zones, rooms, decks))
    variant, same = 0, -1
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if power_of(s, row) != mover:
            continue
        kind, area = kind_of(s, row), area_of(s, row)
        variant = variant + 1 if area * 256 + kind == same else 0
        same = area * 256 + kind
        if trait(board, kind, DOMAIN) != IN_AIR or marks_of(s, row) & RAIDING:
            continue
        left, guest = movement_left(board, s, row), trait(board, kind, BERTH)
        for to in range(areas):
            far = board[board[AIR] + area * areas + to]
            if far == 0 or far > left:
                continue
            most = s[row + 4]
            if front[near + to] > left - far:
                if not guest or harbour[to] > left - far:
                    continue
                most = most_seated(board, s, front, row, to, left - far, landed, zones, rooms, decks, needy)
            if most == 0:
                continue
            count = tell(orders, count, order_number(MOVE, area, kind, variant, to, -1), most)
            raids = trait(board, kind, RAIDS) and s[PHASE] == COMBAT and s[board[FACTORIES] + to]
            if raids and s[board[OWNERS] + to] >= 0 and not front[FRIEND * areas + to]:
                count = tell(orders, count, order_number(RAID, area, kind, variant, to, -1), most)
    return count


@kernel("void(int64[::1], uint64[:, ::1], int64, int64[::1])")
def mark_harbours(board: Words, zones: Words, decks: int, harbour: Words) -> None:
    """Write how far every area is from a zone in which a carrier with room can be."""
    areas = board[AREAS]
    zone_number = 0
    for zone in range(areas):
        if not board[board[SEA] + zone]:
            continue
        held = False
        for deck in range(decks):
            held = held or (zones[deck, zone_number // 64] >> np.uint64(zone_number % 64)) & np.uint64(1) != np.uint64(
                0
            )
        zone_number += 1
        if held:
            for area in range(areas):
                harbour[area] = min(harbour[area], board[board[AIR] + zone * areas + area])


@kernel(
    "int64(int64[::1], int64[::1], int64[::1], int64, int64, int64, int64,"
    " uint64[:, ::1], int64[::1], int64, int64[::1])"
)
def most_seated(
    board: Words,
    s: Words,
    front: Words,
    row: int,
    to: int,
    left: int,
    landed: int,
    zones: Words,
    rooms: Words,
    decks: int,
    needy: Words,
) -> int:
    """How many aircraft of a stack may fly where only carriers can take them.

    Where some are lost already (not *landed*), these at least must land.
    """
    for most in range(s[row + 4], 0, -1):
        count = list_needy(board, s, front, row, most, needy) if landed else 0
        if count < 0:
            continue
        for _ in range(most):
            if count < MOST_DECKS:
                needy[3 * count], needy[3 * count + 1] = to, left
                needy[3 * count + 2] = trait(board, kind_of(s, row), BERTH)
                count += 1
        if can_seat(board, needy, count, zones, rooms, decks):
            return most
    return 0


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def go(board: Words, s: Words, row: int, to: int, length: int, before: int, count: int) -> None:
    """Land units or ships go along a route; fighters of allies go with the carrier they stand on."""
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    kind, power, area = kind_of(s, row), power_of(s, row), area_of(s, row)
    k0 = pack_place(to, power, kind, spent_of(s, row) + length, before)
    if trait(board, kind, DECK):
        take_guests(board, s, area, power, to, trait(board, kind, DECK) * count)
    add_units(board, s, a, b, c, d, -count)
    add_units(board, s, k0, b, c, d, count)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64)")
def fly(board: Words, s: Words, row: int, to: int, raids: int, count: int) -> None:
    """Aircraft go to an area; guns on their way fire afterwards."""
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    area = area_of(s, row)
    length = board[board[AIR] + area * board[AREAS] + to]
    k0 = pack_place(to, power_of(s, row), kind_of(s, row), spent_of(s, row) + length, came_of(s, row))
    k1 = pack_state(damage_of(s, row), marks_of(s, row) | (RAIDING if raids else 0), landed_of(s, row))
    guns = 0 if board[LHTR] else find_guns(board, s, area, to)
    add_units(board, s, a, b, c, d, -count)
    add_units(board, s, k0, k1, c, d, count)
    if guns:
        s[OVER_NUMBER], s[OVER_COUNT] = count, guns
        s[OVER_STACK], s[OVER_STACK + 1], s[OVER_STACK + 2], s[OVER_STACK + 3] = k0, k1, c, d


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def find_guns(board: Words, s: Words, start: int, to: int) -> int:
    """Write the areas whose guns fire on the shortest way with fewest guns; return how many. Twin of `gun_areas`."""
    areas, mover = board[AREAS], s[MOVER]
    met = s[board[FOUGHT] + start] or s[board[RAIDED] + start] >= 0
    length = board[board[AIR] + start * areas + to]
    width = MOST_OVERFLOWN + 2
    now, following = np.zeros((areas, width), dtype=np.int64), np.zeros((areas, width), dtype=np.int64)
    place_of = np.full(areas, -1, dtype=np.int64)
    now[0, 0] = start
    if has_enemy_trait(board, s, start, mover, GUN) and not met:
        now[0, 1], now[0, 2] = 1, start
    count = 1
    for _ in range(length):
        found = 0
        place_of[:] = -1
        for number in range(count):
            place = now[number, 0]
            for at in range(board[board[WAYS_FROM] + place], board[board[WAYS_FROM] + place + 1]):
                next_area = board[board[WAYS] + at]
                if board[board[AIR] + next_area * areas + to] != board[board[AIR] + place * areas + to] - 1:
                    continue
                passed = now[number, 1]
                fires = next_area != to and has_enemy_trait(board, s, next_area, mover, GUN)
                known = place_of[next_area]
                if known >= 0 and following[known, 1] <= passed + (1 if fires else 0):
                    continue
                if known < 0:
                    known = found
                    place_of[next_area] = found
                    found += 1
                following[known, :] = now[number, :]
                following[known, 0] = next_area
                if fires and passed < MOST_OVERFLOWN:
                    following[known, 1], following[known, 2 + passed] = passed + 1, next_area
        now, following = following, now
        count = found
    for number in range(count):
        if now[number, 0] == to:
            for each in range(now[number, 1]):
                s[OVER_AREAS + each] = now[number, 2 + each]
            return int(now[number, 1])
    return 0


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64, int64, int64, int64)")
def move_units(
    board: Words, s: Words, area: int, kind: int, variant: int, to: int, via: int, raids: int, count: int
) -> None:
    """Units go where an order says, and take what is empty."""
    row = find_group(board, s, area, kind, variant)
    domain = trait(board, kind, DOMAIN)
    if domain == IN_AIR:
        fly(board, s, row, to, raids, count)
        return
    front = np.zeros(6 * board[AREAS] + 2, dtype=np.int64)
    routes = np.empty(MOST_ROUTES * ROUTE, dtype=np.int64)
    see_front(board, s, front)
    found = (
        land_routes(board, s, row, front, routes) if domain == ON_LAND else sea_routes(board, s, row, front, 0, routes)
    )
    route = route_to(routes, found, to, via)
    go(board, s, row, to, routes[route + 2], routes[route + 3], count)
    if domain == ON_LAND and s[PHASE] == COMBAT:
        if via >= 0:
            take_area(board, s, via, s[MOVER])
        enter_area(board, s, to, s[MOVER])
