"""Research, purchase, placing of units, raids, rockets and income: all that is about money."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_axis.full.board import MOST_MADE
from kibitz_axis.full.landing import free_decks, list_stranded, makes_units
from kibitz_axis.full.orders import (
    BOARD,
    BUY,
    DONE,
    FIRE_ROCKET,
    HOLD_ROCKET,
    INVEST,
    PUT,
    add_order,
    add_plain_order,
    order_number,
)
from kibitz_axis.full.position import AT_SEA, BID, BID_PLACE, NOBODY, RAIDING, WITHDRAWN, Position, Setting, Work
from kibitz_axis.full.stacks import (
    add_units,
    change_units,
    find_place,
    first_in,
    holds_capital,
    is_raider,
    knows,
    new_units,
    owns,
    remove_units,
    sort_stacks,
)
from kibitz_axis.full.units import ROCKETS, TECHNOLOGIES

DIE = 5
"""The price of a die of research."""
ROCKET_RANGE = 3
MOST_BOUGHT = MOST_MADE
"""The most units of a kind in one order."""
MOST_ZONES = 10
"""The most zones in which units are placed in a turn."""
TECHNOLOGY_COUNT = len(TECHNOLOGIES)


# Research and purchase.


@kernel
def pay(position: Position, power: int, amount: int) -> None:
    """A power pays an amount, or all it has; nobody pays nothing."""
    if power >= 0:
        position.money[power] -= min(amount, position.money[power])


@kernel
def list_research(game: Setting, position: Position, work: Work) -> None:
    """Write the technologies that may be tried for, after `done`."""
    add_plain_order(work, DONE, NOBODY, NOBODY)
    dice = position.money[position.mover] // DIE
    if dice and game.research and holds_capital(game, position, position.mover):
        for technology in range(TECHNOLOGY_COUNT):
            if not knows(position, position.mover, technology):
                add_order(work, order_number(INVEST, NOBODY, technology, 0, NOBODY, NOBODY), dice)


@kernel
def learn_technology(position: Position) -> None:
    """The technology that was found works from now on."""
    if position.technology >= 0:
        position.known[position.mover] |= 1 << position.technology
    position.technology = NOBODY


@kernel
def list_purchases(game: Setting, position: Position, work: Work) -> None:
    """Write what the money buys, after `done`."""
    add_plain_order(work, DONE, NOBODY, NOBODY)
    money = position.purse if position.phase == BID else position.money[position.mover]
    if holds_capital(game, position, position.mover):
        for kind in range(game.kind_count):
            price = game.prices[position.mover][kind]
            if price and money >= price:
                add_order(work, order_number(BUY, NOBODY, kind, 0, NOBODY, NOBODY), min(MOST_BOUGHT, money // price))


@kernel
def buy(game: Setting, position: Position, kind: int, count: int) -> None:
    """A power buys units, which it places at the end of its turn."""
    cost = count * game.prices[position.mover][kind]
    position.bought[kind] += count
    if position.phase == BID:
        position.purse -= cost
    else:
        pay(position, position.mover, cost)


# Raids and rockets.


@kernel
def raider_count(position: Position, area: int) -> int:
    """How many aircraft raid an area."""
    count = 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        if is_raider(position, position.stacks[place]):
            count += position.stacks[place].count
    return count


@kernel
def next_raid(position: Position, after: int) -> int:
    """The first area behind *after* with aircraft on a raid; -1 if there is none."""
    for place in range(first_in(position, after + 1), len(position.stacks)):
        if is_raider(position, position.stacks[place]):
            return position.stacks[place].area
    return NOBODY


@kernel
def damage_area(game: Setting, position: Position, area: int, damage: int) -> None:
    """The owner of an area pays for the damage, and at most what it has."""
    before = max(0, position.raided[area])
    if game.lhtr:
        damage = min(damage, max(0, game.value[area] - before))
    position.raided[area] = before + damage
    pay(position, position.owners[area], damage)


@kernel
def finish_raid(game: Setting, position: Position, damage: int) -> None:
    """The bombers have done their damage, and take part in no battle."""
    area = position.raid
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if is_raider(position, stack):
            stack.marks = stack.marks & ~RAIDING | WITHDRAWN
    sort_stacks(position)
    position.raid = NOBODY
    damage_area(game, position, area, damage)


@kernel
def may_fire(game: Setting, position: Position, gun: int, to: int) -> bool:
    """Whether a rocket may be fired from one area at another: at a hostile factory, by one gun alone."""
    if not position.factories[to] or game.air[gun][to] > ROCKET_RANGE or owns(game, position, to, position.mover):
        return False
    for number in range(len(position.rockets)):  # noqa: SIM110  (kernels have no generators)
        if position.rockets[number].target == to:
            return False
    return True


@kernel
def was_asked(position: Position, gun: int) -> bool:
    """Whether the rocket of the gun in an area was spoken about."""
    for number in range(len(position.rockets)):  # noqa: SIM110
        if position.rockets[number].gun == gun:
            return True
    return False


@kernel
def aim_rocket(position: Position, gun: int, target: int, work: Work) -> None:
    """A gun fires at an area, or holds fire."""
    rocket = work.new_rocket[0]
    rocket.gun, rocket.target = gun, target
    position.rockets.append(rocket)


@kernel
def next_gun(game: Setting, position: Position) -> int:
    """The area of the next gun with rockets that is to be asked about; -1 if none is left."""
    if knows(position, position.mover, ROCKETS):
        for place in range(len(position.stacks)):
            stack = position.stacks[place]
            area = stack.area
            if stack.power != position.mover or stack.spent or not game.kinds[stack.kind].gun or game.sea[area]:
                continue
            if position.taken[area] or was_asked(position, area):
                continue
            for to in range(game.areas):
                if may_fire(game, position, area, to):
                    return area
    return NOBODY


@kernel
def list_rockets(game: Setting, position: Position, gun: int, work: Work) -> None:
    """Write what a gun with rockets may fire at."""
    for to in range(game.areas):
        if may_fire(game, position, gun, to):
            add_plain_order(work, FIRE_ROCKET, gun, to)
    add_plain_order(work, HOLD_ROCKET, gun, NOBODY)


@kernel
def aimed_rocket(position: Position) -> int:
    """The number of the first rocket that has yet to be fired; -1 if there is none."""
    for number in range(len(position.rockets)):
        if position.rockets[number].target >= 0:
            return number
    return -1


# Placing.


@kernel
def capacity(game: Setting, position: Position, area: int) -> int:
    """How many units the mover's factory in an area makes in a turn; -1 if there is none that makes any."""
    if not makes_units(position, area):
        return -1
    for number in range(len(position.placed)):
        placed = position.placed[number]
        if placed.area == area and game.kinds[placed.kind].factory:
            return -1
    return game.limits[area]


@kernel
def fits(game: Setting, position: Position, kind: int, area: int, count: int) -> bool:
    """Whether the factories can have made what was placed and these units, too.

    That is so if any zones together need no more than the factories beside them have: Hall's theorem on marriages.
    """
    rooms = zeros(game.areas)
    for each in range(game.areas):
        rooms[each] = max(0, capacity(game, position, each))
    zones, counts, found = zeros(MOST_ZONES), zeros(MOST_ZONES), 0
    for number in range(len(position.placed) + 1):
        made, where, units = kind, area, count
        if number < len(position.placed):
            placed = position.placed[number]
            made, where, units = placed.kind, placed.area, placed.count
        if game.kinds[made].factory:
            continue
        if not game.sea[where]:
            rooms[where] -= units
            if rooms[where] < 0:
                return False
            continue
        zone = 0
        while zone < found and zones[zone] != where:
            zone += 1
        if zone == MOST_ZONES:
            return False
        found = max(found, zone + 1)
        zones[zone] = where
        counts[zone] += units
    return have_room(game, zones, counts, found, rooms)


@kernel
def have_room(game: Setting, zones: Ints, counts: Ints, found: int, rooms: Ints) -> bool:
    """Whether so many units in some zones can be made by the factories beside them."""
    beside = zeros(game.areas)
    for zone in range(found):
        for area in game.ways[zones[zone]]:
            beside[area] |= 1 << zone
    for group in range(1, 1 << found):
        left = 0
        for zone in range(found):
            left -= counts[zone] if group >> zone & 1 else 0
        for area in range(game.areas):
            left += rooms[area] if beside[area] & group else 0
        if left < 0:
            return False
    return True


@kernel
def is_own_land(game: Setting, position: Position, area: int) -> bool:
    """Whether the mover has held this land since its turn began."""
    return position.owners[area] == position.mover and not position.taken[area] and not game.sea[area]


@kernel
def may_be_placed(game: Setting, position: Position, kind: int, area: int, makers: Ints) -> bool:
    """Whether a kind belongs into an area; *makers* are the areas that make units."""
    domain = game.kinds[kind].domain
    if game.kinds[kind].factory:
        return is_own_land(game, position, area) and not position.factories[area]
    if not game.sea[area]:
        return domain != AT_SEA and makers[area] > 0
    if domain == AT_SEA or game.kinds[kind].berth:
        for land in game.ways[area]:
            if makers[land]:
                return True
    return False


@kernel
def list_placings(game: Setting, position: Position, work: Work) -> None:
    """Write where bought units may be placed, and fighters that may go onto new carriers, after `done`."""
    makers, free = zeros(game.areas), position.phase == BID_PLACE
    add_plain_order(work, DONE, NOBODY, NOBODY)
    for area in range(game.areas):
        own = is_own_land(game, position, area)
        makers[area] = int(own if free else own and capacity(game, position, area) >= 0)
    for kind in range(game.kind_count):
        for area in range(game.areas if position.bought[kind] else 0):
            if may_be_placed(game, position, kind, area, makers):
                most = most_placed(game, position, kind, area, free)
                if most:
                    add_order(work, order_number(PUT, NOBODY, kind, 0, area, NOBODY), most)
    if game.lhtr:
        return
    for zone in range(game.areas):
        if game.sea[zone] and has_new_carrier(game, position, zone):
            for area in game.ways[zone]:
                if capacity(game, position, area) >= 0:
                    list_boardings(game, position, area, zone, work)


@kernel
def most_placed(game: Setting, position: Position, kind: int, area: int, free: bool) -> int:
    """How many units of a kind may be placed in an area."""
    if game.kinds[kind].factory:
        return 1
    low, high = 0, position.bought[kind]
    if game.sea[area] and game.kinds[kind].berth:
        high = min(high, free_decks(game, position, area, position.mover) // game.kinds[kind].berth)
    while low < high and not free:  # what fits for many fits for fewer
        middle = (low + high + 1) // 2
        if fits(game, position, kind, area, middle):
            low = middle
        else:
            high = middle - 1
    return high


@kernel
def has_new_carrier(game: Setting, position: Position, zone: int) -> bool:
    """Whether a carrier was placed in a zone."""
    for number in range(len(position.placed)):
        if position.placed[number].area == zone and game.kinds[position.placed[number].kind].deck:
            return True
    return False


@kernel
def list_boardings(game: Setting, position: Position, area: int, zone: int, work: Work) -> None:
    """Write the fighters in an area that may go onto a carrier placed beside it."""
    room = free_decks(game, position, zone, position.mover)
    for kind in range(game.kind_count):
        berth, count = game.kinds[kind].berth, 0
        for place in range(first_in(position, area), first_in(position, area + 1)):
            stack = position.stacks[place]
            if stack.power == position.mover and stack.kind == kind:
                count += stack.count
        if berth and min(count, room // berth):
            add_order(work, order_number(BOARD, area, kind, 0, zone, NOBODY), min(count, room // berth))


@kernel
def place_units(game: Setting, position: Position, kind: int, area: int, count: int, work: Work) -> None:
    """Bought units come onto the board."""
    position.bought[kind] -= count
    number = 0
    while number < len(position.placed):
        if position.placed[number].kind == kind and position.placed[number].area == area:
            break
        number += 1
    if number == len(position.placed):
        placed = work.new_placed[0]
        placed.kind, placed.area, placed.count = kind, area, 0
        position.placed.append(placed)
    position.placed[number].count += count
    if game.kinds[kind].factory:
        position.factories[area] = 1
    else:
        add_units(position, new_units(work, area, position.mover, kind, 0, NOBODY), count)


@kernel
def board_carrier(position: Position, area: int, kind: int, zone: int, count: int) -> None:
    """Fighters beside a factory go onto a carrier that was just placed."""
    place = first_in(position, area)
    while count:
        moved, before = position.stacks[place].copy(), position.stacks[place].copy()
        going = min(count, moved.count) if moved.power == position.mover and moved.kind == kind else 0
        count -= going
        moved.area = zone
        if going:
            change_units(position, place, moved, going)
        place = find_place(position, before) + (going < before.count)


# The end of a turn.


@kernel
def lose_stranded(game: Setting, position: Position, work: Work) -> None:
    """Aircraft of the mover without a place are lost."""
    for area in range(game.areas):
        list_stranded(game, position, area, position.mover, work)
        for number in range(len(work.stacks)):
            stranded = work.stacks[number]
            remove_units(position, find_place(position, stranded), stranded.count)


@kernel
def earn(game: Setting, position: Position, power: int) -> None:
    """A power gets the values of its areas, if it holds its capital."""
    if holds_capital(game, position, power):
        for area in range(game.areas):
            position.money[power] += game.value[area] if position.owners[area] == power else 0
