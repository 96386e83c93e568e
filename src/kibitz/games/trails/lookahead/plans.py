"""Plans: simple ways to play on. Look-ahead chooses among them by what it will have observed of the other by then.

Two are agents of their own, too, so that one can see what they earn alone: `trails.rob` and `trails.wait_and_trade`.
"""

import msgspec

from kibitz.games.trails.agents.acceptors import Gaining
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator, Sender
from kibitz.games.trails.agents.proposers import Growing, Lavish, Trade
from kibitz.games.trails.agents.senders import Deceives, Grudge, Keeps, KeepsWhileDependent, Reneges
from kibitz.games.trails.lookahead.offers import Squeeze

STOPS, PATIENT = Patient(stop_rule=True), Patient()
"""Moves at no loss, and even so, to keep the game going."""


class Rob(Negotiator):
    """Asks for as much as the other may give, and sends nothing."""

    supposed = False  # plans were made for look-ahead, and models take nobody for one
    design = Design(Squeeze(), Gaining(), Reneges(), STOPS)


class WaitAndTrade(Negotiator):
    """Trades for all that it lacks, never makes the other independent, and keeps the game going."""

    supposed = False
    design = Design(Trade(), Gaining(), Deceives(), PATIENT)


PLANS = {
    "rob": Rob.design,
    "wait_and_rob": Design(Lavish(), Gaining(), Reneges(), PATIENT),
    "buy_trust": Design(Growing(ratio=2.0, useful=False), Gaining(), KeepsWhileDependent(last=True), PATIENT),
    "one_by_one_deceiver": Design(Trade(most=1), Gaining(), Deceives(), STOPS),
    "build_trust": Design(Growing(), Gaining(), KeepsWhileDependent(last=True), PATIENT),
    "wait_and_trade": WaitAndTrade.design,
    "squeeze_and_keep": Design(Squeeze(kept=True), Gaining(), Keeps(), STOPS),
    "trade_and_deceive": Design(Trade(), Gaining(), Deceives(), STOPS),
    "trade_and_keep": Design(Trade(), Gaining(), Keeps(), STOPS),
    "squeeze_and_deceive": Design(Squeeze(), Gaining(), Deceives(), STOPS),
    "keep_while_dependent": Design(Trade(most=1), Gaining(), KeepsWhileDependent(), STOPS),
    "two_for_one": Design(Trade(ratio=2.0, useful=False), Gaining(), Deceives(), STOPS),
    "promise_all": Design(Lavish(), Gaining(), Reneges(), STOPS),
}
"""Look-ahead tries the first few on every action, the others on the best actions only."""


class Composition(Negotiator):
    """A negotiator of any four parts."""

    supposed = False

    def __init__(self, design: Design) -> None:
        self.design = design


def careful_plans() -> list[Negotiator]:
    """The plans that an agent follows, each once: they free no opponent, and pay no player who cheated."""
    careful = (msgspec.structs.replace(each, sender=grudging(deceiving(each.sender))) for each in PLANS.values())
    return [Composition(design) for design in dict.fromkeys(careful)]


def grudging(sender: Sender) -> Sender:
    """The same sender, who pays nothing to a player who cheated it."""
    return sender if isinstance(sender, Reneges) else Grudge(sender=sender)


def deceiving(sender: Sender) -> Sender:
    """The same sender, less what would make a dependent opponent independent."""
    return sender if isinstance(sender, (Reneges, Deceives)) else Deceives(sender)
