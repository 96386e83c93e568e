"""Where a campaigner would give its next order with each card: what the choice model expects of such players."""

from kibitz.games.risk import phases
from kibitz.games.risk.board import Mission
from kibitz.games.risk.campaigns.ground import CampaignStyle, Ground
from kibitz.games.risk.campaigns.orders import attack, placement
from kibitz.games.risk.campaigns.plan import Plan
from kibitz.games.risk.game import State
from kibitz.games.risk.phases import ends
from kibitz.games.risk.situation import Situation

NOWHERE = -1
PLANNED = (phases.SETUP, phases.PLACE, phases.ATTACK)
"""The phases whose orders follow from a plan; marches hardly depend on the card."""
USUAL = CampaignStyle()


class ExpectedOrders:
    """The orders of campaigners in a state, each plan made once whatever the number of cards that lead to it."""

    def __init__(self, state: State, player: int) -> None:
        self.state, self.sight = state, Situation(state, player)
        self.grounds: dict[int, Ground] = {}
        self.places: dict[object, int] = {}

    def place(self, card: Mission | None, weight: float) -> int:
        """The territory that the order is about with a card of some weight; NOWHERE for the end of attacks."""
        garrison = max(1, card.armies) if card is not None else 1
        if garrison not in self.grounds:
            attacks, captured = self.state.phase == phases.ATTACK, self.state.captured
            self.grounds[garrison] = Ground(self.sight, USUAL, garrison, attacks=attacks, captured=captured)
        plan = Plan(self.grounds[garrison], card, weight)
        known = garrison, plan.signature
        if known not in self.places:
            self.places[known] = self.ordered_place(plan)
        return self.places[known]

    def ordered_place(self, plan: Plan) -> int:
        """The territory of a plan's order."""
        if self.state.phase != phases.ATTACK:
            return placement(plan)[0]
        action = attack(plan)
        return NOWHERE if action == phases.END_ATTACK else ends(action, len(self.state.owners))[1]
