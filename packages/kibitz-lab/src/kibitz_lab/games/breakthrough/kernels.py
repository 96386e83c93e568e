"""The rules and features of Breakthrough on bitboards, for every size.

Words: the pieces of player 0, those of player 1, meta, board. Meta holds the player to move (bit 0) and the outcome
(bits 1–2). Squares are numbered eight to a row on every board. An action is 64 times its direction (left, straight on,
right), and the number of the square that it leaves.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import draw_below
from kibitz.core.kit import compiled
from kibitz.core.kit.compiled import CompiledGame
from kibitz_lab.games.bitboards import lowest, nth_bit, popcount

U = np.uint64
WORDS, HASHED = 4, 3
MOST_ACTIONS = 48
ONE, ROW = U(1), U(0xFF)
NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
FILE_A = ~NOT_A
ODD_ROWS, HIGH_ROWS, TOP_ROWS = U(0xFF00FF00FF00FF00), U(0xFFFF0000FFFF0000), U(0xFFFFFFFF00000000)
"""The rows whose number has bit 0, bit 1, bit 2."""
MATERIAL, FURTHEST, TO_GO, MEAN_ADVANCE, ADVANCE, KEEPERS, MOBILITY, GUARDED, EXPOSED = range(9)
"""The features, each a number of one side: its pieces; how far the first has come and has to go, in rows; how far all
have come, on average and in sum; pieces on the home row; steps; pieces with a defender; those with more attackers."""


@kernel("UniTuple(uint64, 3)(uint64, uint64, uint64, int64)")
def movable(own: Any, other: Any, board: Any, player: int) -> tuple[Any, Any, Any]:
    """The pieces that may step to the left, straight on and to the right.

    They step straight on to an empty square, diagonally also onto a piece of the other.
    """
    beside = board & ~own
    ahead = beside & ~other
    if player == 0:
        return own & NOT_A & beside >> U(7), own & ahead >> U(8), own & NOT_H & beside >> U(9)
    return own & NOT_A & beside << U(9), own & ahead << U(8), own & NOT_H & beside << U(7)


@kernel("uint64(uint64, int64, int64)")
def landing_square(piece: Any, direction: int, player: int) -> Any:
    """Where a piece lands; *direction* 0 is left, 1 straight on, 2 right."""
    if player == 0:
        return piece << U(7 + direction)
    return piece >> U(9 - direction)


@kernel(compiled.TO_MOVE, entry=True)
def to_move(state: NDArray[np.uint64]) -> int:
    """The player to move."""
    return int(state[2] & ONE)


@kernel(compiled.LEGAL, entry=True)
def legal(state: NDArray[np.uint64], out: NDArray[np.int64]) -> int:
    """Write the legal actions into *out*, sorted; return how many."""
    meta, count = state[2], 0
    if meta > ONE:
        return 0
    player = int(meta)
    lefts, straights, rights = movable(state[player], state[1 - player], state[3], player)
    for direction, left in ((0, lefts), (64, straights), (128, rights)):
        while left:
            out[count] = direction + lowest(left)
            left &= left - ONE
            count += 1
    return count


@kernel("UniTuple(uint64, 3)(uint64, uint64, uint64, int64, int64)")
def after(first: Any, second: Any, board: Any, player: int, action: int) -> tuple[Any, Any, Any]:
    """The pieces of both and the meta word behind *action*; the far row wins, and so does taking the last piece."""
    piece = ONE << U(action & 63)
    landed = landing_square(piece, action >> 6, player)
    if player == 0:
        first, second = first ^ (piece | landed), second & ~landed
        won = (landed & board & ~(board >> U(8))) != 0 or second == 0
        return first, second, U(3 if won else 1)
    first, second = first & ~landed, second ^ (piece | landed)
    won = landed & ROW != 0 or first == 0
    return first, second, U(4 if won else 0)


@kernel(compiled.PLAY)
def play(state: NDArray[np.uint64], action: int, child: NDArray[np.uint64]) -> int:
    """Write the state after *action* into *child*; return its outcome."""
    child[0], child[1], meta = after(state[0], state[1], state[3], to_move(state), action)
    child[2], child[3] = meta, state[3]
    return int(meta >> ONE)


@kernel("int64(uint64)")
def row_sum(pieces: Any) -> int:
    """The sum of the row numbers of all pieces."""
    return popcount(pieces & ODD_ROWS) + 2 * popcount(pieces & HIGH_ROWS) + 4 * popcount(pieces & TOP_ROWS)


@kernel("int64(uint64, uint64, int64)")
def least_to_go(own: Any, board: Any, player: int) -> int:
    """Rows between the first piece and the far row; without pieces the whole way."""
    rows = popcount(board & FILE_A)
    for distance in range(rows - 1):
        row = rows - 1 - distance if player == 0 else distance
        if own & ROW << U(8 * row):
            return distance
    return rows - 1


@kernel("UniTuple(uint64, 2)(uint64, int64)")
def diagonals(own: Any, player: int) -> tuple[Any, Any]:
    """The squares that pieces could take on to their left, and to their right."""
    if player == 0:
        return (own & NOT_A) << U(7), (own & NOT_H) << U(9)
    return (own & NOT_A) >> U(9), (own & NOT_H) >> U(7)


@kernel("float64(uint64, uint64, uint64, int64, int64)")
def side(own: Any, other: Any, board: Any, player: int, feature: int) -> float:
    """One feature of one side; not MATERIAL."""
    if feature == TO_GO:
        return float(least_to_go(own, board, player))
    if feature == KEEPERS:
        return float(popcount(own & (board & ROW if player == 0 else board & ~(board >> U(8)))))
    if feature == MOBILITY:
        lefts, straights, rights = movable(own, other, board, player)
        return float(popcount(lefts) + popcount(straights) + popcount(rights))
    if feature == GUARDED:
        left, right = diagonals(own, player)
        return float(popcount(own & (left | right)))
    if feature == EXPOSED:
        left, right = diagonals(own, player)
        other_left, other_right = diagonals(other, 1 - player)
        attacked = (other_left | other_right) & ~(left | right) | other_left & other_right & ~(left & right)
        return float(popcount(own & attacked))
    last = popcount(board & FILE_A) - 1
    if feature == FURTHEST:
        return float(last - least_to_go(own, board, player)) if own else 0.0
    pieces = popcount(own)
    advance = row_sum(own) if player == 0 else last * pieces - row_sum(own)
    return float(advance) if feature == ADVANCE else advance / max(1, pieces)


@kernel("boolean(float64[:])")
def counts_more(weights: NDArray[np.float64]) -> bool:
    """Whether anything but material has a weight."""
    for feature in range(MATERIAL + 1, len(weights)):  # noqa: SIM110  (kernels have no generators)
        if weights[feature] != 0.0:
            return True
    return False


@kernel("float64(uint64, uint64, uint64, float64[:], float64)")
def with_the_rest(first: Any, second: Any, board: Any, weights: NDArray[np.float64], value: float) -> float:
    """*value* and all that is not material; features of weight 0 are not computed."""
    for feature in range(MATERIAL + 1, len(weights)):
        if weights[feature] != 0.0:
            difference = side(first, second, board, 0, feature) - side(second, first, board, 1, feature)
            value += weights[feature] * difference
    return value


@kernel(compiled.EVALUATE)
def evaluate(state: NDArray[np.uint64], weights: NDArray[np.float64]) -> float:
    """Weights · features, for player 0."""
    material = 0.0 + weights[MATERIAL] * (popcount(state[0]) - popcount(state[1]))
    return with_the_rest(state[0], state[1], state[3], weights, material)


@kernel(compiled.SCORES)
def scores(state: NDArray[np.uint64], out: NDArray[np.float64]) -> int:
    """Write the features into *out*, each player 0's number less player 1's."""
    first, second, board = state[0], state[1], state[3]
    out[MATERIAL] = popcount(first) - popcount(second)
    for feature in range(MATERIAL + 1, EXPOSED + 1):
        out[feature] = side(first, second, board, 0, feature) - side(second, first, board, 1, feature)
    return EXPOSED + 1


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
    first, second, board, player = state[0], state[1], state[3], to_move(state)
    count = legal(state, actions)
    sign = 1.0 if player == 0 else -1.0
    material_weight, more = weights[MATERIAL], counts_more(weights)
    for index in range(count):
        ours, theirs, meta = after(first, second, board, player, actions[index])
        # Word by word: a view of the row would cost more than all the rest.
        children[index, 0], children[index, 1], children[index, 2], children[index, 3] = ours, theirs, meta, board
        outcomes[index] = meta >> ONE
        value = 0.0 + material_weight * (popcount(ours) - popcount(theirs))
        if more:
            value = with_the_rest(ours, theirs, board, weights, value)
        values[index] = value
        if sign * value >= enough and meta <= ONE:
            return index + 1
    return count


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64, int64, uint64[:])")
def random_step(own: Any, other: Any, board: Any, player: int, random: NDArray[np.uint64]) -> tuple[Any, Any]:
    """A piece that may step and where it lands, every legal step as likely as any other."""
    lefts, straights, rights = movable(own, other, board, player)
    some, more = popcount(lefts), popcount(straights)
    more += some
    drawn = draw_below(random, more + popcount(rights))
    direction, word = (0, lefts) if drawn < some else (1, straights) if drawn < more else (2, rights)
    drawn -= 0 if drawn < some else some if drawn < more else more
    piece = nth_bit(word, drawn)
    return piece, landing_square(piece, direction, player)


@kernel(compiled.ROLLOUT, entry=True)
def rollout(state: NDArray[np.uint64], random: NDArray[np.uint64]) -> int:
    """Play at random to the end, in place; return outcome + 4 * plies. Two plies a round save a test of who moves."""
    first, second, meta, board = state[0], state[1], state[2], state[3]
    far, near = board & ~(board >> U(8)), board & ROW
    if meta > ONE:
        return int(meta >> ONE)
    plies, outcome = 0, 0
    skipped = meta == ONE
    while not outcome:
        if not skipped:
            piece, landed = random_step(first, second, board, 0, random)
            first ^= piece | landed
            second &= ~U(landed)
            plies += 1
            if landed & far or not second:
                outcome = 1
                break
        skipped = False
        piece, landed = random_step(second, first, board, 1, random)
        second ^= piece | landed
        first &= ~U(landed)
        plies += 1
        if landed & near or not first:
            outcome = 2
    state[0], state[1], state[2] = first, second, U(outcome << 1 | outcome & 1)
    return outcome + 4 * plies


KERNELS = CompiledGame(
    words=WORDS,
    hashed=HASHED,
    most_actions=MOST_ACTIONS,
    action_bound=3 * 64,
    legal=legal,
    play=play,
    expand=expand,
    evaluate=evaluate,
    to_move=to_move,
    rollout=rollout,
    scores=scores,
)
