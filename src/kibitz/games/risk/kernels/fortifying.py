"""Marches at the end of a turn. Twin of `rules.fortifying`."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk.kernels.attacking import borders_on
from kibitz.games.risk.kernels.layout import ADJACENT, UNLIMITED, Words, armies_at, settled_at
from kibitz.games.risk.kernels.turns import end_turn
from kibitz.games.risk.kernels.winning import end_if_won
from kibitz.games.risk.packing import BORDERS_AT, FORTIFY, MOVER, OWNERS, TERRITORIES
from kibitz.games.risk.phases import AMOUNTS, STAY


@kernel("int64(int64[::1], int64[::1], int64, uint8[::1])")
def reachable(game: Words, state: Words, origin: int, found: NDArray[np.uint8]) -> int:
    """Mark where armies of the mover may march to. Twin of `fortifying.reachable`."""
    count, borders, mover = game[TERRITORIES], game[BORDERS_AT], state[MOVER]
    found[:] = 0
    found[origin] = 1
    waiting = np.empty(count, np.int64)
    waiting[0], taken, added = origin, 0, 1
    while taken < added:
        place = waiting[taken]
        taken += 1
        for way in range(game[borders + place], game[borders + place + 1]):
            to = game[borders + count + 1 + way]
            if state[OWNERS + to] == mover and not found[to]:
                found[to] = 1
                if game[FORTIFY] != ADJACENT:
                    waiting[added] = to
                    added += 1
    found[origin] = 0
    return 0


@kernel("int64(int64[::1], int64[::1], int64[:, ::1])")
def legal_marches(game: Words, state: Words, out: NDArray[np.int64]) -> int:
    """Twin of `fortifying.marches`."""
    count = game[TERRITORIES]
    out[0, 0], out[0, 1], found = STAY, STAY + 1, 1
    near = np.empty(count, np.uint8)
    for origin in range(count):
        armies = state[OWNERS + count + origin]
        if state[OWNERS + origin] != state[MOVER] or armies < 2 or state[settled_at(game) + origin]:
            continue
        reachable(game, state, origin, near)
        for to in range(count):
            if near[to]:
                start = (1 + origin * count + to) * AMOUNTS
                out[found, 0], out[found, 1] = start + 1, start + armies
                found += 1
    return found


@kernel("boolean(int64[::1], int64[::1], int64, int64, int64)")
def can_march(game: Words, state: Words, origin: int, to: int, armies: int) -> bool:
    """Whether the mover may move this many armies from one territory to another at the end of the turn."""
    count = game[TERRITORIES]
    if not (0 <= origin < count and 0 <= to < count and origin != to and armies >= 1):
        return False
    if state[OWNERS + origin] != state[MOVER] or state[OWNERS + to] != state[MOVER]:
        return False
    if armies >= state[OWNERS + count + origin] or state[settled_at(game) + origin]:
        return False
    if game[FORTIFY] == ADJACENT:
        return borders_on(game, origin, to)
    near = np.empty(count, np.uint8)
    reachable(game, state, origin, near)
    return bool(near[to])


@kernel("int64(int64[::1], int64[::1], int64)")
def march(game: Words, state: Words, action: int) -> int:
    """Twin of `fortifying.march`."""
    if action != STAY:
        way, count = action // AMOUNTS - 1, action % AMOUNTS
        origin, to = way // game[TERRITORIES], way % game[TERRITORIES]
        state[armies_at(game) + origin] -= count
        state[armies_at(game) + to] += count
        if end_if_won(game, state, False):
            return 0
        if game[FORTIFY] == UNLIMITED:
            state[settled_at(game) + to] = 1
            return 0
    return end_turn(game, state)
