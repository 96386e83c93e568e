"""`Order`: what a player can decide, as one line of numbers; and the orders that move units, with what they do."""

from collections.abc import Iterator
from typing import NamedTuple

from kibitz.games.axis.full.landing import Deck, aircraft_can_land, decks, guests_can_land, land_distances
from kibitz.games.axis.full.movement import Routes, air_routes, gun_areas, land_routes, sea_routes
from kibitz.games.axis.full.situation import (
    COMBAT,
    FOUGHT,
    LOADED_LATE,
    NOBODY,
    RAIDING,
    SPENT,
    UNLOADED_EARLY,
    Cargo,
    Overflight,
    Situation,
    Stack,
    take_area,
)

DONE, INVEST, BUY, LOADING, UNLOADING, MOVE, RAID, FIRE_ROCKET, HOLD_ROCKET, FIGHT = range(10)
BOMBARD, HOLD_FIRE, GO_ON, RETREAT, WITHDRAW, SUBMERGE, STAY, PUT, BOARD = range(10, 19)
"""The verbs of orders."""
MOST_CARGO = 4
"""The most units on one transport, whatever its room."""


class Order(NamedTuple):
    """A verb with what it is about; *most* is how many units (or dice) it may be given for, 0 if it has no number."""

    verb: int
    area: int = NOBODY
    kind: int = NOBODY
    variant: int = 0
    """Which of several groups of the kind in the area, in their order."""
    to: int = NOBODY
    via: int = NOBODY
    most: int = 0


def moves(situation: Situation) -> list[Order]:
    """All orders of a phase of moves, `done` first."""
    return sorted([Order(DONE), *_moves(situation)])


def _moves(situation: Situation) -> Iterator[Order]:
    power = situation.mover
    nearest = land_distances(situation, power)
    carriers = decks(situation, power)
    landed_before, units = aircraft_can_land(situation, power), situation.world.units
    for variant, stack, number in variants(situation, power):
        if stack.kind in units.land:
            yield from _routes_as_orders(land_routes(situation, stack), variant, stack, number)
            yield from _loading_orders(situation, variant, stack, number)
        elif stack.kind in units.ships:
            routes = sea_routes(situation, stack)
            if stack.kind in units.carriers:
                yield from _carrier_orders(situation, routes, variant, stack, number, landed_before)
            else:
                yield from _routes_as_orders(routes, variant, stack, number)
        else:
            flights = _Flights(situation, nearest, carriers, landed_before)
            yield from flights.orders(variant, stack, number)
    yield from _unloading_orders(situation)


def variants(situation: Situation, power: int) -> Iterator[tuple[int, Stack, int]]:
    """The groups of a power, each with its number among those of its kind in its area."""
    seen: dict[tuple[int, int], int] = {}
    for stack, number in situation.all_of(power):
        variant = seen.get((stack.area, stack.kind), 0)
        seen[stack.area, stack.kind] = variant + 1
        yield variant, stack, number


def group_of(situation: Situation, order: Order) -> Stack:
    """The group that an order is for."""
    return next(
        stack
        for variant, stack, _ in variants(situation, situation.mover)
        if (stack.area, stack.kind, variant) == (order.area, order.kind, order.variant)
    )


def _routes_as_orders(routes: Routes, variant: int, stack: Stack, number: int) -> Iterator[Order]:
    for to, via in routes:
        yield Order(MOVE, stack.area, stack.kind, variant, to, via, number)


def _carrier_orders(
    situation: Situation, routes: Routes, variant: int, stack: Stack, number: int, landed_before: bool
) -> Iterator[Order]:
    """The moves of carriers that leave no fighter without a place."""
    for to, via in routes:
        order = Order(MOVE, stack.area, stack.kind, variant, to, via, number)
        for most in range(number, 0, -1):
            if not landed_before or aircraft_can_land(move_units(situation, order, most), stack.power):
                yield order._replace(most=most)
                break


class _Flights:
    """The moves of aircraft after which all can still land."""

    def __init__(
        self, situation: Situation, nearest: tuple[int, ...], carriers: list[Deck], landed_before: bool
    ) -> None:
        self.situation, self.nearest, self.carriers = situation, nearest, carriers
        self.harbours = frozenset(zone for zones, _ in carriers for zone in zones)
        self.landed_before = landed_before

    def orders(self, variant: int, stack: Stack, number: int) -> Iterator[Order]:
        """The moves and raids of a group."""
        situation, left = self.situation, self.situation.movement_left(stack)
        if stack.marks & RAIDING:
            return
        for (to, via), route in air_routes(situation, stack).items():
            order = Order(MOVE, stack.area, stack.kind, variant, to, via, number)
            most = self.most(order, stack, to, left - route.length)
            if not most:
                continue
            yield order._replace(most=most)
            if situation.world.units.kinds[stack.kind].raids and can_be_raided(situation, to):
                yield order._replace(verb=RAID, most=most)

    def most(self, order: Order, stack: Stack, to: int, left: int) -> int:
        """How many of a group may fly there."""
        situation = self.situation
        if self.nearest[to] <= left:
            return order.most
        air = situation.world.air[to]
        if stack.kind not in situation.world.units.guests or not any(air[zone] <= left for zone in self.harbours):
            return 0
        for count in range(order.most, 0, -1):
            if not self.landed_before:  # some are lost already; these at least must land
                if guests_can_land(situation, to, stack.kind, left, count, self.carriers):
                    return count
            elif aircraft_can_land(move_units(situation, order, count).replace(overflight=None), stack.power):
                return count
        return 0


def can_be_raided(situation: Situation, area: int) -> bool:
    """Whether bombers may raid an area now: a hostile one with a factory, in combat moves."""
    hostile = situation.owners[area] != NOBODY and not situation.is_friendly(area, situation.mover)
    return situation.phase == COMBAT and area in situation.factories and hostile


# Transports.


def _loading_orders(situation: Situation, variant: int, stack: Stack, number: int) -> Iterator[Order]:
    if (
        stack.spent
        or not situation.world.units.kinds[stack.kind].load
        or (stack.kind in situation.world.units.guns and situation.phase == COMBAT)
    ):
        return
    for zone in situation.world.by_sea[stack.area]:
        if situation.enemies(zone, stack.power):
            continue
        most = loading_room(situation, zone, stack.power, stack.kind, number)
        if most:
            yield Order(LOADING, stack.area, stack.kind, variant, zone, NOBODY, most)


def loading_room(situation: Situation, zone: int, power: int, kind: int, wanted: int) -> int:
    """How many units of a kind fit on transports in a zone, at most *wanted*."""
    most = 0
    while most < wanted and (transport := _transport_for(situation, zone, power, kind)) is not None:
        situation = _put_aboard(situation, transport, power, kind)
        most += 1
    return most


def _transport_for(situation: Situation, zone: int, power: int, kind: int) -> Stack | None:
    """The transport a unit is loaded on: an own one if any has room, the fullest first."""
    friendly, kinds = situation.world.friendly[power], situation.world.units.kinds
    fitting = [
        (stack.power != power, room, stack)
        for stack, _ in situation.at(zone)
        if kinds[stack.kind].room
        and friendly[stack.power]
        and stack.landed == NOBODY
        and (room := kinds[stack.kind].room - sum(kinds[item.kind].load for item in stack.cargo)) >= kinds[kind].load
        and len(stack.cargo) < MOST_CARGO
    ]
    return min(fitting)[2] if fitting else None


def _put_aboard(situation: Situation, transport: Stack, power: int, kind: int) -> Situation:
    late = 0 if situation.phase == COMBAT else LOADED_LATE
    cargo = tuple(sorted((*transport.cargo, Cargo(power, kind, True))))
    loaded = transport._replace(cargo=cargo, marks=transport.marks | late)
    return situation.with_units({transport: -1, loaded: 1})


def load_units(situation: Situation, order: Order, count: int) -> Situation:
    """Land units go aboard."""
    stack = group_of(situation, order)
    for _ in range(count):
        transport = _transport_for(situation, order.to, stack.power, stack.kind)
        assert transport is not None, "only what has room is loaded"
        situation = _put_aboard(situation, transport, stack.power, stack.kind)
    return situation.with_units({stack: -count})


def _unloading_orders(situation: Situation) -> Iterator[Order]:
    counts: dict[tuple[int, int, int], int] = {}
    for transport, number in situation.units:
        if not transport.cargo:
            continue
        zone = transport.area
        for to in situation.world.ways[zone]:
            for item in transport.cargo:
                if not situation.world.sea[to] and may_unload(situation, transport, item, to):
                    counts[zone, item.kind, to] = counts.get((zone, item.kind, to), 0) + number
    for (zone, kind, to), number in counts.items():
        yield Order(UNLOADING, zone, kind, 0, to, NOBODY, number)


def may_unload(situation: Situation, transport: Stack, item: Cargo, to: int) -> bool:
    """Whether a unit may leave a transport for an area now."""
    power, combat = situation.mover, situation.phase == COMBAT
    if item.power != power or item.to != NOBODY or not situation.world.friendly[power][transport.power]:
        return False
    if transport.landed not in (NOBODY, to):
        return False
    enemies_at_sea = bool(situation.enemies(transport.area, power))
    if transport.power != power and (item.fresh or enemies_at_sea):  # the battle at sea would be the owner's
        return False
    friendly = situation.is_friendly(to, power) and not situation.enemies(to, power)
    if combat:
        return not (friendly and enemies_at_sea) and item.kind not in situation.world.units.guns
    if transport.marks & UNLOADED_EARLY:
        return False
    both = transport.marks & FOUGHT and transport.marks & LOADED_LATE
    return friendly and not enemies_at_sea and not both


def unload_units(situation: Situation, order: Order, count: int) -> Situation:
    """Units leave their transports; where enemy ships are near they wait for the battle at sea."""
    power, combat = situation.mover, situation.phase == COMBAT
    waits = combat and bool(situation.enemies(order.area, power))
    for _ in range(count):
        transport, item = min(
            ((stack.landed != order.to, stack.power != power, len(stack.cargo)), stack, item)
            for stack, _ in situation.at(order.area)
            for item in stack.cargo
            if item.kind == order.kind and may_unload(situation, stack, item, order.to)
        )[1:]
        rest = list(transport.cargo)
        rest.remove(item)
        marks = transport.marks | (UNLOADED_EARLY if combat else 0)
        own = transport.power == power
        spent = SPENT if own else transport.spent
        aboard = tuple(sorted((*rest, item._replace(to=order.to)))) if waits else tuple(rest)
        emptied = transport._replace(
            cargo=aboard, spent=spent, landed=order.to, marks=marks if own else transport.marks
        )
        changes = {transport: -1, emptied: 1}
        if not waits:
            changes[Stack(order.to, power, order.kind, SPENT, order.area)] = 1
        situation = situation.with_units(changes)
    return situation if waits or not combat else enter_area(situation, order.to, power)


# Moves.


def move_units(situation: Situation, order: Order, count: int) -> Situation:
    """Units go where an order says; guns under way fire afterwards, and empty hostile areas are taken."""
    stack = group_of(situation, order)
    units = situation.world.units
    if stack.kind in units.aircraft:
        return _fly(situation, order, stack, count)
    routes = land_routes(situation, stack) if stack.kind in units.land else sea_routes(situation, stack)
    route = routes[order.to, order.via]
    moved = stack._replace(area=order.to, spent=stack.spent + route.length, came=route.before)
    changes = {stack: -count, moved: count}
    if stack.kind in units.carriers:
        deck = units.kinds[stack.kind].deck
        changes |= guests_aboard(situation, stack.area, stack.power, order.to, deck * count)
    situation = situation.with_units(changes)
    if stack.kind in units.land and situation.phase == COMBAT:
        if order.via != NOBODY:
            situation = take_area(situation, order.via, stack.power)
        situation = enter_area(situation, order.to, stack.power)
    return situation


def _fly(situation: Situation, order: Order, stack: Stack, count: int) -> Situation:
    length = situation.world.air[stack.area][order.to]
    marks = stack.marks | (RAIDING if order.verb == RAID else 0)
    moved = stack._replace(area=order.to, spent=stack.spent + length, marks=marks)
    guns = gun_areas(situation, stack, order.to)
    overflight = Overflight(moved, count, guns) if guns else None
    return situation.with_units({stack: -count, moved: count}, overflight=overflight)


def guests_aboard(situation: Situation, zone: int, power: int, to: int, room: int) -> dict[Stack, int]:
    """Fighters of allies that go along with the carriers of a power on which they stand, with so much room."""
    units, friendly = situation.world.units, situation.world.friendly[power]
    kinds, here = units.kinds, situation.at(zone)
    others = sum(n * kinds[s.kind].deck for s, n in here if s.kind in units.carriers and s.power != power)
    guests = [(s, n) for s, n in here if s.kind in units.guests and s.power != power and friendly[s.power]]
    needed = sum(n * kinds[s.kind].berth for s, n in guests)
    going = min(room, max(0, needed - others))
    changes: dict[Stack, int] = {}
    for stack, number in guests:
        berth = kinds[stack.kind].berth
        aboard = min(number, going // berth)
        going -= aboard * berth
        if aboard:
            changes |= {stack: -aboard, stack._replace(area=to): aboard}
    return changes


def enter_area(situation: Situation, area: int, power: int) -> Situation:
    """A hostile area with nothing in it is taken at once; with a gun or a factory, when battles are fought."""
    if situation.is_friendly(area, power) or situation.enemies(area, power) or area in situation.factories:
        return situation
    return take_area(situation, area, power)
