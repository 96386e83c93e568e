"""Dangers in a position: what one power alone can strike next, by land, sea and air, and what stands against it."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.positions import Units, flight_range
from kibitz.games.axis.full.kernels.layout import (
    AIR,
    AREAS,
    ATTACK,
    DEFENCE,
    DOMAIN,
    FIGHTS,
    IN_AIR,
    KINDS,
    LOAD,
    MOVE,
    POWERS,
    PRICE,
    ROOM,
    SEA,
    SIDE,
    SIDES,
    WAYS,
    WAYS_FROM,
    Words,
    trait,
)

NONE, MASS_ALONE, EVERY = range(3)
"""Which dangers count: what can be struck takes longest to find."""
FLEETS, MOVER_FLEETS, STACKS, MOVER_STACKS, MASS = range(5)
"""Fleets and land stacks that one power can beat, apart for the side that moves next; how far units stand together."""
CARRIED, LANDED = 2.0, 1.5
"""The units that a transport carries, and the strength of one that comes by sea."""
LARGE = 0.15
"""A stack of this share of the board's scale counts half of its price as mass; smaller ones less, larger ones more."""


@kernel("void(int64[::1], float64[:, :, ::1], int64[:, ::1], int64, float64[::1])")
def add_strikes(board: Words, units: Units, steps: Words, power: int, strikes: Counts) -> None:
    """Add up the strength with which a power can strike each area in a turn."""
    areas = board[AREAS]
    for area in range(areas):
        slow, fast, room = 0.0, 0.0, 0.0
        for kind in range(board[KINDS]):
            count = units[area, power, kind]
            if count <= 0.0 or not trait(board, kind, FIGHTS):
                continue
            strength = count * trait(board, kind, ATTACK)
            room += CARRIED * count if trait(board, kind, ROOM) else 0.0
            if trait(board, kind, DOMAIN) == IN_AIR:
                far = flight_range(board, kind)
                for to in range(areas):
                    if board[board[AIR] + area * areas + to] <= far:
                        strikes[to] += strength
            elif trait(board, kind, MOVE) > 1:
                fast += strength
            else:
                slow += strength
        if slow + fast > 0.0:
            for to in range(areas):
                if steps[area, to] == 1:
                    strikes[to] += slow + fast
                elif steps[area, to] == 2:
                    strikes[to] += fast
        if room > 0.0:
            add_landings(board, units, steps, power, area, room, strikes)


@kernel("void(int64[::1], float64[:, :, ::1], int64[:, ::1], int64, int64, float64, float64[::1])")
def add_landings(board: Words, units: Units, steps: Words, power: int, zone: int, room: float, strikes: Counts) -> None:
    """Add what transports in a zone can load there and land on any coast within two moves."""
    waiting = 0.0
    for at in range(board[board[WAYS_FROM] + zone], board[board[WAYS_FROM] + zone + 1]):
        land = board[board[WAYS] + at]
        for kind in range(board[KINDS]):
            if not board[board[SEA] + land] and trait(board, kind, LOAD) and trait(board, kind, FIGHTS):
                waiting += units[land, power, kind]
    strength = LANDED * min(room, waiting)
    if strength <= 0.0:
        return
    reached = np.zeros(board[AREAS], dtype=np.int64)
    for coast in range(board[AREAS]):
        if coast != zone and not (0 < steps[zone, coast] <= 2):
            continue
        for at in range(board[board[WAYS_FROM] + coast], board[board[WAYS_FROM] + coast + 1]):
            land = board[board[WAYS] + at]
            if not board[board[SEA] + land] and not reached[land]:
                reached[land] = 1
                strikes[land] += strength


@kernel("void(int64[::1], float64[:, :, ::1], int64[:, ::1], float64, int64, int64, int64, float64[::1])")
def judge_dangers(
    board: Words, units: Units, steps: Words, scale: float, side: int, following: int, which: int, features: Counts
) -> None:
    """Write the dangers of a position for a side, as its lead over all others in shares of the board's scale.

    A stack is lost to the strongest power against it with a chance that grows steeply with the ratio of strengths.
    """
    areas, powers = board[AREAS], board[POWERS]
    features[:] = 0.0
    strikes = np.zeros((powers, areas))
    for power in range(powers if which == EVERY else 0):
        add_strikes(board, units, steps, power, strikes[power])
    for area in range(areas):
        sea = board[board[SEA] + area]
        for each in range(board[SIDES]):
            stack, strength, worst = 0.0, 0.0, 0.0
            for power in range(powers):
                if board[board[SIDE] + power] != each:
                    worst = max(worst, strikes[power, area])
                    continue
                for kind in range(board[KINDS]):
                    count = units[area, power, kind]
                    if count > 0.0 and trait(board, kind, FIGHTS):
                        stack += count * trait(board, kind, PRICE)
                        strength += count * trait(board, kind, DEFENCE)
            if stack <= 0.0:
                continue
            lead = (stack if each == side else -stack) / scale
            if not sea:
                features[MASS] += lead * stack / (stack + LARGE * scale)
            if worst > 0.0:
                place = FLEETS if sea else STACKS
                ratio = strength / worst
                features[place + int(each == following)] -= lead / (1.0 + ratio * ratio * ratio)
