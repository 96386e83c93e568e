"""Plans: simple ways to play on. Look-ahead chooses among them by what it will have observed of the other by then.

Each is an agent of its own, too, so that one can see what it earns alone: `trails.rob`.
"""

import msgspec

from kibitz.games.trails.agents.acceptors import Gaining
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator, Sender
from kibitz.games.trails.agents.proposers import Growing, Lavish, Trade
from kibitz.games.trails.agents.senders import Deceives, Grudge, Keeps, KeepsWhileDependent, Reneges
from kibitz.games.trails.lookahead.offers import Squeeze

STOPS = Patient(stop_rule=True)
"""Moves at no loss; plans that wait move even so, to keep the game going."""


class Plan(Negotiator):
    """A fixed plan; its docstring says what it does."""

    supposed = False  # plans were made for look-ahead, and models take nobody for one


class Rob(Plan):
    """Asks for as much as the other may give, and sends nothing."""

    design = Design(Squeeze(), Gaining(), Reneges(), STOPS)


class OneByOneDeceiver(Plan):
    """Trades single chips and keeps its promises, but never makes the other independent."""

    design = Design(Trade(most=1), Gaining(), Deceives(), STOPS)


class SqueezeAndKeep(Plan):
    """Asks for as much as it can gain by if it pays, and pays."""

    design = Design(Squeeze(kept=True), Gaining(), Keeps(), STOPS)


class TradeAndDeceive(Plan):
    """Trades for all that it lacks and keeps its promises, but never makes the other independent."""

    design = Design(Trade(), Gaining(), Deceives(), STOPS)


class TradeAndKeep(Plan):
    """Trades for all that it lacks, and keeps its promises."""

    design = Design(Trade(), Gaining(), Keeps(), STOPS)


class SqueezeAndDeceive(Plan):
    """Asks for as much as the other may give, and pays what does not make the other independent."""

    design = Design(Squeeze(), Gaining(), Deceives(), STOPS)


class KeepWhileDependent(Plan):
    """Trades single chips, and keeps its promises until it is independent."""

    design = Design(Trade(most=1), Gaining(), KeepsWhileDependent(), STOPS)


class TwoForOne(Plan):
    """Gives two chips that neither needs for each that it lacks, and never makes the other independent."""

    design = Design(Trade(ratio=2.0, useful=False), Gaining(), Deceives(), STOPS)


class BuildTrust(Plan):
    """Asks for one chip more after each kept promise, keeps its own, and breaks the one that makes it independent."""

    design = Design(Growing(), Gaining(), KeepsWhileDependent(last=True), Patient())


class BuyTrust(Plan):
    """Buys one chip, and one more after each kept promise, at two chips each; it breaks the last promise."""

    design = Design(Growing(ratio=2.0, useful=False), Gaining(), KeepsWhileDependent(last=True), Patient())


class WaitAndRob(Plan):
    """Promises all it holds for what it lacks, sends nothing, and keeps the game going until the other gives in."""

    design = Design(Lavish(), Gaining(), Reneges(), Patient())


class PromiseAll(Plan):
    """Promises all it holds for what it lacks, sends nothing, and waits as long as it loses nothing by it."""

    design = Design(Lavish(), Gaining(), Reneges(), STOPS)


class WaitAndTrade(Plan):
    """Trades for all that it lacks, never makes the other independent, and keeps the game going."""

    design = Design(Trade(), Gaining(), Deceives(), Patient())


PLANS: dict[str, type[Plan]] = {
    "rob": Rob,
    "wait_and_rob": WaitAndRob,
    "buy_trust": BuyTrust,
    "one_by_one_deceiver": OneByOneDeceiver,
    "build_trust": BuildTrust,
    "wait_and_trade": WaitAndTrade,
    "squeeze_and_keep": SqueezeAndKeep,
    "trade_and_deceive": TradeAndDeceive,
    "trade_and_keep": TradeAndKeep,
    "squeeze_and_deceive": SqueezeAndDeceive,
    "keep_while_dependent": KeepWhileDependent,
    "two_for_one": TwoForOne,
    "promise_all": PromiseAll,
}
"""Look-ahead tries the first few on every action, the others on the best actions only."""


class Composition(Negotiator):
    """A negotiator of any four parts."""

    supposed = False

    def __init__(self, design: Design) -> None:
        self.design = design


def careful_plans() -> list[Negotiator]:
    """The plans that an agent follows, each once: they free no opponent, and pay no player who cheated."""
    designs = [plan.design for plan in PLANS.values()]
    senders = [grudging(deceiving(each.sender)) for each in designs]
    careful = [msgspec.structs.replace(each, sender=sender) for each, sender in zip(designs, senders, strict=True)]
    return [Composition(design) for design in dict.fromkeys(careful)]


def grudging(sender: Sender) -> Sender:
    """The same sender, who pays nothing to a player who cheated it."""
    return sender if isinstance(sender, Reneges) else Grudge(sender=sender)


def deceiving(sender: Sender) -> Sender:
    """The same sender, less what would make a dependent opponent independent."""
    return sender if isinstance(sender, (Reneges, Deceives)) else Deceives(sender)
