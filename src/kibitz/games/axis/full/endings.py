"""How a battle ends: who takes the area, what goes ashore, and where fighters without a carrier go."""

from kibitz.games.axis.full.landing import can_land_on, stranded_aircraft
from kibitz.games.axis.full.losses import ATTACKER, DEFENDER, attackers, can_hit, has_kind, side_units
from kibitz.games.axis.full.situation import NOBODY, SPENT, UNLOADED_EARLY, Situation, Stack, take_area


def end_if_decided(situation: Situation) -> Situation:
    """The battle ends if a side is gone, or if nobody can hit any more."""
    battle = situation.engagement
    assert battle is not None
    area = battle.area
    sides = [side_units(situation, area, side) for side in (ATTACKER, DEFENDER)]
    if all(sides) and (can_hit(situation, area, ATTACKER) or can_hit(situation, area, DEFENDER)):
        return situation
    return end_battle(situation)


def end_battle(situation: Situation) -> Situation:
    """Survivors take the area, cargo that waited goes ashore, and fighters look for a deck."""
    battle, power = situation.engagement, situation.mover
    assert battle is not None
    area = battle.area
    fought = tuple(sorted({*situation.fought, area}))
    situation = situation.replace(engagement=None, fought=fought)
    if situation.world.sea[area]:
        situation = land_cargo(situation, area)
        return save_fighters(situation, area)
    standing = has_kind(attackers(situation, area), situation.world.units.land)
    if standing and not situation.defenders(area, power) and not situation.is_friendly(area, power):
        situation = take_area(situation, area, power)
    return situation


def keep_aboard(stack: Stack) -> Stack:
    """A transport whose cargo does not land after all."""
    if all(item.to == NOBODY for item in stack.cargo):
        return stack
    cargo = tuple(sorted(item._replace(to=NOBODY) for item in stack.cargo))
    return stack._replace(cargo=cargo, landed=NOBODY, marks=stack.marks & ~UNLOADED_EARLY)


def land_cargo(situation: Situation, zone: int) -> Situation:
    """Cargo that waited for a battle at sea goes ashore if no enemy is left there, and else stays aboard."""
    power = situation.mover
    won = not situation.enemies(zone, power)
    changes: dict[Stack, int] = {}
    for stack, number in situation.own_units(zone, power):
        waiting = [item for item in stack.cargo if item.to != NOBODY]
        if not waiting:
            continue
        kept = tuple(item for item in stack.cargo if item.to == NOBODY)
        changes[stack] = changes.get(stack, 0) - number
        rest = stack._replace(cargo=kept) if won else keep_aboard(stack)
        changes[rest] = changes.get(rest, 0) + number
        for item in waiting if won else ():
            landed = Stack(item.to, power, item.kind, SPENT, zone)
            changes[landed] = changes.get(landed, 0) + number
    return situation.with_units(changes)


def save_fighters(situation: Situation, zone: int) -> Situation:
    """Defending fighters without a carrier go one step to friendly land or a carrier with room, or are lost.

    Fighters of the mover's allies are lost with the carrier that took them along; its own land later.
    """
    for power in range(len(situation.world.powers)):
        if power == situation.mover:
            continue
        if situation.world.friendly[situation.mover][power]:
            lost = [pair for pair in stranded_aircraft(situation, power) if pair[0].area == zone]
            situation = situation.with_units({stack: -number for stack, number in lost})
            continue
        for stack, number in [pair for pair in stranded_aircraft(situation, power) if pair[0].area == zone]:
            for _ in range(number):
                place = _refuge(situation, zone, stack)
                changes = {stack: -1}
                if place is not None:
                    changes[stack._replace(area=place)] = 1
                situation = situation.with_units(changes)
    return situation


def _refuge(situation: Situation, zone: int, stack: Stack) -> int | None:
    ways, sea, power = situation.world.ways[zone], situation.world.sea, stack.power
    land = [to for to in ways if not sea[to] and can_land_on(situation.replace(taken=()), to, power)]
    own = [to for to in land if situation.owners[to] == power]
    if land:
        return (own or land)[0]
    for to in ways:
        if sea[to] and stack.kind in situation.world.units.guests:
            after = situation.with_units({stack: -1, stack._replace(area=to): 1})
            if not any(each.area == to for each, _ in stranded_aircraft(after, power)):
                return to
    return None
