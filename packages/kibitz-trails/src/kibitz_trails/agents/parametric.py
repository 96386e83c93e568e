"""Negotiators by a few settings: `trails.parametric` by numbers, `trails.talman` by levels of a personality.

The numbers say how it concedes, how far it trusts, and whether it keeps its promises. Models take a player they do not
know for one of these and infer the numbers (`models/parameters.py`).
"""

from functools import cached_property
from math import floor as whole
from typing import Annotated, Any, Literal, get_args

import msgspec
import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz_trails.agents.negotiator import Acceptor, Design, Negotiator, Offering, Patient, Proposer, Sender, Sending
from kibitz_trails.agents.proposers import Gaining, Silent, Squeeze, Trade, gift, sale_offer
from kibitz_trails.agents.senders import Deceives, Keeps, KeepsWhileDependent, Returns, mixture, nothing, part_of
from kibitz_trails.board import Chips, common, plus
from kibitz_trails.offers import Offer
from kibitz_trails.situation import Level, Situation, cooperation, first_of, kept_promises, level

Rule = Literal["always", "dependent", "deceive", "return", "small"]
"""Which promises are kept: all; those made while dependent; what does not free the other; as the other kept theirs;
those within the limit of trust, while larger ones are made, too."""
Style = Literal["silent", "one", "all", "squeeze"]
"""What is offered: nothing; a chip at a time; all that is lacking; as much as the other may give, not meant to pay."""
RULES, STYLES = get_args(Rule), get_args(Style)
SENDERS: dict[Rule, Sender] = {
    "always": Keeps(),
    "dependent": KeepsWhileDependent(),
    "deceive": Deceives(),
    "return": Returns(),
    "small": Keeps(),
}
PLAIN: dict[str, Proposer] = {"silent": Silent(), "squeeze": Squeeze()}
"""The styles that ask for no more than a look at the position."""
UNLIMITED = 32.0
"""The chips that somebody hands over who trusts without limit."""
DEAREST = 2
"""It gives at most so many chips for each that it asks for."""
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Chip = Annotated[float, Meta(ge=0.0, le=99.0)]


def aspiration(start: Any, floor: Any, deadline: Any, shape: Any, round_: int) -> Any:
    """The share of what could be gained that a negotiator insists on; numbers or arrays.

    It falls from *start* to *floor* at the round *deadline*: with a *shape* above 1 late (Boulware), below 1 early
    (Faratin et al. 1998).

    >>> [round(float(aspiration(0.8, 0.2, 4, 2.0, each)), 2) for each in range(6)]
    [0.8, 0.76, 0.65, 0.46, 0.2, 0.2]
    """
    return floor + (start - floor) * (1.0 - np.minimum(round_ / deadline, 1.0) ** shape)


def trust_limit(exposure: Any, growth: Any, loss: Any, kept: int, broken: int) -> Any:
    """How many chips a negotiator hands over in a deal, after so many promises to it were kept and broken."""
    return np.maximum(exposure + growth * kept - loss * broken, 0.0)


def promises_kept(situation: Situation) -> tuple[int, int]:
    """How many promises the other player kept so far, and how many they broke."""
    return situation.history.promises_kept(situation.other.player, situation.own.player)


def gain_in_reach(situation: Situation) -> int:
    """What a player would gain by all that the other holds: the scale of its aspiration."""
    own = situation.own
    return situation.use_after(nothing(situation), own.others) - own.best_use


class Terms(msgspec.Struct, frozen=True, cache_hash=True):
    """What a negotiator insists on: a share of what it could gain that falls with time, and a limit to its trust."""

    start: float
    floor: float
    deadline: float
    shape: float
    exposure: float
    growth: float
    loss: float

    def least_gain(self, situation: Situation) -> float:
        """The points that a deal must bring it, at least one."""
        level = aspiration(self.start, self.floor, self.deadline, self.shape, situation.view.round)
        return max(1.0, float(level) * gain_in_reach(situation))

    def most_chips(self, situation: Situation) -> float:
        """The chips that it hands over at most."""
        return float(trust_limit(self.exposure, self.growth, self.loss, *promises_kept(situation)))


class Parametric(Negotiator):
    """A negotiator by numbers.

    It accepts what brings it a share of what it could gain at all; the share falls from *start* to *floor* at the
    round *deadline*, by the *shape* of its concession. It hands over at most *exposure* chips in a deal, *growth* more
    for each promise that was kept to it and *loss* fewer for each that was broken. It keeps its promises by a *rule*,
    and then with probability *keeps*; with `small` it promises more than it hands over, and keeps what is within its
    limit. The *style* is what it offers.
    """

    def __init__(
        self,
        start: Share = 0.6,
        floor: Share = 0.1,
        deadline: Annotated[float, Meta(gt=0.0, le=99.0)] = 6.0,
        shape: Annotated[float, Meta(gt=0.0, le=20.0)] = 1.0,
        exposure: Chip = 4.0,
        growth: Chip = 1.0,
        loss: Chip = 4.0,
        keeps: Share = 0.9,
        rule: Rule = "always",
        style: Style = "all",
    ) -> None:
        self.start, self.floor, self.deadline, self.shape = start, floor, deadline, shape
        self.exposure, self.growth, self.loss = exposure, growth, loss
        self.keeps, self.rule, self.style = keeps, rule, style

    supposed = False  # models infer its numbers, and do not take its defaults for a type

    @property
    def design(self) -> Design:  # type: ignore[override]
        limits = self.exposure, self.growth, self.loss
        demands = self.start, self.floor, self.deadline, self.shape
        terms = Terms(*demands, *((UNLIMITED, 0.0, 0.0) if self.rule == "small" else limits))
        sender = RuledSender(self.keeps, self.rule, Terms(*demands, *limits))
        return Design(TermsProposer(terms, self.style), TermsAcceptor(terms), sender, Patient())


class TermsProposer(Proposer, frozen=True):
    """Asks for what it lacks, and gives as many chips as its terms allow; or it offers nothing, or squeezes."""

    memory = True

    terms: Terms
    style: Style

    def offers(self, situation: Situation) -> Offering:
        if self.style in PLAIN:
            return PLAIN[self.style].offers(situation)
        asked = Trade(most=1 if self.style == "one" else None).asked_chips(situation)
        if situation.own.independent or not any(asked):
            return {}
        return {Offer(self.payment(situation, asked), asked): 1.0}

    def payment(self, situation: Situation, asked: Chips) -> Chips:
        """The most that its terms allow it to give, at least one chip."""
        least, most = self.terms.least_gain(situation), whole(self.terms.most_chips(situation))
        for count in range(min(most, DEAREST * sum(asked)), 1, -1):
            chips = gift(situation, count)
            if situation.gain(chips, asked) >= least:
                return chips
        return gift(situation, 1)

    def history_key(self, situation: Situation) -> core.Key:
        return promises_kept(situation)


class TermsAcceptor(Acceptor, frozen=True):
    """Accepts what meets its terms."""

    memory = True

    terms: Terms

    def accepts(self, situation: Situation) -> float:
        given, received = situation.proposed_exchange()
        if sum(given) > self.terms.most_chips(situation):
            return 0.0
        return float(situation.gain(given, received) >= self.terms.least_gain(situation))

    def history_key(self, situation: Situation) -> core.Key:
        return promises_kept(situation)


class RuledSender(Sender, frozen=True):
    """Keeps a promise by a rule and then with probability *keeps*; otherwise it sends nothing."""

    memory = True
    honest = False

    keeps: float
    rule: Rule
    terms: Terms

    @property
    def stochastic(self) -> bool:  # type: ignore[override]
        return 0.0 < self.keeps < 1.0

    def sends(self, situation: Situation) -> Sending:
        ruled = SENDERS[self.rule].sends(situation)
        if self.rule == "small":
            most = self.terms.most_chips(situation)
            ruled = {sent if sum(sent) <= most else nothing(situation): share for sent, share in ruled.items()}
        choices = [(self.keeps * share, sent) for sent, share in ruled.items()]
        return mixture([*choices, (1.0 - self.keeps, nothing(situation))])

    def history_key(self, situation: Situation) -> core.Key:
        return promises_kept(situation) if self.rule == "small" else SENDERS[self.rule].history_key(situation)


RATIOS = {"low": 0.5, "medium": 1.0, "high": 1.5}
"""Chips given for each that is asked for, by how cooperative the agent is."""
LEAST = {"low": 20, "medium": 1, "high": 0}
"""Points that a deal must add."""
SHARES = {"low": 0.0, "medium": 0.5, "high": 1.0}
"""The share of a promise that is kept, by how reliable the agent is."""


class Personality(Proposer, Acceptor, Sender, frozen=True):
    """The agent's own levels: fixed for all, or with *multiple* those that the other player has shown, if any.

    A *helpful* agent offers and sends chips that the other needs, even where it gains nothing itself.
    """

    cooperation: Level = "medium"
    reliability: Level = "medium"
    helpful: bool = True
    multiple: bool = False

    @property
    def memory(self) -> bool:  # type: ignore[override]
        return self.multiple

    @property
    def honest(self) -> bool:  # type: ignore[override]
        return self.reliability == "high" and not self.multiple

    def cooperative(self, situation: Situation) -> Level:
        """How cooperative the agent is to this player."""
        value = cooperation(situation.board, situation.history, situation.other.player, situation.own.player)
        return level(value) if self.multiple and value is not None else self.cooperation

    def reliable(self, situation: Situation) -> Level:
        """How reliable the agent is to this player."""
        value = kept_promises(situation.history, situation.other.player, situation.own.player)
        return level(value) if self.multiple and value is not None else self.reliability

    def offers(self, situation: Situation) -> Offering:
        if situation.own.independent:
            return sale_offer(situation, 1.0 / RATIOS[self.cooperative(situation)]) if self.helpful else {}
        return Trade(ratio=RATIOS[self.cooperative(situation)]).offers(situation)

    def accepts(self, situation: Situation) -> float:
        return Gaining(LEAST[self.cooperative(situation)]).accepts(situation)

    def sends(self, situation: Situation) -> Sending:
        sent = part_of(situation, SHARES[self.reliable(situation)])
        if self.helpful and situation.promised_exchange() is None and self.reliable(situation) == "high":
            sent = plus(sent, first_of(common(situation.own.spare, situation.other.lacking), 1))
        return {sent: 1.0}

    def history_key(self, situation: Situation) -> core.Key:
        return self.cooperative(situation), self.reliable(situation)


class Talman(Negotiator):
    """Has one personality for all, or *multiple* ones: it treats each player as they treat it (Talman et al. 2005)."""

    def __init__(
        self,
        cooperation: Level = "high",
        reliability: Level = "high",
        helpful: bool = True,
        multiple: bool = False,
    ) -> None:
        self.cooperation, self.reliability, self.helpful, self.multiple = cooperation, reliability, helpful, multiple

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        whole = Personality(self.cooperation, self.reliability, self.helpful, self.multiple)
        return Design(whole, whole, whole, Patient())
