"""Who is lost. Twin of `losses`."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.axis.full.kernels.layout import (
    AT_SEA,
    BATTLE_AREA,
    BATTLE_HITS,
    DOMAIN,
    DOOMED,
    DOOMED_LIST,
    HITS,
    MOST_DOOMED,
    MOVER,
    OWNERS,
    POWERS,
    PRICE,
    SCREENED,
    SEA,
    SNEAKED,
    STACK,
    Words,
    area_of,
    cargo_count,
    damage_of,
    kind_of,
    landed_of,
    marks_of,
    pack_state,
    power_of,
    trait,
)  # fmt: skip
from kibitz.games.axis.full.kernels.sides import (
    ATTACKER,
    DEFENDER,
    strength,
)
from kibitz.games.axis.full.kernels.stacks import (
    add_units,
    end_row,
    fights_for,
    first_row,
)  # fmt: skip


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def doomed_of(board: Words, s: Words, side: int, row: int) -> int:
    """How many units of a stack were hit and still fire."""
    base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
    for number in range(s[DOOMED + side]):
        at = base + number * STACK
        if s[at] == s[row] and s[at + 1] == s[row + 1] and s[at + 2] == s[row + 2] and s[at + 3] == s[row + 3]:
            return int(s[at + 4])
    return 0


@kernel("int64(int64[::1], int64[::1], int64)")
def takes_damage(board: Words, s: Words, row: int) -> int:
    """Whether a hit only damages a unit."""
    return int(damage_of(s, row) + 1 < trait(board, kind_of(s, row), HITS))


@kernel("int64(int64[::1], int64[::1], int64)")
def next_loss(board: Words, s: Words, side: int) -> int:
    """The row of the unit that is lost next, -1 if none can be."""
    area = s[BATTLE_AREA] - 1
    row, sea, best = first_row(board, s, area), board[board[SEA] + area], -1
    least = np.zeros(4, dtype=np.int64)
    while row < end_row(board, s) and area_of(s, row) == area:
        kind = kind_of(s, row)
        able = fights_for(board, s, row, side, sea) and (not s[SNEAKED] or trait(board, kind, DOMAIN) == AT_SEA)
        if able and s[row + 4] > doomed_of(board, s, side, row):
            free = not takes_damage(board, s, row)
            price, power = trait(board, kind, PRICE), strength(board, s, power_of(s, row), kind, side)
            aboard = cargo_count(s, row)
            less = best < 0
            if best >= 0:
                if free != least[0]:
                    less = free < least[0]
                elif price != least[1]:
                    less = price < least[1]
                elif power != least[2]:
                    less = power < least[2]
                else:
                    less = aboard < least[3]
            if less:
                best = row
                least[0], least[1], least[2], least[3] = free, price, power, aboard
        row += STACK
    return best


@kernel("void(int64[::1], int64[::1], int64, int64)")
def take_hit(board: Words, s: Words, side: int, row: int) -> None:
    """One unit takes a hit: it is damaged, lost, or, if its destroyers keep it in the battle, lost after it fires."""
    s[BATTLE_HITS + side] -= 1
    a, b, c, d = s[row], s[row + 1], s[row + 2], s[row + 3]
    if takes_damage(board, s, row):
        hurt = pack_state(damage_of(s, row) + 1, marks_of(s, row), landed_of(s, row))
        add_units(board, s, a, b, c, d, -1)
        add_units(board, s, a, hurt, c, d, 1)
    elif s[SNEAKED] and s[SCREENED + side]:
        doom(board, s, side, a, b, c, d)
    else:
        add_units(board, s, a, b, c, d, -1)


@kernel("void(int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def doom(board: Words, s: Words, side: int, a: int, b: int, c: int, d: int) -> None:
    """One more unit of a stack is lost at the end of the round."""
    base, at = board[DOOMED_LIST] + side * MOST_DOOMED * STACK, 0
    while at < s[DOOMED + side]:
        row = base + at * STACK
        if s[row] == a and s[row + 1] == b and s[row + 2] == c and s[row + 3] == d:
            s[row + 4] += 1
            return
        more = s[row] > a or (
            s[row] == a
            and (s[row + 1] > b or (s[row + 1] == b and (s[row + 2] > c or (s[row + 2] == c and s[row + 3] > d))))
        )
        if more:
            break
        at += 1
    for place in range(base + s[DOOMED + side] * STACK - 1, base + at * STACK - 1, -1):
        s[place + STACK] = s[place]
    row = base + at * STACK
    s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4] = a, b, c, d, 1
    s[DOOMED + side] += 1


@kernel("void(int64[::1], int64[::1])")
def remove_doomed(board: Words, s: Words) -> None:
    """Units that fired though they were hit are lost now."""
    for side in range(2):
        base = board[DOOMED_LIST] + side * MOST_DOOMED * STACK
        for number in range(s[DOOMED + side]):
            row = base + number * STACK
            add_units(board, s, s[row], s[row + 1], s[row + 2], s[row + 3], -s[row + 4])
            s[row : row + STACK] = 0
        s[DOOMED + side] = 0


@kernel("int64(int64[::1], int64[::1], int64, int64)")
def chooser(board: Words, s: Words, area: int, side: int) -> int:
    """The player who decides for a side: the mover, the owner of the area, or who has most units there (-1: nobody)."""
    if side == ATTACKER:
        return int(s[MOVER])
    counts = np.zeros(board[POWERS] + 1, dtype=np.int64)
    row, sea = first_row(board, s, area), board[board[SEA] + area]
    while row < end_row(board, s) and area_of(s, row) == area:
        if fights_for(board, s, row, DEFENDER, sea):
            counts[power_of(s, row) + 1] += s[row + 4]
        row += STACK
    owner, best = s[board[OWNERS] + area], -2
    if counts[owner + 1]:
        return int(owner)
    for power in range(-1, board[POWERS]):
        if counts[power + 1] and (best == -2 or counts[power + 1] > counts[best + 1]):
            best = power
    return int(owner) if best == -2 else best
