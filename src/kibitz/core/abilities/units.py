"""The ability `UNITS`, for games in which a turn is one action per unit, in a fixed order.

Every unit's options are known before the first one moves and do not depend on what the others do, so that each unit
can be a learner of its own.
"""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core.game import Game, State


class Units(msgspec.Struct, frozen=True):
    """The units that act in the turn of a state."""

    units: Callable[[State], Sequence[str]]
    """The mover's units that have a choice, in order; none if no player moves."""
    options: Callable[[State, int], Sequence[int]]
    """The actions of one of them, by its number."""
    asked: Callable[[State], int]
    """The number of the unit whose action is played next."""
    span: Callable[[Game, int], tuple[float, float] | None] = lambda game, player: None
    """The returns that count as 0 and as 1 for a learner; None if the game does not define them."""
