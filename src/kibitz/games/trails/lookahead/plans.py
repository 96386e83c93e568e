"""Plans: simple ways to play on. Look-ahead chooses among them for whatever it will have seen of the other by then."""

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
    "one by one, never free him": Design(Trade(most=1), Gaining(), Deceives(), STOPS),
    "squeeze and keep": Design(Squeeze(kept=True), Gaining(), Keeps(), STOPS),
    "trade, never free him": Design(Trade(), Gaining(), Deceives(), STOPS),
    "trade and keep": Design(Trade(), Gaining(), Keeps(), STOPS),
    "squeeze, never free him": Design(Squeeze(), Gaining(), Deceives(), STOPS),
    "keep while dependent": Design(Trade(most=1), Gaining(), KeepsWhileDependent(), STOPS),
    "two junk chips for one": Design(Trade(ratio=2.0, useful=False), Gaining(), Deceives(), STOPS),
}
"""The first few are tried on every action, the others on the best ones."""


class Plan(Negotiator):
    """A negotiator by one of these designs."""

    def __init__(self, design: Design) -> None:
        self.design = design
