"""Risk for two to six: a turn is trading cards, placing armies, attacks with dice, and one march at its end.

Every choice is an action of its own, in the phase it belongs to (`phases`); a step without a choice is made for the
player, as a conquest move of which only one size is legal. Missions and cards are hidden; to others they are UNKNOWN.
`game` has the options, `position` what a state holds, `setup`, `reinforcing`, `attacking` and `fortifying` the phases,
`turns` and `winning` what they share; `state` puts them together.
"""

from kibitz.games.risk.rules.game import Risk
from kibitz.games.risk.rules.position import NOBODY, UNKNOWN
from kibitz.games.risk.rules.state import State

__all__ = ["NOBODY", "UNKNOWN", "Risk", "State"]
