"""A battle, step by step: guns, bombardment, submarines, all others, losses, submerging, retreat."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import zeros
from kibitz_axis.full.endings import end_battle, end_if_decided, keep_aboard
from kibitz_axis.full.losses import chooser, has_shots, list_bombarding, next_loss, remove_doomed, take_hit
from kibitz_axis.full.orders import BOMBARD, GO_ON, HOLD_FIRE, RETREAT, STAY, SUBMERGE, WITHDRAW, add_plain_order
from kibitz_axis.full.position import (
    ANY,
    DESTROYERS,
    GUNS,
    IN_AIR,
    NOBODY,
    SPENT,
    SUBMARINES,
    SUBMERGED,
    WAS_IN_BATTLE,
    WITHDRAWN,
    Position,
    Setting,
    Work,
)
from kibitz_axis.full.stacks import (
    ATTACKER,
    DEFENDER,
    belongs,
    change_units,
    count_side,
    fights_for,
    find_place,
    first_in,
    forget_stacks,
    has_enemies,
    is_aimed_at,
    owns,
    remove_units,
    sort_stacks,
)
from kibitz_axis.full.transports import take_guests

ASK_BOMBARDMENT, FIRE_GUNS, BOMBARDMENT = range(3)
SNEAK_ATTACK, SNEAK_DEFENCE, SNEAK_LOSSES, ATTACK, DEFENCE, LOSSES = range(3, 9)
REMOVAL, ATTACKERS_SUBMERGE, ASK_RETREAT, DEFENDERS_SUBMERGE, NEXT_ROUND = range(9, 14)
"""The steps of a round; the first three belong to the first round only."""
NO_DICE, GUN_DICE, VOLLEY_DICE = range(3)


@kernel
def start_battle(game: Setting, position: Position, area: int, work: Work) -> None:
    """A battle begins: who fights does not move any more in this turn, aircraft excepted."""
    position.battle, position.battle_round, position.step, position.landing = area, 1, ASK_BOMBARDMENT, 0
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        kind = game.kinds[stack.kind]
        if fights_for(game, position, stack, ATTACKER):
            if stack.came >= 0 and game.sea[stack.came] and not game.sea[area]:
                position.landing = 1
            if kind.domain != IN_AIR:
                stack.spent = SPENT
                if kind.room:
                    stack.marks |= WAS_IN_BATTLE
    sort_stacks(position)
    advance_battle(game, position, work)


@kernel
def battle_dice(game: Setting, position: Position) -> int:
    """What dice are rolled now."""
    area, step = position.battle, position.step
    if step == FIRE_GUNS:
        aimed = has_enemies(game, position, area, position.mover, GUNS)
        return GUN_DICE if aimed and count_side(game, position, area, ATTACKER, IN_AIR) else NO_DICE
    rolls = step == BOMBARDMENT and position.bombards > 0
    if step in (SNEAK_ATTACK, SNEAK_DEFENCE):
        rolls = has_shots(game, position, area, step - SNEAK_ATTACK, True)
    elif step in (ATTACK, DEFENCE):
        rolls = has_shots(game, position, area, step - ATTACK, False)
    return VOLLEY_DICE if rolls else NO_DICE


@kernel
def advance_battle(game: Setting, position: Position, work: Work) -> None:
    """The battle up to the next die or decision, or past its end."""
    while position.battle >= 0 and battle_dice(game, position) == NO_DICE:
        list_battle_orders(game, position, work)
        if work.orders:
            return
        step = position.step
        if step in (BOMBARDMENT, SNEAK_LOSSES, LOSSES):
            take_losses(game, position, work)
        elif step == REMOVAL:
            remove_doomed(position)
            position.step += 1
            end_if_decided(game, position, work)
        elif step == NEXT_ROUND:
            position.battle_round += 1
            position.step = SNEAK_ATTACK
            end_if_decided(game, position, work)
            if position.battle >= 0:
                check_screens(game, position, work)
        else:
            position.step += 1


@kernel
def take_losses(game: Setting, position: Position, work: Work) -> None:
    """Hits are taken; those left when everyone is lost mean nothing."""
    for side in range(2):
        while position.hits[side] > 0:
            place = next_loss(game, position, side)
            if place < 0:
                position.hits[side] = 0
            else:
                take_hit(game, position, side, place)
    if position.step == BOMBARDMENT:
        position.step = SNEAK_ATTACK
        check_screens(game, position, work)
    else:
        position.step += 1
        position.sneaked = 0


@kernel
def check_screens(game: Setting, position: Position, work: Work) -> None:
    """A round begins: which side has destroyers is fixed for it."""
    for side in range(2):
        position.screened[side] = int(count_side(game, position, position.battle, side, DESTROYERS) > 0)
    end_if_decided(game, position, work)


@kernel
def score_hits(game: Setting, position: Position, hits: int, work: Work) -> None:
    """The dice of this step have hit so often."""
    step = position.step
    if step == BOMBARDMENT:
        places = zeros(len(position.stacks))
        for number in range(list_bombarding(game, position, position.battle, places)):
            stack = position.stacks[places[number]]
            stack.spent = SPENT
            stack.marks |= WITHDRAWN
        sort_stacks(position)
        position.bombards = 0
    position.hits[ATTACKER if step in (SNEAK_DEFENCE, DEFENCE) else DEFENDER] += hits
    position.sneaked = int(step in (SNEAK_ATTACK, SNEAK_DEFENCE))
    if step != BOMBARDMENT:
        position.step += 1
    advance_battle(game, position, work)


@kernel
def lose_aircraft(game: Setting, position: Position, area: int, kind: int, raids: bool, hits: int) -> None:
    """Guns have hit so many aircraft of a kind: those are lost first that have flown farthest."""
    for _ in range(hits):
        best = -1
        for place in range(first_in(position, area), first_in(position, area + 1)):
            stack = position.stacks[place]
            farther = best < 0 or stack.spent > position.stacks[best].spent
            if farther and stack.kind == kind and is_aimed_at(game, position, stack, raids):
                best = place
        remove_units(position, best, 1)


# Decisions.


@kernel
def list_battle_orders(game: Setting, position: Position, work: Work) -> None:
    """Write what may be decided at this step of a battle, if anything."""
    area, step = position.battle, position.step
    work.orders = 0
    if step == ASK_BOMBARDMENT:
        if list_bombarding(game, position, area, zeros(len(position.stacks))):
            add_plain_order(work, BOMBARD, area, NOBODY)
            add_plain_order(work, HOLD_FIRE, area, NOBODY)
    elif step in (ATTACKERS_SUBMERGE, DEFENDERS_SUBMERGE):
        side = ATTACKER if step == ATTACKERS_SUBMERGE else DEFENDER
        if may_submerge(game, position, side):
            add_plain_order(work, SUBMERGE, area, NOBODY)
            add_plain_order(work, STAY, area, NOBODY)
    elif step == ASK_RETREAT:
        list_retreats(game, position, work)


@kernel
def may_submerge(game: Setting, position: Position, side: int) -> bool:
    """Whether the submarines of a side may leave the battle, and somebody decides for them."""
    area = position.battle
    if count_side(game, position, area, side, SUBMARINES) == 0:
        return False
    return count_side(game, position, area, 1 - side, DESTROYERS) == 0 and chooser(game, position, area, side) >= 0


@kernel
def list_retreats(game: Setting, position: Position, work: Work) -> None:
    """Write where the attacker may retreat to, and whether aircraft may break off, after `fight on`."""
    area, sea, power = position.battle, game.sea[position.battle], position.mover
    came, others, aircraft = zeros(game.areas), False, False
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if not fights_for(game, position, stack, ATTACKER):
            continue
        if game.kinds[stack.kind].domain == IN_AIR:
            aircraft = True
        else:
            others = True
            if stack.came >= 0:
                came[stack.came] = 1
    add_plain_order(work, GO_ON, area, NOBODY)
    if position.landing or not others:
        if aircraft:
            add_plain_order(work, WITHDRAW, area, NOBODY)
    else:
        for to in range(game.areas):
            open_area = not position.fought[to] if sea else owns(game, position, to, power) and not game.sea[to]
            if came[to] and open_area and not has_enemies(game, position, to, power, ANY):
                add_plain_order(work, RETREAT, area, to)
    if work.orders == 1:
        work.orders = 0


@kernel
def decide_battle(game: Setting, position: Position, verb: int, to: int, work: Work) -> None:
    """A player's decision in a battle is carried out."""
    if verb == RETREAT:
        retreat(game, position, to, work)
        end_battle(game, position, work)
    else:
        if verb in (BOMBARD, HOLD_FIRE):
            position.bombards = int(verb == BOMBARD)
        elif verb == SUBMERGE:
            side = ATTACKER if position.step == ATTACKERS_SUBMERGE else DEFENDER
            mark_side(game, position, side, SUBMARINES, SUBMERGED)
        elif verb == WITHDRAW:
            mark_side(game, position, ATTACKER, IN_AIR, WITHDRAWN)
        position.step += 1
        if verb in (SUBMERGE, WITHDRAW):
            end_if_decided(game, position, work)
    advance_battle(game, position, work)


@kernel
def mark_side(game: Setting, position: Position, side: int, group: int, mark: int) -> None:
    """Submarines of a side submerge, or aircraft leave the battle."""
    area = position.battle
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if belongs(game.kinds[stack.kind], group) and fights_for(game, position, stack, side):
            stack.marks |= mark
    sort_stacks(position)


@kernel
def retreat(game: Setting, position: Position, to: int, work: Work) -> None:
    """All attackers but aircraft go back; aircraft leave the battle and land later, those of allies stay aboard."""
    area, room = position.battle, 0
    mark_side(game, position, ATTACKER, IN_AIR, WITHDRAWN)
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if fights_for(game, position, stack, ATTACKER):
            room += stack.count * game.kinds[stack.kind].deck
    if room:
        forget_stacks(work)
        take_guests(game, position, area, position.mover, to, room, work)
    place = first_in(position, area)
    while place < len(position.stacks) and position.stacks[place].area == area:
        moved, before = position.stacks[place].copy(), position.stacks[place].copy()
        if fights_for(game, position, before, ATTACKER):
            keep_aboard(moved)
            moved.area, moved.spent = to, SPENT
            change_units(position, place, moved, moved.count)
            place = find_place(position, before)
        else:
            place += 1
