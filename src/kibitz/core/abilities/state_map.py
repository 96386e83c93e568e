"""What a game offers to be shown as a map: the ability `MAP` lays the states around one of them out on a sheet.

`MAP(game, state)` is a `StateMap`: two of the numbers that make up *state* vary, the others stay as they are in it.
"""

from collections.abc import Mapping

import msgspec

from kibitz.core.game import State


class StateMap(msgspec.Struct, frozen=True):
    """States by where they lie on a sheet: x to the right, y upwards."""

    cells: Mapping[tuple[int, int], State]
    across: str
    """What x counts."""
    upwards: str
    """What y counts."""
    arrows: tuple[Mapping[str, tuple[int, int]], Mapping[str, tuple[int, int]]]
    """Where each player's actions point, by their notation; actions that are not listed point nowhere."""
