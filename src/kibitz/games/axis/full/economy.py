"""Research, purchase, placing of units, raids, rockets and income: all that is about money."""

from itertools import combinations

from kibitz.games.axis.full.board import MOST_MADE
from kibitz.games.axis.full.landing import stranded_aircraft
from kibitz.games.axis.full.orders import BOARD, BUY, FIRE_ROCKET, HOLD_ROCKET, INVEST, PUT, Order
from kibitz.games.axis.full.situation import BID, BID_PLACE, NOBODY, RAIDING, WITHDRAWN, Situation, Stack
from kibitz.games.axis.full.units import HEAVY_BOMBERS, ROCKETS, TECHNOLOGIES

DIE = 5
"""The price of a die of research."""
ROCKET_RANGE = 3
MOST_BOUGHT = MOST_MADE
"""The most units of a kind in one order."""
MOST_ZONES = 10
"""The most zones in which units are placed in a turn."""


# Research and purchase.


def research_orders(situation: Situation) -> list[Order]:
    """The technologies that a power may try for, and with how many dice."""
    power = situation.mover
    if not situation.rules.research or not situation.holds_capital(power):
        return []
    dice, arsenal = situation.money[power] // DIE, situation.arsenal(power)
    return [
        Order(INVEST, kind=technology, most=dice)
        for technology in range(len(TECHNOLOGIES))
        if dice and not arsenal.knows(technology)
    ]


def invest(situation: Situation, technology: int, dice: int) -> Situation:
    """A power pays for dice, which are rolled next."""
    return situation.replace(money=situation.pay(situation.mover, DIE * dice), research=(technology, dice))


def finish_research(situation: Situation, hits: int) -> Situation:
    """Any hit brings the technology, which works at once, or, where the rules say so, when the turn is over."""
    situation = situation.replace(research=(situation.research[0] if hits else NOBODY, 0))
    return situation if situation.rules.lhtr else learn_technology(situation)


def learn_technology(situation: Situation) -> Situation:
    """The technology that was found works from now on."""
    technology, known = situation.research[0], list(situation.technologies)
    if technology != NOBODY:
        known[situation.mover] |= 1 << technology
    return situation.replace(technologies=tuple(known), research=(NOBODY, 0))


def purchase_orders(situation: Situation) -> list[Order]:
    """What the money of a power buys."""
    power = situation.mover
    if not situation.holds_capital(power):
        return []
    money, prices = situation.purse if situation.phase == BID else situation.money[power], situation.world.prices[power]
    counts = ((kind, min(MOST_BOUGHT, money // price) if price else 0) for kind, price in enumerate(prices))
    return [Order(BUY, kind=kind, most=most) for kind, most in counts if most]


def buy(situation: Situation, kind: int, count: int) -> Situation:
    """A power buys units, which it places at the end of its turn."""
    bought = tuple(number + count * (each == kind) for each, number in enumerate(situation.bought))
    cost = count * situation.world.prices[situation.mover][kind]
    if situation.phase == BID:
        return situation.replace(purse=situation.purse - cost, bought=bought)
    return situation.replace(money=situation.pay(situation.mover, cost), bought=bought)


# Raids and rockets.


def raid_bombers(situation: Situation, area: int) -> list[tuple[Stack, int]]:
    """The bombers that raid an area and have not yet done so."""
    return [pair for pair in situation.own_units(area, situation.mover) if pair[0].marks & RAIDING]


def raid_areas(situation: Situation) -> list[int]:
    """The areas with bombers on a raid."""
    return sorted({stack.area for stack, _ in situation.all_of(situation.mover) if stack.marks & RAIDING})


def raiding_aircraft(situation: Situation, area: int) -> tuple[int, ...]:
    """How many of each kind of aircraft raid an area."""
    found = raid_bombers(situation, area)
    return tuple(sum(n for s, n in found if s.kind == kind) for kind in situation.world.units.flyers)


def lose_raiders(situation: Situation, area: int, hits: tuple[int, ...]) -> Situation:
    """Guns have hit aircraft on a raid; the others drop their bombs next."""
    gone: dict[Stack, int] = {}
    for kind, number in zip(situation.world.units.flyers, hits, strict=True):
        flown = [pair for pair in raid_bombers(situation, area) if pair[0].kind == kind]
        for stack, count in sorted(flown, key=lambda pair: -pair[0].spent):
            gone[stack] = -min(number, count)
            number += gone[stack]
    situation = situation.with_units({stack: number for stack, number in gone.items() if number})
    return situation.replace(raid=area) if raid_bombers(situation, area) else situation


def is_heavy(situation: Situation) -> bool:
    """Whether the mover has heavy bombers."""
    return situation.arsenal(situation.mover).knows(HEAVY_BOMBERS)


def damage_area(situation: Situation, area: int, damage: int) -> Situation:
    """The owner of an area pays for the damage, and at most what it has."""
    before = dict(situation.raided)
    if situation.rules.lhtr:
        damage = min(damage, max(0, situation.world.areas[area].value - before.get(area, 0)))
    before[area] = before.get(area, 0) + damage
    money = situation.pay(situation.owners[area], damage)
    return situation.replace(money=money, raided=tuple(sorted(before.items())))


def finish_raid(situation: Situation, damage: int) -> Situation:
    """The bombers have done their damage, and take part in no battle."""
    area = situation.raid
    raiders = {stack for stack, _ in raid_bombers(situation, area)}

    def fly_on(stack: Stack) -> Stack:
        return stack._replace(marks=stack.marks & ~RAIDING | WITHDRAWN) if stack in raiders else stack

    return damage_area(situation.map_units(fly_on, raid=NOBODY), area, damage)


def rocket_orders(situation: Situation) -> list[Order]:
    """What the next gun with rockets may fire at; empty if none is left to be asked about."""
    power, world = situation.mover, situation.world
    if not situation.arsenal(power).knows(ROCKETS):
        return []
    told = {area for area, _ in situation.rockets}
    aimed_at = {to for _, to in situation.rockets}
    for stack, _ in situation.all_of(power):
        area = stack.area
        if (
            stack.kind not in world.units.guns
            or stack.spent
            or area in told
            or area in situation.taken
            or world.sea[area]
        ):
            continue
        targets = [
            to
            for to in situation.factories
            if world.air[area][to] <= ROCKET_RANGE and to not in aimed_at and not situation.is_friendly(to, power)
        ]
        if targets:
            return [*(Order(FIRE_ROCKET, area, to=to) for to in sorted(targets)), Order(HOLD_ROCKET, area)]
    return []


# Placing.


def capacity(situation: Situation) -> dict[int, int]:
    """How many units each factory of the mover can make in a turn."""
    return {
        area: situation.world.limits[area]
        for area in situation.factories
        if situation.owners[area] == situation.mover and area not in situation.taken and not _is_new(situation, area)
    }


def _is_new(situation: Situation, area: int) -> bool:
    """Whether a factory was placed in this turn."""
    factories = situation.world.units.factories
    return any(kind in factories and where == area for kind, where, _ in situation.placed)


def fits(situation: Situation, placed: dict[tuple[int, int], int]) -> bool:
    """Whether the factories can have made these units (by kind and area): those at sea by any factory beside them."""
    zones: dict[int, int] = {}
    room = capacity(situation)
    for (kind, area), count in placed.items():
        if kind in situation.world.units.factories:
            continue
        if situation.world.sea[area]:
            zones[area] = zones.get(area, 0) + count
        else:
            room[area] = room.get(area, 0) - count
    if any(left < 0 for left in room.values()):
        return False
    return _share_out(zones, room, situation)


def _share_out(zones: dict[int, int], room: dict[int, int], situation: Situation) -> bool:
    """Whether every zone gets its units from the factories beside it: any zones together need no more than these have.

    That is enough by Hall's theorem on marriages.
    """
    if len(zones) > MOST_ZONES:
        return False
    beside = {zone: {area for area in room if zone in situation.world.by_sea[area]} for zone in zones}
    return all(
        sum(zones[zone] for zone in group) <= sum(room[area] for area in set[int]().union(*(beside[z] for z in group)))
        for size in range(1, len(zones) + 1)
        for group in combinations(zones, size)
    )


def placing_orders(situation: Situation) -> list[Order]:
    """Where bought units may be placed, and fighters that may go onto new carriers."""
    found: list[Order] = []
    power, world = situation.mover, situation.world
    free = situation.phase == BID_PLACE
    for kind, number in enumerate(situation.bought):
        if not number:
            continue
        for area in _places_for(situation, kind, free):
            most = next((n for n in range(number, 0, -1) if _may_place(situation, kind, area, n, free)), 0)
            if most:
                found.append(Order(PUT, kind=kind, to=area, most=most))
    if not situation.rules.lhtr:
        made = {area for kind, area, _ in situation.placed if kind in world.units.carriers}
        for zone in sorted(made):
            for area in capacity(situation):
                for kind in sorted(world.units.guests) if zone in world.by_sea[area] else ():
                    room = deck_room(situation, zone, power) // world.units.kinds[kind].berth
                    most = min(situation.count(area, power, kind), room)
                    found += [Order(BOARD, area, kind, 0, zone, most=most)] if most > 0 else []
    return sorted(found)


def _places_for(situation: Situation, kind: int, free: bool) -> list[int]:
    power, world = situation.mover, situation.world
    own = [n for n, owner in enumerate(situation.owners) if owner == power and n not in situation.taken]
    own = [area for area in own if not world.sea[area]]
    if kind in world.units.factories:
        return [area for area in own if area not in situation.factories]
    makers = own if free else sorted(capacity(situation))
    zones = sorted({zone for area in makers for zone in world.by_sea[area]})
    if kind in world.units.ships:
        return zones
    return [*makers, *zones] if kind in world.units.guests else makers


def _may_place(situation: Situation, kind: int, area: int, count: int, free: bool) -> bool:
    world = situation.world
    if kind in world.units.factories:
        return count == 1
    berth = world.units.kinds[kind].berth if kind in world.units.guests else 0
    if berth and world.sea[area] and deck_room(situation, area, situation.mover) < count * berth:
        return False
    placed: dict[tuple[int, int], int] = {(kind, area): count}
    for other, where, number in situation.placed:
        placed[other, where] = placed.get((other, where), 0) + number
    return free or fits(situation, placed)


def deck_room(situation: Situation, zone: int, power: int) -> int:
    """What room the carriers in a zone have left for fighters of a power."""
    friendly, kinds = situation.world.friendly[power], situation.world.units.kinds
    units = [(kinds[s.kind], n) for s, n in situation.at(zone) if friendly[s.power]]
    return max(0, sum(n * (kind.deck - (kind.berth if kind.domain == "air" else 0)) for kind, n in units))


def place(situation: Situation, kind: int, area: int, count: int) -> Situation:
    """Bought units come onto the board."""
    bought = tuple(number - count * (each == kind) for each, number in enumerate(situation.bought))
    placed = {(one, where): number for one, where, number in situation.placed}
    placed[kind, area] = placed.get((kind, area), 0) + count
    told = tuple(sorted((one, where, number) for (one, where), number in placed.items()))
    if kind in situation.world.units.factories:
        factories = tuple(sorted((*situation.factories, area)))
        return situation.replace(factories=factories, bought=bought, placed=told)
    return situation.with_units({Stack(area, situation.mover, kind): count}, bought=bought, placed=told)


def board_carrier(situation: Situation, area: int, kind: int, zone: int, count: int) -> Situation:
    """Fighters beside a factory go onto a carrier that was just placed."""
    changes: dict[Stack, int] = {}
    for stack, number in situation.own_units(area, situation.mover):
        if stack.kind == kind and count:
            going = min(count, number)
            count -= going
            moved = stack._replace(area=zone)
            changes[stack] = -going
            changes[moved] = changes.get(moved, 0) + going
    return situation.with_units(changes)


# The end of a turn.


def lose_stranded(situation: Situation, power: int) -> Situation:
    """Aircraft without a place are lost."""
    return situation.with_units({stack: -number for stack, number in stranded_aircraft(situation, power)})


def income(situation: Situation, power: int) -> int:
    """What a power earns: the values of its areas, if it holds its capital."""
    if not situation.holds_capital(power):
        return 0
    values = zip(situation.owners, situation.world.areas, strict=True)
    return sum(area.value for owner, area in values if owner == power)


def bomber_count(situation: Situation, area: int) -> int:
    """How many bombers raid an area."""
    return sum(raiding_aircraft(situation, area))
