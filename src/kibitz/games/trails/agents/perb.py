"""PERB, the personality rule-based agent of Kraus (2009), as Pozin (2010, 3.1) describes it, with parameters."""

from functools import cached_property
from math import ceil
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kibitz import core
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Acceptor, Design, Negotiator, Offering, Proposer, Sender, Sending
from kibitz.games.trails.agents.proposers import plentiful
from kibitz.games.trails.agents.senders import mixture, nothing, promise
from kibitz.games.trails.chips import Chips, common, minus, plus, sets_of
from kibitz.games.trails.personality import LEVELS, Level, Measure, cooperation, kept_promises, level
from kibitz.games.trails.situation import Side, Situation, first_of, least_needed
from kibitz.games.trails.state import Offer

Points = Annotated[float, Meta(ge=0.0, le=1000.0)]


class PerbRules(msgspec.Struct, frozen=True):
    """The constants of PERB, and its view of a situation; docs/games/trails.md describes each constant."""

    epsilon: float
    b_dependent: float
    b_independent: float
    b_other_independent: float
    b_both_independent: float
    responder_b_factor: float
    goal_odds: tuple[float, float, float]
    opinion_weight: float
    off_ratio_share: float
    strong_ratio: int
    max_ask: int | None
    reliability_measure: Measure
    newest_weight: float
    level_thresholds: tuple[float, float]
    own_offer_utility: Literal["max", "sample"]
    needed_chip: Literal["missing", "on_best_path"]
    feeding_overrides: bool
    reliability_level: Level | None
    cooperation_level: Level | None

    def reliability(self, situation: Situation) -> float | None:
        """How well the other player has kept their promises; None before the first deal."""
        pair = situation.other.player, situation.own.player
        return kept_promises(situation.board, situation.history, *pair, self.reliability_measure, self.newest_weight)

    def reliability_of_other(self, situation: Situation) -> Level:
        """The other's reliability in words."""
        return self.reliability_level or level(self.reliability(situation), self.level_thresholds)

    def cooperation_of_other(self, situation: Situation) -> Level:
        """The other's cooperation in words."""
        if self.cooperation_level is not None:
            return self.cooperation_level
        pair = situation.other.player, situation.own.player
        return level(cooperation(situation.board, situation.history, *pair), self.level_thresholds)

    def history_key(self, situation: Situation) -> core.Key:
        """All of the past that PERB's choices depend on."""
        value = self.reliability(situation)
        return self.cooperation_of_other(situation), repr(value)


class Appraisal:
    """PERB's view of a situation: which player depends on the other, what exchanges are worth, what it would offer."""

    def __init__(self, rules: PerbRules, situation: Situation) -> None:
        self.rules, self.situation = rules, situation

    @cached_property
    def odds(self) -> float:
        """How likely it gets a missing chip, by the other's cooperation."""
        return self.rules.goal_odds[LEVELS.index(self.rules.cooperation_of_other(self.situation))]

    @cached_property
    def weight_of_other(self) -> float:
        """b, by which player depends on the other."""
        rules = self.rules
        if self.situation.own.independent:
            return rules.b_both_independent if self.situation.other.independent else rules.b_independent
        return rules.b_other_independent if self.situation.other.independent else rules.b_dependent

    def utility(self, given: Chips, received: Chips, responding: bool = False) -> float:
        """U = a·U_agent + b·U_other with a = 1, the other's share smaller where they proposed."""
        own, other = self.situation.sides_after(given, received)
        gained, left = own.best_use - self.situation.own.best_use, other.best_use - self.situation.other.best_use
        opinion = self.rules.opinion_weight * (left - gained) / (abs(gained) + abs(left) + 1)
        for_agent = expected_score(own, self.odds) + opinion
        for_other = expected_score(other, self.rules.goal_odds[1]) - opinion
        weight = self.weight_of_other * (self.rules.responder_b_factor if responding else 1.0)
        return for_agent + weight * for_other

    def candidates(self) -> list[Offer]:
        """S: most offers are one for one, or two for one for the player who lacks fewer chips; some are not."""
        own, other, strong = self.situation.own, self.situation.other, self.rules.strong_ratio
        if own.missing == other.missing:
            usual, unusual = (1, 1), (1, strong)
        else:
            usual, unusual = ((1, strong) if own.missing < other.missing else (strong, 1)), (1, 1)
        sizes = range(1, (self.rules.max_ask or max(1, own.missing)) + 1)
        most, few = (
            [offer for size in sizes for offer in self.offers_of_size(size * giving, size * asking)]
            for giving, asking in (usual, unusual)
        )
        kept = ceil(self.rules.off_ratio_share * len(most))
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
        return {offer: worth for offer, worth in found.items() if worth >= best - self.rules.epsilon}


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

    rules: PerbRules

    def offers(self, situation: Situation) -> Offering:
        chosen = Appraisal(self.rules, situation).choices()
        return {offer: 1.0 / len(chosen) for offer in chosen}

    def history_key(self, situation: Situation) -> core.Key:
        return self.rules.history_key(situation)


class PerbAcceptor(Acceptor, frozen=True):
    """PERB's five rules, in their order."""

    memory = True

    rules: PerbRules

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
        appraisal = Appraisal(self.rules, situation)
        fed = appraisal.utility(common(step, own.chips), nothing(situation), responding=True)
        return appraisal.utility(given, received, responding=True) > fed

    def compare_offer(self, situation: Situation, given: Chips, received: Chips) -> float:
        """How likely the offer is good enough."""
        appraisal, none = Appraisal(self.rules, situation), nothing(situation)
        offered = appraisal.utility(given, received, responding=True)
        if appraisal.utility(none, none, responding=True) > offered:
            return 0.0
        dealt = any(situation.history.deals(situation.own.player, situation.other.player))
        if not dealt and not situation.other.independent and situation.sides_after(given, received)[1].independent:
            return 0.0
        own = list(appraisal.choices(responding=True).values())
        if not own:
            return 1.0
        if self.rules.own_offer_utility == "max":
            return float(offered + self.rules.epsilon > max(own))
        return sum(offered + self.rules.epsilon > worth for worth in own) / len(own)

    def needs(self, situation: Situation, given: Chips) -> bool:
        """Whether it would give a chip that it needs to reach the goal."""
        own = situation.own
        if self.rules.needed_chip == "on_best_path":
            return any(minus(given, common(given, own.spare)))
        return situation.sides_after(given, nothing(situation))[0].missing > own.missing

    def history_key(self, situation: Situation) -> core.Key:
        dealt = any(situation.history.deals(situation.own.player, situation.other.player))
        return dealt, self.rules.history_key(situation)


class PerbSender(Sender, frozen=True):
    """Sends by the other's reliability: all, a part, or nothing; the first time all."""

    stochastic = True
    memory = True
    honest = False

    rules: PerbRules

    def sends(self, situation: Situation) -> Sending:
        sent = self.by_reliability(situation)
        fed = self.feeding_chip(situation)
        if fed is None or (not self.rules.feeding_overrides and situation.promised_exchange() is not None):
            return sent
        return mixture([(share, tuple(map(max, chips, fed))) for chips, share in sent.items()])

    def by_reliability(self, situation: Situation) -> Sending:
        """What it sends of its promise."""
        whole, none = promise(situation), nothing(situation)
        reliability = self.rules.reliability(situation)
        if reliability is None and self.rules.reliability_level is None:
            return {whole: 1.0}
        match self.rules.reliability_of_other(situation):
            case "low":
                return {none: 1.0}
            case "high":
                return {whole: 1.0}
        part = least_needed(whole, situation.own.need, ceil(sum(whole) / 2))
        step = situation.other.step_needed()
        if step is not None and situation.must_move(situation.other.player):  # not sending it would end the game
            part = tuple(map(max, part, common(whole, step)))
        likely = 0.5 if reliability is None else reliability
        return mixture([(likely, whole), (1.0 - likely, part)])

    def feeding_chip(self, situation: Situation) -> Chips | None:
        """A chip that the other player cannot move without, if it does not make them independent."""
        step = situation.other.step_needed() if situation.own.independent else None
        if step is None or not any(common(situation.own.chips, step)) or situation.frees_other(step):
            return None
        return step

    def history_key(self, situation: Situation) -> core.Key:
        return self.rules.history_key(situation)


class Perb(Negotiator):
    """PERB, the personality rule-based agent of Kraus (2009): rules by the other's reliability and cooperation."""

    def __init__(
        self,
        epsilon: Points = 5.0,
        b_dependent: core.Probability = 0.5,
        b_independent: core.Probability = 0.25,
        b_other_independent: core.Probability = 0.75,
        b_both_independent: core.Probability = 0.0,
        responder_b_factor: core.Probability = 0.5,
        goal_odds: tuple[core.Probability, core.Probability, core.Probability] = (0.3, 0.5, 0.7),
        opinion_weight: Points = 10.0,
        off_ratio_share: core.Probability = 0.1,
        strong_ratio: core.Count = 2,
        max_ask: core.Count | None = None,
        reliability_measure: Measure = "chips",
        newest_weight: core.Probability = 0.5,
        level_thresholds: tuple[core.Probability, core.Probability] = (1 / 3, 2 / 3),
        own_offer_utility: Literal["max", "sample"] = "max",
        needed_chip: Literal["missing", "on_best_path"] = "missing",
        feeding_overrides: bool = True,
        reliability_level: Level | None = None,
        cooperation_level: Level | None = None,
        stop_rule: bool = False,
    ) -> None:
        self.epsilon, self.opinion_weight, self.goal_odds = epsilon, opinion_weight, goal_odds
        self.b_dependent, self.b_independent = b_dependent, b_independent
        self.b_other_independent, self.b_both_independent = b_other_independent, b_both_independent
        self.responder_b_factor, self.off_ratio_share, self.strong_ratio = (
            responder_b_factor,
            off_ratio_share,
            strong_ratio,
        )
        self.max_ask, self.reliability_measure, self.newest_weight = max_ask, reliability_measure, newest_weight
        self.level_thresholds, self.own_offer_utility = level_thresholds, own_offer_utility
        self.strong_ratio, self.needed_chip, self.feeding_overrides = strong_ratio, needed_chip, feeding_overrides
        self.reliability_level, self.cooperation_level, self.stop_rule = reliability_level, cooperation_level, stop_rule

    @cached_property
    def rules(self) -> PerbRules:
        """Its constants together."""
        return PerbRules(**{name: getattr(self, name) for name in PerbRules.__struct_fields__})

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        rules = self.rules
        return Design(PerbProposer(rules), PerbAcceptor(rules), PerbSender(rules), Patient(self.stop_rule))
