"""What a game says a position may be worth before anybody has solved it: the ability `HEURISTICS`.

It names a mapping of names to heuristics, the most telling one first.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from kibitz.core.game import State

Bounds: TypeAlias = tuple[float, float]
"""The least and the most a position can be worth to player 0."""


class Heuristic(msgspec.Struct, frozen=True):
    """Bounds of positions in which the game goes on, for games of two players that are zero-sum.

    Where *admissible*, the value lies between them for certain: the upper one never falls short of what player 0 can
    get, nor the lower one of what player 1 can. Otherwise they are a guess.
    """

    bounds: Callable[[State], Bounds]
    admissible: bool = True
