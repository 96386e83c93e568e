"""The Expectimax proposer of Pozin (2010, 3.2.3): own offer, their answer, own transfer, their transfer, a leaf.

The tree has branches for none, some and all of a promise. The thesis draws a subset for *some*; this tree takes the
mean over all of them, which is what that draw is worth on average. Sending nothing is always best at the agent's
transfer: that follows from the leaf of the thesis, BestUse, and is kept, as it is why its tree lost.
"""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from kibitz import core
from kibitz_trails.agents.negotiator import Design, Negotiator, Offering, Proposer
from kibitz_trails.agents.perb import Appraisal, Perb
from kibitz_trails.agents.senders import Deceives, Reliable, Removal
from kibitz_trails.board import Chips, all_parts, common
from kibitz_trails.offers import Offer
from kibitz_trails.rules import ACCEPT, State
from kibitz_trails.situation import BASE_RATES, Situation, TransferClass


class ModelledLine(msgspec.Struct, frozen=True):
    """A position ahead, with a model that has observed the way there if it depends on that."""

    state: State
    model: core.Model

    def after(self, *actions: int) -> "ModelledLine":
        """The line one event longer."""
        after, model, player = self.state.clone(), self.model, self.state.current_player()
        after.step(actions)
        if model.follows_lines:
            model = model.clone()
            model.observe(core.Transition(after.round, player, actions, self.state, after))
        return ModelledLine(after, model)


VERSIONS = {
    "PERB": "trails.perb",
    "PERB + deception": "trails.deception",
    "Reliability": "trails.reliability",
    "Reliability + deception": "trails.deception(base=trails.reliability)",
    "Reliability + deception + tree": (
        "trails.tree(base=trails.deception(base=trails.reliability), model=trails.predictors(features=thesis))"
    ),
}
"""The five agents of Tables 5.1, 5.2 and 5.5 of Pozin (2010), by their names there."""


class Version(Negotiator):
    """Another negotiator with a part of its design exchanged; PERB where no *base* is given."""

    def __init__(self, base: Negotiator | None = None) -> None:
        self.base = base

    @cached_property
    def base_design(self) -> Design:
        """The design that is changed."""
        return (self.base or Perb()).design


class Reliability(Version):
    """PERB, or another *base*, that sends by the myopic reliability model: tit for tat over two rounds (3.2.1)."""

    def __init__(
        self,
        base: Negotiator | None = None,
        w: core.Probability = 0.7,
        default_reliability: Annotated[float, Meta(ge=0.0, le=2.0)] = 1.0,
    ) -> None:
        super().__init__(base)
        self.w, self.default_reliability = w, default_reliability

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        return replace(self.base_design, sender=Reliable(self.w, self.default_reliability))


class Deception(Version):
    """PERB, or another *base*, that never completes a transfer that makes the other independent (Algorithm 3.1)."""

    def __init__(self, base: Negotiator | None = None, removal: Removal = "pairs") -> None:
        super().__init__(base)
        self.removal = removal

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        base = self.base_design
        return replace(base, sender=Deceives(base.sender, self.removal))


CLASSES: tuple[TransferClass, ...] = ("none", "some", "all")
SEEN_WEIGHT = 4.0
"""How many observations the base rates count for."""


class FrequencyForecast(msgspec.Struct, frozen=True):
    """Expects what the other has done so far in this game, starting from what peer-designed agents do."""

    def accepts(self, situation: Situation, offer: Offer) -> float:
        made = situation.history.proposed_by(situation.own.player, situation.other.player)
        accepted = sum(bool(each.accepted) for each in made)
        return (SEEN_WEIGHT * BASE_RATES["accept"] + accepted) / (SEEN_WEIGHT + len(made))

    def transfers(self, situation: Situation, offer: Offer) -> Mapping[TransferClass, float]:
        seen: list[TransferClass] = []
        for deal in situation.history.deals(situation.own.player, situation.other.player):
            sent, promised = deal.sent_by(situation.other.player), deal.promise_of(situation.other.player) or ()
            seen.append(sent_class(promised, sent))
        return {
            name: (SEEN_WEIGHT * BASE_RATES[name] + seen.count(name)) / (SEEN_WEIGHT + len(seen)) for name in CLASSES
        }

    def history_key(self, situation: Situation) -> core.Key:
        made = situation.history.proposed_by(situation.own.player, situation.other.player)
        deals = list(situation.history.deals(situation.own.player, situation.other.player))
        return len(made), sum(bool(each.accepted) for each in made), repr([deal.sent for deal in deals])


class ModelForecast(msgspec.Struct, frozen=True):
    """Expects what any model predicts on the positions that the offer leads to."""

    model: Any

    def accepts(self, situation: Situation, offer: Offer) -> float:
        line = self.line_after_offer(situation, offer)
        return float(line.model.predict(line.state, situation.other.player).probability(ACCEPT))

    def transfers(self, situation: Situation, offer: Offer) -> Mapping[TransferClass, float]:
        line, player = self.line_after_offer(situation, offer).after(ACCEPT), situation.other.player
        expected = line.model.predict(line.state, player)
        sendings = line.state.legal_actions(player)
        assert isinstance(sendings, core.ProductActions)
        none = float(expected.probability(0))
        held = common(offer.asked, line.state.assumed_chips(player))
        whole = float(expected.probability(sendings.action(held))) if any(held) else 0.0
        return {"none": none, "all": whole, "some": max(0.0, 1.0 - none - whole)}

    def history_key(self, situation: Situation) -> core.Key:
        return repr((situation.history.proposals, situation.history.exchanges))  # a model may depend on all of it

    def line_after_offer(self, situation: Situation, offer: Offer) -> ModelledLine:
        """The position in which the other answers."""
        return ModelledLine(situation.view, self.model).after(situation.view.offers().of(*offer))


def sent_class(promised: Chips, sent: Chips) -> TransferClass:
    """How much of a promise was sent, in words."""
    kept = sum(common(promised, sent)) if promised else 0
    return "none" if kept == 0 else "all" if kept == sum(promised) else "some"


class TreeProposer(Proposer, frozen=True):
    """Makes the offer of PERB's set that the tree values most."""

    memory = True

    forecast: Any = FrequencyForecast()

    def offers(self, situation: Situation) -> Offering:
        values = {offer: self.offer_value(situation, offer) for offer in Appraisal(situation).candidates()}
        return {max(values, key=lambda offer: values[offer]): 1.0} if values else {}

    def offer_value(self, situation: Situation, offer: Offer) -> float:
        """The mean over the answers: after a rejection nothing changes, else the agent sends what is best."""
        accepts: float = self.forecast.accepts(situation, offer)
        return accepts * max(self.sending_values(situation, offer).values()) + (1.0 - accepts) * situation.own.best_use

    def sending_values(self, situation: Situation, offer: Offer) -> dict[TransferClass, float]:
        """The value of sending none, some and all of a promise: the mean over what the other sends."""
        probabilities = self.forecast.transfers(situation, offer)
        given, asked = map(transfers, offer)
        total = sum(probabilities[received] for received, sets in asked.items() if sets) or 1.0
        values: dict[TransferClass, float] = {}
        for sent, own_sets in given.items():
            for received, sets in asked.items() if own_sets else ():
                if sets:  # the mean over all sets, as the thesis draws one of them
                    scores = [situation.use_after(one, other) for one in own_sets for other in sets]
                    mean = probabilities[received] / total * (sum(scores) / len(scores))
                    values[sent] = values.get(sent, 0.0) + mean
        return values

    def history_key(self, situation: Situation) -> core.Key:
        found: core.Key = self.forecast.history_key(situation)
        return found


Transfers: TypeAlias = Mapping[TransferClass, tuple[Chips, ...]]
"""The sets of chips that are none, some and all of a promise."""


@lru_cache(maxsize=4096)
def transfers(promised: Chips) -> Transfers:
    """The parts of a promise that may be sent."""
    some = tuple(part for part in all_parts(promised) if any(part) and part != promised)
    return {"none": ((0,) * len(promised),), "some": some, "all": (promised,) if any(promised) else ()}


class Tree(Version):
    """Offers what an Expectimax tree of one round values most; otherwise acts as its *base*, or as PERB (3.2.3).

    *model* predicts the other player, and may be any model; without one the agent expects what they did in this game,
    starting from what peer-designed agents do on average. A leaf is the agent's BestUse.
    """

    def __init__(self, base: Negotiator | None = None, model: core.Model | None = None) -> None:
        super().__init__(base)
        self.model = model

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if self.model is not None:
            self.model.begin(game, player, rng)

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        if self.model is not None:
            self.model.observe(transition)

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        forecast = FrequencyForecast() if self.model is None else ModelForecast(self.model)
        return replace(self.base_design, proposer=TreeProposer(forecast))
