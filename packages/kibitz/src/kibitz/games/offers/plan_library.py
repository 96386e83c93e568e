"""The plan library of the division: to hold out for most of it, to meet in the middle, or to settle quickly."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kit.plans import GamePlans, Observation
from kibitz.games.offers.rules import ACCEPT, State

TEXT = """
library offers
goal hold_out "most of the pool, or nothing"
goal meet "something near half"
goal settle "whatever comes"

hold_out -> give_little hold_out : ordered [0.5] | reject hold_out : ordered [0.4] | accept [0.1]
meet -> give_half meet : ordered [0.5] | reject meet : ordered [0.2] | accept [0.3]
settle -> give_much settle : ordered [0.4] | accept [0.6]
"""


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Answers by their names, offers by how much of the pool they give away."""
    assert isinstance(view, State)
    if view.offer is not None:
        return [Observation("accept" if action == ACCEPT else "reject") for action in actions]
    pool = sum(view.game.pool)
    shares = [sum(view.game.divisions.values(action)) / pool for action in actions]
    return [Observation("give_little" if s < 0.4 else "give_half" if s <= 0.6 else "give_much") for s in shares]


PLANS = GamePlans(TEXT, describe)
