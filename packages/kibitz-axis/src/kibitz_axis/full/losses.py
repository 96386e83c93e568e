"""The two sides of a battle: how strongly units fight, who bombards, who is lost, and who decides."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_axis.full.position import AT_SEA, IN_AIR, ON_LAND, SUPPORTERS, WITHDRAWN, Position, Setting, Stack
from kibitz_axis.full.stacks import (
    ATTACKER,
    DEFENDER,
    change_units,
    comes_before,
    count_side,
    fights_for,
    find_place,
    first_in,
    knows,
    remove_units,
)
from kibitz_axis.full.transports import cargo_count
from kibitz_axis.full.units import BOMBARDMENT, HEAVY_BOMBERS, JETS, SUPER_SUBMARINES


@kernel
def strength(game: Setting, position: Position, stack: Stack, side: int) -> int:
    """The strength of one unit, without support."""
    kind, power = game.kinds[stack.kind], stack.power
    submarine = kind.submarine and knows(position, power, SUPER_SUBMARINES)
    if side == ATTACKER:
        return min(6, kind.attack + (1 if submarine else 0))
    jets = kind.domain == IN_AIR and kind.berth and knows(position, power, JETS)
    return min(6, kind.defence + (1 if jets else 0) + (1 if submarine and game.lhtr else 0))


@kernel
def is_heavy(game: Setting, position: Position, stack: Stack) -> bool:
    """Whether units are heavy bombers."""
    return game.kinds[stack.kind].raids > 0 and knows(position, stack.power, HEAVY_BOMBERS)


@kernel
def fires(game: Setting, position: Position, stack: Stack, side: int, sneak: bool) -> bool:
    """Whether units of a side fire with its submarines, or (not *sneak*) with all others."""
    return (game.kinds[stack.kind].submarine > 0) == sneak and fights_for(game, position, stack, side)


@kernel
def has_shots(game: Setting, position: Position, area: int, side: int, sneak: bool) -> bool:
    """Whether submarines of a side, or all others, have a die. Submarines only fire where there are ships to hit."""
    if sneak and count_side(game, position, area, 1 - side, AT_SEA) == 0:
        return False
    supports = not sneak and side == ATTACKER and count_side(game, position, area, side, SUPPORTERS) > 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if fires(game, position, stack, side, sneak):
            if strength(game, position, stack, side) or (supports and game.kinds[stack.kind].supported):
                return True
            if side == ATTACKER and is_heavy(game, position, stack):
                return True
    return False


@kernel
def bombards(game: Setting, position: Position, stack: Stack) -> bool:
    """Whether a ship of the mover may fire at the land before a landing."""
    kind = game.kinds[stack.kind]
    if stack.power != position.mover or stack.marks & WITHDRAWN:
        return False
    return kind.bombards > 0 or (kind.destroyer > 0 and knows(position, stack.power, BOMBARDMENT))


@kernel
def list_bombarding(game: Setting, position: Position, area: int, places: Ints) -> int:
    """Write where the ships are that may fire at the land: in zones from which units land and without a battle."""
    zones, count = zeros(game.areas), 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        lands = stack.came >= 0 and game.kinds[stack.kind].domain == ON_LAND and game.sea[stack.came]
        if lands and not position.fought[stack.came] and fights_for(game, position, stack, ATTACKER):
            zones[stack.came] = 1
    for place in range(len(position.stacks)):
        if zones[position.stacks[place].area] and bombards(game, position, position.stacks[place]):
            places[count] = place
            count += 1
    return count


# Losses.


@kernel
def takes_damage(game: Setting, stack: Stack) -> bool:
    """Whether a hit only damages a unit."""
    return stack.damage + 1 < game.kinds[stack.kind].hits


@kernel
def doomed_place(position: Position, stack: Stack) -> int:
    """The place of units among those that are doomed; -1 if none of these are."""
    for place in range(len(position.doomed)):
        doomed = position.doomed[place]
        if not comes_before(doomed, stack) and not comes_before(stack, doomed):
            return place
    return -1


@kernel
def is_lost_before(game: Setting, position: Position, one: Stack, other: Stack, side: int) -> bool:
    """Whether a unit is lost before another: damage first, then by price, strength and cargo."""
    if takes_damage(game, one) != takes_damage(game, other):
        return takes_damage(game, one)
    first, second = game.kinds[one.kind].price, game.kinds[other.kind].price
    if first == second:
        first, second = strength(game, position, one, side), strength(game, position, other, side)
    if first == second:
        first, second = cargo_count(one), cargo_count(other)
    return first < second


@kernel
def next_loss(game: Setting, position: Position, side: int) -> int:
    """The place of the unit that is lost next, -1 if none can be."""
    best = -1
    for place in range(first_in(position, position.battle), first_in(position, position.battle + 1)):
        stack = position.stacks[place]
        if not fights_for(game, position, stack, side):
            continue
        if position.sneaked and game.kinds[stack.kind].domain != AT_SEA:
            continue
        doomed = doomed_place(position, stack)
        if doomed >= 0 and position.doomed[doomed].count == stack.count:
            continue
        if best < 0 or is_lost_before(game, position, stack, position.stacks[best], side):
            best = place
    return best


@kernel
def take_hit(game: Setting, position: Position, side: int, place: int) -> None:
    """One unit takes a hit: it is damaged, lost, or, if its destroyers keep it in the battle, lost after it fires."""
    position.hits[side] -= 1
    stack = position.stacks[place].copy()
    if takes_damage(game, stack):
        stack.damage += 1
        change_units(position, place, stack, 1)
    elif position.sneaked and position.screened[side]:
        doomed = doomed_place(position, stack)
        if doomed >= 0:
            position.doomed[doomed].count += 1
        else:
            stack.count = 1
            position.doomed.append(stack)
    else:
        remove_units(position, place, 1)


@kernel
def remove_doomed(position: Position) -> None:
    """Units that fired though they were hit are lost now."""
    while len(position.doomed) > 0:
        doomed = position.doomed[-1]
        remove_units(position, find_place(position, doomed), doomed.count)
        del position.doomed[-1]


@kernel
def chooser(game: Setting, position: Position, area: int, side: int) -> int:
    """The player who decides for a side: the mover, the owner of the area, or who has most units there (-1: nobody)."""
    if side == ATTACKER:
        return position.mover
    counts = zeros(game.friends)
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if fights_for(game, position, stack, DEFENDER):
            counts[stack.power + 1] += stack.count
    owner, best = position.owners[area], 0
    for each in range(game.friends):
        best = each if counts[each] > counts[best] else best
    return owner if counts[owner + 1] or not counts[best] else best - 1
