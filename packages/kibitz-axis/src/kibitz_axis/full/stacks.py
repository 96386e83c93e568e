"""Stacks in their order: finding, adding and taking away units, what stands in an area, and who it belongs to."""

from kibitz.core.kernels import kernel
from kibitz_axis.full.position import (
    ANY,
    AT_SEA,
    DESTROYERS,
    FIGHTING,
    GUNS,
    IN_AIR,
    MOST_CARGO,
    RAIDING,
    SPENT,
    SUBMARINES,
    SUBMERGED,
    SUPPORTERS,
    WITHDRAWN,
    Position,
    Setting,
    Stack,
    Traits,
    Work,
)
from kibitz_axis.full.units import LONG_RANGE

ATTACKER, DEFENDER = 0, 1


# The order of stacks.


@kernel
def place_rank(stack: Stack) -> int:
    return (((stack.area * 64 + stack.power + 1) * 256 + stack.kind) * 128 + stack.spent) * 2048 + stack.came + 1


@kernel
def comes_before(one: Stack, other: Stack) -> bool:
    """Whether a stack is before another one in the order of their fields."""
    first, second = place_rank(one), place_rank(other)
    if first == second:
        first = (one.damage * 64 + one.marks) * 2048 + one.landed
        second = (other.damage * 64 + other.marks) * 2048 + other.landed
    place = 0
    while first == second and place < MOST_CARGO:
        first, second = one.cargo[place], other.cargo[place]
        place += 1
    return first < second


@kernel
def find_place(position: Position, stack: Stack) -> int:
    """The place of a stack, or where it would be."""
    low, high = 0, len(position.stacks)
    while low < high:
        middle = (low + high) // 2
        if comes_before(position.stacks[middle], stack):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def first_in(position: Position, area: int) -> int:
    """The place of the first stack in an area or behind it."""
    low, high = 0, len(position.stacks)
    while low < high:
        middle = (low + high) // 2
        if position.stacks[middle].area < area:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def add_units(position: Position, stack: Stack, count: int) -> None:
    """More units like those of a stack."""
    if count == 0:
        return
    place = find_place(position, stack)
    if place < len(position.stacks) and not comes_before(stack, position.stacks[place]):
        position.stacks[place].count += count
    else:
        position.stacks.insert(place, stack)
        position.stacks[place].count = count


@kernel
def remove_units(position: Position, place: int, count: int) -> None:
    """Fewer units in the stack at a place."""
    position.stacks[place].count -= count
    if position.stacks[place].count == 0:
        del position.stacks[place]


@kernel
def change_units(position: Position, place: int, changed: Stack, count: int) -> None:
    """Some units of the stack at a place become like another one."""
    remove_units(position, place, count)
    add_units(position, changed, count)


@kernel
def forget_stacks(work: Work) -> None:
    """No stacks are written down."""
    while len(work.stacks) > 0:
        del work.stacks[-1]


@kernel
def try_change(position: Position, place: int, changed: Stack, count: int, work: Work) -> None:
    """Do the same, and write it down for `take_back`."""
    work.stacks.append(position.stacks[place])
    work.stacks.append(changed)
    work.stacks[-1].count = work.stacks[-2].count = count
    change_units(position, place, changed, count)


@kernel
def take_back(position: Position, work: Work) -> None:
    """Undo all changes that are written down, the last one first."""
    while len(work.stacks) > 0:
        before, after = work.stacks[-2], work.stacks[-1]
        change_units(position, find_place(position, after), before, before.count)
        del work.stacks[-1]
        del work.stacks[-1]


@kernel
def sort_stacks(position: Position) -> None:
    """Put changed stacks in order again, and join equal ones."""
    stacks = position.stacks
    for number in range(1, len(stacks)):
        place = number
        while place > 0 and comes_before(stacks[number], stacks[place - 1]):
            place -= 1
        if place < number:
            stack = stacks[number].copy()
            del stacks[number]
            stacks.insert(place, stack)
    for place in range(len(stacks) - 1, 0, -1):
        if not comes_before(stacks[place - 1], stacks[place]):
            stacks[place - 1].count += stacks[place].count
            del stacks[place]


@kernel
def new_units(work: Work, area: int, power: int, kind: int, spent: int, came: int) -> Stack:
    """A stack for `add_units`; the next one takes its place."""
    stack = work.new[0]
    stack.area, stack.power, stack.kind, stack.spent, stack.came = area, power, kind, spent, came
    return stack


# What units are and can do.


@kernel
def belongs(kind: Traits, group: int) -> bool:
    """Whether a kind is of a domain or another group."""
    if group == SUBMARINES:
        return kind.submarine > 0
    if group == DESTROYERS:
        return kind.destroyer > 0
    if group == SUPPORTERS:
        return kind.supports > 0
    if group == GUNS:
        return kind.gun > 0
    if group == FIGHTING:
        return kind.fights > 0
    return group == ANY or group == kind.domain


@kernel
def knows(position: Position, power: int, technology: int) -> bool:
    """Whether a power has a technology; nobody has any."""
    return power >= 0 and position.known[power] >> technology & 1 > 0


@kernel
def movement_left(game: Setting, position: Position, stack: Stack) -> int:
    """The movement that units have left."""
    kind = game.kinds[stack.kind]
    far = kind.domain == IN_AIR and knows(position, stack.power, LONG_RANGE)
    return max(0, kind.move + (2 if far else 0) - stack.spent)


@kernel
def is_friend(game: Setting, one: int, other: int) -> bool:
    """Whether two powers are on one side; nobody is on none."""
    return game.friendly[one][other] > 0


@kernel
def is_enemy(game: Setting, stack: Stack, power: int) -> bool:
    """Whether a stack is an enemy of a power that is not submerged."""
    return not game.friendly[power][stack.power] and not stack.marks & SUBMERGED


@kernel
def has_enemies(game: Setting, position: Position, area: int, power: int, group: int) -> bool:
    """Whether enemies of a group of kinds, not submerged, are in an area."""
    for place in range(first_in(position, area), len(position.stacks)):
        stack = position.stacks[place]
        if stack.area != area:
            return False
        if is_enemy(game, stack, power) and belongs(game.kinds[stack.kind], group):
            return True
    return False


@kernel
def fights_for(game: Setting, position: Position, stack: Stack, side: int) -> bool:
    """Whether a stack fights on a side of the battle where it is."""
    kind, mover = game.kinds[stack.kind], position.mover
    if not kind.fights:
        return False
    if side == DEFENDER:
        return is_enemy(game, stack, mover)
    if stack.power != mover or stack.marks & (SUBMERGED | RAIDING | WITHDRAWN):
        return False
    return kind.domain == IN_AIR or (kind.domain == AT_SEA) == (game.sea[stack.area] > 0)


@kernel
def is_raider(position: Position, stack: Stack) -> bool:
    """Whether aircraft raid and have not yet done so."""
    return stack.power == position.mover and stack.marks & RAIDING > 0


@kernel
def is_aimed_at(game: Setting, position: Position, stack: Stack, raids: bool) -> bool:
    """Whether guns fire at these units, in a battle or at a raid."""
    if game.kinds[stack.kind].domain != IN_AIR:
        return False
    return is_raider(position, stack) if raids else fights_for(game, position, stack, ATTACKER)


@kernel
def count_side(game: Setting, position: Position, area: int, side: int, group: int) -> int:
    """How many units of a group of kinds fight on a side."""
    count = 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if belongs(game.kinds[stack.kind], group) and fights_for(game, position, stack, side):
            count += stack.count
    return count


# Areas.


@kernel
def owns(game: Setting, position: Position, area: int, power: int) -> bool:
    """Whether an area belongs to a power or its allies."""
    return game.friendly[power][position.owners[area]] > 0


@kernel
def holds_capital(game: Setting, position: Position, power: int) -> bool:
    """Whether a power has its own capital, or none to lose."""
    capital = game.capitals[power]
    return capital < 0 or position.owners[capital] == power


@kernel
def capital_in(game: Setting, position: Position, area: int) -> int:
    """The power whose capital an area is, its owner before others; -1 if it is none."""
    owner = position.owners[area]
    if owner >= 0 and game.capitals[owner] == area:
        return owner
    for power in range(game.powers):
        if game.capitals[power] == area:
            return power
    return -1


@kernel
def take_area(game: Setting, position: Position, area: int, power: int) -> None:
    """An area falls to a power, or back to the ally it was taken from; capitals bring money or free an ally."""
    before, owner, first = position.owners[area], power, game.first_owner[area]
    capital_of = capital_in(game, position, area)
    ally = first >= 0 and first != power and is_friend(game, power, first)
    if ally and (capital_of == first or holds_capital(game, position, first)):
        owner = first
    position.owners[area] = owner
    if before >= 0 and capital_of == before:
        loot = position.money[before]
        position.money[before] = 0
        if before != power:
            position.money[power] += loot
    position.taken[area] = 1
    give_guns(game, position, area, owner)
    if owner >= 0 and capital_of == owner:  # its owner gets back whatever its allies hold of it
        for each in range(game.areas):
            if game.first_owner[each] == owner and position.owners[each] != owner and owns(game, position, each, owner):
                position.owners[each] = owner
                give_guns(game, position, each, owner)


@kernel
def give_guns(game: Setting, position: Position, area: int, owner: int) -> None:
    """The guns of an area become those of its owner, and go nowhere in this turn."""
    changed = False
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if stack.power != owner and game.kinds[stack.kind].gun:
            stack.power, stack.spent, changed = owner, SPENT, True
    if changed:
        sort_stacks(position)


@kernel
def enter_area(game: Setting, position: Position, area: int, power: int) -> None:
    """A hostile area with nothing in it is taken at once; with a gun or a factory, when battles are fought."""
    hostile = not owns(game, position, area, power) and not position.factories[area]
    if hostile and not has_enemies(game, position, area, power, ANY):
        take_area(game, position, area, power)
