"""All states of a game by number, for solvers.

It is for two-player zero-sum games without chance or hidden information. The states within the game's bounds are
numbered from 0. Player 0 chooses the row and maximises, player 1 the column; if only one of them moves, the other has
one action. Payoffs and values are player 0's. A solver enumerates a game without a table, or with chance, from its
initial state; a table adds states that cannot be reached from there, and speed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz.core.game import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Parameters = NDArray[np.int64]
else:
    Parameters = Any

OUTSIDE = -1
"""The number of every state outside the bounds."""
COLUMN_BITS = 16
"""A shape is `rows << COLUMN_BITS | columns`; 0 if the game is over."""

SUCCESSORS = "int64(int64[::1], int64, int64[::1])"
PAYOFF = "float64(int64[::1], int64)"
"""The signatures of the kernels below, for `@kernel` and for the kernels that take them as arguments."""


class StateTable(msgspec.Struct, frozen=True):
    """The states of a game within bounds, by number."""

    size: int
    """States are numbered 0 to `size - 1`, terminal ones among them; a number may stand for no state, if it
    is no state's successor and counts as terminal."""
    most_pairs: int
    """The largest number of action pairs of a state, `rows * columns`."""
    parameters: Parameters
    """The rule options in the form that the kernels take."""
    successors: Any
    """`SUCCESSORS`: (parameters, number, found) returns the state's shape, or 0 if the game is over. The successor
    of row i and column j goes to `found[i * columns + j]`, or OUTSIDE; rows and columns are in the order of
    `state(number).legal_actions(player)`."""
    payoff: Any
    """`PAYOFF`: (parameters, number) is what player 0 earns there; called only if the game is over."""
    number: Callable[[State], int]
    """The number of a state, or OUTSIDE."""
    state: Callable[[int], State]
    """The state of a number; `number(state(n)) == n`. Raises ValueError if the number stands for none."""
    outside: tuple[float, float] = (0.0, 0.0)
    """The lowest and highest value of any state outside the bounds; equal if the game has a proof."""
