"""The answer of other powers to a position: greedy attacks, each where it gains most, with fights in expectation."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_axis.commander.kernels.fights import (
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
from kibitz_axis.commander.kernels.layout import (
    AREAS,
    AT_SEA,
    ATTACK,
    BY_LAND,
    BY_SEA,
    CAPITALS,
    DEFENCE,
    DOMAIN,
    FIGHTS,
    GUN,
    IN_AIR,
    KINDS,
    LOAD,
    MOVE,
    ON_LAND,
    OWNERS,
    POWERS,
    ROOM,
    SEA,
    SIDE,
    SIDES,
    VALUE,
    Words,
    air_distance,
    first_neighbour,
    neighbour,
    number_at,
    trait,
)
from kibitz_axis.commander.kernels.positions import Units, flight_range

LEAST = 0.02
"""Fewer units than this are none."""
ENOUGH = 0.5
FRACTIONS = np.array([0.3, 0.5, 0.75, 1.0])
"""The fractions of what can reach an area that an attack is made with, if the gain is hardly less than with all."""
NEARLY_ALL = 0.92
CARRIED = 2.0
"""The units that a transport brings ashore."""


class Prospect(NamedTuple):
    """A position in expectation that is played on, with what never changes in it."""

    board: Annotated[NDArray[np.int64], "int64[::1]"]
    row: Annotated[NDArray[np.int64], "int64[::1]"]
    units: Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
    control: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    money: Annotated[NDArray[np.float64], "float64[::1]"]
    area_values: Annotated[NDArray[np.float64], "float64[::1]"]
    """What each area is worth to those who attack."""
    steps: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    taken: Annotated[NDArray[np.float64], "float64[::1]"]
    """How likely each area was taken in the turn that is played."""


class Forces(NamedTuple):
    """The stacks of a power that have yet to move, and the attack that is being considered."""

    power: int
    total: int
    stacks: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    """The area and kind of each."""
    ready: Annotated[NDArray[np.float64], "float64[::1]"]
    """How many units of each have not moved."""
    lift: Annotated[NDArray[np.float64], "float64[::1]"]
    """How many land units the transports of each zone can still bring ashore."""
    blocked: Annotated[NDArray[np.int64], "int64[::1]"]
    """Whether enemy units stop all that would pass through each area, as the turn begins."""
    guarded: Annotated[NDArray[np.int64], "int64[::1]"]
    """Whether enemies keep transports out of each zone, as the turn begins."""
    rows: Annotated[NDArray[np.int64], "int64[:, ::1]"]
    """Of the attack: the number of a stack, and the zone from which it is brought by sea, or -1."""
    amounts: Annotated[NDArray[np.float64], "float64[::1]"]
    army: Annotated[NDArray[np.float64], "float64[::1]"]
    """All that can attack."""
    attack: Annotated[NDArray[np.float64], "float64[::1]"]
    """The part of it that does."""
    defence: Annotated[NDArray[np.float64], "float64[::1]"]
    results: Annotated[NDArray[np.float64], "float64[::1]"]


@kernel("void(int64[::1], float64[:, :, ::1], int64, int64, float64[::1])")
def defenders(board: Words, units: Units, area: int, side: int, army: Counts) -> None:
    """Write who defends an area against a side."""
    army[:] = 0.0
    for power in range(board[POWERS] + 1):
        if power < board[POWERS] and number_at(board, SIDE, power) == side:
            continue
        for kind in range(board[KINDS]):
            if units[area, power, kind] > 0.0 and trait(board, kind, FIGHTS):
                army[kind] += units[area, power, kind]


@kernel("float64(int64[::1], float64[:, :, ::1], int64, int64)")
def guns_against(board: Words, units: Units, area: int, side: int) -> float:
    """How many guns an area has against a side."""
    guns = 0.0
    for power in range(board[POWERS]):
        if number_at(board, SIDE, power) != side:
            for kind in range(board[KINDS]):
                guns += units[area, power, kind] if trait(board, kind, GUN) else 0.0
    return guns


@kernel("float64(int64[::1], float64[:, ::1], int64, int64)")
def hostile_probability(board: Words, control: Counts, area: int, side: int) -> float:
    """The probability that another side holds an area."""
    total = 0.0
    for each in range(board[SIDES]):
        total += control[area, each] if each != side else 0.0
    return total


@kernel("void(int64[::1], float64[:, :, ::1], int64, int64, float64[::1], float64[::1])")
def thin_defenders(board: Words, units: Units, area: int, side: int, defence: Counts, results: Counts) -> None:
    """Leave of the units that defend an area what a battle leaves."""
    standing = defence.copy()
    take_hits(board, standing, DEFENCE, total_hits(board, defence) * (1.0 - results[STANDING]))
    for other in range(board[POWERS] + 1):
        if other < board[POWERS] and number_at(board, SIDE, other) == side:
            continue
        for kind in range(board[KINDS]):
            if defence[kind] > 0.0 and units[area, other, kind] > 0.0:
                units[area, other, kind] *= (1.0 - results[WIN]) * standing[kind] / defence[kind]


@kernel("Forces(Prospect, int64)")
def ready_forces(prospect: Prospect, power: int) -> Forces:
    """What a power can attack with at the beginning of its turn."""
    board, units = prospect.board, prospect.units
    areas, kinds = board[AREAS], board[KINDS]
    stacks, ready, lift = np.empty((areas * 4, 2), dtype=np.int64), np.zeros(areas * 4), np.zeros(areas)
    count = 0
    for area in range(areas):
        for kind in range(kinds):
            number = units[area, power, kind]
            if number <= LEAST or not trait(board, kind, FIGHTS):
                continue
            if trait(board, kind, ROOM):
                lift[area] += CARRIED * number
            if count < len(stacks):
                stacks[count, 0], stacks[count, 1], ready[count] = area, kind, number
                count += 1
    side, blocked, guarded = number_at(board, SIDE, power), np.zeros(areas, np.int64), np.zeros(areas, np.int64)
    for area in range(areas):
        enemies, guns = 0.0, 0.0
        for other in range(board[POWERS] + 1):
            if other == board[POWERS] or number_at(board, SIDE, other) != side:
                for kind in range(kinds):
                    enemies += units[area, other, kind]
                    guns += units[area, other, kind] * trait(board, kind, ATTACK) if other < board[POWERS] else 0.0
        blocked[area], guarded[area] = enemies >= ENOUGH, guns >= ENOUGH
    rows, amounts = np.empty((2 * count + areas, 2), dtype=np.int64), np.zeros(2 * count + areas)
    return Forces(
        power, count, stacks, ready, lift, blocked, guarded, rows, amounts, np.zeros(kinds), np.zeros(kinds),
        np.zeros(kinds), np.zeros(RESULTS),
    )  # fmt: skip


@kernel("int64(Prospect, Forces, int64, int64, int64)", entry=True)
def can_reach(prospect: Prospect, forces: Forces, kind: int, start: int, to: int) -> int:
    """Whether units of a kind can attack an area from another in one move, roughly."""
    board, steps = prospect.board, prospect.steps
    domain = trait(board, kind, DOMAIN)
    if domain == IN_AIR:
        return int(air_distance(board, start, to) <= flight_range(board, kind))
    far = steps[start, to]
    if far == 0 or far > trait(board, kind, MOVE) or (domain == AT_SEA) != (number_at(board, SEA, to) != 0):
        return 0
    if far == 1:
        return 1
    borders = BY_LAND if domain == ON_LAND else BY_SEA
    for number in range(first_neighbour(board, borders, start), first_neighbour(board, borders, start + 1)):
        middle = neighbour(board, borders, number)
        if steps[middle, to] == far - 1 and not forces.blocked[middle]:
            return 1
    return 0


@kernel("int64(int64[::1], int64, int64)")
def is_beside(board: Words, area: int, zone: int) -> int:
    """Whether a land area lies on a sea zone."""
    for at in range(first_neighbour(board, BY_SEA, area), first_neighbour(board, BY_SEA, area + 1)):
        if neighbour(board, BY_SEA, at) == zone:
            return 1
    return 0


@kernel("int64(Prospect, Forces, int64, int64)")
def can_land(prospect: Prospect, forces: Forces, zone: int, to: int) -> int:
    """Whether transports in a zone can bring units to a coast in one turn: two moves to a zone without enemy ships."""
    board = prospect.board
    for number in range(first_neighbour(board, BY_SEA, to), first_neighbour(board, BY_SEA, to + 1)):
        coast = neighbour(board, BY_SEA, number)
        if (coast == zone or 0 < prospect.steps[zone, coast] <= 2) and not forces.guarded[coast]:
            return 1
    return 0


@kernel("int64(Prospect, Forces, int64)")
def muster(prospect: Prospect, forces: Forces, to: int) -> int:
    """Write all that can attack an area, in rows and as an army; return how many rows there are."""
    board, army, rows = prospect.board, forces.army, 0
    army[:] = 0.0
    for number in range(forces.total):
        start, kind = forces.stacks[number, 0], forces.stacks[number, 1]
        if forces.ready[number] > LEAST and can_reach(prospect, forces, kind, start, to):
            forces.rows[rows, 0], forces.rows[rows, 1] = number, -1
            forces.amounts[rows] = forces.ready[number]
            army[kind] += forces.ready[number]
            rows += 1
    if number_at(board, SEA, to):
        return rows
    for zone in range(board[AREAS]):
        room = forces.lift[zone]
        if room < LEAST or not can_land(prospect, forces, zone, to):
            continue
        for number in range(forces.total):
            start, kind = forces.stacks[number, 0], forces.stacks[number, 1]
            if (
                trait(board, kind, LOAD)
                and forces.ready[number] > LEAST
                and prospect.steps[start, to] != 1
                and is_beside(board, start, zone)
                and room > LEAST
                and rows < len(forces.rows)
            ):
                going = min(room, forces.ready[number])
                forces.rows[rows, 0], forces.rows[rows, 1], forces.amounts[rows] = number, zone, going
                army[kind] += going
                room -= going
                rows += 1
    return rows


@kernel("float64(Prospect, Forces, int64, float64)")
def attack_gain(prospect: Prospect, forces: Forces, area: int, fraction: float) -> float:
    """What an attack with a fraction of the army that was mustered is expected to gain; also writes how it ends."""
    board, side = prospect.board, number_at(prospect.board, SIDE, forces.power)
    if total_hits(board, forces.army) < LEAST:
        return -1.0
    forces.attack[:] = fraction * forces.army
    results = forces.results
    defenders(board, prospect.units, area, side, forces.defence)
    guns = guns_against(board, prospect.units, area, side) > ENOUGH
    fight(board, forces.attack, forces.defence, int(guns), 0, results)
    hostile = hostile_probability(board, prospect.control, area, side)
    return results[KILLED] - results[LOST] + results[TAKE] * prospect.area_values[area] * hostile  # type: ignore[no-any-return]


@kernel("void(Prospect, int64, int64, float64)")
def seize(prospect: Prospect, power: int, area: int, chance: float) -> None:
    """A power takes an area with a chance; if that is the capital of an enemy, it gets the enemy's money too."""
    board, control = prospect.board, prospect.control
    side = number_at(board, SIDE, power)
    owner = number_at(prospect.row, OWNERS, area)
    if owner >= 0 and number_at(board, CAPITALS, owner) == area and number_at(board, SIDE, owner) != side:
        loot = prospect.money[owner] * chance * control[area, number_at(board, SIDE, owner)]
        prospect.money[owner] -= loot
        prospect.money[power] += loot
    for each in range(board[SIDES]):
        control[area, each] *= 1.0 - chance
    control[area, side] += chance
    prospect.taken[area] = chance


@kernel("void(Prospect, int64)")
def collect_income(prospect: Prospect, power: int) -> None:
    """The turn of a power ends: it earns the values of its areas and of those it has taken, if it has its capital."""
    board, control = prospect.board, prospect.control
    side, capital, total = number_at(board, SIDE, power), number_at(board, CAPITALS, power), 0.0
    for area in range(board[AREAS]):
        probability = control[area, side] if number_at(prospect.row, OWNERS, area) == power else prospect.taken[area]
        total += number_at(board, VALUE, area) * probability
    prospect.money[power] += total * (control[capital, side] if capital >= 0 else 1.0)
    prospect.taken[:] = 0.0


@kernel("void(Prospect, int64, float64)")
def answer(prospect: Prospect, power: int, least: float) -> None:
    """A power attacks wherever it gains most, one area after the other, and the position becomes what is expected.

    It sends no more than it needs. *least* is the gain below which it does not attack.
    """
    board = prospect.board
    side, areas = number_at(board, SIDE, power), board[AREAS]
    forces = ready_forces(prospect, power)
    targets, gains, count = np.empty(areas, dtype=np.int64), np.empty(areas), 0
    for area in range(areas):
        if hostile_probability(board, prospect.control, area, side) < LEAST:
            defenders(board, prospect.units, area, side, forces.defence)
            if total_hits(board, forces.defence) < LEAST:
                continue
        muster(prospect, forces, area)
        gain = attack_gain(prospect, forces, area, 1.0)
        if gain > least:
            targets[count], gains[count] = area, gain
            count += 1
    for _ in range(count):
        best = 0
        for number in range(count):
            best = number if gains[number] > gains[best] else best
        if gains[best] <= least:
            break
        gains[best] = -1e9
        area = targets[best]
        rows = muster(prospect, forces, area)
        whole = attack_gain(prospect, forces, area, 1.0)
        if whole <= least:
            continue
        for fraction in FRACTIONS:
            if attack_gain(prospect, forces, area, fraction) >= NEARLY_ALL * whole:
                carry_out(prospect, forces, area, rows, fraction)
                break
    collect_income(prospect, power)


@kernel("void(Prospect, Forces, int64, int64, float64)")
def carry_out(prospect: Prospect, forces: Forces, area: int, count: int, fraction: float) -> None:
    """Change the position to what an attack with so many rows leads to."""
    board, units, power, results = prospect.board, prospect.units, forces.power, forces.results
    left = forces.attack.copy()
    take_hits(board, left, ATTACK, total_hits(board, left) * (1.0 - results[LEFT]))
    thin_defenders(board, units, area, number_at(board, SIDE, power), forces.defence, results)
    for row in range(count):
        number, zone = forces.rows[row, 0], forces.rows[row, 1]
        start, kind = forces.stacks[number, 0], forces.stacks[number, 1]
        going = fraction * forces.amounts[row]
        staying = results[WIN] * left[kind] / max(forces.attack[kind], LEAST)
        forces.ready[number] -= going
        units[start, power, kind] -= going
        units[start if trait(board, kind, DOMAIN) == IN_AIR else area, power, kind] += going * staying
        if zone >= 0:
            forces.lift[zone] -= going
    seize(prospect, power, area, results[TAKE])
