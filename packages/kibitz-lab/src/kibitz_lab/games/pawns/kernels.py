"""The rules and features of Pawns on bitboards, all options included.

Words: black outside, white outside, meta, options, board, black base, white base. Meta holds black's pawns at home
(bits 0–7), white's (8–15), the player to move (16), the outcome (17–18) and the plies played (from 32).
"""

from collections.abc import Callable
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels import random as draws
from kibitz.core.kit import compiled
from kibitz.core.kit.compiled import CompiledGame
from kibitz_lab.games.bitboards import Square, coordinates, lowest, number, popcount

BLACK, WHITE = 0, 1
BASE = 64
"""The origin of an action that leaves a base taken as one square; other origins are 8 * y + x."""
U = np.uint64
WORDS, HASHED = 7, 3
MOST_ACTIONS = 160
KING, DIES = 2, 4
"""Bits of `Pawns.options`: steps like a king's, and whether pawns die in a base of cells."""

NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)


def _mask(condition: Callable[[int, int], bool]) -> np.uint64:
    """The squares (x, y) of which *condition* holds."""
    return U(sum(1 << number((x, y)) for y in range(8) for x in range(8) if condition(x, y)))


# Where a pawn outside may step without getting nearer to its base. Black steps left and down there, white right and up;
# both step up-left and down-right; up-right (for white down-left) never gets nearer, the opposite always does.
BELOW_DIAGONAL, ABOVE_DIAGONAL = _mask(lambda x, y: y <= x), _mask(lambda x, y: x <= y)
UP_LEFT_OK, DOWN_RIGHT_OK = _mask(lambda x, y: x <= y + 1), _mask(lambda x, y: y <= x + 1)


def gap(a: Square, b: Square, metric: int) -> float:
    """How far two squares are apart."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return (hypot(dx, dy), float(max(dx, dy)), float(dx + dy))[metric]


GAPS = np.array(
    [[[gap(coordinates(a), coordinates(b), metric) for b in range(64)] for a in range(64)] for metric in range(3)]
)


@kernel("uint64(uint64, uint64, uint64, uint64, int64)")
def targets(pawn: Any, free: Any, base: Any, options: Any, player: int) -> Any:
    """Where one pawn may step: free neighbours that are not nearer to its own base."""
    near = pawn & base  # inside a base of cells no step gets nearer
    left = right = down = up = pawn
    if player == BLACK:
        left, down = pawn & ABOVE_DIAGONAL | near, pawn & BELOW_DIAGONAL | near
    else:
        right, up = pawn & BELOW_DIAGONAL | near, pawn & ABOVE_DIAGONAL | near
    found = (left & NOT_A) >> U(1) | (right & NOT_H) << U(1) | down >> U(8) | up << U(8)
    if options & U(KING):
        up_left, down_right = pawn & UP_LEFT_OK | near, pawn & DOWN_RIGHT_OK | near
        up_right, down_left = (pawn, near) if player == BLACK else (near, pawn)
        found |= (up_left & NOT_A) << U(7) | (down_right & NOT_H) >> U(7)
        found |= (up_right & NOT_H) << U(9) | (down_left & NOT_A) >> U(9)
    return found & free


@kernel("uint64(uint64, uint64, uint64, uint64, int64)")
def mobile(own: Any, free: Any, base: Any, options: Any, player: int) -> Any:
    """The pawns that have a step: `targets` of all at once, looked at from the free squares."""
    left, right = (free << U(1)) & NOT_A, (free >> U(1)) & NOT_H
    down, up = free << U(8), free >> U(8)
    if player == BLACK:
        left, down = left & (ABOVE_DIAGONAL | base), down & (BELOW_DIAGONAL | base)
    else:
        right, up = right & (BELOW_DIAGONAL | base), up & (ABOVE_DIAGONAL | base)
    able = left | right | down | up
    if options & U(KING):
        able |= (free >> U(7)) & NOT_A & (UP_LEFT_OK | base) | (free << U(7)) & NOT_H & (DOWN_RIGHT_OK | base)
        up_right, down_left = (free >> U(9)) & NOT_H, (free << U(9)) & NOT_A
        able |= (up_right | down_left & base) if player == BLACK else (up_right & base | down_left)
    return own & able


@kernel("uint64(uint64, uint64)")
def around(base: Any, options: Any) -> Any:
    """The squares next to a base, where its pawns come out."""
    near = (base & NOT_A) >> U(1) | (base & NOT_H) << U(1) | base >> U(8) | base << U(8)
    if options & U(KING):
        near |= (base & NOT_A) << U(7) | (base & NOT_H) >> U(7) | (base & NOT_H) << U(9) | (base & NOT_A) >> U(9)
    return near & ~base


@kernel(compiled.TO_MOVE, entry=True)
def to_move(state: NDArray[np.uint64]) -> int:
    """The player to move."""
    return int((state[2] >> U(16)) & U(1))


@kernel(compiled.LEGAL, entry=True)
def legal(state: NDArray[np.uint64], out: NDArray[np.int64]) -> int:
    """Write the legal actions into *out*; return how many."""
    meta, options = state[2], state[3]
    if (meta >> U(17)) & U(3):
        return 0
    player = int((meta >> U(16)) & U(1))
    free = state[4] & ~(state[0] | state[1])
    base = state[5 + player]
    left, count = state[player], 0
    while left:
        origin = lowest(left)
        pawn = U(1) << U(origin)
        left ^= pawn
        found = targets(pawn, free, base, options, player)
        while found:
            target = lowest(found)
            found &= found - U(1)
            out[count] = 64 * origin + target
            count += 1
    if (meta >> U(8 * player)) & U(255):
        found = around(base, options) & free
        while found:
            target = lowest(found)
            found &= found - U(1)
            out[count] = 64 * BASE + target
            count += 1
    return count


@kernel("UniTuple(uint64, 4)(uint64, uint64, uint64, uint64, uint64[:], int64)")
def without_trapped(
    own: Any, other: Any, own_home: Any, other_home: Any, state: NDArray[np.uint64], player: int
) -> tuple[Any, Any, Any, Any]:
    """The pawns of both that have a step or are safe, judged on the same position; a base without exits is emptied."""
    options, own_base, other_base = state[3], state[5 + player], state[6 - player]
    free = state[4] & ~(own | other)
    own_stays = mobile(own, free, own_base, options, player)
    other_stays = mobile(other, free, other_base, options, 1 - player)
    if not options & U(DIES):
        own_stays |= own & own_base
        other_stays |= other & other_base
    if own_home and not around(own_base, options) & free:
        own_home = U(0)
    if other_home and not around(other_base, options) & free:
        other_home = U(0)
    return own_stays, other_stays, own_home, other_home


@kernel(compiled.PLAY, entry=True)
def play(state: NDArray[np.uint64], action: int, child: NDArray[np.uint64]) -> int:
    """Write the state after *action* into *child*; return its outcome."""
    origin, target = action >> 6, action & 63
    meta, options = state[2], state[3]
    player = int((meta >> U(16)) & U(1))
    own, other, other_base = state[player], state[1 - player], state[6 - player]
    own_home, other_home = (meta >> U(8 * player)) & U(255), (meta >> U(8 - 8 * player)) & U(255)
    ply = (meta >> U(32)) + U(1)
    if origin == BASE:
        own_home -= U(1)
    else:
        own ^= U(1) << U(origin)
    landed = U(1) << U(target)
    own |= landed
    outcome = 0
    if landed & other_base:
        outcome = 1 + player
    else:
        own, other, own_home, other_home = without_trapped(own, other, own_home, other_home, state, player)
        own_alive, other_alive = (own | own_home) != U(0), (other | other_home) != U(0)
        if not own_alive and not other_alive:
            wipe = int((options >> U(4)) & U(3))
            outcome = 1 + player if wipe == 0 else 3 if wipe == 1 else 2 - player
        elif not own_alive:
            outcome = 2 - player
        elif not other_alive:
            outcome = 1 + player
        elif ply >= options >> U(32):
            outcome = 3
    child[player], child[1 - player] = own, other
    homes = own_home << U(8 * player) | other_home << U(8 - 8 * player)
    child[2] = homes | U(1 - player) << U(16) | U(outcome) << U(17) | ply << U(32)
    child[3], child[4], child[5], child[6] = options, state[4], state[5], state[6]
    return outcome


@kernel("UniTuple(float64, 6)(uint64[:], float64[:], int64)")
def side(state: NDArray[np.uint64], weights: NDArray[np.float64], player: int) -> tuple[float, ...]:
    """The six numbers of one side; DSum only where it has a weight.

    Pawns at home stand on the corner; without pawns OBMin is as far as can be.
    """
    options = state[3]
    size, base_size = int((options >> U(8)) & U(255)), int((options >> U(16)) & U(255))
    home = int((state[2] >> U(8 * player)) & U(255))
    last, farthest = size - 1, size - base_size
    corner = 0 if player == BLACK else 9 * last
    metric = int(weights[6]) if len(weights) > 6 else 0
    away_most = away_sum = 0
    to_go_least = farthest
    to_go_sum = farthest * home
    apart = 0.0
    measured = weights[2] != 0.0
    if measured and player == BLACK:
        for _ in range(home):
            left = state[player]
            while left:
                apart += 2.0 * GAPS[metric, corner, lowest(left)]
                left &= left - U(1)
    left = state[player]
    while left:
        square = lowest(left)
        left &= left - U(1)
        x, y = square & 7, square >> 3
        if player == WHITE:
            x, y = last - x, last - y
        away = max(x - base_size + 1, y - base_size + 1, 0)
        to_go = max(farthest - x, farthest - y, 0)
        away_most = max(away_most, away)
        away_sum += away
        to_go_least = min(to_go_least, to_go)
        to_go_sum += to_go
        if measured:
            later = left
            while later:
                apart += 2.0 * GAPS[metric, square, lowest(later)]
                later &= later - U(1)
            if player == WHITE:
                for _ in range(home):
                    apart += 2.0 * GAPS[metric, square, corner]
    pawns = popcount(state[player]) + home
    return float(away_most), float(away_sum), apart, float(to_go_least), float(to_go_sum), float(pawns)


@kernel(compiled.EVALUATE, entry=True)
def evaluate(state: NDArray[np.uint64], weights: NDArray[np.float64]) -> float:
    """Weights · features, for black; a seventh weight chooses the metric of DSum."""
    black, white = side(state, weights, BLACK), side(state, weights, WHITE)
    value = 0.0
    for index in range(6):
        value += weights[index] * (black[index] - white[index])
    return value


@kernel(compiled.SCORES)
def scores(state: NDArray[np.uint64], out: NDArray[np.float64]) -> int:
    """Write the six features into *out*, each black's number less white's."""
    for index in range(6):
        out[index] = 1.0  # serves as the weights, so that every feature is computed
    black, white = side(state, out[:6], BLACK), side(state, out[:6], WHITE)
    for index in range(6):
        out[index] = black[index] - white[index]
    return 6


@kernel(compiled.EXPAND)
def expand(
    state: NDArray[np.uint64],
    weights: NDArray[np.float64],
    enough: float,
    actions: NDArray[np.int64],
    children: NDArray[np.uint64],
    values: NDArray[np.float64],
    outcomes: NDArray[np.int64],
) -> int:
    """Write every legal action, its child, the child's value and outcome, until one is *enough*; return how many."""
    count = legal(state, actions)
    sign = 1.0 if to_move(state) == BLACK else -1.0
    for index in range(count):
        outcomes[index] = play(state, actions[index], children[index])
        values[index] = evaluate(children[index], weights)
        if sign * values[index] >= enough and outcomes[index] == 0:
            return index + 1
    return count


@kernel(compiled.ROLLOUT)
def rollout(state: NDArray[np.uint64], random: NDArray[np.uint64]) -> int:
    """Play at random to the end, in place; return outcome + 4 * plies."""
    actions = np.empty(MOST_ACTIONS, np.int64)
    child = np.empty(WORDS, np.uint64)
    plies = 0
    outcome = int((state[2] >> U(17)) & U(3))
    while not outcome:
        action = actions[draws.draw_below(random, legal(state, actions))]
        outcome = play(state, action, child)
        state[:] = child
        plies += 1
    return outcome + 4 * plies


KERNELS = CompiledGame(
    words=WORDS,
    hashed=HASHED,
    most_actions=MOST_ACTIONS,
    action_bound=65 * 64,
    legal=legal,
    play=play,
    expand=expand,
    evaluate=evaluate,
    to_move=to_move,
    rollout=rollout,
    scores=scores,
)
