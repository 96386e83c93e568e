"""The plan library of Kuhn poker: to press the others, to wait for a bet, or to give up cheaply."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz.games.kuhn.rules import BET, State

TEXT = """
library kuhn
goal press "put a chip in whatever comes"
goal trap "pass, and call a bet"
goal give_up "put no chip in"

press -> bet [0.7] | call [0.3]
trap -> pass call : ordered
give_up -> pass fold : ordered [0.7] | fold [0.3]
"""
NAMES = (("pass", "bet"), ("fold", "call"))


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Moves by name; a move after a bet has another name than one before it."""
    assert isinstance(view, State)
    return [Observation(NAMES[BET in view.moves][action]) for action in actions]


PLANS = GamePlans(TEXT, describe)
