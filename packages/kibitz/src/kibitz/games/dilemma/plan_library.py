"""The plan library of the dilemma: to cooperate, to exploit, or to lull the other first."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz.games.dilemma.rules import COOPERATE

TEXT = """
library dilemma
goal peace "cooperate throughout"
goal exploit "defect throughout"
goal lull "cooperate for a while, then defect"

peace -> cooperate peace : ordered [0.95] | cooperate [0.05]
exploit -> defect exploit : ordered [0.95] | defect [0.05]
lull -> cooperate trust : ordered
trust -> cooperate trust : ordered [0.8] | exploit [0.2]
"""


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Choices by their names."""
    return [Observation("cooperate" if action == COOPERATE else "defect") for action in actions]


PLANS = GamePlans(TEXT, describe)
