"""What the other player can make of the positions after actions, compiled for games with kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.compiled import GOES_ON, LEGAL, PLAY, SCORES
from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOOK = (
    f"int64(FunctionType({LEGAL}), FunctionType({PLAY}), FunctionType({SCORES}), uint64[:], int64[:], int64,"
    " int64[:], float64[:, ::1])"
)


@kernel(LOOK)
def look_at_replies(
    legal: Any,
    play: Any,
    scores: Any,
    state: NDArray[np.uint64],
    actions: Ints,
    mover: int,
    replies: Ints,
    found: Floats,
) -> int:
    """Write a row of numbers for each of *actions*. Twin of `successors.reply_finder`; *replies* is a buffer."""
    count = (found.shape[1] - 1) // 2
    least, most = (0, count) if mover == 0 else (count, 0)  # of player 0's numbers
    child, reply = np.empty_like(state), np.empty_like(state)
    child[:], reply[:] = state, state
    numbers = np.empty(count)
    for row in range(len(actions)):
        over = play(state, actions[row], child) != GOES_ON
        options = 0 if over else legal(child, replies)
        found[row, 2 * count] = 0.0
        for number in range(max(options, 1)):
            if options > 0:
                outcome = play(child, replies[number], reply)
                if outcome == 2 - mover:  # the other has won
                    found[row, 2 * count] = 2.0 * mover - 1.0
                scores(reply, numbers)
            else:
                scores(child, numbers)
            for feature in range(count):
                value = numbers[feature]
                if number == 0 or value < found[row, least + feature]:
                    found[row, least + feature] = value
                if number == 0 or value > found[row, most + feature]:
                    found[row, most + feature] = value
    return len(actions)
