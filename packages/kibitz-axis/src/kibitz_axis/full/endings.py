"""How a battle ends: who takes the area, what goes ashore, and where fighters without a carrier go."""

from kibitz.core.kernels import kernel
from kibitz_axis.full.landing import free_decks, list_stranded
from kibitz_axis.full.losses import has_shots
from kibitz_axis.full.movement import item_kind, item_to, waits_to_land
from kibitz_axis.full.position import (
    ANY,
    MOST_CARGO,
    NOBODY,
    ON_LAND,
    SPENT,
    UNLOADED_EARLY,
    Position,
    Setting,
    Stack,
    Work,
)
from kibitz_axis.full.stacks import (
    ATTACKER,
    DEFENDER,
    add_units,
    change_units,
    count_side,
    find_place,
    first_in,
    has_enemies,
    is_friend,
    new_units,
    owns,
    remove_units,
    take_area,
)
from kibitz_axis.full.transports import sort_cargo


@kernel
def end_if_decided(game: Setting, position: Position, work: Work) -> None:
    """The battle ends if a side is gone, or if nobody can hit any more."""
    area, able = position.battle, False
    if count_side(game, position, area, ATTACKER, ANY) and count_side(game, position, area, DEFENDER, ANY):
        for side in range(2):
            able = able or has_shots(game, position, area, side, True) or has_shots(game, position, area, side, False)
    if not able:
        end_battle(game, position, work)


@kernel
def forget_battle(position: Position) -> None:
    """No battle is being fought."""
    while len(position.doomed) > 0:
        del position.doomed[-1]
    position.battle, position.battle_round, position.step, position.sneaked = NOBODY, 0, 0, 0
    position.bombards = position.landing = 0
    for side in range(2):
        position.hits[side] = position.screened[side] = 0


@kernel
def end_battle(game: Setting, position: Position, work: Work) -> None:
    """Survivors take the area, cargo that waited goes ashore, and fighters look for a deck."""
    area, power = position.battle, position.mover
    forget_battle(position)
    position.fought[area] = 1
    if game.sea[area]:
        land_cargo(game, position, area, work)
        save_fighters(game, position, area, work)
        return
    standing = count_side(game, position, area, ATTACKER, ON_LAND) and not count_side(
        game, position, area, DEFENDER, ANY
    )
    if standing and not owns(game, position, area, power):
        take_area(game, position, area, power)


@kernel
def keep_aboard(stack: Stack) -> None:
    """The cargo of a transport that waited to land does not land after all."""
    if waits_to_land(stack):
        for place in range(MOST_CARGO):
            stack.cargo[place] -= item_to(stack.cargo[place]) + 1
        sort_cargo(stack)
        stack.landed = NOBODY
        stack.marks &= ~UNLOADED_EARLY


@kernel
def land_cargo(game: Setting, position: Position, zone: int, work: Work) -> None:
    """Cargo that waited for a battle at sea goes ashore if no enemy is left there, and else stays aboard."""
    power = position.mover
    won = not has_enemies(game, position, zone, power, ANY)
    place = first_in(position, zone)
    while place < len(position.stacks) and position.stacks[place].area == zone:
        ship = position.stacks[place]
        if ship.power != power or not waits_to_land(ship):
            place += 1
            continue
        before, emptied, count = ship.copy(), ship.copy(), ship.count
        if won:
            for number in range(MOST_CARGO):
                item = emptied.cargo[number]
                if item > 0 and item_to(item) >= 0:
                    emptied.cargo[number] = 0
                    add_units(position, new_units(work, item_to(item), power, item_kind(item), SPENT, zone), count)
            sort_cargo(emptied)
        else:
            keep_aboard(emptied)
        change_units(position, find_place(position, before), emptied, count)
        place = first_in(position, zone)


@kernel
def save_fighters(game: Setting, position: Position, zone: int, work: Work) -> None:
    """Defending fighters without a carrier go one step to friendly land or a carrier with room, or are lost.

    Fighters of the mover's allies are lost with the carrier that took them along; its own land later.
    """
    for power in range(game.powers):
        if power == position.mover:
            continue
        list_stranded(game, position, zone, power, work)
        for number in range(len(work.stacks)):
            stranded = work.stacks[number]
            for _ in range(stranded.count):
                remove_units(position, find_place(position, stranded), 1)
                if not is_friend(game, position.mover, power):
                    find_refuge(game, position, stranded)


@kernel
def find_refuge(game: Setting, position: Position, fighter: Stack) -> None:
    """A fighter without a carrier goes to land or onto a carrier beside its zone, if there is a place for it."""
    refuge, zone, berth = fighter.copy(), fighter.area, game.kinds[fighter.kind].berth
    for own in range(2):
        for to in game.ways[zone]:
            owner = position.owners[to]
            if not game.sea[to] and (owner == fighter.power if own == 0 else owns(game, position, to, fighter.power)):
                refuge.area = to
                add_units(position, refuge, 1)
                return
    for to in game.ways[zone]:
        if game.sea[to] and 0 < berth <= free_decks(game, position, to, fighter.power):
            refuge.area = to
            add_units(position, refuge, 1)
            return
