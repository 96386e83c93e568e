"""The plan library of matching pennies: always the same side, or both in turn."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz.games.pennies.rules import NAMES

TEXT = """
library pennies
goal all_heads "heads every time"
goal all_tails "tails every time"
goal alternate "heads and tails in turn"

all_heads -> heads all_heads : ordered [0.95] | heads [0.05]
all_tails -> tails all_tails : ordered [0.95] | tails [0.05]
alternate -> from_heads | from_tails
from_heads -> heads from_tails : ordered [0.95] | heads [0.05]
from_tails -> tails from_heads : ordered [0.95] | tails [0.05]
"""


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Coins by the sides they show."""
    return [Observation(NAMES[action]) for action in actions]


PLANS = GamePlans(TEXT, describe)
