"""Where units may go: land units with blitz, ships with canals; each route with its length and its last step."""

from kibitz.core.kernels import kernel
from kibitz_axis.full.position import COMBAT, FAR, MOST_ROUTES, NOBODY, Position, Routes, Setting, Stack, Traits, Work
from kibitz_axis.full.stacks import is_enemy, movement_left, owns

PASSING = -2
"""Marks a zone that a submarine may pass and not stay in."""


@kernel
def mark_front(game: Setting, position: Position, work: Work) -> None:
    """Write where enemies of the mover, their destroyers, and its friends are."""
    for area in range(game.areas):
        work.enemy[area] = work.screen[area] = 0
        work.friend[area] = game.friendly[position.mover][position.owners[area]]
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if is_enemy(game, stack, position.mover):
            work.enemy[stack.area] = 1
            if game.kinds[stack.kind].destroyer:
                work.screen[stack.area] = 1


@kernel
def measure_landing(game: Setting, position: Position, work: Work) -> None:
    """Write how far every area is from land where aircraft of the mover can land."""
    begun, ended = 0, 0
    for area in range(game.areas):
        open_land = not game.sea[area] and work.friend[area] > 0 and not position.taken[area]
        work.land_distance[area] = 0 if open_land else FAR
        if open_land:
            work.queue[ended] = area
            ended += 1
    while begun < ended:
        area = work.queue[begun]
        begun += 1
        for to in game.ways[area]:
            if work.land_distance[to] == FAR:
                work.land_distance[to] = work.land_distance[area] + 1
                work.queue[ended] = to
                ended += 1


@kernel
def find_route(routes: Routes, to: int, via: int) -> int:
    """The number of a route; -1 if there is none."""
    for number in range(routes.count):
        if routes.to[number] == to and routes.via[number] == via:
            return number
    return -1


@kernel
def add_route(routes: Routes, to: int, via: int, length: int, before: int) -> None:
    """Write one more route, if there is room."""
    number = routes.count
    if number < MOST_ROUTES:
        routes.to[number], routes.via[number] = to, via
        routes.length[number], routes.before[number] = length, before
        routes.count += 1


@kernel
def land_routes(game: Setting, position: Position, stack: Stack, work: Work, routes: Routes) -> None:
    """Write where land units may go. In combat moves hostile areas end a move, other than empty ones for tanks."""
    left, start, kind = movement_left(game, position, stack), stack.area, game.kinds[stack.kind]
    combat = position.phase == COMBAT
    routes.count = 0
    if left == 0 or game.sea[start] or (combat and kind.gun):
        return
    goes_on = kind.blitz > 0 or not combat  # through friendly areas that were taken in this phase
    stopped = work.enemy[start] or not work.friend[start] or not (goes_on or not position.taken[start])
    if stack.spent and stopped:
        return
    first, last = -1, 0
    for length in range(1, left + 1):
        for number in range(first, last):
            place, via = start, NOBODY
            if number >= 0:
                place, via = routes.to[number], routes.via[number]
                if work.enemy[place]:
                    continue
                if not work.friend[place]:
                    if via != NOBODY or not kind.blitz or position.factories[place]:
                        continue
                    via = place
                elif not goes_on and position.taken[place]:
                    continue
            for to in game.by_land[place]:
                if to in (start, via) or find_route(routes, to, via) >= 0:
                    continue
                if combat or (work.friend[to] and not work.enemy[to]):
                    add_route(routes, to, via, length, place)
        first, last = last, routes.count


@kernel
def is_canal_open(game: Setting, position: Position, zone: int, to: int) -> bool:
    """Whether ships of the mover may go from zone to zone: a canal needs its land, held since the turn began."""
    for canal in range(game.canals):
        one, other = game.canal_ends[canal][0], game.canal_ends[canal][1]
        if (one == zone and other == to) or (one == to and other == zone):
            for area in game.canal_land[canal]:
                if position.taken[area] or not owns(game, position, area, position.mover):
                    return False
    return True


@kernel
def stops_ship(kind: Traits, work: Work, zone: int) -> bool:
    """Whether enemies in a zone stop a ship; a submarine only destroyers."""
    return work.screen[zone] > 0 if kind.submarine else work.enemy[zone] > 0


@kernel
def waits_to_land(stack: Stack) -> bool:
    """Whether cargo of a stack goes ashore once a battle at sea is won."""
    for item in stack.cargo:  # noqa: SIM110  (kernels have no generators)
        if item > 0 and item_to(item) >= 0:
            return True
    return False


@kernel
def sea_routes(game: Setting, position: Position, stack: Stack, peaceful: bool, work: Work, routes: Routes) -> None:
    """Write where ships may go; *peaceful* counts only zones without enemies, as after the battles.

    Submarines may pass zones where they cannot stay.
    """
    left, start, kind = movement_left(game, position, stack), stack.area, game.kinds[stack.kind]
    routes.count = 0
    if left == 0 or stack.landed >= 0 or waits_to_land(stack) or (stack.spent and stops_ship(kind, work, start)):
        return
    quiet = peaceful or position.phase != COMBAT
    work.stamp += 1
    work.stamps[start] = work.stamp
    first, last = -1, 0
    for length in range(1, left + 1):
        for number in range(first, last):
            place = start
            if number >= 0:
                place = routes.to[number]
                if stops_ship(kind, work, place):
                    continue
            for to in game.by_sea[place]:
                if work.stamps[to] == work.stamp or not is_canal_open(game, position, place, to):
                    continue
                hostile = quiet and work.enemy[to] > 0
                if not hostile or (kind.submarine and not stops_ship(kind, work, to)):
                    work.stamps[to] = work.stamp
                    add_route(routes, to, PASSING if hostile else NOBODY, length, place)
        first, last = last, routes.count
    drop_passing(routes)


@kernel
def drop_passing(routes: Routes) -> None:
    """Leave out routes to zones that can only be passed."""
    count = routes.count
    routes.count = 0
    for number in range(count):
        if routes.via[number] != PASSING:
            add_route(routes, routes.to[number], NOBODY, routes.length[number], routes.before[number])


# Units aboard.


@kernel
def cargo_item(power: int, kind: int, fresh: int, to: int) -> int:
    """A unit aboard as one number: whose it is, whether it was loaded in this turn, and where it is to land."""
    return (power + 1) << 20 | kind << 12 | fresh << 11 | (to + 1)


@kernel
def item_power(item: int) -> int:
    return (item >> 20) - 1


@kernel
def item_kind(item: int) -> int:
    return item >> 12 & 255


@kernel
def item_fresh(item: int) -> int:
    return item >> 11 & 1


@kernel
def item_to(item: int) -> int:
    """The area in which a unit aboard lands once the battle at sea is won; -1 if it does not wait for one."""
    return (item & 2047) - 1
