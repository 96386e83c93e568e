"""Dice of the whole game: what is rolled for now, and what a result leads to."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Ints, zeros
from kibitz_axis.full.battles import GUN_DICE, NO_DICE, advance_battle, battle_dice, lose_aircraft, score_hits
from kibitz_axis.full.economy import (
    aimed_rocket,
    damage_area,
    finish_raid,
    learn_technology,
    next_gun,
    next_raid,
    raider_count,
)
from kibitz_axis.full.position import BATTLE, GUNS, MOST_OVERFLOWN, NOBODY, PURCHASE, Position, Setting, Work
from kibitz_axis.full.stacks import find_place, first_in, has_enemies, is_aimed_at, remove_units

NO_ROLL, RESEARCH_ROLL, OVERFLIGHT, BATTLE_GUNS, VOLLEY, RAID_GUNS, RAID_DAMAGE, ROCKET = range(8)
"""What dice are rolled for."""
MOST_DIGIT, MOST_NUMBER = 1000, 10**18
"""Hits on kinds of aircraft are one number, with a digit for each kind that is there; see `hit_base`."""


@kernel
def what_is_rolled(game: Setting, position: Position) -> int:
    """What dice are rolled for now, if any."""
    if position.dice:
        return RESEARCH_ROLL
    if len(position.overflight) > 0:
        return OVERFLIGHT
    if position.battle >= 0:
        rolled = battle_dice(game, position)
        return NO_ROLL if rolled == NO_DICE else BATTLE_GUNS if rolled == GUN_DICE else VOLLEY
    if position.phase != BATTLE or next_gun(game, position) >= 0:
        return NO_ROLL
    if position.raid >= 0:
        return RAID_DAMAGE
    if guarded_raid(game, position) >= 0:
        return RAID_GUNS
    return ROCKET if aimed_rocket(position) >= 0 and next_raid(position, NOBODY) < 0 else NO_ROLL


@kernel
def guarded_raid(game: Setting, position: Position) -> int:
    """The first area with guns and aircraft on a raid; -1 if there is none."""
    area = next_raid(position, NOBODY)
    while area >= 0 and not has_enemies(game, position, area, position.mover, GUNS):
        area = next_raid(position, area)
    return area


@kernel
def count_aimed(game: Setting, position: Position, rolled: int, counts: Ints) -> int:
    """Write at how many aircraft of each kind guns fire now; returns in which area, unless they are on their way."""
    if rolled == OVERFLIGHT:
        stack = position.overflight[0]
        counts[game.kinds[stack.kind].flyer] = stack.count
        return NOBODY
    area = position.battle if rolled == BATTLE_GUNS else guarded_raid(game, position)
    for place in range(first_in(position, area), first_in(position, area + 1)):
        stack = position.stacks[place]
        if is_aimed_at(game, position, stack, rolled == RAID_GUNS):
            counts[game.kinds[stack.kind].flyer] += stack.count
    return area


@kernel
def hit_base(counts: Ints) -> int:
    """The base of the digits that tell the hits on each kind of aircraft, so that 64 bits hold them."""
    kinds, base, fits = 0, MOST_DIGIT + 1, False
    for count in counts:
        kinds += count > 0
    while not fits:
        base -= 1
        room = MOST_NUMBER
        for _ in range(kinds):
            room //= base
        fits = room > 0
    return base


@kernel
def apply_result(game: Setting, position: Position, result: int, work: Work) -> None:
    """What the dice lead to, before anything else happens; see `turn.play_result`."""
    rolled = what_is_rolled(game, position)
    if rolled == VOLLEY:
        score_hits(game, position, result, work)
    elif rolled == RESEARCH_ROLL:
        finish_research(game, position, result)
    elif rolled == OVERFLIGHT:
        shoot_at_passers(position, result)
    elif rolled == RAID_DAMAGE:
        finish_raid(game, position, result)
    elif rolled == ROCKET:
        rocket = position.rockets[aimed_rocket(position)]
        target = rocket.target
        rocket.target = NOBODY
        damage_area(game, position, target, result)
    else:
        shoot_down(game, position, rolled, result)
        if rolled == BATTLE_GUNS:
            position.step += 1
            advance_battle(game, position, work)


@kernel
def finish_research(game: Setting, position: Position, hits: int) -> None:
    """Any hit brings the technology, which works at once, or, where the rules say so, when the turn is over."""
    position.dice = 0
    if not hits:
        position.technology = NOBODY
    if not game.lhtr:
        learn_technology(position)
    position.phase = PURCHASE


@kernel
def shoot_at_passers(position: Position, hits: int) -> None:
    """The guns of one area have hit aircraft on their way; those of the next one follow."""
    passing = position.overflight[0]
    if hits:
        remove_units(position, find_place(position, passing), hits)
    passing.count -= hits
    for each in range(MOST_OVERFLOWN - 1):
        position.guns[each] = position.guns[each + 1]
    position.guns[MOST_OVERFLOWN - 1] = NOBODY
    if passing.count == 0 or position.guns[0] < 0:
        del position.overflight[0]
        for each in range(MOST_OVERFLOWN):
            position.guns[each] = NOBODY


@kernel
def shoot_down(game: Setting, position: Position, rolled: int, result: int) -> None:
    """Guns have hit aircraft in a battle or on a raid; the others on a raid drop their bombs next."""
    counts, raids = zeros(game.flyer_count), rolled == RAID_GUNS
    area = count_aimed(game, position, rolled, counts)
    base = hit_base(counts)
    for flyer in range(game.flyer_count - 1, -1, -1):
        if counts[flyer]:
            lose_aircraft(game, position, area, game.flyers[flyer], raids, result % base)
            result //= base
    if raids and raider_count(position, area):
        position.raid = area
