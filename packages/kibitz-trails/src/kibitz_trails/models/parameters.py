"""A belief over the numbers of a parametric negotiator: `trails.types` takes a player it does not know for one.

Many draws of the numbers, the particles, are weighed by Bayes' rule on what the player answers, sends and offers. What
a particle would do is not taken literally: a threshold is soft, and now and then anybody does anything.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.seeds import stream
from kibitz_trails.agents.parametric import (
    RULES,
    SENDERS,
    STYLES,
    UNLIMITED,
    Parametric,
    aspiration,
    gain_in_reach,
    promises_kept,
    trust_limit,
)
from kibitz_trails.agents.senders import nothing
from kibitz_trails.offers import PASS, Offers
from kibitz_trails.rules import ACCEPT, ANSWER, EXCHANGE, OFFER, REJECT, State
from kibitz_trails.situation import History, Situation

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

PARTICLES = 2048
LAPSE = 0.03
"""How often a player does what players in general do, in place of what the numbers say."""
SOFT_POINTS, SOFT_CHIPS = 6.0, 0.4
"""How soft the least gain and the limit of trust are, in points and in chips."""
TALKING = 0.85
"""How often a player who is not silent makes an offer while they need something."""
UNWILLING = 0.25
"""How likely a player makes an offer that their terms forbid, compared with one that they allow."""
WARY, LITTLE = 0.4, 0.15
"""How many players hand over few chips, and the most that they insist on: if that were much they would never deal."""
LATE = 0.25
"""How many players insist on nearly all for some rounds, and then give in."""
AT_ONCE, SUDDEN = 0.5, 20.0
"""How many of these accept nothing before the deadline and then give in at once, and the shape of such a concession."""
EARLIEST, LATEST, LATEST_AT_ONCE = 2.0, 14.0, 10.0
"""The rounds between which deadlines are; one who accepts nothing for longer than games last gains by no deal."""
GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole parts, fill [0, 1[ evenly."""
ENDS = (0.1, 0.9)
"""The quantiles that are told of a number."""


class Particles(NamedTuple):
    """The numbers of `Parametric`, one column for each parameter."""

    start: Floats
    floor: Floats
    deadline: Floats
    shape: Floats
    exposure: Floats
    growth: Floats
    loss: Floats
    keeps: Floats
    rule: Places
    style: Places

    def agent(self, number: int, drawn: float | None = None) -> Parametric:
        """The negotiator with the numbers of one particle; *drawn* in [0, 1[ says whether it ever keeps."""
        start, floor, deadline, shape, exposure, growth, loss = (round(float(column[number]), 3) for column in self[:7])
        keeps = round(float(self.keeps[number]), 2) if drawn is None else float(drawn < self.keeps[number])
        rule, style = RULES[self.rule[number]], STYLES[self.style[number]]
        return Parametric(start, floor, deadline, shape, exposure, growth, loss, keeps, rule, style)


@lru_cache(maxsize=4)
def prior_particles(count: int) -> Particles:
    """The particles before anything is seen, always the same: wide, with the plain cases among them."""
    rng = stream(0, "parametric negotiators")

    def number() -> Floats:
        return np.asarray(rng.random(count))

    kind = number()
    wary, late = kind < WARY, kind > 1.0 - LATE
    start = np.where(number() < 0.3, 0.0, number()) * np.where(wary, LITTLE, 1.0)
    start = np.where(late, 0.75 + 0.25 * number(), start)
    at_once = kind > 1.0 - AT_ONCE * LATE
    start = np.where(at_once, 1.0, start)
    latest = np.where(at_once, LATEST_AT_ONCE, LATEST)
    return Particles(
        start=start,
        floor=start * number() ** 3,
        deadline=EARLIEST + (latest - EARLIEST) * number(),
        shape=np.where(at_once, SUDDEN, np.where(late, 2.0 * 10.0 ** number(), 0.3 * 20.0 ** number())),
        exposure=np.where(wary, 1.0 + 7.0 * number(), UNLIMITED),
        growth=4.0 * number() ** 2,
        loss=np.where(number() < 0.3, 0.0, 16.0 * number() ** 2),
        keeps=rates(number(), number()),
        rule=rng.integers(len(RULES), size=count),
        style=rng.choice(len(STYLES), size=count, p=(0.3, 0.25, 0.3, 0.15)),
    )


def rates(drawn: Floats, kind: Floats) -> Floats:
    """How often promises are kept: many players always keep them or never, others now and then."""
    return np.where(kind < 0.4, 1.0 - 0.02 * drawn, np.where(kind < 0.7, 0.02 * drawn, drawn))


class Estimate(NamedTuple):
    """A number of a player as far as it is known: the median, and the ends of an 80 % interval."""

    value: float
    low: float
    high: float


class ParameterLearner:
    """A player taken for a parametric negotiator, as a part of a stranger (`models.strangers`): Bayes on particles."""

    def __init__(self, game: core.Game, player: int, count: int = PARTICLES) -> None:
        self.game, self.player = game, player
        self.particles = prior_particles(count)
        self.weights: Floats = np.full(count, 1.0 / count)
        self.history = History()

    def copy(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)  # weights are replaced, never changed
        copied.history = self.history.__deepcopy__({})
        return copied

    def observe(self, transition: core.Transition) -> None:
        """Remember what happened."""
        self.history.observe(transition)

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        """What the player would do; *policies* end with what players in general would."""
        assert isinstance(view, State)
        legal, usual = view.legal_actions(self.player), policies[-1]
        situation = self.situation(view)
        match view.phase:
            case "answer":
                accepts = float(self.weights @ self.acceptance(situation))
                return self.with_lapses({ACCEPT: accepts, REJECT: 1.0 - accepts}, usual)
            case "exchange":
                named: dict[int, float] = {}
                assert isinstance(legal, core.ProductActions)
                for sent, share in self.transfers(situation):
                    action = legal.action(sent)
                    named[action] = named.get(action, 0.0) + float(self.weights @ share)
                return self.with_lapses(named, usual)
            case "offer":
                return self.expected_offer(situation, usual)
        return usual

    def expected_offer(self, situation: Situation, usual: core.Distribution) -> core.Distribution:
        """An offer as players in general make them, as often as this player makes any."""
        legal, talks = usual.legal, float(self.weights @ self.talking(situation))
        others = max(1.0 - usual.probability(PASS), LAPSE)
        named = {action: talks / others * share for action, share in usual.named.items() if action != PASS}
        rest = talks / others * usual.rest
        return core.Distribution({PASS: 1.0 - sum(named.values()) - rest, **named}, legal, rest)

    def with_lapses(self, named: dict[int, float], usual: core.Distribution) -> core.Distribution:
        """The probabilities with a few lapses to what is usual."""
        meant = core.Distribution(named, usual.legal)
        return core.Distribution.mixture([(1.0 - LAPSE, meant), (LAPSE, usual)], usual.legal)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        """Weigh the particles by a choice; return the probability that `predict` gave it."""
        assert isinstance(view, State)
        told = self.predict(view, policies).probability(action)
        weighed = self.weights * self.likelihoods(view, action, policies[-1])
        total = float(weighed.sum())
        if total > 0.0:
            self.weights = weighed / total
        return told

    def likelihoods(self, view: State, action: int, usual: core.Distribution) -> Floats:
        """How likely the player would have done this with the numbers of each particle."""
        situation, slip = self.situation(view), LAPSE * usual.probability(action)
        if view.phase == ANSWER:
            accepts = self.acceptance(situation)
            return (1.0 - LAPSE) * (accepts if action == ACCEPT else 1.0 - accepts) + slip
        if view.phase == EXCHANGE:
            legal = view.legal_actions(self.player)
            assert isinstance(legal, core.ProductActions)
            found = np.zeros_like(self.weights)
            for sent, share in self.transfers(situation):
                if legal.action(sent) == action:
                    found += share
            return (1.0 - LAPSE) * found + slip
        if view.phase == OFFER:
            return self.offer_likelihoods(situation, action)
        return np.ones_like(self.weights)

    def situation(self, view: State) -> Situation:
        """The decision as the player sees it."""
        return Situation(view, self.player, self.history)

    def limits(self, situation: Situation) -> Floats:
        """The chips that each particle hands over at most."""
        return np.asarray(trust_limit(*self.particles[4:7], *promises_kept(situation)))

    def least_gains(self, situation: Situation) -> Floats:
        """The points that each particle insists on."""
        level = aspiration(*self.particles[:4], situation.view.round)
        return np.asarray(np.maximum(1.0, level * gain_in_reach(situation)))

    def acceptance(self, situation: Situation) -> Floats:
        """How likely each particle accepts the offer on the table."""
        given, received = situation.proposed_exchange()
        enough = sigmoid((situation.gain(given, received) - self.least_gains(situation)) / SOFT_POINTS + 0.5)
        return enough * np.where(self.small, 1.0, self.within_limit(situation, sum(given)))

    def within_limit(self, situation: Situation, chips: int) -> Floats:
        """How likely so many chips are within the limit of each particle."""
        return sigmoid((self.limits(situation) + 0.5 - chips) / SOFT_CHIPS)

    @property
    def small(self) -> NDArray[np.bool_]:
        """Which particles promise more than they hand over."""
        return np.asarray(self.particles.rule == RULES.index("small"))

    def transfers(self, situation: Situation) -> list[tuple[tuple[int, ...], Floats]]:
        """What may be sent, and how likely by each particle."""
        rule, keeps = self.particles.rule, self.particles.keeps
        found = [(nothing(situation), 1.0 - keeps)]
        for number, name in enumerate(RULES):
            for sent, share in SENDERS[name].sends(situation).items():
                kept = keeps * (self.within_limit(situation, sum(sent)) if name == "small" else 1.0)
                found.append((sent, np.where(rule == number, share * kept, 0.0)))
                found.append((nothing(situation), np.where(rule == number, share * (keeps - kept), 0.0)))
        return found

    def talking(self, situation: Situation) -> Floats:
        """How likely each particle makes an offer."""
        talks = 1.0 - TALKING if situation.own.independent else TALKING
        return np.where(self.particles.style == STYLES.index("silent"), LAPSE, talks)

    def offer_likelihoods(self, situation: Situation, action: int) -> Floats:
        """How much an offer, or a pass, speaks for each particle."""
        talking = self.talking(situation)
        if action == PASS:
            return 1.0 - talking
        legal = situation.view.legal_actions(self.player)
        assert isinstance(legal, Offers)
        given, asked = legal.sides(action)
        gains = situation.gain(given, asked) >= 0.8 * self.least_gains(situation)
        fits = gains & (self.small | (sum(given) <= self.limits(situation) + 1.0))
        single = sum(asked) == 1
        style = self.particles.style
        kind = np.where(style == STYLES.index("one"), single, np.where(style == STYLES.index("all"), not single, True))
        return talking * np.where(fits, 1.0, UNWILLING) * np.where(kind, 1.0, UNWILLING)

    def representatives(self, count: int) -> list[tuple[Parametric, float]]:
        """A few negotiators that stand for all particles, each with its share: a systematic sample, evenly spaced.

        Particles are in the order of what they keep, trust and insist on, and how long, so that no kind is left out by
        chance.
        """
        particles = self.particles
        terms = particles.deadline, particles.start, particles.exposure
        order = np.lexsort((*terms, particles.rule, particles.keeps > 0.5))
        passed = np.cumsum(self.weights[order])
        places = order[np.searchsorted(passed, (np.arange(count) + 0.5) / count * passed[-1])]
        drawn = [(place * GOLDEN) % 1.0 for place in range(1, count + 1)]
        return [(particles.agent(int(each), draw), 1.0 / count) for each, draw in zip(places, drawn, strict=True)]

    def estimates(self, view: State | None = None) -> dict[str, Estimate]:
        """What is known of the player's numbers."""
        particles = self.particles
        half = particles.deadline * 0.5 ** (1.0 / particles.shape)
        numbers = {
            "keeps": particles.keeps,
            "aspiration": particles.start,
            "floor": particles.floor,
            "gives in": half,
            "trusts": particles.exposure,
            "growth": particles.growth,
            "loss": particles.loss,
        }
        if view is not None:
            situation = self.situation(view)
            level = aspiration(*particles[:4], view.round)
            numbers |= {"aspiration": level, "trusts": self.limits(situation)}
        return {name: self.estimate(column) for name, column in numbers.items()}

    def estimate(self, numbers: Floats) -> Estimate:
        """The median of a number, and the ends of its interval."""
        order = np.argsort(numbers)
        passed = np.cumsum(self.weights[order])
        places = np.searchsorted(passed, np.array([0.5, *ENDS]) * passed[-1])
        return Estimate(*(float(numbers[order[min(place, len(order) - 1)]]) for place in places))

    def share_of(self, column: str, names: tuple[str, ...]) -> dict[str, float]:
        """How likely each rule or each style is."""
        numbers = getattr(self.particles, column)
        return {name: float(self.weights[numbers == place].sum()) for place, name in enumerate(names)}


def sigmoid(values: Floats) -> Floats:
    """The logistic function."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -40.0, 40.0))))
