"""Kernels for one side of a battle: every army that losses may leave of it, as a table that other kernels walk along.

With a fixed order of losses a side goes through few armies. Each is a row of a table that says which row follows when a
hit falls on anything, and when it falls on ships only; and how many units then fire with
strength 0, 1, … 6, in opening fire (submarines) and in general fire (all others). Every step leads to a later row, and
a hit on anything to the next one where that can be. Where every hit may fall on everything the table is a ladder.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Numbers = NDArray[np.int64]
ATTACK, DEFENCE, COST, HITS, AFTER_HIT, SUPPORTS, SUPPORTED = range(7)
LAND, SHIP, SURPRISE, DETECTS, FIGHTS = range(7, 12)
"""The columns of *traits*, which has a row per kind of unit, the damaged included."""
CHEAPEST, PAIRS, LAND_LAST = range(3)
ORDERS = {"cheapest": CHEAPEST, "pairs": PAIRS, "land": LAND_LAST}
"""The orders of losses."""
ANY_HIT, SHIP_HIT, UNITS, LEFT, SCREEN, RUN, SHOTS = range(7)
"""The columns of a table of armies: the row after each step, the units and the hits that are left in the battle,
whether there is a destroyer, how many rows from here on follow each other by a hit on anything, and the shots of
opening and of general fire."""
FIRST, GENERAL = 8, 15
"""Where the strengths of opening and of general fire begin."""
COLUMNS = 22


@kernel("void(int64[::1], int64[:, ::1], boolean, int64[::1])")
def count_strengths(army: Numbers, traits: Numbers, attacking: bool, counts: Numbers) -> None:
    """Write how many units fire with strength 0, 1, … 6 first, and how many then."""
    counts[:] = 0
    support = 0
    for kind in range(len(army)):
        support += army[kind] * traits[kind, SUPPORTS]
    for kind in range(len(army)):
        if army[kind] == 0 or not traits[kind, FIGHTS]:
            continue
        strength = traits[kind, ATTACK] if attacking else traits[kind, DEFENCE]
        lifted = min(army[kind], support) if attacking and traits[kind, SUPPORTED] else 0
        support -= lifted
        volley = 0 if traits[kind, SURPRISE] else 7
        counts[volley + min(6, strength + 1)] += lifted
        counts[volley + strength] += army[kind] - lifted


@kernel("int64(int64[::1])")
def all_strength(counts: Numbers) -> int:
    """What all units that *counts* tells of hit with, added up."""
    total = 0
    for strength in range(1, 7):
        total += strength * (counts[strength] + counts[7 + strength])
    return total


@kernel("int64(int64[::1], int64[:, ::1], boolean, int64, boolean, int64[::1])")
def next_loss(army: Numbers, traits: Numbers, attacking: bool, order: int, ships_only: bool, counts: Numbers) -> int:
    """The kind that takes the next hit, or -1; *counts* is room to count in."""
    land, targets, whole = 0, 0, 0
    for kind in range(len(army)):
        land += army[kind] * traits[kind, LAND] * traits[kind, FIGHTS]
        targets += 1 if army[kind] and traits[kind, FIGHTS] and (traits[kind, SHIP] or not ships_only) else 0
    if order == PAIRS:
        count_strengths(army, traits, attacking, counts)
        whole = all_strength(counts)
    chosen, least, dearness = -1, 0, 0
    for kind in range(len(army)):
        if army[kind] == 0 or not traits[kind, FIGHTS] or (ships_only and not traits[kind, SHIP]):
            continue
        if order == LAND_LAST and traits[kind, LAND] and land == 1 and targets > 1:
            continue
        regret, price = traits[kind, COST], traits[kind, ATTACK] if attacking else traits[kind, DEFENCE]
        if traits[kind, AFTER_HIT] >= 0:
            regret, price = -1, 0
        elif order == PAIRS:
            army[kind] -= 1
            count_strengths(army, traits, attacking, counts)
            army[kind] += 1
            regret, price = whole - all_strength(counts), traits[kind, COST]
        if chosen < 0 or regret < least or (regret == least and price < dearness):
            chosen, least, dearness = kind, regret, price
    return chosen


@kernel("void(int64[::1], int64[:, ::1], int64)")
def take_hit(army: Numbers, traits: Numbers, kind: int) -> None:
    """One unit of a *kind* is hit, if there is one to be hit."""
    if kind >= 0:
        army[kind] -= 1
        if traits[kind, AFTER_HIT] >= 0:
            army[traits[kind, AFTER_HIT]] += 1


@kernel("void(int64[::1], int64[:, ::1], int64)")
def copy_row(numbers: Numbers, table: Numbers, row: int) -> None:
    """Write *numbers* into a row of a table. (Kernels that copy so compile in a fraction of the time slices take.)"""
    for column in range(len(numbers)):
        table[row, column] = numbers[column]


@kernel("int64(int64[::1], int64[:, ::1], int64[::1], int64)")
def find_army(army: Numbers, armies: Numbers, slots: Numbers, known: int) -> int:
    """The number of an army among those *known*; if it is new it becomes the next one. *slots* is a hash table."""
    mixed = 0
    for count in army:
        mixed = (mixed * 1_000_003 + count) & 0x7FFFFFFF
    slot = (mixed ^ (mixed >> 13)) % len(slots)
    while slots[slot] >= 0:
        same = True
        for kind in range(len(army)):
            if armies[slots[slot], kind] != army[kind]:
                same = False
                break
        if same:
            return int(slots[slot])
        slot = (slot + 1) % len(slots)
    slots[slot] = known
    copy_row(army, armies, known)
    return known


@kernel("int64[:, ::1](int64[:, ::1], int64)")
def with_room(table: Numbers, rows: int) -> Numbers:
    """A table with room for twice as many rows, of which the first are kept."""
    larger = np.empty((2 * len(table), table.shape[1]), dtype=np.int64)
    for row in range(rows):
        copy_row(table[row], larger, row)
    return larger


@kernel("int64[::1](int64[:, ::1], int64[::1])")
def later_last(steps: Numbers, roots: Numbers) -> Numbers:
    """An order of armies in which every step leads on, and a hit on anything to the next one where that can be.

    It is the reverse of the order in which a depth-first walk leaves them, if it goes along that step last.
    """
    rows = len(steps)
    order, left = np.empty(rows, dtype=np.int64), rows
    seen, path, tried = np.zeros(rows, dtype=np.int64), np.empty(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for root in roots:
        if seen[root]:
            continue
        seen[root], path[0], depth = 1, root, 1
        while depth:
            at = path[depth - 1]
            if tried[at] < 2:
                tried[at] += 1
                to = steps[at, 2 - tried[at]]
                if not seen[to]:
                    seen[to], path[depth], depth = 1, to, depth + 1
            else:
                left, depth = left - 1, depth - 1
                order[left] = at
    return order


@kernel("void(int64[::1], int64[:, ::1], boolean, int64[::1], int64[::1])")
def describe(army: Numbers, traits: Numbers, attacking: bool, counts: Numbers, row: Numbers) -> None:
    """Write into a *row* of a table what does not depend on other rows."""
    row[UNITS] = row[LEFT] = row[SCREEN] = row[SHOTS] = row[SHOTS + 1] = 0
    for kind in range(len(army)):
        if traits[kind, FIGHTS]:
            row[UNITS] += army[kind]
            row[LEFT] += army[kind] * traits[kind, HITS]
            row[SCREEN] |= 1 if army[kind] and traits[kind, DETECTS] else 0
    count_strengths(army, traits, attacking, counts)
    for strength in range(7):
        for volley in range(2):
            row[FIRST + 7 * volley + strength] = counts[7 * volley + strength]
            row[SHOTS + volley] += counts[7 * volley + strength] if strength else 0


@kernel("Tuple((int64[:, ::1], int64[:, ::1], int64[::1]))(int64[:, ::1], int64[:, ::1], boolean, int64, boolean)")
def army_table(
    starts: Numbers, traits: Numbers, attacking: bool, order: int, hunted: bool
) -> tuple[Numbers, Numbers, Numbers]:
    """All armies that losses may make of those in *starts*, their table, and the rows of *starts* in it.

    *hunted*: some hits fall on ships only.
    """
    # 1. The armies, each with those that follow it, as they are found.
    kinds, found, done = starts.shape[1], 0, 0
    armies = np.empty((max(32, len(starts) + 2), kinds), dtype=np.int64)
    steps, slots = np.empty((len(armies), 2), dtype=np.int64), np.full(4 * len(armies), -1, dtype=np.int64)
    roots, room, counts = (
        np.empty(len(starts), dtype=np.int64),
        np.empty((1, kinds), dtype=np.int64),
        np.zeros(14, np.int64),
    )
    left = room[0]
    for root in range(len(starts)):
        roots[root] = find_army(starts[root], armies, slots, found)
        found = max(found, roots[root] + 1)
    while done < found:
        if found + 2 > len(armies):
            armies, steps = with_room(armies, found), with_room(steps, done)
            slots = np.full(4 * len(armies), -1, dtype=np.int64)
            for each in range(found):
                find_army(armies[each], armies, slots, each)
        for step in range(2):
            copy_row(armies[done], room, 0)
            if step == ANY_HIT or (step == SHIP_HIT and hunted):
                take_hit(left, traits, next_loss(left, traits, attacking, order, step == SHIP_HIT, counts))
            steps[done, step] = find_army(left, armies, slots, found)
            found = max(found, steps[done, step] + 1)
        done += 1
    # 2. The same in an order in which every step leads on.
    order_of, number = later_last(steps[:found], roots), np.empty(found, dtype=np.int64)
    for row in range(found):
        number[order_of[row]] = row
    sorted_armies, table = np.empty((found, kinds), dtype=np.int64), np.empty((found, COLUMNS), dtype=np.int64)
    for row in range(found - 1, -1, -1):
        copy_row(armies[order_of[row]], sorted_armies, row)
        for step in range(2):
            table[row, step] = number[steps[order_of[row], step]]
        describe(sorted_armies[row], traits, attacking, counts, table[row])
        table[row, RUN] = table[row + 1, RUN] + 1 if table[row, ANY_HIT] == row + 1 else 0
    for root in range(len(roots)):
        roots[root] = number[roots[root]]
    return sorted_armies, table, roots
