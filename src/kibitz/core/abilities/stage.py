"""The ability `STAGE`: the round that a game repeats; needed to plan ahead against players who remember rounds."""

from collections.abc import Sequence

import msgspec


class Stage(msgspec.Struct, frozen=True):
    """One round of a game that repeats it: both players choose at once, and are paid.

    >>> Stage(payoffs=(((3.0, 3.0), (0.0, 5.0)), ((5.0, 0.0), (1.0, 1.0))), left=20).left
    20
    """

    payoffs: Sequence[Sequence[tuple[float, float]]]
    """What both players earn, by the action of player 0, then of player 1; actions are numbered from 0."""
    left: int
    """The rounds to be played, the current one included."""
    noise: float = 0.0
    """The probability that a choice turns into another one, all equally likely.

    Then chance settles each round; its action is the pair that was done: the action of player 0 times the number of
    player 1's actions, plus the action of player 1.
    """
