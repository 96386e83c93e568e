"""Games in which a turn is one action per unit, in a fixed order: the ability `UNITS` is one of these.

Every unit's options are known before the first one is asked and do not depend on what the others do, so that each of
them can be a learner of its own.
"""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core.game import Game, State


class Units(msgspec.Struct, frozen=True):
    """Who is asked in the turn a state belongs to."""

    units: Callable[[State], Sequence[str]]
    """The units of the player who moves that have a choice, in the order they are asked; none where nobody moves."""
    options: Callable[[State, int], Sequence[int]]
    """The actions of one of them, by its number."""
    asked: Callable[[State], int]
    """The number of the unit whose action is played next."""
    span: Callable[[Game, int], tuple[float, float] | None] = lambda game, player: None
    """The returns of a player that are worth 0 and 1 to a learner; None where the game does not say."""
