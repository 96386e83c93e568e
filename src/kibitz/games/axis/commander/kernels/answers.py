"""The answer of other powers to a position: greedy attacks, each where it gains most, with fights in expectation."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.commander.kernels.fights import (
    KILLED,
    LEFT,
    LOST,
    RESULTS,
    STANDING,
    TAKE,
    WIN,
    Counts,
    fight,
    take_hits,
    total_hits,
)
from kibitz.games.axis.commander.kernels.positions import Units, flight_range
from kibitz.games.axis.full.kernels.layout import (
    AIR,
    AREAS,
    AT_SEA,
    ATTACK,
    BY_LAND,
    BY_SEA,
    DEFENCE,
    DOMAIN,
    FIGHTS,
    GUN,
    IN_AIR,
    KINDS,
    LAND_FROM,
    LOAD,
    MOVE,
    ON_LAND,
    POWERS,
    ROOM,
    SEA,
    SEA_FROM,
    SIDE,
    SIDES,
    Words,
    trait,
)

LEAST = 0.02
"""Fewer units than this are none."""
ENOUGH = 0.5


@kernel("void(int64[::1], float64[:, :, ::1], int64, int64, float64[::1])")
def defenders(board: Words, units: Units, area: int, side: int, army: Counts) -> None:
    """Write who defends an area against a side."""
    army[:] = 0.0
    for power in range(board[POWERS] + 1):
        if power < board[POWERS] and board[board[SIDE] + power] == side:
            continue
        for kind in range(board[KINDS]):
            if units[area, power, kind] > 0.0 and trait(board, kind, FIGHTS):
                army[kind] += units[area, power, kind]


@kernel("float64(int64[::1], float64[:, :, ::1], int64, int64)")
def guns_against(board: Words, units: Units, area: int, side: int) -> float:
    """How many guns an area has against a side."""
    found = 0.0
    for power in range(board[POWERS]):
        if board[board[SIDE] + power] != side:
            for kind in range(board[KINDS]):
                found += units[area, power, kind] if trait(board, kind, GUN) else 0.0
    return found


@kernel("int64(int64[::1], float64[:, :, ::1], int64, int64, int64, int64, int64[:, ::1])")
def can_reach(board: Words, units: Units, side: int, kind: int, start: int, to: int, steps: Words) -> int:
    """Whether units of a kind can attack an area from another in one move, roughly: *steps* are land and sea ways."""
    domain, areas = trait(board, kind, DOMAIN), board[AREAS]
    if domain == IN_AIR:
        return int(board[board[AIR] + start * areas + to] <= flight_range(board, kind))
    if (domain == AT_SEA) != (board[board[SEA] + to] != 0):
        return 0
    far = steps[start, to]
    if far == 0 or far > trait(board, kind, MOVE):
        return 0
    if far == 1:
        return 1
    first, ways = (LAND_FROM, BY_LAND) if domain == ON_LAND else (SEA_FROM, BY_SEA)
    for at in range(board[board[first] + start], board[board[first] + start + 1]):
        middle = board[board[ways] + at]
        if steps[middle, to] != far - 1:
            continue
        blocked = 0.0
        for power in range(board[POWERS] + 1):
            if power == board[POWERS] or board[board[SIDE] + power] != side:
                for each in range(board[KINDS]):
                    blocked += units[middle, power, each]
        if blocked < ENOUGH:
            return 1
    return 0


@kernel("void(int64[::1], float64[:, :, ::1], int64, int64, int64[:, ::1], float64[::1])")
def sea_lift(board: Words, units: Units, power: int, to: int, steps: Words, army: Counts) -> None:
    """Add the land units that the transports of a power can bring to a coast in one turn, two for each transport."""
    side, areas = board[board[SIDE] + power], board[AREAS]
    for zone in range(areas):
        if not board[board[SEA] + zone]:
            continue
        ships = 0.0
        for kind in range(board[KINDS]):
            ships += units[zone, power, kind] if trait(board, kind, ROOM) else 0.0
        if ships < LEAST:
            continue
        near = False
        for at in range(board[board[SEA_FROM] + to], board[board[SEA_FROM] + to + 1]):
            coast = board[board[BY_SEA] + at]
            if coast == zone or 0 < steps[zone, coast] <= 2:
                enemy = 0.0
                for other in range(board[POWERS]):
                    if board[board[SIDE] + other] != side:
                        for kind in range(board[KINDS]):
                            enemy += units[coast, other, kind] * trait(board, kind, ATTACK)
                near = near or enemy < ENOUGH
        room = 2.0 * ships if near else 0.0
        for area in range(areas if room > 0.0 else 0):
            if board[board[SEA] + area] or area == to:
                continue
            beside = False
            for at in range(board[board[SEA_FROM] + area], board[board[SEA_FROM] + area + 1]):
                beside = beside or board[board[BY_SEA] + at] == zone
            for kind in range(board[KINDS] if beside else 0):
                if trait(board, kind, LOAD) and trait(board, kind, FIGHTS) and steps[area, to] != 1:
                    going = min(room, units[area, power, kind])
                    army[kind] += going
                    room -= going


@kernel(
    "void(int64[::1], float64[:, :, ::1], float64[:, ::1], float64[::1], int64, int64[:, ::1], float64[::1], float64)"
)
def answer(
    board: Words, units: Units, held: Counts, worth: Counts, power: int, steps: Words, wanted: Counts, least: float
) -> None:
    """A power attacks wherever it gains most, one area after the other, and the position becomes what is expected.

    *worth* is what each area is worth; *wanted* how likely the power is to attack there if it gains; *least* the gain
    below which it does not attack.
    """
    side, areas, kinds = board[board[SIDE] + power], board[AREAS], board[KINDS]
    stacks = np.empty((areas * 4, 2), dtype=np.int64)
    count = 0
    for area in range(areas):
        for kind in range(kinds):
            if units[area, power, kind] > LEAST and trait(board, kind, FIGHTS) and count < len(stacks):
                stacks[count, 0], stacks[count, 1] = area, kind
                count += 1
    targets, gains, found = np.empty(areas, dtype=np.int64), np.empty(areas), 0
    attack, defence, results = np.zeros(kinds), np.zeros(kinds), np.zeros(RESULTS)
    for area in range(areas):
        hostile = hostile_share(board, held, area, side)
        defenders(board, units, area, side, defence)
        if hostile < LEAST and total_hits(board, defence) < LEAST:
            continue
        gain = attack_gain(board, units, held, worth, power, area, stacks, count, steps, attack, defence, results)
        if gain > least:
            targets[found], gains[found] = area, gain
            found += 1
    for _ in range(found):
        best = 0
        for number in range(found):
            best = number if gains[number] > gains[best] else best
        if gains[best] <= least:
            break
        gains[best] = -1e9
        area = targets[best]
        defenders(board, units, area, side, defence)
        gain = attack_gain(board, units, held, worth, power, area, stacks, count, steps, attack, defence, results)
        if gain > least:
            carry_out(board, units, held, power, area, wanted[area], stacks, count, steps, attack, defence, results)


@kernel("float64(int64[::1], float64[:, ::1], int64, int64)")
def hostile_share(board: Words, held: Counts, area: int, side: int) -> float:
    """How far an area is held by other sides."""
    total = 0.0
    for each in range(board[SIDES]):
        total += held[area, each] if each != side else 0.0
    return total


@kernel("void(int64[::1], float64[:, :, ::1], int64, int64, float64, float64[::1], float64[::1])")
def thin_defenders(
    board: Words, units: Units, area: int, side: int, chance: float, defence: Counts, results: Counts
) -> None:
    """Leave of the units that defend an area what a battle leaves, if it comes with a *chance*."""
    standing = defence.copy()
    take_hits(board, standing, DEFENCE, total_hits(board, defence) * (1.0 - results[STANDING]))
    for other in range(board[POWERS] + 1):
        if other < board[POWERS] and board[board[SIDE] + other] == side:
            continue
        for kind in range(board[KINDS]):
            if defence[kind] > 0.0 and units[area, other, kind] > 0.0:
                after = (1.0 - results[WIN]) * standing[kind] / defence[kind]
                units[area, other, kind] *= 1.0 - chance + chance * after


@kernel(
    "float64(int64[::1], float64[:, :, ::1], float64[:, ::1], float64[::1], int64, int64, int64[:, ::1], int64, "
    "int64[:, ::1], float64[::1], float64[::1], float64[::1])"
)
def attack_gain(
    board: Words,
    units: Units,
    held: Counts,
    worth: Counts,
    power: int,
    area: int,
    stacks: Words,
    count: int,
    steps: Words,
    attack: Counts,
    defence: Counts,
    results: Counts,
) -> float:
    """What an attack with all that can reach an area is expected to gain; also writes the army and the results."""
    side = board[board[SIDE] + power]
    attack[:] = 0.0
    for number in range(count):
        start, kind = stacks[number, 0], stacks[number, 1]
        if units[start, power, kind] > LEAST and can_reach(board, units, side, kind, start, area, steps):
            attack[kind] += units[start, power, kind]
    if not board[board[SEA] + area]:
        sea_lift(board, units, power, area, steps, attack)
    if total_hits(board, attack) < LEAST:
        return -1.0
    guns = guns_against(board, units, area, side) > ENOUGH
    fight(board, attack, defence, int(guns), 0, results)
    hostile = hostile_share(board, held, area, side)
    return results[KILLED] - results[LOST] + results[TAKE] * worth[area] * hostile  # type: ignore[no-any-return]


@kernel(
    "void(int64[::1], float64[:, :, ::1], float64[:, ::1], int64, int64, float64, int64[:, ::1], int64, "
    "int64[:, ::1], float64[::1], float64[::1], float64[::1])"
)
def carry_out(
    board: Words,
    units: Units,
    held: Counts,
    power: int,
    area: int,
    chance: float,
    stacks: Words,
    count: int,
    steps: Words,
    attack: Counts,
    defence: Counts,
    results: Counts,
) -> None:
    """Change the position to what an attack leads to, if it comes with a *chance*."""
    side, kinds = board[board[SIDE] + power], board[KINDS]
    left, win = attack.copy(), results[WIN]
    take_hits(board, left, ATTACK, total_hits(board, attack) * (1.0 - results[LEFT]))
    thin_defenders(board, units, area, side, chance, defence, results)
    landed = attack.copy()
    for number in range(count):
        start, kind = stacks[number, 0], stacks[number, 1]
        going = units[start, power, kind]
        if going <= LEAST or not can_reach(board, units, side, kind, start, area, steps):
            continue
        landed[kind] -= going
        share = win * left[kind] / max(attack[kind], LEAST)
        if trait(board, kind, DOMAIN) == IN_AIR:
            units[start, power, kind] = going * (1.0 - chance + chance * share)
        else:
            units[start, power, kind] = going * (1.0 - chance)
            units[area, power, kind] += going * chance * share
    for kind in range(kinds):
        if landed[kind] > LEAST:  # what came by sea; where from is not followed
            units[area, power, kind] += landed[kind] * chance * win * left[kind] / max(attack[kind], LEAST)
    taken = chance * results[TAKE]
    for each in range(board[SIDES]):
        held[area, each] *= 1.0 - taken
    held[area, side] += taken
