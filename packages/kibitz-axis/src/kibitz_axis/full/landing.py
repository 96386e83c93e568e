"""Where aircraft can land: on friendly land not taken in this turn, or, fighters, on carriers with room.

Carriers may still move, and LHTR knows those that will be placed, so a carrier is a set of zones it can end in. Every
aircraft that takes a place there leaves it those zones that the aircraft reaches, too.
"""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, Table, table, zeros
from kibitz_axis.full.movement import sea_routes
from kibitz_axis.full.position import BITS, COMBAT, IN_AIR, MOST_DECKS, NONCOMBAT, SUBMERGED, Position, Setting, Work
from kibitz_axis.full.stacks import first_in, forget_stacks, is_friend, movement_left, owns

FEW_STEPS, MOST_STEPS = 200, 100_000
"""How many steps aircraft are shared out among carriers in, before and after it is asked whether it can be hopeless."""


@kernel
def mark_zone(game: Setting, zones: Ints, zone: int) -> None:
    """Put a zone into a set."""
    number = game.zone_number[zone]
    zones[number // BITS] |= 1 << number % BITS


@kernel
def share_zone(one: Ints, other: Ints) -> bool:
    """Whether two sets of zones share one."""
    for word in range(len(one)):  # noqa: SIM110  (kernels have no generators)
        if one[word] & other[word]:
            return True
    return False


# Carriers.


@kernel
def list_decks(game: Setting, position: Position, work: Work) -> None:
    """Write of every carrier that the mover's aircraft may use the zones it can end in, and its room."""
    work.decks, end = 0, 0
    while end < len(position.stacks):
        start, area, guests, carriers = end, position.stacks[end].area, 0, False
        while end < len(position.stacks) and position.stacks[end].area == area:
            stack = position.stacks[end]
            kind = game.kinds[stack.kind]
            if is_friend(game, position.mover, stack.power):
                carriers = carriers or kind.deck > 0
                if kind.domain == IN_AIR and stack.power != position.mover:
                    guests += stack.count * kind.berth
            end += 1
        if carriers:  # allied fighters stand on their own carriers first, and then on those of the mover
            guests = list_carriers(game, position, start, end, False, guests, work)
            list_carriers(game, position, start, end, True, guests, work)
    if game.lhtr:
        list_new_decks(game, position, work)


@kernel
def list_carriers(game: Setting, position: Position, start: int, end: int, own: bool, guests: int, work: Work) -> int:
    """Write the carriers of one area, those of the mover or of its allies; return the guests that found no room."""
    routes = work.routes[1]
    for place in range(start, end):
        stack = position.stacks[place]
        deck = game.kinds[stack.kind].deck
        if deck == 0 or (stack.power == position.mover) != own or not is_friend(game, position.mover, stack.power):
            continue
        routes.count = 0
        if own and (position.phase == NONCOMBAT or (position.phase == COMBAT and not work.enemy[stack.area])):
            sea_routes(game, position, stack, True, work, routes)
        for _ in range(stack.count):
            used = min(deck, guests)
            guests -= used
            if used < deck and add_deck(work, deck - used):
                zones = work.zones[work.decks - 1]
                mark_zone(game, zones, stack.area)
                for number in range(routes.count):
                    mark_zone(game, zones, routes.to[number])
    return guests


@kernel
def add_deck(work: Work, room: int) -> bool:
    """Write one more carrier that is nowhere yet; whether there is room for it."""
    if work.decks == MOST_DECKS:
        return False
    for word in range(work.zone_words):
        work.zones[work.decks][word] = 0
    work.rooms[work.decks] = room
    work.decks += 1
    return True


@kernel
def makes_units(position: Position, area: int) -> bool:
    """Whether a factory of the mover in an area may make units at the end of the turn."""
    return position.factories[area] > 0 and position.owners[area] == position.mover and not position.taken[area]


@kernel
def list_new_decks(game: Setting, position: Position, work: Work) -> None:
    """Write the carriers that are bought and will be placed beside a factory."""
    for kind in range(game.kind_count):
        for _ in range(position.bought[kind] if game.kinds[kind].deck else 0):
            if not add_deck(work, game.kinds[kind].deck):
                return
            for area in range(game.areas):
                if makes_units(position, area):
                    for zone in game.by_sea[area]:
                        mark_zone(game, work.zones[work.decks - 1], zone)


# Aircraft that need them.


@kernel
def add_needy(work: Work, area: int, left: int, berth: int) -> None:
    """Write one more aircraft that needs a carrier."""
    if work.needy < MOST_DECKS:
        work.needy_area[work.needy], work.needy_left[work.needy] = area, left
        work.needy_berth[work.needy] = berth
        work.needy += 1


@kernel
def list_needy(game: Setting, position: Position, without: int, fewer: int, work: Work) -> bool:
    """Write the mover's aircraft that reach no land; returns whether carriers may take all of them.

    Of the stack at the place *without*, *fewer* units are left out.
    """
    work.needy = 0
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        kind = game.kinds[stack.kind]
        if stack.power != position.mover or kind.domain != IN_AIR:
            continue
        left, units = movement_left(game, position, stack), stack.count - (fewer if place == without else 0)
        if units == 0 or work.land_distance[stack.area] <= left:
            continue
        if kind.berth == 0:
            return False
        for _ in range(units):
            add_needy(work, stack.area, left, kind.berth)
    return True


@kernel
def all_can_land(game: Setting, position: Position, work: Work) -> bool:
    """Whether every aircraft of the mover has a place to land within the movement it has left."""
    if not list_needy(game, position, -1, 0, work):
        return False
    if work.needy:
        list_decks(game, position, work)
    return can_seat(game, work)


# Sharing out.


@kernel
def can_seat(game: Setting, work: Work) -> bool:
    """Whether all needy aircraft find a carrier that can be where they can be. Carriers stay as they are."""
    berths, room = 0, 0
    for number in range(work.needy):
        berths += work.needy_berth[number]
    for deck in range(work.decks):
        room += work.rooms[deck]
    if berths == 0 or berths > room:
        return berths == 0
    reach = table(work.needy, work.zone_words)
    for number in range(work.needy):
        far, left = game.air[work.needy_area[number]], work.needy_left[number]
        if is_twin(work, number):
            for word in range(work.zone_words):
                reach[number][word] = reach[number - 1][word]
            continue
        for zone in range(game.areas):
            if far[zone] <= left and game.sea[zone]:
                mark_zone(game, reach[number], zone)
    found = search_seats(work, reach, FEW_STEPS)
    if found < 0 and can_seat_apart(work, reach):
        found = search_seats(work, reach, MOST_STEPS)
    return found == 1


@kernel
def is_twin(work: Work, number: int) -> bool:
    """Whether an aircraft is like the one before it."""
    if number == 0 or work.needy_area[number] != work.needy_area[number - 1]:
        return False
    left, berth = work.needy_left, work.needy_berth
    return left[number] == left[number - 1] and berth[number] == berth[number - 1]


@kernel
def is_like_last(work: Work, deck: int) -> bool:
    """Whether a carrier has the room and the zones of the one before it."""
    for word in range(work.zone_words):
        if work.zones[deck][word] != work.zones[deck - 1][word]:
            return False
    return work.rooms[deck] == work.rooms[deck - 1]


@kernel
def search_seats(work: Work, reach: Table, most: int) -> int:
    """Whether all aircraft find carriers, by trying; -1 if so many steps do not tell."""
    count, words = work.needy, work.zone_words
    saved, seat, first = table(count, words), zeros(count + 1, -1), zeros(count + 1)
    number, found = 0, -1
    for _ in range(most):
        if number == count:
            found = 1
            break
        deck = next_deck(work, number, seat[number] + 1, first[number], reach[number])
        if deck >= 0:
            for word in range(words):
                saved[number][word] = work.zones[deck][word]
                work.zones[deck][word] &= reach[number][word]
            work.rooms[deck] -= work.needy_berth[number]
            seat[number] = deck
            number += 1  # aircraft that are alike take carriers in their order
            first[number] = deck if number < count and is_twin(work, number) else 0
            seat[number] = first[number] - 1
        elif number == 0:
            return 0
        else:
            number -= 1
            unseat(work, number, seat[number], saved)
    for seated in range(number - 1, -1, -1):
        unseat(work, seated, seat[seated], saved)
    return found


@kernel
def next_deck(work: Work, number: int, start: int, first: int, reach: Ints) -> int:
    """The next carrier for an aircraft, without one that is as good as the one before, which was tried; or -1."""
    for deck in range(start, work.decks):
        fits = work.rooms[deck] >= work.needy_berth[number] and share_zone(work.zones[deck], reach)
        if fits and (deck == first or not is_like_last(work, deck)):
            return deck
    return -1


@kernel
def unseat(work: Work, number: int, deck: int, saved: Table) -> None:
    """Take back that an aircraft uses a carrier."""
    for word in range(work.zone_words):
        work.zones[deck][word] = saved[number][word]
    work.rooms[deck] += work.needy_berth[number]


@kernel
def can_seat_apart(work: Work, reach: Table) -> bool:
    """Whether all aircraft find a carrier if a carrier could be in several zones at once: a matching."""
    count, decks, least = work.needy, work.decks, work.needy_berth[0]
    for number in range(count):
        least = min(least, work.needy_berth[number])
    seat, taken = zeros(count, -1), zeros(decks)
    for number in range(count):
        asked_by, waiting = zeros(decks, -1), zeros(count)
        waiting[0], read, end, free = number, 0, 1, -1
        while read < end and free < 0:
            asking = waiting[read]
            read += 1
            for deck in range(decks):
                if asked_by[deck] >= 0 or not share_zone(work.zones[deck], reach[asking]):
                    continue
                asked_by[deck] = asking
                if taken[deck] < work.rooms[deck] // least:
                    free = deck
                    break
                for other in range(number):
                    if seat[other] == deck:
                        waiting[end] = other
                        end += 1
        if free < 0:
            return False
        taken[free] += 1
        while free >= 0:  # each gives its place to the one that asked for it
            asking = asked_by[free]
            seat[asking], free = free, seat[asking]
    return True


# Where aircraft are when a turn or a battle ends.


@kernel
def may_land_on(game: Setting, position: Position, area: int, power: int) -> bool:
    """Whether aircraft of a power may end the turn on this land."""
    return not game.sea[area] and not position.taken[area] and owns(game, position, area, power)


@kernel
def room_at_sea(game: Setting, position: Position, zone: int, power: int) -> int:
    """The room for aircraft of a power on the carriers in a zone, and on those that will be placed there."""
    room = 0
    for place in range(first_in(position, zone), first_in(position, zone + 1)):
        stack = position.stacks[place]
        kind = game.kinds[stack.kind]
        if is_friend(game, power, stack.power):
            if kind.deck and not stack.marks & SUBMERGED:
                room += stack.count * kind.deck
            elif kind.domain == IN_AIR and stack.power != power:
                room -= stack.count * kind.berth
    room = max(0, room)
    if position.phase == NONCOMBAT and game.lhtr and power == position.mover:
        beside = False
        for area in game.ways[zone]:
            beside = beside or makes_units(position, area)
        for bought in range(game.kind_count if beside else 0):
            room += game.kinds[bought].deck * position.bought[bought]
    return room


@kernel
def free_decks(game: Setting, position: Position, zone: int, power: int) -> int:
    """The room that carriers in a zone have left when the power's own aircraft stand on them."""
    room = room_at_sea(game, position, zone, power)
    for place in range(first_in(position, zone), first_in(position, zone + 1)):
        stack = position.stacks[place]
        if stack.power == power:
            room -= stack.count * game.kinds[stack.kind].berth
    return max(0, room)


@kernel
def list_stranded(game: Setting, position: Position, area: int, power: int, work: Work) -> None:
    """Write to `work.stacks` the aircraft of a power in an area that have no place there."""
    forget_stacks(work)
    if may_land_on(game, position, area, power):
        return
    room = room_at_sea(game, position, area, power) if game.sea[area] else 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        kind = game.kinds[stack.kind]
        if stack.power == power and kind.domain == IN_AIR:
            kept = min(stack.count, room // kind.berth) if kind.berth else 0
            room -= kept * kind.berth
            if kept < stack.count:
                work.stacks.append(stack)
                work.stacks[-1].count -= kept
