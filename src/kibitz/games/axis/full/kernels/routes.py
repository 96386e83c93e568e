"""Where units may go: land with blitz, ships with canals. Twin of `movement`.

A *front* is what the mover sees of every area: enemies, enemy destroyers, friends, and how far land is for aircraft.
"""

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    AREAS,
    BLITZ,
    BY_LAND,
    BY_SEA,
    CANAL_LIST,
    CANALS,
    COMBAT,
    DESTROYER,
    FACTORIES,
    FAR,
    GUN,
    LAND_FROM,
    MOST_CARGO,
    MOVER,
    OWNERS,
    PHASE,
    SEA,
    SEA_FROM,
    STACK,
    STACKS,
    SUBMARINE,
    SUBMERGED,
    TAKEN,
    UNITS,
    WAYS,
    WAYS_FROM,
    Words,
    area_of,
    is_friend,
    item_of,
    item_to,
    kind_of,
    landed_of,
    marks_of,
    movement_left,
    power_of,
    spent_of,
    trait,
)  # fmt: skip

ENEMY, SCREEN, FRIEND, NEAREST, STAMP = range(5)
"""The parts of a front, each as long as there are areas; the last number is that of the latest stamp."""
ROUTE = 4
"""The numbers of a route: where to, through which hostile area, how long, and the area before the last."""
MOST_ROUTES = 700
PASSING = -2
"""Marks a zone that a submarine may pass and not stay in."""


@kernel("void(int64[::1], int64[::1], int64[::1])")
def see_front(board: Words, s: Words, front: Words) -> None:
    """Write the front of the mover."""
    areas, mover = board[AREAS], s[MOVER]
    for place in range(2 * areas):
        front[place] = 0
    for area in range(areas):
        front[FRIEND * areas + area] = is_friend(board, mover, s[board[OWNERS] + area])
    for number in range(s[UNITS]):
        row = board[STACKS] + number * STACK
        if not is_friend(board, mover, power_of(s, row)) and not marks_of(s, row) & SUBMERGED:
            front[area_of(s, row)] = 1
            if trait(board, kind_of(s, row), DESTROYER):
                front[areas + area_of(s, row)] = 1


@kernel("void(int64[::1], int64[::1], int64[::1])")
def measure_land(board: Words, s: Words, front: Words) -> None:
    """Write how far every area is from land where aircraft of the mover can land. Twin of `land_distances`."""
    areas = board[AREAS]
    near, queue = NEAREST * areas, STAMP * areas
    begun, ended = 0, 0
    for area in range(areas):
        open_land = not board[board[SEA] + area] and front[FRIEND * areas + area] and not s[board[TAKEN] + area]
        front[near + area] = 0 if open_land else FAR
        if open_land:
            front[queue + ended] = area
            ended += 1
    while begun < ended:
        area = front[queue + begun]
        begun += 1
        for at in range(board[board[WAYS_FROM] + area], board[board[WAYS_FROM] + area + 1]):
            to = board[board[WAYS] + at]
            if front[near + to] == FAR:
                front[near + to] = front[near + area] + 1
                front[queue + ended] = to
                ended += 1
    for area in range(areas + 1):  # the queue is where the stamps are
        front[queue + area] = 0


@kernel("int64(int64[::1], int64, int64, int64)")
def has_route(routes: Words, count: int, to: int, via: int) -> int:
    """Whether a route is known already."""
    for number in range(count):
        if routes[number * ROUTE] == to and routes[number * ROUTE + 1] == via:
            return 1
    return 0


@kernel("int64(int64[::1], int64[::1], int64, int64[::1], int64[::1])")
def land_routes(board: Words, s: Words, row: int, front: Words, routes: Words) -> int:
    """Write where land units may go; return how many routes there are."""
    left, start, kind = movement_left(board, s, row), area_of(s, row), kind_of(s, row)
    areas, combat = board[AREAS], s[PHASE] == COMBAT
    if left == 0 or board[board[SEA] + start] or (combat and trait(board, kind, GUN)):
        return 0
    blitz, count, done = trait(board, kind, BLITZ), 0, -1
    stopped = front[start] or not front[FRIEND * areas + start] or (combat and not blitz and s[board[TAKEN] + start])
    if spent_of(s, row) and stopped:
        return 0
    for length in range(1, left + 1):
        last = count
        for number in range(done, last):
            # The first step is from where the units are; the next ones from routes of the length before.
            place, via = start, -1
            if number >= 0:
                place, via = routes[number * ROUTE], routes[number * ROUTE + 1]
                if routes[number * ROUTE + 2] != length - 1 or front[place]:
                    continue
                if front[FRIEND * areas + place]:
                    if not (blitz or not combat or not s[board[TAKEN] + place]):
                        continue
                elif via == -1 and blitz and not s[board[FACTORIES] + place]:
                    via = place
                else:
                    continue
            elif length > 1:
                continue
            for at in range(board[board[LAND_FROM] + place], board[board[LAND_FROM] + place + 1]):
                to = board[board[BY_LAND] + at]
                if to in (start, via) or has_route(routes, count, to, via):
                    continue
                if not combat and (not front[FRIEND * areas + to] or front[to]):
                    continue
                if count == MOST_ROUTES:
                    return count
                routes[count * ROUTE], routes[count * ROUTE + 1] = to, via
                routes[count * ROUTE + 2], routes[count * ROUTE + 3] = length, place
                count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def canal_is_open(board: Words, s: Words, zone: int, to: int) -> int:
    """Whether ships of the mover may go from zone to zone."""
    place = board[CANAL_LIST]
    for _ in range(board[CANALS]):
        one, other, count = board[place], board[place + 1], board[place + 2]
        if (one == zone and other == to) or (one == to and other == zone):
            for number in range(count):
                area = board[place + 3 + number]
                if s[board[TAKEN] + area] or not is_friend(board, s[MOVER], s[board[OWNERS] + area]):
                    return 0
        place += 3 + count
    return 1


@kernel("int64(int64[::1], int64, int64[::1], int64)")
def stops_ship(board: Words, kind: int, front: Words, zone: int) -> int:
    """Whether enemies in a zone stop a ship."""
    if trait(board, kind, SUBMARINE):
        return int(front[board[AREAS] + zone])
    return int(front[zone])


@kernel("int64(int64[::1], int64[::1], int64, int64[::1], int64, int64[::1])")
def sea_routes(board: Words, s: Words, row: int, front: Words, peaceful: int, routes: Words) -> int:
    """Write where ships may go; return how many routes there are. Submarines may pass where they cannot stay."""
    left, start, kind, areas = movement_left(board, s, row), area_of(s, row), kind_of(s, row), board[AREAS]
    if left == 0 or landed_of(s, row) >= 0:
        return 0
    for place in range(MOST_CARGO):
        item = item_of(s, row, place)
        if item > 0 and item_to(item) >= 0:
            return 0
    if spent_of(s, row) and stops_ship(board, kind, front, start):
        return 0
    quiet = peaceful or s[PHASE] != COMBAT
    stamps = STAMP * areas
    front[stamps + areas] += 1
    stamp = front[stamps + areas]
    front[stamps + start] = stamp
    count, submarine = 0, trait(board, kind, SUBMARINE)
    for length in range(1, left + 1):
        last = count
        for number in range(-1, last):
            place = start
            if number >= 0:
                place = routes[number * ROUTE]
                if routes[number * ROUTE + 2] != length - 1 or stops_ship(board, kind, front, place):
                    continue
            elif length > 1:
                continue
            for at in range(board[board[SEA_FROM] + place], board[board[SEA_FROM] + place + 1]):
                to = board[board[BY_SEA] + at]
                if front[stamps + to] == stamp or not canal_is_open(board, s, place, to):
                    continue
                hostile = quiet and front[to]
                if hostile and not (submarine and not stops_ship(board, kind, front, to)):
                    continue
                if count == MOST_ROUTES:
                    return drop_passing(routes, count)
                front[stamps + to] = stamp
                routes[count * ROUTE], routes[count * ROUTE + 1] = to, PASSING if hostile else -1
                routes[count * ROUTE + 2], routes[count * ROUTE + 3] = length, place
                count += 1
    return drop_passing(routes, count)


@kernel("int64(int64[::1], int64)")
def drop_passing(routes: Words, count: int) -> int:
    """Leave out routes to zones that can only be passed."""
    kept = 0
    for number in range(count):
        if routes[number * ROUTE + 1] != PASSING:
            for part in range(ROUTE):
                routes[kept * ROUTE + part] = routes[number * ROUTE + part]
            kept += 1
    return kept


@kernel("int64(int64[::1], int64, int64, int64)")
def route_to(routes: Words, count: int, to: int, via: int) -> int:
    """Where the numbers of a route begin; -1 if there is none."""
    for number in range(count):
        if routes[number * ROUTE] == to and routes[number * ROUTE + 1] == via:
            return number * ROUTE
    return -1
