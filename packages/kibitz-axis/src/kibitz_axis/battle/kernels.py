"""Battles, worked out over tables of armies (see `losses`).

A battle is a walk on a grid: the armies that may be left of the attackers × those that may be left of the defenders. A
round has two volleys, opening and general fire. Between them a side without a destroyer loses what submarines hit; a
side that has one loses it after the round, so that it still fires. Every hit leads on along the grid, so that one pass
is enough; rounds that change nothing are divided out.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_axis.battle.losses import ANY_HIT, FIRST, GENERAL, LEFT, RUN, SCREEN, SHIP_HIT, SHOTS, UNITS, Numbers

Chances = NDArray[np.float64]
OPENING, REST, TAILS = range(3)
"""The layers of a table of hits: of opening fire, of general fire, and how likely so many or more are in the latter."""
FIRST_ROUND, NEXT_ROUND, TO_THE_END = range(3)
STAND_OFF = 1.0 - 1e-9
"""Where a round so surely changes nothing, nobody can hit anybody: the weakest die hits in one of six."""


@kernel("void(int64[::1], boolean, float64[::1])", entry=True)
def hit_chances(strengths: Numbers, low_luck: bool, chances: Chances) -> None:
    """Write how likely 0, 1, 2 … hits are."""
    for hits in range(len(chances)):
        chances[hits] = 0.0
    chances[0] = 1.0
    if low_luck:
        total = 0
        for strength in range(1, 7):
            total += strength * strengths[strength]
        sure, rest = total // 6, total % 6
        chances[0] = 0.0
        chances[sure] = (6 - rest) / 6.0
        if rest:
            chances[sure + 1] = rest / 6.0
        return
    dice = 0
    for strength in range(1, 7):
        hit = strength / 6.0
        for _ in range(strengths[strength]):
            dice += 1
            for hits in range(dice, 0, -1):
                chances[hits] = chances[hits] * (1.0 - hit) + chances[hits - 1] * hit
            chances[0] *= 1.0 - hit


@kernel("float64[:, :, ::1](int64[:, ::1], boolean)")
def hit_table(table: Numbers, low_luck: bool) -> Chances:
    """Of every row of a table of armies, how likely 0, 1, 2 … hits are in both volleys."""
    rows, width = len(table), 2
    for row in range(rows):
        width = max(width, table[row, SHOTS] + 2, table[row, SHOTS + 1] + 2)
    found = np.zeros((3, rows, width))
    for row in range(rows):
        hit_chances(table[row, FIRST:GENERAL], low_luck, found[OPENING, row])
        hit_chances(table[row, GENERAL:], low_luck, found[REST, row])
        for hits in range(width - 2, -1, -1):
            found[TAILS, row, hits] = found[TAILS, row, hits + 1] + found[REST, row, hits]
    return found


@kernel(
    "void(int64, int64, float64, int64[:, ::1], int64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])"
)
def fire_general(
    i: int, j: int, mass: float, attack: Numbers, defence: Numbers, scored: Chances, taken: Chances, grid: Chances
) -> None:
    """General fire of two armies: put their *mass* where it leads, all but what no hit changes."""
    left, right = attack[i, LEFT], defence[j, LEFT]
    most_taken, most_scored = min(left, defence[j, SHOTS + 1]), min(right, attack[i, SHOTS + 1])
    run = min(defence[j, RUN], most_scored)
    hit, place = scored[REST, i], i
    for hits in range(most_taken + 1):
        if hits:
            place = attack[place, ANY_HIT]
        chance = mass * (taken[TAILS, j, hits] if hits == left else taken[REST, j, hits])
        if chance == 0.0:
            continue
        row = grid[place]
        for kills in range(0 if hits else 1, min(run + 1, right)):
            row[j + kills] += chance * hit[kills]
        other = j + run
        for kills in range(run + 1, min(most_scored + 1, right)):
            other = defence[other, ANY_HIT]
            row[other] += chance * hit[kills]
        if most_scored == right and (hits or right):
            last = j + run if run == right else defence[other, ANY_HIT]
            row[last] += chance * scored[TAILS, i, right]


@kernel("int64(int64, int64[:, ::1], float64[::1], int64, float64[::1], int64, float64[::1])")
def reach(
    row: int, table: Numbers, first: Chances, shots: int, general: Chances, more_shots: int, reached: Chances
) -> int:
    """Add up in *reached* where hits on ships, then hits on anything, lead from a row; return the last row of these."""
    place, last = row, row
    for hits in range(shots + 1):
        if hits:
            place = table[place, SHIP_HIT]
        if first[hits] == 0.0:
            continue
        at = place
        for more in range(more_shots + 1):
            if more:
                at = table[at, ANY_HIT]
            reached[at] += first[hits] * general[more]
        last = max(last, at)
    return last


@kernel("void(float64, int64, int64, int64, int64, float64[::1], float64[::1], float64[:, ::1])")
def pour(
    mass: float, i: int, last_i: int, j: int, last_j: int, attackers: Chances, defenders: Chances, grid: Chances
) -> None:
    """Put *mass* where both sides are led, independently of each other, and clear what led them there."""
    for place in range(i, last_i + 1):
        chance = mass * attackers[place]
        attackers[place] = 0.0
        if chance != 0.0:
            row = grid[place]
            for other in range(j, last_j + 1):
                row[other] += chance * defenders[other]
    for other in range(j, last_j + 1):
        defenders[other] = 0.0


@kernel("float64(int64, int64, int64[:, ::1], int64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], int64)")
def standstill_chance(
    i: int, j: int, attack: Numbers, defence: Numbers, scored: Chances, taken: Chances, volley: int
) -> float:
    """How likely a *volley* of two armies changes neither: it misses, or what it could hit is not there."""
    step = SHIP_HIT if volley == OPENING else ANY_HIT
    chance = 1.0 if attack[i, step] == i else taken[volley, j, 0]
    return chance if defence[j, step] == j else chance * scored[volley, i, 0]


@kernel(
    "void(int64, int64, float64, int64[:, ::1], int64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], "
    "float64[:, ::1], float64[:, ::1])"
)
def fire_screened(
    i: int,
    j: int,
    mass: float,
    attack: Numbers,
    defence: Numbers,
    scored: Chances,
    taken: Chances,
    reached: Chances,
    grid: Chances,
) -> None:
    """A round of two armies, submarines among them, of which one or both have a destroyer.

    Who has one loses all hits of the round together, and fires as it stood before; the other side loses those of
    opening fire first, which is gone through hit by hit. *reached* is room to work in; its last row is a sure thing.
    """
    late_i, late_j, sure = attack[i, SCREEN] > 0, defence[j, SCREEN] > 0, reached[2]
    shots_i, shots_j = attack[i, SHOTS], defence[j, SHOTS]
    place = i
    for hits in range(1 if late_i else shots_j + 1):
        if hits:
            place = attack[place, SHIP_HIT]
        other = j
        for kills in range(1 if late_j else shots_i + 1):
            if kills:
                other = defence[other, SHIP_HIT]
            chance = mass * (1.0 if late_i else taken[OPENING, j, hits])
            chance *= 1.0 if late_j else scored[OPENING, i, kills]
            if chance == 0.0:
                continue
            firing_i, firing_j = i if late_i else place, j if late_j else other
            first, shots = (taken[OPENING, j], shots_j) if late_i else (sure, 0)
            more = defence[firing_j, SHOTS + 1]
            last_i = reach(place, attack, first, shots, taken[REST, firing_j], more, reached[0])
            first, shots = (scored[OPENING, i], shots_i) if late_j else (sure, 0)
            more = attack[firing_i, SHOTS + 1]
            last_j = reach(other, defence, first, shots, scored[REST, firing_i], more, reached[1])
            pour(chance, place, last_i, other, last_j, reached[0], reached[1], grid)


@kernel(
    "void(int64[:, ::1], int64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], float64[:, ::1], "
    "int64, int64)"
)
def fight(
    attack: Numbers,
    defence: Numbers,
    scored: Chances,
    taken: Chances,
    before: Chances,
    after: Chances,
    retreat: int,
    which: int,
) -> None:
    """One round, from *before* to *after*; or, where the two are the same grid, all rounds TO_THE_END.

    Before the FIRST_ROUND the attackers do not withdraw.
    """
    opened, reached = np.zeros(before.shape), np.zeros((3, max(before.shape)))
    reached[2, 0] = 1.0
    for i in range(before.shape[0]):
        for j in range(before.shape[1]):
            if before[i, j] == 0.0 and opened[i, j] == 0.0:
                continue
            missed = standstill_chance(i, j, attack, defence, scored, taken, REST)
            if which == TO_THE_END:
                before[i, j] += opened[i, j] * missed
            mass = before[i, j]
            # 1. All fight on, unless a side is gone or the attackers withdraw.
            stays = attack[i, UNITS] > (0 if which == FIRST_ROUND else retreat) and defence[j, UNITS] > 0
            quiet = attack[i, SHOTS] == 0 and defence[j, SHOTS] == 0
            still = missed if quiet else missed * standstill_chance(i, j, attack, defence, scored, taken, OPENING)
            if mass != 0.0 and (not stays or (which == TO_THE_END and still > STAND_OFF)):
                if which != TO_THE_END:
                    after[i, j] += mass
            elif mass != 0.0:
                # 2. Opening fire. To the end, a round that changes nothing is divided out.
                if which == TO_THE_END:
                    mass, before[i, j] = mass / (1.0 - still), 0.0
                if quiet:
                    opened[i, j] += mass
                elif attack[i, SCREEN] or defence[j, SCREEN]:
                    fire_screened(i, j, mass, attack, defence, scored, taken, reached, after)
                    if which == TO_THE_END:
                        after[i, j] = 0.0
                else:
                    last_i = reach(i, attack, taken[OPENING, j], defence[j, SHOTS], reached[2], 0, reached[0])
                    last_j = reach(j, defence, scored[OPENING, i], attack[i, SHOTS], reached[2], 0, reached[1])
                    pour(mass, i, last_i, j, last_j, reached[0], reached[1], opened)
            # 3. General fire of those it has left.
            if opened[i, j] != 0.0:
                fire_general(i, j, opened[i, j], attack, defence, scored, taken, after)
                if which != TO_THE_END:
                    after[i, j] += opened[i, j] * missed


@kernel("float64[:, ::1](int64[:, ::1], int64[:, ::1], float64[::1], float64[::1], int64, int64, boolean)")
def battle_odds(
    attack: Numbers,
    defence: Numbers,
    attackers: Chances,
    defenders: Chances,
    retreat: int,
    rounds: int,
    low_luck: bool,
) -> Chances:
    """How likely the battle is to end with each pair of armies.

    It begins with each row of the tables with the probabilities *attackers* and *defenders*. After the first round the
    attackers withdraw when *retreat* units or fewer are left, or after *rounds* (0 is never).
    """
    scored, taken = hit_table(attack, low_luck), hit_table(defence, low_luck)
    grid = np.zeros((len(attackers), len(defenders)))
    for i in range(len(attackers)):
        for j in range(len(defenders)):
            grid[i, j] = attackers[i] * defenders[j]
    for number in range(max(1, rounds)):
        before, grid = grid, np.zeros(grid.shape)
        which = NEXT_ROUND if number else FIRST_ROUND
        fight(attack, defence, scored, taken, before, grid, retreat, which)
    if rounds == 0:
        fight(attack, defence, scored, taken, grid, grid, retreat, TO_THE_END)
    return grid
