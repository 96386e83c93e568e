"""Positions in expectation: how many units of each power and kind are where, who holds what, and what that is worth.

A position is `units[area, power, kind]` (the last power is nobody), `control[area, side]`, the probability that a side
holds an area, and `money[power]`; all may be fractions, because battles yet to be fought are in them as expectations.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz_axis.commander.kernels.fights import Counts
from kibitz_axis.commander.kernels.layout import (
    AREAS,
    AT_SEA,
    ATTACK,
    BY_LAND,
    CAPITALS,
    CITY,
    DEFENCE,
    DOMAIN,
    FACTORIES,
    FIGHTS,
    IN_AIR,
    KINDS,
    MOVE,
    ON_LAND,
    OWNERS,
    POWERS,
    PRICE,
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
from kibitz_axis.commander.kernels.layout import CITIES as CITIES_TO_WIN

Units = NDArray[np.float64]
(
    INCOME,
    CITIES,
    HOMES,
    FUNDS,
    FOOT,
    ARMOUR,
    AIRCRAFT,
    WARSHIPS,
    TRANSPORTS,
    FRONT,
    PRESSURE,
    SAFETY,
    WORKS,
    VICTORY,
    MOVER_PRESSURE,
    MOVER_SAFETY,
    MASS,
) = range(17)
"""What a position is judged by, each as the lead of a side over the others: income, cities, capitals, money; units by
branch at their price; how near land units are to what they are to take; threats to cities; stacks out of danger;
factories; the chance to win when the round ends; threats and safety of the side that moves next; how far land units
stand together."""
LARGE = 0.15
"""A stack of this share of the board's scale counts half of its price as mass; smaller ones less, larger ones more."""
NAMES = (
    "income",
    "cities",
    "capitals",
    "money",
    "infantry and artillery",
    "tanks",
    "aircraft",
    "warships",
    "transports",
    "front",
    "threats",
    "safety",
    "factories",
    "victory",
    "threats to the next mover",
    "safety of the next mover",
    "mass",
)
FLIGHT = 3
"""The share of their range that aircraft may fly to an attack: range * 3 // 5, so that they can land again."""


@kernel("int64(int64[::1], int64)")
def flight_range(board: Words, kind: int) -> int:
    """How far aircraft may be from what they attack."""
    return max(1, trait(board, kind, MOVE) * FLIGHT // 5)


@kernel("void(int64[::1], float64[:, :, ::1], int64, float64[::1])", entry=True)
def add_reach(board: Words, units: Units, side: int, reach: Counts) -> None:
    """Add up in *reach* the strength with which a side can attack each area in a turn, by land and air."""
    areas = board[AREAS]
    reached = np.zeros(areas, dtype=np.int64)
    for area in range(areas):
        foot, armour = 0.0, 0.0
        for power in range(board[POWERS]):
            if number_at(board, SIDE, power) != side:
                continue
            for kind in range(board[KINDS]):
                count = units[area, power, kind]
                if count <= 0.0 or not trait(board, kind, FIGHTS):
                    continue
                domain, strength = trait(board, kind, DOMAIN), count * trait(board, kind, ATTACK)
                if domain == ON_LAND:
                    foot += strength
                    armour += strength if trait(board, kind, MOVE) > 1 else 0.0
                elif domain == IN_AIR:
                    far = flight_range(board, kind)
                    for to in range(areas):
                        if air_distance(board, area, to) <= far:
                            reach[to] += strength
        if foot > 0.0 and not number_at(board, SEA, area):
            reached[:] = 0
            for number in range(first_neighbour(board, BY_LAND, area), first_neighbour(board, BY_LAND, area + 1)):
                to = neighbour(board, BY_LAND, number)
                reached[to] = 1
                reach[to] += foot
            if armour > 0.0:
                for number in range(first_neighbour(board, BY_LAND, area), first_neighbour(board, BY_LAND, area + 1)):
                    middle = neighbour(board, BY_LAND, number)
                    first, end = first_neighbour(board, BY_LAND, middle), first_neighbour(board, BY_LAND, middle + 1)
                    for other in range(first, end):
                        to = neighbour(board, BY_LAND, other)
                        if not reached[to] and to != area:
                            reached[to] = 1
                            reach[to] += armour


@kernel("float64(int64[::1], float64[:, ::1], int64)")
def victory_lead(board: Words, control: Counts, side: int) -> float:
    """How much likelier a side than its enemies holds the cities that win, if each is held by itself."""
    lead, chances = 0.0, np.zeros(board[AREAS] + 1)
    for each in range(board[SIDES]):
        chances[:] = 0.0
        chances[0], count = 1.0, 0
        for area in range(board[AREAS]):
            if number_at(board, CITY, area):
                probability = min(1.0, control[area, each])
                count += 1
                for number in range(count, 0, -1):
                    chances[number] = chances[number] * (1.0 - probability) + chances[number - 1] * probability
                chances[0] *= 1.0 - probability
        won = 0.0
        for number in range(board[CITIES_TO_WIN], count + 1):
            won += chances[number]
        lead += won if each == side else -won
    return lead


@kernel(
    "void(int64[::1], int64[::1], float64[:, :, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64, int64, "
    "int64, float64[::1])"
)
def judge(
    board: Words,
    row: Words,
    units: Units,
    control: Counts,
    money: Counts,
    proximity: Counts,
    scale: float,
    side: int,
    following: int,
    features: Counts,
) -> None:
    """Write the features of a position for a side: its lead over all others together, as shares of the board's scale.

    *proximity* says how near each area is to what each side wants to take; *scale* is the income of all areas.
    """
    areas, powers = board[AREAS], board[POWERS]
    features[:] = 0.0
    reach = np.zeros((board[SIDES], areas))
    for each in range(board[SIDES]):
        add_reach(board, units, each, reach[each])
    cities = 0.0
    lost = np.zeros(powers)
    for power in range(powers):
        capital = number_at(board, CAPITALS, power)
        lost[power] = 1.0 - control[capital, number_at(board, SIDE, power)] if capital >= 0 else 0.0
        features[HOMES] -= lost[power] if number_at(board, SIDE, power) == side else -lost[power]
    for area in range(areas):
        sea, value = number_at(board, SEA, area), number_at(board, VALUE, area)
        cities += number_at(board, CITY, area)
        for each in range(board[SIDES]):
            if control[area, each] > 0.0 and not sea:
                lead = control[area, each] if each == side else -control[area, each]
                owner = number_at(row, OWNERS, area)
                paid = 1.0 - lost[owner] if owner >= 0 and number_at(board, SIDE, owner) == each else 1.0
                features[INCOME] += lead * value * paid  # a power without its capital earns nothing
                features[CITIES] += lead * number_at(board, CITY, area)
                features[WORKS] += lead * number_at(row, FACTORIES, area) * value
        for each in range(board[SIDES]):
            strength, stack = 0.0, 0.0
            for power in range(powers):
                if number_at(board, SIDE, power) != each:
                    continue
                for kind in range(board[KINDS]):
                    count = units[area, power, kind]
                    if count <= 0.0:
                        continue
                    price = count * trait(board, kind, PRICE)
                    domain = trait(board, kind, DOMAIN)
                    lead = price if each == side else -price
                    if domain == ON_LAND:
                        if not trait(board, kind, FIGHTS):
                            continue
                        features[FOOT if trait(board, kind, MOVE) < 2 else ARMOUR] += lead
                        features[FRONT] += lead * proximity[area, each]
                        stack += price
                        strength += count * trait(board, kind, DEFENCE)
                    elif domain == IN_AIR:
                        features[AIRCRAFT] += lead
                        stack += price
                        strength += count * trait(board, kind, DEFENCE)
                    elif domain == AT_SEA:
                        features[TRANSPORTS if trait(board, kind, ROOM) else WARSHIPS] += lead
            if sea:
                continue
            threat = 0.0
            for other in range(board[SIDES]):
                threat += reach[other, area] if other != each else 0.0
            danger = threat / (threat + strength + 1.0) if threat > 0.0 else 0.0
            sign = 1.0 if each == side else -1.0
            features[MASS] += sign * stack / scale * stack / (stack + LARGE * scale)
            features[MOVER_SAFETY if each == following else SAFETY] -= sign * stack * danger * danger
            if number_at(board, CITY, area) and control[area, each] > 0.0:
                features[MOVER_PRESSURE if each == following else PRESSURE] -= sign * control[area, each] * danger
    for power in range(powers):
        own = number_at(board, SIDE, power) == side
        features[FUNDS] += money[power] if own else -money[power]
    features[INCOME] /= scale
    features[WORKS] /= scale
    features[FUNDS] /= scale
    for place in range(FOOT, FRONT + 1):
        features[place] /= scale
    features[SAFETY] /= scale
    features[MOVER_SAFETY] /= scale
    features[MOVER_PRESSURE] /= max(1.0, cities)
    features[CITIES] /= max(1.0, cities)
    features[PRESSURE] /= max(1.0, cities)
    features[HOMES] /= powers
    features[VICTORY] = victory_lead(board, control, side)
