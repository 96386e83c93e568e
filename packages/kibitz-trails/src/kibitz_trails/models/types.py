"""`trails.types`: a belief over known negotiators and strangers, by exact Bayes; the default model of the game.

A negotiator whom it does not know is weighed phase by phase, as a player may offer as one known negotiator does and
answer as another. There are thousands of offers and two answers: if all choices were weighed together, a player who
makes the offers of a known one would also seem to answer like them, whatever they answered. Whether somebody is a
stranger at all is told as an `Identity`; look-ahead expects more slips of known players than the `Identity` does.
"""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import CERTAIN, UNKNOWN, Explanation
from kibitz.core.player_memory import Learned
from kibitz.core.registry import make_agent
from kibitz.models.strangers import Learner, Stranger, Trust
from kibitz.models.strangers.stranger import PolicyLearner
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.models.worlds import World
from kibitz_trails.agents.negotiator import Design, Negotiator, Patient, Traits
from kibitz_trails.agents.parametric import RULES, Rule
from kibitz_trails.agents.population import PDA19
from kibitz_trails.agents.proposers import Nothing, Silent
from kibitz_trails.agents.senders import Reneges
from kibitz_trails.models.parameters import Estimate, ParameterLearner
from kibitz_trails.models.predictors import Predictors, question_about
from kibitz_trails.rules import ACCEPT, ANSWER, MOVEMENT, REJECT, State, Trails
from kibitz_trails.situation import History

Floats = NDArray[np.float64]

ALIKE = 0.07
"""How many strangers play a whole match as one of the known negotiators would, so that no choice tells them apart.

Fitted to players who are not judged: negotiators of the library, each known and each left out, and generated ones."""


class Identity(NamedTuple):
    """Which of the known negotiators a player is, or a stranger: Bayes' rule on all choices, after each of them.

    >>> identity = Identity.before_choices([0.25, 0.25, 0.5])
    >>> [round(each, 2) for each in identity.after([0.9, 0.0, 0.1]).probabilities()]
    [0.78, 0.0, 0.22]
    """

    prior: Floats
    posterior: Floats
    """The weight of each known negotiator, and last of strangers who play unlike any of them."""
    alike: float
    """How many strangers play like a known negotiator, for each player who is that negotiator."""
    drift: float = 0.0
    """The fraction of the posterior that returns to the prior at each choice."""

    @classmethod
    def before_choices(cls, prior: Sequence[float], drift: float = 0.0) -> Self:
        """Before the first choice: *prior* is the probability of each known one, and last of strangers."""
        *known, strange = prior
        among = sum(known)
        weights = np.array([*known, (1.0 - ALIKE) * strange if among > 0.0 else strange])
        return cls(weights, weights, ALIKE * strange / among if among > 0.0 else 0.0, drift)

    def after(self, likely: Sequence[float]) -> Self:
        """The same after a choice that was so likely by each of them; one that nobody explains says nothing."""
        weighed = ((1.0 - self.drift) * self.posterior + self.drift * self.prior) * np.asarray(likely)
        total = float(weighed.sum())
        return self._replace(posterior=weighed * (self.prior.sum() / total)) if total > 0.0 else self

    def probabilities(self) -> list[float]:
        """How likely the player is each known negotiator, and last a stranger."""
        known = self.posterior[:-1]
        strange = self.posterior[-1] + self.alike * known.sum()
        total = known.sum() + strange
        return [*(known / total).tolist(), float(strange / total)]


class UnknownNegotiator(Stranger):
    """A stranger whose learners have other weights in every phase of a round.

    Learners that weigh known policies do so phase by phase; the other learners know the player in all phases.
    *identity* tells whether the player is a stranger, where a known negotiator does with probability *slips* what
    players in general do.
    """

    def __init__(
        self, player: int, learners: Sequence[Learner], prior: Sequence[float], identity: Identity, slips: float
    ) -> None:
        super().__init__(player, learners, prior)
        self.identity, self.slips = identity, slips
        self.phase = ""
        """The phase of the weights and learners in use."""
        self.phases: dict[str, tuple[list[float], list[Learner]]] = {}
        """The weights and learners of all phases so far."""

    def predict(self, view: core.State, policies: Sequence[core.Distribution] = ()) -> core.Distribution:
        self.enter_phase(view)
        return super().predict(view, policies)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution] = ()) -> float:
        self.enter_phase(view)
        strange = super().learn(view, action, policies)
        *known, usual = (policy.probability(action) for policy in policies)
        meant = [(1.0 - self.slips) * share + self.slips * usual for share in known]
        self.identity = self.identity.after([*meant, strange])
        return strange

    def enter_phase(self, view: core.State) -> None:
        """Take up the weights and learners of the phase that *view* is in; a new phase begins with the prior."""
        assert isinstance(view, State)
        if view.phase == self.phase:
            return
        self.phases[self.phase] = self.weights, self.learners
        weights, learners = self.phases.get(view.phase, (self.prior, self.phases[""][1]))
        self.learners = [
            each.copy() if isinstance(each, PolicyLearner) else shared
            for each, shared in zip(learners, self.learners, strict=True)
        ]
        self.weights, self.phase = list(weights), view.phase

    def copy(self) -> Self:
        copied = super().copy()
        copied.phases = dict(self.phases)  # what it holds is copied before it changes
        return copied


PATIENT = 0.8
"""How often a stranger moves as patient negotiators do, and not at random."""


class PredictedNegotiator(Negotiator):
    """An unknown negotiator: does what predictors expect; mostly moves only when it must."""

    design = Design(Silent(), Nothing(), Reneges(), Patient())

    def __init__(self, trained: str = "") -> None:
        self.trained = trained

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.predictors = Predictors(trained=self.trained)
        self.predictors.begin(game, None, rng)

    @property
    def traits(self) -> Traits:
        return Traits(stochastic=True, memory=True, honest=False)

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if view.phase == MOVEMENT:
            anywhere = core.Distribution.uniform(legal)
            return core.Distribution.mixture([(PATIENT, super().policy(view)), (1.0 - PATIENT, anywhere)], legal)
        self.predictors.history = self.history
        return self.predictors.predict(view, self.player)

    def state_key(self, view: State) -> core.Key:
        return None if view.phase == MOVEMENT else question_about(view, self.player).history_key(self.history)


SLIGHT = 0.05
"""Who insists on hardly more than they ever will does not give in."""
MANY = 16
"""Who would hand over so many chips trusts without limit."""
WIDE = 0.75
"""A share whose interval is as wide as this is not known."""
KEPT: dict[Rule, str] = {
    "always": "all promises",
    "dependent": "the promises they make while dependent",
    "deceive": "the promises that do not free the other",
    "return": "their promises to one who kept the last",
    "small": "the promises within their limit of trust",
}
"""Which promises are kept by each rule, in words."""
LIKELY, FEW, RARELY = 0.8, 2, 0.1
"""At most so many rules are named, if they are so likely together; which rule it is does not matter to one who keeps
promises as rarely as this."""
PARAMETRIC = 2.0
"""How likely a stranger is a parametric negotiator, compared with all else that a stranger may be."""

TEMPER = (1.47, -1.85)
"""How the log odds that a stranger accepts become those that are told: a factor, and what is added. Fitted once to
answers of generated negotiators: strangers reject more than their play so far says."""
LEAST = 1e-4
CHANCE, RELEASED = 0.7, 0.01
"""The weight of chance in predictions before the first choice of a player, and the part of it that goes over to the
model before every choice: about the least with which a player who does anything is predicted nearly as well as by
chance. Others pay for it at their first choice."""
CHANCE_OF_ANSWERS = 0.05
"""The same weight in forecasts of answers, which must be calibrated from the first one on."""


class Types(StrategyFilter):
    """Which negotiator is each player? Exact Bayes over *strategies*, by default the nineteen of `PDA19`.

    A share *unknown* of all players are strangers, who do what predictors expect: those that were learned from games of
    the nineteen, or others from the file *trained*. With probability *noise* a known one does so for one move, as far
    as predictions and look-ahead count on it, where a wrong type costs more than doubt. Beliefs count on *slips* only:
    what no known negotiator does rules all of them out, however many choices follow that they would make as well.
    *drift* is how much of the belief returns to the prior at each move. From a seat it judges the other player only.
    """

    trainer = ""
    counted = 0.3  # less than in other models, since a predictor of strangers is cautious itself

    def __init__(
        self,
        strategies: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.1,
        noise: core.Probability = 0.05,
        drift: core.Probability = 0.0,
        trained: str = "",
        slips: core.Probability = 1e-6,
    ) -> None:
        super().__init__(strategies, unknown, noise, drift)
        self.trained, self.slips = trained, slips

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")
        super().begin(game, seat, rng)
        self.known = None  # strangers depend on the history
        self.answer_trust = [self.new_trust(CHANCE_OF_ANSWERS) for _ in range(game.players)]
        self.doubt: dict[int, float] = {}
        """How much a stranger counted in the forecast of each answer that is being observed."""
        self.history = History()
        self.last: State | None = None
        """The newest position."""
        self.strangers = [PredictedNegotiator(self.trained) for _ in range(game.players)]
        for player, stranger in enumerate(self.strangers):
            stranger.begin(game, player, rng)

    def usual(self, game: core.Game) -> tuple[core.Strategy, ...]:
        known = [make_agent(name) for name in PDA19]
        return tuple(agent for agent in known if isinstance(agent, core.Strategy))

    def judges(self, player: int) -> bool:
        return player != self.seat

    def stranger(self, player: int) -> UnknownNegotiator:
        known, by_numbers = super().stranger(player), ParameterLearner(self.game, player)
        learners, prior = [*known.learners, by_numbers], [*known.prior, PARAMETRIC]
        return UnknownNegotiator(player, learners, prior, Identity.before_choices(self.prior, self.drift), self.slips)

    def new_trust(self, chance: float = CHANCE) -> Trust:
        return Trust(chance if self.unknown > 0.0 else 0.0, RELEASED)

    def learner(self, player: int) -> ParameterLearner:
        """The belief about the numbers of *player*, were they a stranger."""
        world = max(self.possible, key=lambda world: world.weight)
        found = world.strangers[player].learners[-1]
        assert isinstance(found, ParameterLearner)
        return found

    def strange(self, player: int, view: core.State) -> core.Distribution:
        stranger = self.strangers[player]
        stranger.history = self.history
        return stranger.policy(view)

    def reported_probabilities(self, player: int) -> list[float]:
        worlds = [(each.weight, self.unknown_negotiator(each, player).identity) for each in self.possible]
        beliefs = [(weight, identity.probabilities()) for weight, identity in worlds]
        return [sum(weight * belief[number] for weight, belief in beliefs) for number in range(len(self.labels))]

    def unknown_negotiator(self, world: World, player: int) -> UnknownNegotiator:
        """The player as a stranger, in a world."""
        stranger = world.strangers[player]
        assert isinstance(stranger, UnknownNegotiator)
        return stranger

    def predict(self, view: core.State, player: int) -> core.Distribution:
        told = self.trusted_prediction(view, player)
        if not self.judges(player):
            return told
        trust = self.answer_trust if is_answer(view) else self.trust
        return trust[player].mix_with_chance(told, told.legal)

    def trusted_prediction(self, view: core.State, player: int) -> core.Distribution:
        told = super().trusted_prediction(view, player)
        if not is_answer(view) or not self.judges(player):
            return told
        accepts = tempered_answer(told.probability(ACCEPT), self.cautious_shares(player)[-1])
        return core.Distribution({ACCEPT: accepts, REJECT: 1.0 - accepts}, told.legal)

    def cautious_shares(self, player: int) -> list[float]:
        """How much each hypothesis counts where a wrong one costs more than doubt: in forecasts and in look-ahead."""
        shares = self.predictive_weights(self.marginal(player))
        return [share / sum(shares) for share in shares]

    def confidence(self, player: int) -> float:
        return 1.0  # a search plays against types that it draws, strangers among them

    def learn_trust(self, mover: int, likely: float, transition: core.Transition) -> None:
        if is_answer(transition.before):
            accepted = transition.action_of(mover) == ACCEPT
            accepts = tempered_answer(likely if accepted else 1.0 - likely, self.doubt[mover])
            likely = accepts if accepted else 1.0 - accepts
        super().learn_trust(mover, likely, transition)
        self.answer_trust[mover].learn(likely, len(transition.before.legal_actions(mover)))

    def recall(self, player: int, learned: Learned) -> None:
        super().recall(player, learned)
        self.answer_trust[player].recall(learned)
        for world in self.possible:
            known = Identity.before_choices(world.posteriors[player], self.drift)
            self.unknown_negotiator(world, player).identity = known

    def observe(self, transition: core.Transition) -> None:
        answering = transition.movers if is_answer(transition.before) else ()
        self.doubt = {player: self.cautious_shares(player)[-1] for player in answering}
        super().observe(transition)
        self.history.observe(transition)
        assert isinstance(transition.after, State)
        self.last = transition.after

    def parameters_of(self, player: int) -> dict[str, Estimate]:
        """The numbers of *player* as a negotiator, each with an 80 % interval: how they concede, trust and keep."""
        return self.learner(player).estimates(self.last)

    def explain(self, player: int) -> Explanation:
        found = super().explain(player)
        strange = self.belief(player)[UNKNOWN]
        if not self.judges(player) or not self.evidence[player].choices or strange < 1.0 - CERTAIN:
            return found
        rules = self.learner(player).share_of("rule", RULES)
        words = parameter_words(self.parameters_of(player), 0 if self.last is None else self.last.round, rules)
        supposed = "" if strange >= 0.5 else "if a stranger: "
        return msgspec.structs.replace(found, notes=(*found.notes, supposed + words)) if words else found


def is_answer(view: core.State) -> bool:
    """Whether somebody is asked to accept an offer."""
    return isinstance(view, State) and view.phase == ANSWER


def tempered_answer(accepts: float, strange: float, temper: tuple[float, float] = TEMPER) -> float:
    """How likely an offer is accepted by a player who is a stranger with probability *strange*.

    >>> tempered_answer(0.8, 0.0), round(tempered_answer(0.8, 1.0, temper=(1.0, -1.0)), 2)
    (0.8, 0.6)
    """
    told = min(max(accepts, LEAST), 1.0 - LEAST)
    factor, more = temper
    meant = 1.0 / (1.0 + exp(-factor * log(told / (1.0 - told)) - more))
    return accepts + strange**2 * (meant - accepts)  # the square leaves players alone who are likely known


def parameter_words(numbers: Mapping[str, Estimate], now: int, rules: Mapping[str, float]) -> str:
    """The numbers of a negotiator in words, as far as they are known; empty if nothing is.

    *rules* says how likely each rule is by which they keep promises.

    >>> known = {"keeps": Estimate(0.8, 0.6, 0.9), "aspiration": Estimate(0.5, 0.3, 0.6), "trusts": Estimate(3, 2, 5)}
    >>> numbers = {**known, "floor": Estimate(0.1, 0, 0.2), "gives in": Estimate(7, 6, 9)}
    >>> parameter_words(numbers, now=2, rules={"always": 0.9, "small": 0.1})
    'keeps 80 % (60–90) of all promises, will give in around round 7 (6–9), trusts up to 3 chips (2–5)'
    """
    keeps, trusts = numbers["keeps"], numbers["trusts"]
    words = [keeping_words(keeps, rules)] if keeps.high - keeps.low < WIDE else []
    words += concession_words(numbers["aspiration"], numbers["floor"], numbers["gives in"], now)
    most = f"{trusts.high:.0f}" if trusts.high < MANY else f"{MANY} or more"
    if trusts.low >= MANY:
        words.append("trusts without limit")
    elif trusts.value < MANY and min(trusts.high, MANY) - trusts.low < WIDE * MANY:
        chips = "1 chip" if round(trusts.value) == 1 else f"{trusts.value:.0f} chips"
        words.append(f"trusts up to {chips} ({trusts.low:.0f}–{most})")
    return ", ".join(words)


def keeping_words(keeps: Estimate, rules: Mapping[str, float]) -> str:
    """How often a negotiator keeps promises, and which, as far as the rule is known: the share is of these alone.

    >>> often = Estimate(0.99, 0.9, 1.0)
    >>> keeping_words(often, {"always": 0.5, "dependent": 0.4, "small": 0.1})
    'keeps 99 % (90–100) of all promises or of the promises they make while dependent'
    >>> keeping_words(often, {"always": 0.3, "dependent": 0.3, "deceive": 0.4})
    'keeps 99 % (90–100) of all promises or of one kind of them'
    """
    likely = sorted(rules, key=lambda rule: -rules[rule])
    few = (likely[:count] for count in range(1, FEW + 1))
    named = next((some for some in few if sum(rules[rule] for rule in some) >= LIKELY), [])
    if keeps.high < RARELY:
        named = ["always"]
    kinds = [words for rule, words in KEPT.items() if rule in named] or [KEPT["always"], "one kind of them"]
    return f"keeps {percents(keeps)} of {' or of '.join(kinds)}"


def concession_words(insists: Estimate, floor: Estimate, when: Estimate, now: int) -> list[str]:
    """What a negotiator insists on now, and when they will give in, if that is known."""
    if insists.high < SLIGHT:
        return ["accepts any gain"]
    if insists.value - floor.value < SLIGHT:
        known = insists.high - insists.low < WIDE
        return [f"insists on {percents(insists)} of what they could gain"] if known else []
    if when.value > now:
        return [f"will give in around round {when.value:.0f} ({max(when.low, now):.0f}–{when.high:.0f})"]
    return ["has given in" if when.high <= now else "has probably given in"]


def percents(found: Estimate) -> str:
    """A share with its interval, in percent."""
    return f"{100 * found.value:.0f} % ({100 * found.low:.0f}–{100 * found.high:.0f})"
