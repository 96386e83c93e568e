"""The ability `MAP`: lays the states around a given one out on a sheet, to draw a solution as a map.

`MAP(game, state)` is a `StateMap`: two of the numbers that make up *state* vary, the others stay as they are in it.
"""

from collections.abc import Mapping

import msgspec

from kibitz.core.game import State


class StateMap(msgspec.Struct, frozen=True):
    """States by their place on a sheet: x to the right, y upwards."""

    cells: Mapping[tuple[int, int], State]
    across: str
    """What x counts."""
    upwards: str
    """What y counts."""
    arrows: tuple[Mapping[str, tuple[int, int]], Mapping[str, tuple[int, int]]]
    """The direction of each player's actions, by notation; unlisted actions have none."""
