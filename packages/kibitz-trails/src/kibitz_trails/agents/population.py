"""A population of negotiators as many people might design them; use it to train models and to test agents."""

from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import UnknownName
from kibitz.core.registry import house_agents, make_agent
from kibitz_trails.agents.negotiator import Design, Negotiator, Patient, Racer, Sleeper, Traits
from kibitz_trails.agents.proposers import (
    Anything,
    Bargain,
    Blackmail,
    Conceding,
    Dear,
    Gaining,
    Grudging,
    GrudgingAcceptor,
    Hoarding,
    Nothing,
    Once,
    Selfish,
    Silent,
    Trade,
)
from kibitz_trails.agents.senders import (
    Coin,
    Deceives,
    Feeding,
    Forgiving,
    Gift,
    Grudge,
    Keeps,
    KeepsWhileDependent,
    Reliable,
    Reneges,
    Returns,
    Share,
)


class Honest(Negotiator):
    """Trades one for one and keeps every promise."""

    design = Design(Trade(), Gaining(), Keeps(), Patient())


class AlwaysRenege(Negotiator):
    """Promises, and sends nothing."""

    design = Design(Trade(), Gaining(), Reneges(), Patient())


class RenegeWhenIndependent(Negotiator):
    """Keeps its promises until it needs nothing more."""

    design = Design(Trade(), Gaining(), KeepsWhileDependent(), Patient())


class LastDealBetrayer(Negotiator):
    """Breaks the promise of the deal that would make it independent."""

    design = Design(Trade(most=1), Gaining(), KeepsWhileDependent(last=True), Patient())


class Deceiver(Negotiator):
    """Keeps its promises, but never makes the other independent."""

    design = Design(Trade(), Gaining(), Deceives(), Patient())


class TitForTat(Negotiator):
    """Keeps the share of its promises that the other kept last."""

    design = Design(Trade(), Gaining(), Returns(), Patient())


class TitForTat2(Negotiator):
    """Is as reliable as the other was in the last two rounds, the last one counting *w* (Pozin 2010)."""

    def __init__(self, w: core.Probability = 0.7, default_reliability: core.Probability = 1.0) -> None:
        self.w, self.default_reliability = w, default_reliability

    @property
    def design(self) -> Design:  # type: ignore[override]
        return Design(Trade(), Gaining(), Reliable(self.w, self.default_reliability), Patient())


class GenerousTitForTat(Negotiator):
    """Tit for tat that keeps a promise anyway with probability *forgiveness*."""

    def __init__(self, forgiveness: core.Probability = 0.2) -> None:
        self.forgiveness = forgiveness

    @property
    def design(self) -> Design:  # type: ignore[override]
        return Design(Trade(), Gaining(), Forgiving(self.forgiveness), Patient())


class Grudger(Negotiator):
    """Keeps its promises; a player who has cheated it once gets nothing more."""

    design = Design(Grudging(), GrudgingAcceptor(), Grudge(), Patient())


class Forgiver(Negotiator):
    """Bears a grudge for *rounds* rounds."""

    def __init__(self, rounds: core.Count = 2) -> None:
        self.rounds = rounds

    @property
    def design(self) -> Design:  # type: ignore[override]
        rounds = self.rounds
        return Design(Grudging(rounds=rounds), GrudgingAcceptor(rounds=rounds), Grudge(rounds), Patient())


class CoinKeeper(Negotiator):
    """Keeps each promise with probability *keeps*, and gives *ratio* chips for each that it asks for."""

    def __init__(self, keeps: core.Probability = 0.5, ratio: Annotated[float, Meta(gt=0.0, le=10.0)] = 1.0) -> None:
        self.keeps, self.ratio = keeps, ratio

    @property
    def design(self) -> Design:  # type: ignore[override]
        return Design(Trade(ratio=self.ratio), Gaining(), Coin(self.keeps), Patient())


class HalfKeeper(Negotiator):
    """Sends half of what it promised."""

    design = Design(Trade(), Gaining(), Share(0.5), Patient())


class ProofFirst(Negotiator):
    """Sends nothing before the other player has kept a promise, then the share that they kept last."""

    design = Design(Trade(), Gaining(), Returns(proof=True), Patient())


class OneByOne(Negotiator):
    """Trades single chips and keeps every promise."""

    design = Design(Trade(most=1), Gaining(), Keeps(), Patient())


class OneByOneTitForTat(Negotiator):
    """Trades single chips, and keeps what the other kept last."""

    design = Design(Trade(most=1), Gaining(), Returns(), Patient())


class AllAtOnce(Negotiator):
    """Wants everything it lacks in one deal, for nothing that the other needs, and no other deal."""

    design = Design(Trade(useful=False), Gaining(least=100), Keeps(), Patient())


class Greedy(Negotiator):
    """Asks for two chips for each that it gives."""

    design = Design(Trade(ratio=0.5), Dear(ratio=2.0), Keeps(), Patient())


class Generous(Negotiator):
    """Gives three chips for two, accepts nearly anything, and keeps every promise."""

    design = Design(Trade(ratio=1.5), Gaining(least=0), Keeps(), Patient())


class Boulware(Negotiator):
    """Offers little for long, and concedes late."""

    design = Design(Conceding(ratio=0.34, last=2.0, shape=4.0), Dear(ratio=1.0), Keeps(), Patient())


class Conceder(Negotiator):
    """Offers little at first, and concedes early."""

    design = Design(Conceding(ratio=0.34, last=2.0, shape=0.3), Gaining(), Keeps(), Patient())


class Hardliner(Negotiator):
    """Makes one offer, take it or leave it, and accepts no other."""

    design = Design(Once(ratio=0.67), Nothing(), Keeps(), Patient())


class ThresholdAcceptor(Negotiator):
    """Accepts what adds *least* points to its BestUse, and offers nothing itself; it breaks its promises."""

    def __init__(self, least: core.Count = 20) -> None:
        self.least = least

    @property
    def design(self) -> Design:  # type: ignore[override]
        return Design(Silent(), Gaining(self.least), Reneges(), Patient())


class AcceptAll(Negotiator):
    """Accepts everything and keeps its promises."""

    design = Design(Silent(), Anything(), Keeps(), Patient())


class Mute(Negotiator):
    """Never offers, rejects all, and waits for the end."""

    design = Design(Silent(), Nothing(), Reneges(), Patient(stop_rule=True))


class RandomLegal(Negotiator):
    """Does anything legal."""

    design = Design(Silent(), Anything(), Coin(), Patient())

    @property
    def traits(self) -> Traits:
        return Traits(stochastic=True, memory=False, honest=False)

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.uniform(view.legal_actions(self.player))


class PathPlanner(Negotiator):
    """Asks only for chips of the cheapest way, whether the other has them or not, and plans again after a change."""

    design = Design(Trade(supplied=False, most=2), Gaining(), Keeps(), Racer())


class Hoarder(Negotiator):
    """Gives what neither player needs for what it can use, and goes on when it needs nothing more."""

    design = Design(Hoarding(useful=False), Selfish(), KeepsWhileDependent(), Patient())


class Blackmailer(Negotiator):
    """Asks for two to one; once independent it sends a dependent opponent just enough to move."""

    design = Design(Blackmail(), Dear(ratio=2.0), Feeding(), Patient())


class RacingReneger(Negotiator):
    """Moves whenever it can, and breaks its promises."""

    design = Design(Trade(), Gaining(), Reneges(), Racer())


class SleepingReneger(Negotiator):
    """Trades until it has the better score, breaks its promises, then lets the game end."""

    design = Design(Trade(most=1), Gaining(), KeepsWhileDependent(), Sleeper())


class GiftGiver(Negotiator):
    """Sends a chip that was not promised, to build trust."""

    design = Design(Trade(), Gaining(), Gift(), Patient())


class NashBargainer(Negotiator):
    """Offers the deal with the largest product of gains, and keeps it."""

    design = Design(Bargain(), Gaining(), Keeps(), Patient())


class FairBargainer(Negotiator):
    """Offers the deal with the largest smaller gain; it breaks its promises once it is independent."""

    design = Design(Bargain(by_product=False), Gaining(), KeepsWhileDependent(), Patient())


PDA19 = (
    "trails.tit_for_tat",
    "trails.tit_for_tat_2",
    "trails.grudger",
    "trails.forgiver",
    "trails.forgiver(rounds=1)",
    "trails.coin_keeper",
    "trails.one_by_one_tit_for_tat",
    "trails.generous",
    "trails.hardliner",
    "trails.accept_all",
    "trails.mute",
    "trails.path_planner",
    "trails.nash_bargainer",
    "trails.fair_bargainer",
    "trails.threshold_acceptor(least=1)",
    "trails.talman",
    "trails.talman(multiple=True)",
    "trails.talman(cooperation=high, reliability=low)",
    "trails.talman(reliability=medium)",
)
"""Nineteen that deal with each other on DD as the peer-designed agents of Pozin (2010) did.

In 342 games, each pair in both seats, the thesis's and ours: 5.9 and 5.8 offers, 2.8 and 2.8 deals a game;
.468 and .483 of offers accepted; of promises .578 and .572 not kept at all, .037 and .039 in part, .385 and .389 whole.
They were chosen by exchanging one for another as long as that lowered the difference.
"""
STRANGERS = (
    "trails.honest",
    "trails.always_renege",
    "trails.renege_when_independent",
    "trails.last_deal_betrayer",
    "trails.deceiver",
    "trails.generous_tit_for_tat",
    "trails.half_keeper",
    "trails.proof_first",
    "trails.one_by_one",
    "trails.all_at_once",
    "trails.greedy",
    "trails.boulware",
    "trails.conceder",
    "trails.random_legal",
    "trails.hoarder",
    "trails.blackmailer",
    "trails.racing_reneger",
    "trails.sleeping_reneger",
    "trails.gift_giver",
)
"""The part of the population that models never learn from: no agents of their kind are among the nineteen."""


def population(**wanted: bool) -> list[str]:
    """The names of all negotiators with the given traits: `population(honest=True, memory=False)`.

    >>> "trails.honest" in population(honest=True), "trails.honest" in population(memory=True)
    (True, False)
    """
    unknown = set(wanted) - set(Traits.__struct_fields__)
    if unknown:
        known = tuple(Traits.__struct_fields__)
        raise UnknownName("trait", sorted(unknown)[0], known)
    agents = {name: make_agent(name) for name in house_agents("trails")}
    return [
        name
        for name, agent in agents.items()
        if isinstance(agent, Negotiator)
        and agent.supposed
        and all(getattr(agent.traits, trait) == value for trait, value in wanted.items())
    ]
