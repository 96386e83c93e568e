"""Where aircraft can land: on friendly land not taken in this turn, or, fighters, on carriers with room."""

from collections import Counter
from functools import lru_cache

from kibitz.games.axis.board import FAR
from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.situation import COMBAT, NONCOMBAT, SUBMERGED, Situation, Stack

Deck = tuple[frozenset[int], int]
"""A carrier for aircraft that look for one: the zones it can end in, and the room it has left."""


class WorldKey:
    """A world that compares by identity, so that it can be part of a key of a cache."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> int:
        return id(self.world)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WorldKey) and other.world is self.world


def can_land_on(situation: Situation, area: int, power: int) -> bool:
    """Whether aircraft of a power may end the turn on this land."""
    return not situation.world.sea[area] and situation.is_friendly(area, power) and area not in situation.taken


def land_distances(situation: Situation, power: int) -> tuple[int, ...]:
    """From every area the distance to the nearest land where aircraft of a power can land."""
    return _distances(WorldKey(situation.world), situation.owners, situation.taken, power)


@lru_cache(maxsize=256)
def _distances(key: WorldKey, owners: tuple[int, ...], taken: tuple[int, ...], power: int) -> tuple[int, ...]:
    world = key.world
    open_land = [
        area
        for area, owner in enumerate(owners)
        if not world.sea[area] and world.friendly[power][owner] and area not in taken
    ]
    return tuple(min((far[area] for area in open_land), default=FAR) for far in world.air)


def carrier_zones(situation: Situation, stack: Stack) -> frozenset[int]:
    """The zones that a carrier can still be in when the turn ends."""
    from kibitz.games.axis.full.movement import sea_routes  # the two ask each other

    here = frozenset((stack.area,))
    if stack.power != situation.mover or situation.phase not in (COMBAT, NONCOMBAT):
        return here
    if situation.phase == COMBAT and situation.enemies(stack.area, stack.power):
        return here
    return here | {to for to, _ in sea_routes(situation, stack, peaceful=True)}


def decks(situation: Situation, power: int) -> list[Deck]:
    """Of every carrier that aircraft of a power may use: the zones it can end in, and the room it has left."""
    found: list[Deck] = []
    units, friendly = situation.world.units, situation.world.friendly[power]
    zones = {stack.area for stack, _ in situation.units if stack.kind in units.carriers}
    for zone in sorted(zones):
        carriers = [pair for pair in situation.at(zone) if pair[0].kind in units.carriers and friendly[pair[0].power]]
        guests = sum(
            number * units.kinds[stack.kind].berth
            for stack, number in situation.at(zone)
            if stack.kind in units.guests and stack.power != power and friendly[stack.power]
        )
        # Allied fighters stand on their own carriers first, and then on those of the power that moves.
        for stack, number in sorted(carriers, key=lambda pair: pair[0].power == power):
            reach, deck = carrier_zones(situation, stack), units.kinds[stack.kind].deck
            for _ in range(number):
                used = min(deck, guests)
                guests -= used
                if used < deck:
                    found.append((reach, deck - used))
    if situation.rules.lhtr and power == situation.mover:
        for kind in sorted(units.carriers):
            found += [(zones_beside_factories(situation), units.kinds[kind].deck)] * situation.bought[kind]
    return found


def zones_beside_factories(situation: Situation) -> frozenset[int]:
    """The zones in which the mover may place ships at the end of the turn."""
    return frozenset(
        zone
        for area in situation.factories
        if situation.owners[area] == situation.mover and area not in situation.taken
        for zone in situation.world.by_sea[area]
    )


def aircraft_can_land(situation: Situation, power: int) -> bool:
    """Whether every aircraft of a power has a place to land within the movement it has left."""
    nearest = land_distances(situation, power)
    units = situation.world.units
    needy: list[tuple[frozenset[int], int]] = []
    for stack, number in situation.all_of(power):
        if stack.kind not in units.aircraft or nearest[stack.area] <= situation.movement_left(stack):
            continue
        if stack.kind not in units.guests:
            return False
        reach = _reach(situation.world, stack.area, situation.movement_left(stack))
        needy += [(reach, units.kinds[stack.kind].berth)] * number
    if not needy:
        return True
    return _seat(needy, decks(situation, power))


def guests_can_land(situation: Situation, area: int, kind: int, left: int, count: int, carriers: list[Deck]) -> bool:
    """Whether so many aircraft find carriers from an area with the movement they have left, whatever others do."""
    berth = situation.world.units.kinds[kind].berth
    return _seat([(_reach(situation.world, area, left), berth)] * count, carriers)


def _reach(world: World, area: int, left: int) -> frozenset[int]:
    """The zones within the movement of aircraft."""
    return frozenset(zone for zone, far in enumerate(world.air[area]) if far <= left and world.sea[zone])


def _seat(fighters: list[tuple[frozenset[int], int]], carriers: list[Deck]) -> bool:
    """Whether every fighter finds a carrier that can be where the fighter can be, with room for its berth."""
    return _all_seated(tuple(fighters), frozenset(Counter(carriers).items()))


@lru_cache(maxsize=50_000)
def _all_seated(fighters: tuple[tuple[frozenset[int], int], ...], carriers: frozenset[tuple[Deck, int]]) -> bool:
    """The same with carriers that are alike counted, so that no case is tried twice."""
    if not fighters:
        return True
    if sum(berth for _, berth in fighters) > sum(room * number for (_, room), number in carriers):
        return False
    (first, berth), rest = fighters[0], fighters[1:]
    for (zones, room), _ in carriers:
        if room < berth or not (both := zones & first):
            continue
        left = Counter(dict(carriers))
        left[zones, room] -= 1
        left[both, room - berth] += 1
        if _all_seated(rest, frozenset((+left).items())):
            return True
    return False


def stranded_aircraft(situation: Situation, power: int) -> list[tuple[Stack, int]]:
    """The aircraft of a power that have no place where they are."""
    found: list[tuple[Stack, int]] = []
    units = situation.world.units
    for area, stacks in situation.by_area.items():
        aircraft = [pair for pair in stacks if pair[0].power == power and pair[0].kind in units.aircraft]
        if not aircraft or can_land_on(situation, area, power):
            continue
        room = _room_at_sea(situation, area, power) if situation.world.sea[area] else 0
        for stack, number in aircraft:
            berth = units.kinds[stack.kind].berth
            kept = min(number, room // berth) if berth else 0
            room -= kept * berth
            if number > kept:
                found.append((stack, number - kept))
    return found


def _room_at_sea(situation: Situation, zone: int, power: int) -> int:
    """The room for aircraft of a power on the carriers in a zone, and on those that will be placed there."""
    units, friendly = situation.world.units, situation.world.friendly[power]
    kinds = units.kinds
    decks_here, guests = 0, 0
    for stack, number in situation.at(zone):
        if not friendly[stack.power]:
            continue
        if stack.kind in units.carriers and not stack.marks & SUBMERGED:
            decks_here += number * kinds[stack.kind].deck
        elif stack.kind in units.guests and stack.power != power:
            guests += number * kinds[stack.kind].berth
    room = max(0, decks_here - guests)
    waits = situation.phase == NONCOMBAT and situation.rules.lhtr and power == situation.mover
    if waits and zone in zones_beside_factories(situation):
        room += sum(kinds[kind].deck * situation.bought[kind] for kind in units.carriers)
    return room
