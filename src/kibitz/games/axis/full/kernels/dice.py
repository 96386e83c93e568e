"""Dice of the whole game: what is rolled for, a random result of it, and what a result leads to."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below
from kibitz.games.axis.full.fire import HEAVY_DICE
from kibitz.games.axis.full.kernels.fighting import (
    BOMBARDMENT,
    GENERAL_ATTACK,
    SNEAK_ATTACK,
    SNEAK_DEFENCE,
    advance_battle,
    battle_dice,
    lose_aircraft,
    score_hits,
)
from kibitz.games.axis.full.kernels.layout import (
    BATTLE,
    BATTLE_AREA,
    DICE,
    DOMAIN,
    FLYER,
    FLYER_LIST,
    FLYERS,
    GUN,
    IN_AIR,
    KNOWN,
    LHTR,
    LOW_LUCK,
    MOST_DOOMED,
    MOVER,
    OVER_AREAS,
    OVER_COUNT,
    OVER_NUMBER,
    OVER_STACK,
    PHASE,
    RAID,
    RAIDING,
    RAIDS,
    ROCKET_LIST,
    ROCKETS,
    SEA,
    STACK,
    STEP,
    SUBMARINE,
    SUPPORTED,
    SUPPORTS,
    VALUE,
    Rng,
    Words,
    area_of,
    kind_of,
    marks_of,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.money import damage_area, finish_raid, list_rockets, next_raid, raiders
from kibitz.games.axis.full.kernels.sides import ATTACKER, knows, list_bombarding, strength
from kibitz.games.axis.full.kernels.stacks import add_units, end_row, fights_for, first_row, has_enemy_trait
from kibitz.games.axis.full.turn import MOST_DIGIT, MOST_NUMBER
from kibitz.games.axis.full.units import HEAVY_BOMBERS

NO_ROLL, RESEARCH_ROLL, OVERFLIGHT, GUNS_ROLL, VOLLEY, RAID_GUNS, RAID_DAMAGE, ROCKET = range(8)
RNG = "uint64[:]"


@kernel("int64(int64[::1], int64[::1])")
def guarded_raid(board: Words, s: Words) -> int:
    """The first area with guns and aircraft on a raid; -1 if there is none."""
    area = next_raid(board, s, -1)
    while area >= 0 and not has_enemy_trait(board, s, area, s[MOVER], GUN):
        area = next_raid(board, s, area)
    return area


@kernel("int64(int64[::1], int64[::1])")
def aimed_rocket(board: Words, s: Words) -> int:
    """The number of the first rocket that has yet to be fired; -1 if there is none."""
    for each in range(s[ROCKETS]):
        if s[board[ROCKET_LIST] + 2 * each + 1] >= 0:
            return each
    return -1


@kernel("int64(int64[::1], int64[::1])")
def what_is_rolled(board: Words, s: Words) -> int:
    """What dice are rolled for now. Twin of `turn.roll`."""
    if s[DICE]:
        return RESEARCH_ROLL
    if s[OVER_NUMBER]:
        return OVERFLIGHT
    if s[BATTLE_AREA]:
        what = battle_dice(board, s)
        return GUNS_ROLL if what == 1 else VOLLEY if what == 2 else NO_ROLL
    if s[PHASE] != BATTLE:
        return NO_ROLL
    if list_rockets(board, s, np.empty((MOST_DOOMED, 2), dtype=np.int64)):
        return NO_ROLL
    if s[RAID] >= 0:
        return RAID_DAMAGE
    if guarded_raid(board, s) >= 0:
        return RAID_GUNS
    return ROCKET if aimed_rocket(board, s) >= 0 and next_raid(board, s, -1) < 0 else NO_ROLL


# Random results.


@kernel("int64(int64, int64, uint64[:])")
def sure_and_rest(total: int, sides: int, rng: Rng) -> int:
    """A hit for every six, and one die for the rest."""
    return total // sides + (1 if draw_below(rng, sides) < total % sides else 0)


@kernel("int64(int64, int64, int64, int64, uint64[:])")
def unit_hits(power: int, dice: int, best: int, count: int, rng: Rng) -> int:
    """The hits of units of one strength, each with so many dice."""
    hits = 0
    for _ in range(count):
        struck = 0
        for _ in range(dice):
            struck += draw_below(rng, 6) < power
        hits += min(1, struck) if best else struck
    return hits


@kernel("int64(int64[::1], int64[::1], uint64[:])")
def roll_volley(board: Words, s: Words, rng: Rng) -> int:
    """The hits of the step of a battle."""
    area, step = s[BATTLE_AREA] - 1, s[STEP]
    rows, count, side, sneak = np.empty(MOST_DOOMED * 4, dtype=np.int64), 0, ATTACKER, 0
    if step == BOMBARDMENT:
        count = list_bombarding(board, s, area, rows)
    else:
        sneak = step in (SNEAK_ATTACK, SNEAK_DEFENCE)
        side = step - (SNEAK_ATTACK if sneak else GENERAL_ATTACK)
        row, sea = first_row(board, s, area), board[board[SEA] + area]
        while row < end_row(board, s) and area_of(s, row) == area:
            fires = fights_for(board, s, row, side, sea) and trait(board, kind_of(s, row), SUBMARINE) == sneak
            if fires and count < len(rows):
                rows[count] = row
                count += 1
            row += STACK
    lifted, total, hits = 0, 0, 0
    for number in range(count if side == ATTACKER else 0):
        lifted += s[rows[number] + 4] if trait(board, kind_of(s, rows[number]), SUPPORTS) else 0
    for number in range(count):
        row = rows[number]
        kind, power, units = kind_of(s, row), power_of(s, row), s[row + 4]
        each, dice, best = strength(board, s, power, kind, side), 1, 0
        if trait(board, kind, RAIDS) and knows(board, s, power, HEAVY_BOMBERS) and (side == ATTACKER or board[LHTR]):
            dice, best = HEAVY_DICE, board[LHTR]
        support = min(units, lifted) if side == ATTACKER and trait(board, kind, SUPPORTED) else 0
        lifted -= support
        if board[LOW_LUCK]:
            total += units * (min(6, each + dice - 1) if best else each * dice)
            total += support * (min(6, each + 1) - each)
        else:
            hits += unit_hits(min(6, each + 1), dice, best, support, rng)
            hits += unit_hits(each, dice, best, units - support, rng)
    return sure_and_rest(total, 6, rng) if board[LOW_LUCK] else hits


@kernel("int64(int64[::1], int64, uint64[:])")
def roll_guns(counts: Words, flyers: int, rng: Rng) -> int:
    """The hits of guns on so many of each kind of aircraft, as one number."""
    number, base = 0, hit_base(counts)
    for flyer in range(flyers):
        if counts[flyer]:
            number = number * base + min(unit_hits(1, 1, 0, counts[flyer], rng), base - 1)
    return number


@kernel("int64(int64[::1])")
def hit_base(counts: Words) -> int:
    """The base of the digits of hits on so many of each kind of aircraft. Twin of `digit_base`."""
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


@kernel("void(int64[::1], int64[::1], int64, int64, int64[::1])")
def count_flyers(board: Words, s: Words, area: int, raids: int, counts: Words) -> None:
    """Write how many of each kind of aircraft of the mover attack an area, or raid it."""
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        flies = trait(board, kind, DOMAIN) == IN_AIR and power_of(s, row) == s[MOVER]
        if flies and ((marks_of(s, row) & RAIDING) if raids else fights_for(board, s, row, ATTACKER, sea)):
            counts[trait(board, kind, FLYER)] += s[row + 4]
        row += STACK


@kernel("int64(int64[::1], int64, int64, int64, uint64[:])")
def roll_damage(board: Words, bombers: int, heavy: int, value: int, rng: Rng) -> int:
    """What a raid costs."""
    total = 0
    for _ in range(bombers):
        added, best = 0, 0
        for _ in range(HEAVY_DICE if heavy else 1):
            face = draw_below(rng, 6) + 1
            added += face
            best = max(best, face)
        total += min(value, best + 1 if heavy and board[LHTR] else added)
    return total


@kernel("int64(int64[::1], int64[::1], int64, uint64[:])")
def draw_result(board: Words, s: Words, what: int, rng: Rng) -> int:
    """A random result of the dice that are rolled now."""
    if what == RESEARCH_ROLL:
        return unit_hits(1, 1, 0, s[DICE], rng)
    if what == VOLLEY:
        return roll_volley(board, s, rng)
    if what == RAID_DAMAGE:
        heavy = s[board[KNOWN] + s[MOVER]] >> HEAVY_BOMBERS & 1
        return roll_damage(board, raiders(board, s, s[RAID]), heavy, board[board[VALUE] + s[RAID]], rng)
    if what == ROCKET:
        to = s[board[ROCKET_LIST] + 2 * aimed_rocket(board, s) + 1]
        return roll_damage(board, 1, 0, board[board[VALUE] + to], rng)
    counts = np.zeros(board[FLYERS] + 1, dtype=np.int64)
    if what == OVERFLIGHT:
        counts[trait(board, s[OVER_STACK] >> 18 & 255, FLYER)] = s[OVER_NUMBER]
    else:
        count_flyers(board, s, area_of_guns(board, s, what), int(what == RAID_GUNS), counts)
    return roll_guns(counts, board[FLYERS], rng)


@kernel("int64(int64[::1], int64[::1], int64)")
def area_of_guns(board: Words, s: Words, what: int) -> int:
    """The area whose guns fire, in a battle or at a raid."""
    return s[BATTLE_AREA] - 1 if what == GUNS_ROLL else guarded_raid(board, s)


# What a result leads to; `turns.advance` comes after it.


@kernel("void(int64[::1], int64[::1], int64, int64)")
def apply_result(board: Words, s: Words, what: int, result: int) -> None:
    """Apply a result of dice, other than that of research, which ends its phase."""
    if what == VOLLEY:
        score_hits(board, s, result)
    elif what == OVERFLIGHT:
        k = OVER_STACK  # one kind of aircraft, so the number is that of the hits
        add_units(board, s, s[k], s[k + 1], s[k + 2], s[k + 3], -result)
        s[OVER_NUMBER] -= result
        s[OVER_COUNT] -= 1
        for place in range(OVER_AREAS, OVER_AREAS + 7):
            s[place] = s[place + 1]
        s[OVER_AREAS + 7] = 0
        if s[OVER_NUMBER] == 0 or s[OVER_COUNT] == 0:
            for place in range(OVER_NUMBER, OVER_AREAS + 8):
                s[place] = 0
    elif what == RAID_DAMAGE:
        finish_raid(board, s, result)
    elif what == ROCKET:
        at = board[ROCKET_LIST] + 2 * aimed_rocket(board, s)
        to = s[at + 1]
        s[at + 1] = -1
        damage_area(board, s, to, result)
    else:
        area, rest = area_of_guns(board, s, what), result
        counts = np.zeros(board[FLYERS] + 1, dtype=np.int64)
        count_flyers(board, s, area, int(what == RAID_GUNS), counts)
        base = hit_base(counts)
        for flyer in range(board[FLYERS] - 1, -1, -1):
            if counts[flyer]:
                lose_aircraft(board, s, area, board[board[FLYER_LIST] + flyer], int(what == RAID_GUNS), rest % base)
                rest //= base
        if what == GUNS_ROLL:
            s[STEP] += 1
            advance_battle(board, s)
        elif raiders(board, s, area):
            s[RAID] = area
