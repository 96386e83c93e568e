"""Loading and unloading transports, and fighters that go along on carriers of allies."""

from kibitz.core.kernels import kernel
from kibitz_axis.full.movement import cargo_item, item_fresh, item_kind, item_power, item_to
from kibitz_axis.full.orders import LOADING, UNLOADING, add_order, order_number
from kibitz_axis.full.position import (
    ANY,
    COMBAT,
    IN_AIR,
    LOADED_LATE,
    MOST_CARGO,
    NOBODY,
    SPENT,
    UNLOADED_EARLY,
    WAS_IN_BATTLE,
    Position,
    Setting,
    Stack,
    Work,
)
from kibitz_axis.full.stacks import (
    add_units,
    change_units,
    enter_area,
    find_place,
    first_in,
    has_enemies,
    is_friend,
    new_units,
    owns,
    remove_units,
    try_change,
)


@kernel
def cargo_count(stack: Stack) -> int:
    """How many units are aboard each ship of a stack."""
    count = 0
    for item in stack.cargo:
        count += item > 0
    return count


@kernel
def sort_cargo(stack: Stack) -> None:
    """Put changed cargo in order, with the free places at the end."""
    for number in range(1, MOST_CARGO):
        item, place = stack.cargo[number], number
        while place > 0 and item > 0 and (stack.cargo[place - 1] > item or stack.cargo[place - 1] == 0):
            stack.cargo[place] = stack.cargo[place - 1]
            place -= 1
        stack.cargo[place] = item


@kernel
def room_left(game: Setting, stack: Stack) -> int:
    """The room that each transport of a stack has left."""
    room = game.kinds[stack.kind].room
    for item in stack.cargo:
        if item > 0:
            room -= game.kinds[item_kind(item)].load
    return room


@kernel
def can_carry(game: Setting, position: Position, stack: Stack, load: int) -> bool:
    """Whether a transport of a stack takes one more unit."""
    if not game.kinds[stack.kind].room or stack.landed >= 0 or not is_friend(game, position.mover, stack.power):
        return False
    return stack.cargo[MOST_CARGO - 1] == 0 and room_left(game, stack) >= load


# Loading.


@kernel
def list_loads(game: Setting, position: Position, stack: Stack, variant: int, work: Work) -> None:
    """Write the orders of a stack to go aboard."""
    kind = game.kinds[stack.kind]
    if stack.spent or kind.load == 0 or (kind.gun and position.phase == COMBAT):
        return
    for zone in game.by_sea[stack.area]:
        if work.enemy[zone]:
            continue
        fits = 0
        for place in range(first_in(position, zone), len(position.stacks)):
            ship = position.stacks[place]
            if ship.area != zone:
                break
            if can_carry(game, position, ship, kind.load):
                fits += ship.count * min(room_left(game, ship) // kind.load, MOST_CARGO - cargo_count(ship))
        if fits:
            add_order(
                work, order_number(LOADING, stack.area, stack.kind, variant, zone, NOBODY), min(fits, stack.count)
            )


@kernel
def transport_for(game: Setting, position: Position, zone: int, load: int) -> int:
    """The place of the transport that a unit is loaded on: an own one if any has room, the fullest first."""
    best, least = -1, 0
    for place in range(first_in(position, zone), first_in(position, zone + 1)):
        stack = position.stacks[place]
        if can_carry(game, position, stack, load):
            rank = (stack.power != position.mover) * 1000 + room_left(game, stack)
            if best < 0 or rank < least:
                best, least = place, rank
    return best


@kernel
def load_units(game: Setting, position: Position, place: int, zone: int, count: int) -> None:
    """Land units go aboard."""
    units = position.stacks[place].copy()
    remove_units(position, place, count)
    for _ in range(count):
        ship = transport_for(game, position, zone, game.kinds[units.kind].load)
        loaded = position.stacks[ship].copy()
        loaded.cargo[MOST_CARGO - 1] = cargo_item(position.mover, units.kind, 1, NOBODY)
        sort_cargo(loaded)
        if position.phase != COMBAT:
            loaded.marks |= LOADED_LATE
        change_units(position, ship, loaded, 1)


# Unloading.


@kernel
def may_unload(game: Setting, position: Position, ship: Stack, item: int, to: int) -> bool:
    """Whether a unit may leave a transport for an area now."""
    mover, combat, own = position.mover, position.phase == COMBAT, ship.power == position.mover
    if item_power(item) != mover or item_to(item) >= 0 or not is_friend(game, mover, ship.power):
        return False
    if ship.landed >= 0 and ship.landed != to:
        return False
    enemies = has_enemies(game, position, ship.area, mover, ANY)
    if not own and (enemies or item_fresh(item)):  # the battle at sea would be the owner's
        return False
    friendly = owns(game, position, to, mover) and not has_enemies(game, position, to, mover, ANY)
    if combat:
        return not (friendly and enemies) and not game.kinds[item_kind(item)].gun
    both = WAS_IN_BATTLE | LOADED_LATE
    return friendly and not enemies and not ship.marks & UNLOADED_EARLY and ship.marks & both != both


@kernel
def list_unloads(game: Setting, position: Position, work: Work) -> None:
    """Write the orders to go ashore, one for each zone, kind and area."""
    begun = work.orders
    for place in range(len(position.stacks)):
        ship = position.stacks[place]
        if ship.cargo[0] == 0:
            continue
        for to in game.ways[ship.area]:
            for item in ship.cargo:
                if item == 0 or game.sea[to] or not may_unload(game, position, ship, item, to):
                    continue
                number = order_number(UNLOADING, ship.area, item_kind(item), 0, to, NOBODY)
                known = begun
                while known < work.orders and work.order[known] != number + 1:
                    known += 1
                if known < work.orders:
                    work.most[known] += ship.count
                else:
                    add_order(work, number, ship.count)


@kernel
def unload_units(game: Setting, position: Position, zone: int, kind: int, to: int, count: int, work: Work) -> None:
    """Units leave their transports; where enemy ships are near they wait for the battle at sea."""
    mover, combat = position.mover, position.phase == COMBAT
    waits = combat and has_enemies(game, position, zone, mover, ANY)
    for _ in range(count):
        best, least, chosen = -1, 0, 0
        for place in range(first_in(position, zone), first_in(position, zone + 1)):
            ship = position.stacks[place]
            for number in range(cargo_count(ship)):
                item = ship.cargo[number]
                if item_kind(item) != kind or not may_unload(game, position, ship, item, to):
                    continue
                rank = (ship.landed != to) * 100 + (ship.power != mover) * 10 + cargo_count(ship)
                if best < 0 or rank < least:
                    best, least, chosen = place, rank, number
        emptied = position.stacks[best].copy()
        item = emptied.cargo[chosen]
        emptied.cargo[chosen] = cargo_item(mover, kind, item_fresh(item), to) if waits else 0
        sort_cargo(emptied)
        emptied.landed = to
        if emptied.power == mover:
            emptied.spent = SPENT
            if combat:
                emptied.marks |= UNLOADED_EARLY
        change_units(position, best, emptied, 1)
        if not waits:
            add_units(position, new_units(work, to, mover, kind, SPENT, zone), 1)
    if combat and not waits:
        enter_area(game, position, to, mover)


# Fighters of allies.


@kernel
def take_guests(game: Setting, position: Position, area: int, power: int, to: int, room: int, work: Work) -> None:
    """Fighters of allies leave a zone with the carriers of a power, if those of their own have no room for them."""
    needed = 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        kind = game.kinds[stack.kind]
        if stack.power != power:
            needed -= stack.count * kind.deck
            if kind.domain == IN_AIR and is_friend(game, power, stack.power):
                needed += stack.count * kind.berth
    going, place = min(room, needed), first_in(position, area)
    while going > 0 and place < len(position.stacks) and position.stacks[place].area == area:
        units, moved = position.stacks[place].copy(), position.stacks[place].copy()
        kind, aboard = game.kinds[units.kind], 0
        if units.power != power and kind.domain == IN_AIR and kind.berth and is_friend(game, power, units.power):
            aboard = min(units.count, going // kind.berth)
        if aboard:
            going -= aboard * kind.berth
            moved.area = to
            try_change(position, place, moved, aboard, work)
        place = find_place(position, units) + (aboard < units.count)
