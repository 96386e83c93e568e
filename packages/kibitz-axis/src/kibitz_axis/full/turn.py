"""The one state machine: what may be ordered in each phase, what orders and dice lead to, and how phases end."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_axis.full.battles import DEFENDERS_SUBMERGE, decide_battle, list_battle_orders, start_battle
from kibitz_axis.full.dice import NO_ROLL, apply_result, what_is_rolled
from kibitz_axis.full.economy import (
    DIE,
    aim_rocket,
    board_carrier,
    buy,
    earn,
    learn_technology,
    list_placings,
    list_purchases,
    list_research,
    list_rockets,
    lose_stranded,
    next_gun,
    next_raid,
    pay,
    place_units,
)
from kibitz_axis.full.losses import chooser
from kibitz_axis.full.move_orders import find_group, list_moves, move_units
from kibitz_axis.full.movement import cargo_item, item_kind, item_power, item_to
from kibitz_axis.full.orders import (
    AREAS,
    BUY,
    COUNTS,
    DONE,
    FIGHT,
    FIRE_ROCKET,
    HOLD_ROCKET,
    INVEST,
    KINDS,
    LOADING,
    MOVE,
    PUT,
    RAID,
    UNLOADING,
    VARIANTS,
    add_plain_order,
)
from kibitz_axis.full.position import (
    ANY,
    BATTLE,
    BID,
    BID_PLACE,
    COMBAT,
    FIGHTING,
    IN_AIR,
    MOST_CARGO,
    NOBODY,
    NONCOMBAT,
    ON_LAND,
    OVER,
    PLACE,
    PURCHASE,
    RESEARCH,
    SPENT,
    SUBMERGED,
    Position,
    Setting,
    Work,
)
from kibitz_axis.full.stacks import ATTACKER, DEFENDER, count_side, has_enemies, owns, sort_stacks, take_area
from kibitz_axis.full.transports import load_units, sort_cargo, unload_units

CHANCE, NO_PLAYER = -1, -2


@kernel(entry=True)
def player_to_move(game: Setting, position: Position) -> int:
    """Who decides now; CHANCE if dice are rolled, NO_PLAYER if the game is over."""
    if position.phase == OVER:
        return NO_PLAYER
    if what_is_rolled(game, position) != NO_ROLL:
        return CHANCE
    if position.battle < 0:
        return position.mover
    side = DEFENDER if position.step == DEFENDERS_SUBMERGE else ATTACKER
    return chooser(game, position, position.battle, side)


@kernel(entry=True)
def list_orders(game: Setting, position: Position, work: Work) -> None:
    """Write what may be ordered now, where neither dice are rolled nor the game is over."""
    work.orders, phase = 0, position.phase
    if position.battle >= 0:
        list_battle_orders(game, position, work)
    elif phase in (COMBAT, NONCOMBAT):
        list_moves(game, position, work)
    elif phase in (BID, PURCHASE):
        list_purchases(game, position, work)
    elif phase == RESEARCH:
        list_research(game, position, work)
    elif phase in (PLACE, BID_PLACE):
        list_placings(game, position, work)
    elif next_gun(game, position) >= 0:
        list_rockets(game, position, next_gun(game, position), work)
    else:
        areas = zeros(game.areas)
        for number in range(list_battles(game, position, areas)):
            add_plain_order(work, FIGHT, areas[number], NOBODY)


@kernel(entry=True)
def play_order(game: Setting, position: Position, number: int, work: Work) -> None:
    """Play an order, up to the next decision or roll of dice."""
    count, number = number % COUNTS, number // COUNTS
    via, number = number % AREAS - 1, number // AREAS
    to, number = number % AREAS - 1, number // AREAS
    variant, number = number % VARIANTS, number // VARIANTS
    kind, number = number % KINDS - 1, number // KINDS
    area, verb = number % AREAS - 1, number // AREAS
    if position.battle >= 0:
        decide_battle(game, position, verb, to, work)
    elif verb == DONE:
        finish_phase(game, position, work)
    elif verb == INVEST:
        pay(position, position.mover, DIE * count)
        position.technology, position.dice = kind, count
    elif verb == BUY:
        buy(game, position, kind, count)
    elif verb == LOADING:
        load_units(game, position, find_group(position, area, kind, variant), to, count)
    elif verb == UNLOADING:
        unload_units(game, position, area, kind, to, count, work)
    elif verb in (MOVE, RAID):
        move_units(game, position, find_group(position, area, kind, variant), to, via, verb == RAID, count, work)
    elif verb in (FIRE_ROCKET, HOLD_ROCKET):
        aim_rocket(position, area, to, work)
    elif verb == FIGHT:
        start_battle(game, position, area, work)
    elif verb == PUT:
        place_units(game, position, kind, to, count, work)
    else:
        board_carrier(position, area, kind, to, count)
    advance(game, position, work)


@kernel(entry=True)
def play_result(game: Setting, position: Position, result: int, work: Work) -> None:
    """Play a result of dice, up to the next decision or roll."""
    apply_result(game, position, result, work)
    advance(game, position, work)


@kernel(entry=True)
def advance(game: Setting, position: Position, work: Work) -> None:
    """Let everything happen that needs neither dice nor a decision."""
    while position.phase < OVER and position.battle < 0 and what_is_rolled(game, position) == NO_ROLL:
        if position.phase == BATTLE and settle_battles(game, position, work):
            continue
        list_orders(game, position, work)
        if work.orders > 1 or (work.orders == 1 and position.phase == BATTLE):
            return
        finish_phase(game, position, work)


# The battle phase.


@kernel
def list_battles(game: Setting, position: Position, areas: Ints) -> int:
    """Write the areas where a battle is to be fought; a landing waits for the battle at sea."""
    waiting, own, count = zeros(game.areas), zeros(game.areas), 0
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if stack.power == position.mover:
            own[stack.area] = 1
            for item in stack.cargo:
                if item > 0 and item_to(item) >= 0:
                    waiting[item_to(item)] = 1
    for area in range(game.areas):
        attacks = own[area] and not waiting[area] and count_side(game, position, area, ATTACKER, ANY) > 0
        if attacks and not position.fought[area] and count_side(game, position, area, DEFENDER, ANY):
            areas[count] = area
            count += 1
    return count


@kernel
def settle_battles(game: Setting, position: Position, work: Work) -> bool:
    """Settle what needs no decision: raids without guns, areas without defence, the only battle left; was there any?"""
    if next_gun(game, position) >= 0:
        return False
    raid = next_raid(position, NOBODY)
    if raid >= 0:
        position.raid = raid
        return True
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if stack.power == position.mover and game.kinds[stack.kind].domain == ON_LAND:
            hostile = not game.sea[stack.area] and not owns(game, position, stack.area, position.mover)
            if hostile and not has_enemies(game, position, stack.area, position.mover, FIGHTING):
                take_area(game, position, stack.area, position.mover)
                return True
    areas = zeros(game.areas)
    if list_battles(game, position, areas) == 1:
        start_battle(game, position, areas[0], work)
        return True
    return False


# How phases end.


@kernel
def finish_phase(game: Setting, position: Position, work: Work) -> None:
    """The end of a phase, and the next one; after the last one of a turn, the next power's first."""
    phase = position.phase
    if phase == BID_PLACE:
        next_bid(game, position)
        return
    if phase == COMBAT:
        end_combat_moves(game, position)
    elif phase == NONCOMBAT:
        lose_stranded(game, position, work)
        for place in range(len(position.stacks)):
            position.stacks[place].marks &= ~SUBMERGED
        sort_stacks(position)
    elif phase == PLACE:
        lose_stranded(game, position, work)
        learn_technology(position)
        earn(game, position, position.mover)
        forget_bought(position)
        next_turn(game, position)
        return
    position.phase += 1


@kernel
def end_combat_moves(game: Setting, position: Position) -> None:
    """Who has moved does not move again, aircraft excepted."""
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        if stack.power == position.mover and stack.spent and game.kinds[stack.kind].domain != IN_AIR:
            stack.spent = SPENT
    sort_stacks(position)


@kernel
def forget_bought(position: Position) -> None:
    """Nothing is left to be placed."""
    for kind in range(position.kind_count):
        position.bought[kind] = 0


@kernel
def forget_placed(position: Position) -> None:
    """Nothing was placed in this turn, and no rocket fired."""
    while len(position.placed) > 0:
        del position.placed[-1]
    while len(position.rockets) > 0:
        del position.rockets[-1]


@kernel
def place_in_order(game: Setting, position: Position) -> int:
    """The place of the mover among the powers that have turns."""
    place = 0
    while game.order[place] != position.mover:
        place += 1
    return place


@kernel
def next_bid(game: Setting, position: Position) -> None:
    """The next power with a bid, or the first turn; what is left of a bid is kept."""
    position.money[position.mover] += position.purse
    position.purse = 0
    forget_bought(position)
    forget_placed(position)
    for place in range(place_in_order(game, position) + 1, game.turns):
        power = game.order[place]
        if game.bids[power]:
            position.phase, position.mover, position.purse = BID, power, game.bids[power]
            return
    position.phase, position.mover = RESEARCH, game.order[0]


@kernel
def next_turn(game: Setting, position: Position) -> None:
    """The next power's turn; after the last power, the cities are counted."""
    for place in range(len(position.stacks)):
        stack = position.stacks[place]
        stack.spent = stack.damage = stack.marks = 0
        stack.came = stack.landed = NOBODY
        for number in range(MOST_CARGO):
            item = stack.cargo[number]
            if item > 0:
                stack.cargo[number] = cargo_item(item_power(item), item_kind(item), 0, NOBODY)
        sort_cargo(stack)
    sort_stacks(position)
    forget_placed(position)
    for area in range(game.areas):
        position.taken[area] = position.fought[area] = 0
        position.raided[area] = NOBODY
    following = (place_in_order(game, position) + 1) % game.turns
    position.phase, position.mover = RESEARCH, game.order[following]
    if following == 0:
        position.round += 1
        end_round(game, position)


@kernel
def end_round(game: Setting, position: Position) -> None:
    """The cities are counted; a side with enough of them has won, and after the last round the game is over."""
    held, best = zeros(game.sides), 0
    count_cities(game, position, held)
    for side in range(game.sides):
        best = side if held[side] > held[best] else best
    if held[best] >= game.cities:
        position.phase, position.winner = OVER, best
    elif position.round > game.rounds:
        position.phase = OVER


@kernel
def count_cities(game: Setting, position: Position, held: Ints) -> None:
    """Write how many cities each side holds."""
    for area in range(game.areas):
        if game.city[area] and position.owners[area] >= 0:
            held[game.side[position.owners[area]]] += 1
