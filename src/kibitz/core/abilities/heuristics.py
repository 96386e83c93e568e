"""The ability `HEURISTICS`: bounds on the value of a position, for solvers.

It names a mapping of names to heuristics, the most informative one first.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from kibitz.core.game import State

Bounds: TypeAlias = tuple[float, float]
"""The lowest and the highest possible value of a position for player 0."""


class Heuristic(msgspec.Struct, frozen=True):
    """Bounds for non-terminal positions of two-player zero-sum games.

    If *admissible*, the value certainly lies between them. Otherwise they are a guess.
    """

    bounds: Callable[[State], Bounds]
    admissible: bool = True
