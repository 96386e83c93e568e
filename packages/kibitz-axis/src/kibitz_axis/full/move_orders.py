"""Orders of the phases of moves, and what they do: routes, flights after which all can land, guns on their way."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import table, zeros
from kibitz_axis.full.landing import add_needy, all_can_land, can_seat, list_decks, list_needy
from kibitz_axis.full.movement import find_route, land_routes, mark_front, measure_landing, sea_routes
from kibitz_axis.full.orders import DONE, MOVE, RAID, add_order, add_plain_order, order_number
from kibitz_axis.full.position import (
    AT_SEA,
    BITS,
    COMBAT,
    FAR,
    GUNS,
    IN_AIR,
    MOST_OVERFLOWN,
    NOBODY,
    ON_LAND,
    RAIDING,
    Position,
    Routes,
    Setting,
    Work,
)
from kibitz_axis.full.stacks import (
    change_units,
    enter_area,
    first_in,
    forget_stacks,
    has_enemies,
    movement_left,
    take_area,
    take_back,
    try_change,
)
from kibitz_axis.full.transports import list_loads, list_unloads, take_guests


@kernel
def list_moves(game: Setting, position: Position, work: Work) -> None:
    """Write all orders of a phase of moves."""
    mark_front(game, position, work)
    measure_landing(game, position, work)
    add_plain_order(work, DONE, NOBODY, NOBODY)
    routes, needed, flies, variant, same = work.routes[0], -1, False, 0, -1
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if stack.power != position.mover:
            continue
        kind, group = game.kinds[stack.kind], stack.area * 256 + stack.kind
        variant = variant + 1 if group == same else 0
        same = group
        if kind.domain == IN_AIR:
            flies = True
            continue
        if kind.domain == ON_LAND:
            land_routes(game, position, stack, work, routes)
        else:
            sea_routes(game, position, stack, False, work, routes)
        if kind.deck and routes.count and needed < 0:
            needed = list_needy(game, position, -1, 0, work) and work.needy > 0 and all_can_land(game, position, work)
        for number in range(routes.count):
            most = position.stacks[place].count  # `stack` may be another object after a trial
            if kind.deck and needed:
                most = most_carriers(game, position, place, number, work)
            if most:
                order = order_number(MOVE, stack.area, stack.kind, variant, routes.to[number], routes.via[number])
                add_order(work, order, most)
        if kind.domain == ON_LAND:
            list_loads(game, position, stack, variant, work)
    if flies:
        list_flights(game, position, work)
    list_unloads(game, position, work)


# Carriers and their aircraft.


@kernel
def most_carriers(game: Setting, position: Position, place: int, route: int, work: Work) -> int:
    """How many carriers of a stack may go there without leaving aircraft behind."""
    for most in range(position.stacks[place].count, 0, -1):
        go(game, position, place, work.routes[0], route, most, work)
        fine = all_can_land(game, position, work)
        take_back(position, work)
        if fine:
            return most
    return 0


@kernel
def list_flights(game: Setting, position: Position, work: Work) -> None:
    """Write the moves and raids of aircraft after which all can still land."""
    list_decks(game, position, work)
    measure_decks(game, work)
    landed = list_needy(game, position, -1, 0, work) and can_seat(game, work)
    variant, same = 0, -1
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if stack.power != position.mover:
            continue
        kind, group, area = game.kinds[stack.kind], stack.area * 256 + stack.kind, stack.area
        variant = variant + 1 if group == same else 0
        same = group
        if kind.domain != IN_AIR or stack.marks & RAIDING:
            continue
        left, far = movement_left(game, position, stack), game.air[area]
        for to in range(game.areas):
            after, most = left - far[to], stack.count
            if after < 0 or to == area:
                continue
            if work.land_distance[to] > after:
                if kind.berth == 0 or work.deck_distance[to] > after:
                    continue
                most = most_seated(game, position, place, to, after, landed, work)
            if most == 0:
                continue
            add_order(work, order_number(MOVE, area, stack.kind, variant, to, NOBODY), most)
            if kind.raids and can_be_raided(game, position, to):
                add_order(work, order_number(RAID, area, stack.kind, variant, to, NOBODY), most)


@kernel
def can_be_raided(game: Setting, position: Position, area: int) -> bool:
    """Whether bombers may raid an area now: a hostile one with a factory, in combat moves."""
    owner = position.owners[area]
    hostile = owner >= 0 and not game.friendly[position.mover][owner]
    return hostile and position.phase == COMBAT and position.factories[area] > 0


@kernel
def measure_decks(game: Setting, work: Work) -> None:
    """Write how far every area is from a zone in which a carrier with room can be."""
    for area in range(game.areas):
        work.deck_distance[area] = FAR
    for zone in range(game.areas):
        number, reached = game.zone_number[zone], 0
        for deck in range(work.decks if number >= 0 else 0):
            reached |= work.zones[deck][number // BITS] >> number % BITS & 1
        far = game.air[zone]
        for area in range(game.areas if reached else 0):
            work.deck_distance[area] = min(work.deck_distance[area], far[area])


@kernel
def most_seated(game: Setting, position: Position, place: int, to: int, left: int, landed: bool, work: Work) -> int:
    """How many aircraft of a stack may fly where only carriers can take them.

    Where some are lost already (not *landed*), these at least must land.
    """
    stack = position.stacks[place]
    for most in range(stack.count, 0, -1):
        work.needy = 0
        if landed and not list_needy(game, position, place, most, work):
            continue
        for _ in range(most):
            add_needy(work, to, left, game.kinds[stack.kind].berth)
        if can_seat(game, work):
            return most
    return 0


# What orders do.


@kernel
def find_group(position: Position, area: int, kind: int, variant: int) -> int:
    """The place of the group of the mover that an order is for."""
    place = first_in(position, area)
    while position.stacks[place].power != position.mover or position.stacks[place].kind != kind:
        place += 1
    return place + variant


@kernel
def move_units(
    game: Setting, position: Position, place: int, to: int, via: int, raids: bool, count: int, work: Work
) -> None:
    """Units go where an order says; guns under way fire afterwards, and empty hostile areas are taken."""
    stack, routes = position.stacks[place], work.routes[0]
    domain = game.kinds[stack.kind].domain
    if domain == IN_AIR:
        fly(game, position, place, to, raids, count)
        return
    mark_front(game, position, work)
    if domain == AT_SEA:
        sea_routes(game, position, stack, False, work, routes)
    else:
        land_routes(game, position, stack, work, routes)
    go(game, position, place, routes, find_route(routes, to, via), count, work)
    if domain == ON_LAND and position.phase == COMBAT:
        if via >= 0:
            take_area(game, position, via, position.mover)
        enter_area(game, position, to, position.mover)


@kernel
def go(game: Setting, position: Position, place: int, routes: Routes, route: int, count: int, work: Work) -> None:
    """Land units or ships go along a route; fighters of allies go with the carrier they stand on."""
    forget_stacks(work)
    moved = position.stacks[place].copy()
    area, deck = moved.area, game.kinds[moved.kind].deck
    moved.area, moved.came = routes.to[route], routes.before[route]
    moved.spent += routes.length[route]
    try_change(position, place, moved, count, work)
    if deck:
        take_guests(game, position, area, moved.power, moved.area, deck * count, work)


@kernel
def fly(game: Setting, position: Position, place: int, to: int, raids: bool, count: int) -> None:
    """Aircraft go to an area; guns on their way fire afterwards."""
    moved = position.stacks[place].copy()
    fired_at = not game.lhtr and find_guns(game, position, moved.area, to)
    moved.spent += game.air[moved.area][to]
    moved.area, moved.count = to, count
    if raids:
        moved.marks |= RAIDING
    change_units(position, place, moved, count)
    if fired_at:
        position.overflight.append(moved)


@kernel
def find_guns(game: Setting, position: Position, start: int, to: int) -> bool:
    """Write the areas whose guns fire at aircraft on the way: where they start and what they cross, not where they end.

    Of the shortest routes they take the one with the fewest guns. Returns whether there are any.
    """
    mover, begun, ended = position.mover, 0, 1
    passed, guns, waiting = zeros(game.areas, -1), table(game.areas, MOST_OVERFLOWN), zeros(game.areas)
    waiting[0], guns[start][0] = start, start
    met = position.fought[start] or position.raided[start] >= 0  # its guns have had their turn
    passed[start] = int(not met and has_enemies(game, position, start, mover, GUNS))
    while begun < ended:
        place = waiting[begun]
        begun += 1
        for area in game.ways[place]:
            if game.air[area][to] != game.air[place][to] - 1:
                continue
            fires = area != to and has_enemies(game, position, area, mover, GUNS)
            count = min(MOST_OVERFLOWN, passed[place] + fires)
            if passed[area] < 0:
                waiting[ended] = area
                ended += 1
            elif passed[area] <= count:
                continue
            for each in range(count):
                guns[area][each] = guns[place][each] if each < passed[place] else area
            passed[area] = count
    for each in range(MOST_OVERFLOWN):
        position.guns[each] = guns[to][each] if each < passed[to] else NOBODY
    return passed[to] > 0
