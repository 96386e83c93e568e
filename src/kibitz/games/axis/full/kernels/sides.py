"""The two sides of a battle: who fights, how strongly, and who bombards."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    AREAS,
    ATTACK,
    BERTH,
    BOMBARDS,
    DEFENCE,
    DESTROYER,
    DOMAIN,
    FOUGHT,
    IN_AIR,
    KNOWN,
    LHTR,
    MOVER,
    ON_LAND,
    RAIDS,
    SEA,
    STACK,
    STACKS,
    SUBMARINE,
    SUPPORTED,
    SUPPORTS,
    UNITS,
    WITHDRAWN,
    Words,
    area_of,
    came_of,
    kind_of,
    marks_of,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.stacks import (
    end_row,
    fights_for,
    first_row,
)  # fmt: skip
from kibitz.games.axis.full.units import BOMBARDMENT as KNOWS_BOMBARDMENT
from kibitz.games.axis.full.units import HEAVY_BOMBERS, JETS, SUPER_SUBMARINES

ATTACKER, DEFENDER = 0, 1


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def knows(board: Words, s: Words, power: int, technology: int) -> int:
    """Whether a power has a technology; nobody has any."""
    return int(power >= 0 and s[board[KNOWN] + power] >> technology & 1)


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def strength(board: Words, s: Words, power: int, kind: int, side: int) -> int:
    """The strength of one unit, without support."""
    submarine = trait(board, kind, SUBMARINE) and knows(board, s, power, SUPER_SUBMARINES)
    if side == ATTACKER:
        return min(6, trait(board, kind, ATTACK) + (1 if submarine else 0))
    jets = trait(board, kind, DOMAIN) == IN_AIR and trait(board, kind, BERTH) and knows(board, s, power, JETS)
    return min(6, trait(board, kind, DEFENCE) + (1 if jets else 0) + (board[LHTR] if submarine else 0))


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def count_side(board: Words, s: Words, area: int, side: int, what: int) -> int:
    """How many units of a side fight: all (-1), those with a trait, or of a domain (-2 is land, -3 air, -4 sea)."""
    count, row, sea = 0, first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, side, sea):
            kind = kind_of(s, row)
            if what == -1 or (what >= 0 and trait(board, kind, what)) or trait(board, kind, DOMAIN) == -2 - what:
                count += s[row + 4]
        row += STACK
    return count


@kernel("int64(int64[::1], int64[::1], int64)")
def bombards(board: Words, s: Words, row: int) -> int:
    """Whether a ship of the mover fires at the land before a landing."""
    kind = kind_of(s, row)
    if power_of(s, row) != s[MOVER] or marks_of(s, row) & WITHDRAWN:
        return 0
    return int(
        trait(board, kind, BOMBARDS) or (trait(board, kind, DESTROYER) and knows(board, s, s[MOVER], KNOWS_BOMBARDMENT))
    )


@kernel("int64(int64[::1], int64[::1], int64, int64[::1])")
def list_bombarding(board: Words, s: Words, area: int, rows: Words) -> int:
    """Write the rows of the ships that may fire at the land; return how many."""
    zones = np.zeros(board[AREAS], dtype=np.int64)
    row, sea, any_zone = first_row(board, s, area), board[board[SEA] + area], False
    while row < end_row(board, s) and area_of(s, row) == area:
        came = came_of(s, row)
        lands = fights_for(board, s, row, ATTACKER, sea) and trait(board, kind_of(s, row), DOMAIN) == ON_LAND
        if lands and came >= 0 and board[board[SEA] + came] and not s[board[FOUGHT] + came]:
            zones[came], any_zone = 1, True
        row += STACK
    count = 0
    for number in range(s[UNITS] if any_zone else 0):
        row = board[STACKS] + number * STACK
        if zones[area_of(s, row)] and bombards(board, s, row) and count < len(rows):
            rows[count] = row
            count += 1
    return count


@kernel("int64(int64[::1], int64[::1], int64, int64, int64)")
def has_shots(board: Words, s: Words, area: int, side: int, sneak: int) -> int:
    """Whether submarines of a side, or all others, have a die."""
    if sneak and count_side(board, s, area, 1 - side, -4) == 0:
        return 0
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    supports = sneak == 0 and side == ATTACKER and count_side(board, s, area, side, SUPPORTS) > 0
    while row < end_row(board, s) and area_of(s, row) == area:
        kind, power = kind_of(s, row), power_of(s, row)
        if fights_for(board, s, row, side, sea) and trait(board, kind, SUBMARINE) == sneak:
            if strength(board, s, power, kind, side) > 0 or (supports and trait(board, kind, SUPPORTED)):
                return 1
            if trait(board, kind, RAIDS) and knows(board, s, power, HEAVY_BOMBERS) and side == ATTACKER:
                return 1
        row += STACK
    return 0
