"""Dice of the whole game: what is rolled for, and what a result leads to."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.fighting import (
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
    MOST_DOOMED,
    MOVER,
    OVER_AREAS,
    OVER_COUNT,
    OVER_NUMBER,
    OVER_STACK,
    PHASE,
    RAID,
    RAIDING,
    ROCKET_LIST,
    ROCKETS,
    SEA,
    STACK,
    STEP,
    Words,
    area_of,
    kind_of,
    marks_of,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.money import damage_area, finish_raid, list_rockets, next_raid, raiders
from kibitz.games.axis.full.kernels.sides import ATTACKER
from kibitz.games.axis.full.kernels.stacks import add_units, end_row, fights_for, first_row, has_enemy_trait
from kibitz.games.axis.full.turn import MOST_DIGIT, MOST_NUMBER

NO_ROLL, RESEARCH_ROLL, OVERFLIGHT, GUNS_ROLL, VOLLEY, RAID_GUNS, RAID_DAMAGE, ROCKET = range(8)


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
