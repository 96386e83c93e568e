"""PERB, the personality rule-based agent of Kraus (2009), as Pozin (2010, 3.1) describes it.

Its specification is not published: the constants here are ours.
"""

from functools import cached_property
from math import ceil

from kibitz import core
from kibitz_trails.agents.negotiator import Acceptor, Design, Negotiator, Offering, Patient, Proposer, Sender, Sending
from kibitz_trails.agents.proposers import plentiful
from kibitz_trails.agents.senders import mixture, nothing, promise
from kibitz_trails.board import Chips, common, minus, plus, sets_of
from kibitz_trails.offers import Offer
from kibitz_trails.situation import (
    LEVELS,
    Level,
    Side,
    Situation,
    cooperation,
    first_of,
    kept_promises,
    least_needed,
    level,
)

EPSILON = 5.0
"""An offer this near to the best may be made, and one this near to the own offers is accepted."""
DEPENDENT, INDEPENDENT, OTHER_INDEPENDENT, BOTH_INDEPENDENT = 0.5, 0.25, 0.75, 0.0
"""What the other's utility counts, its own counting 1: both dependent, it alone independent, the other alone, both."""
RESPONDER_FACTOR = 0.5
"""That weight is so much smaller where the other proposed."""
GOAL_ODDS = (0.3, 0.5, 0.7)
"""How likely it gets each chip that it lacks, by the other's cooperation."""
OPINION_WEIGHT = 10.0
"""Points for a good opinion: the player who gains less of a deal is thought well of."""
STRONG_RATIO, OFF_RATIO_SHARE = 2, 0.1
"""Offers in favour of the stronger, and how many offers have another ratio."""


def reliability(situation: Situation) -> float | None:
    """How well the other player has kept their promises; None before the first deal."""
    return kept_promises(situation.history, situation.other.player, situation.own.player)


def cooperation_of_other(situation: Situation) -> Level:
    """The other's cooperation in words."""
    return level(cooperation(situation.board, situation.history, situation.other.player, situation.own.player))


def history_key_of(situation: Situation) -> core.Key:
    """All of the past that PERB's choices depend on."""
    return cooperation_of_other(situation), repr(reliability(situation))


class Appraisal:
    """PERB's view of a situation: which player depends on the other, what exchanges are worth, what it would offer."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation

    @cached_property
    def odds(self) -> float:
        """How likely it gets a missing chip, by the other's cooperation."""
        return GOAL_ODDS[LEVELS.index(cooperation_of_other(self.situation))]

    @cached_property
    def weight_of_other(self) -> float:
        """b, by which player depends on the other."""
        if self.situation.own.independent:
            return BOTH_INDEPENDENT if self.situation.other.independent else INDEPENDENT
        return OTHER_INDEPENDENT if self.situation.other.independent else DEPENDENT

    def utility(self, given: Chips, received: Chips, responding: bool = False) -> float:
        """U = a·U_agent + b·U_other with a = 1, the other's share smaller where they proposed."""
        own, other = self.situation.sides_after(given, received)
        gained, left = own.best_use - self.situation.own.best_use, other.best_use - self.situation.other.best_use
        opinion = OPINION_WEIGHT * (left - gained) / (abs(gained) + abs(left) + 1)
        for_agent = expected_score(own, self.odds) + opinion
        for_other = expected_score(other, GOAL_ODDS[1]) - opinion
        weight = self.weight_of_other * (RESPONDER_FACTOR if responding else 1.0)
        return for_agent + weight * for_other

    def candidates(self) -> list[Offer]:
        """S: most offers are one for one, or two for one for the player who lacks fewer chips; some are not."""
        own, other, strong = self.situation.own, self.situation.other, STRONG_RATIO
        if own.missing == other.missing:
            usual, unusual = (1, 1), (1, strong)
        else:
            usual, unusual = ((1, strong) if own.missing < other.missing else (strong, 1)), (1, 1)
        sizes = range(1, max(1, own.missing) + 1)
        most, few = (
            [offer for size in sizes for offer in self.offers_of_size(size * giving, size * asking)]
            for giving, asking in (usual, unusual)
        )
        kept = ceil(OFF_RATIO_SHARE * len(most))
        return [*most, *few[:: max(1, len(few) // kept)][:kept]] if kept else most

    def offers_of_size(self, giving: int, asking: int) -> list[Offer]:
        """Offers of *giving* chips for *asking*: it asks for what it lacks first, and gives what it can spare."""
        own, other = self.situation.own, self.situation.other
        asked = first_of(common(own.lacking, other.chips), asking)
        free = minus(other.chips, common(other.chips, plus(asked, other.need)))
        asked = plus(asked, plentiful(free, asking - sum(asked)))
        if sum(asked) < asking:
            return []
        return [Offer(given, asked) for given in sets_of(own.spare, giving)]

    def choices(self, responding: bool = False) -> dict[Offer, float]:
        """R: the offers within epsilon of the best, with their utilities, for a proposer or a responder."""
        found = {offer: self.utility(*offer, responding) for offer in self.candidates()}
        best = max(found.values(), default=0.0)
        return {offer: worth for offer, worth in found.items() if worth >= best - EPSILON}


def expected_score(side: Side, odds: float) -> float:
    """The expected score of a side that gets each missing chip with these odds."""
    if side.independent:
        return float(side.best_use)
    scoring = side.board.scoring
    reached = scoring.goal + scoring.chip * (sum(side.chips) - side.board.distances[side.place])
    likely: float = odds**side.missing
    return likely * reached + (1.0 - likely) * side.best_use


class PerbProposer(Proposer, frozen=True):
    """Draws one of the offers that are nearly the best."""

    stochastic = True
    memory = True

    def offers(self, situation: Situation) -> Offering:
        chosen = Appraisal(situation).choices()
        return {offer: 1.0 / len(chosen) for offer in chosen}

    def history_key(self, situation: Situation) -> core.Key:
        return history_key_of(situation)


class PerbAcceptor(Acceptor, frozen=True):
    """PERB's five rules, in their order."""

    memory = True

    def accepts(self, situation: Situation) -> float:
        given, received = situation.proposed_exchange()
        own, other = situation.own, situation.other
        # 1. It gives nothing that it needs.
        if self.needs(situation, given):
            return 0.0
        # 2. and 3. Without the counter-offer one of them could not move, and the game would end.
        if situation.counter and self.keeps_going(situation, given, received):
            return 1.0
        # 4. The other needs nothing: two for one is fair.
        required = any(common(own.lacking, received))
        if other.independent and not own.independent and required and sum(given) <= 2 * sum(received):
            return 1.0
        # 5. It compares the offer with doing nothing and with what it would offer itself.
        return self.compare_offer(situation, given, received)

    def keeps_going(self, situation: Situation, given: Chips, received: Chips) -> bool:
        """Whether the offer lets it move where it must, or beats just sending a chip to an opponent who must move."""
        own, other = situation.own, situation.other
        after = situation.sides_after(given, received)[0]
        if situation.must_move(own.player) and own.step_needed() and not after.step_needed():
            return True
        step = other.step_needed()
        if step is None or not own.independent or not situation.must_move(other.player):
            return False
        appraisal = Appraisal(situation)
        fed = appraisal.utility(common(step, own.chips), nothing(situation), responding=True)
        return appraisal.utility(given, received, responding=True) > fed

    def compare_offer(self, situation: Situation, given: Chips, received: Chips) -> float:
        """How likely the offer is good enough."""
        appraisal, none = Appraisal(situation), nothing(situation)
        offered = appraisal.utility(given, received, responding=True)
        if appraisal.utility(none, none, responding=True) > offered:
            return 0.0
        dealt = any(situation.history.deals(situation.own.player, situation.other.player))
        if not dealt and not situation.other.independent and situation.sides_after(given, received)[1].independent:
            return 0.0
        own = appraisal.choices(responding=True).values()
        return float(not own or offered + EPSILON > max(own))

    def needs(self, situation: Situation, given: Chips) -> bool:
        """Whether it would give a chip that it needs to reach the goal."""
        return situation.sides_after(given, nothing(situation))[0].missing > situation.own.missing

    def history_key(self, situation: Situation) -> core.Key:
        dealt = any(situation.history.deals(situation.own.player, situation.other.player))
        return dealt, history_key_of(situation)


class PerbSender(Sender, frozen=True):
    """Sends by the other's reliability: all, a part, or nothing; the first time all."""

    stochastic = True
    memory = True
    honest = False

    def sends(self, situation: Situation) -> Sending:
        sent = self.by_reliability(situation)
        fed = self.feeding_chip(situation)
        if fed is None:
            return sent
        return mixture([(share, tuple(map(max, chips, fed))) for chips, share in sent.items()])

    def by_reliability(self, situation: Situation) -> Sending:
        """What it sends of its promise."""
        whole, none = promise(situation), nothing(situation)
        kept = reliability(situation)
        if kept is None:
            return {whole: 1.0}
        match level(kept):
            case "low":
                return {none: 1.0}
            case "high":
                return {whole: 1.0}
        part = least_needed(whole, situation.own.need, ceil(sum(whole) / 2))
        step = situation.other.step_needed()
        if step is not None and situation.must_move(situation.other.player):  # not sending it would end the game
            part = tuple(map(max, part, common(whole, step)))
        return mixture([(kept, whole), (1.0 - kept, part)])

    def feeding_chip(self, situation: Situation) -> Chips | None:
        """A chip that the other player cannot move without, if it does not make them independent."""
        step = situation.other.step_needed() if situation.own.independent else None
        if step is None or not any(common(situation.own.chips, step)) or situation.frees_other(step):
            return None
        return step

    def history_key(self, situation: Situation) -> core.Key:
        return history_key_of(situation)


class Perb(Negotiator):
    """PERB, the personality rule-based agent of Kraus (2009): rules by the other's reliability and cooperation."""

    design = Design(PerbProposer(), PerbAcceptor(), PerbSender(), Patient())
