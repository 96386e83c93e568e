"""Plans: simple ways to play on. Look-ahead chooses among them by what it will have observed of the other by then."""

from kibitz.games.trails.agents.acceptors import Gaining
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator
from kibitz.games.trails.agents.proposers import Trade
from kibitz.games.trails.agents.senders import Deceives, Keeps, KeepsWhileDependent, Reneges
from kibitz.games.trails.lookahead.offers import Squeeze

STOPS = Patient(stop_rule=True)
"""No plan moves at a loss."""
PLANS = {
    "rob": Design(Squeeze(), Gaining(), Reneges(), STOPS),
    "one by one, never make them independent": Design(Trade(most=1), Gaining(), Deceives(), STOPS),
    "squeeze and keep": Design(Squeeze(kept=True), Gaining(), Keeps(), STOPS),
    "trade, never make them independent": Design(Trade(), Gaining(), Deceives(), STOPS),
    "trade and keep": Design(Trade(), Gaining(), Keeps(), STOPS),
    "squeeze, never make them independent": Design(Squeeze(), Gaining(), Deceives(), STOPS),
    "keep while dependent": Design(Trade(most=1), Gaining(), KeepsWhileDependent(), STOPS),
    "two junk chips for one": Design(Trade(ratio=2.0, useful=False), Gaining(), Deceives(), STOPS),
}
"""Look-ahead tries the first few on every action, the others on the best actions only."""


class Plan(Negotiator):
    """A negotiator by one of these designs."""

    def __init__(self, design: Design) -> None:
        self.design = design
