"""`trails.kibitzer`: infers its opponent's type, and looks several rounds ahead against the likely types.

It chooses among plans, simple ways to play on, by what it will have observed of the other by then. Two plans are agents
of their own, too, so that one can see what they earn alone: `trails.rob` and `trails.wait_and_trade`.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from kibitz import core
from kibitz.core.insight import Intention, SupposedPlayer, ranked_claims
from kibitz_trails.agents.negotiator import Design, Negotiator, Patient, Sender
from kibitz_trails.agents.parametric import Parametric, TermsAcceptor
from kibitz_trails.agents.proposers import Gaining, Growing, Lavish, Squeeze, Trade
from kibitz_trails.agents.senders import Deceives, Grudge, Keeps, KeepsWhileDependent, Reneges
from kibitz_trails.lookahead.candidates import Line, SimulatedNegotiator, candidates
from kibitz_trails.lookahead.search import Budget, Particle, Search, SearchResult
from kibitz_trails.models.parameters import ParameterLearner
from kibitz_trails.models.types import Types
from kibitz_trails.rules import OFFER, State, Trails
from kibitz_trails.situation import History

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


if TYPE_CHECKING:
    from kibitz_lab.aware.agent import Aware

LEAST_SHARE = 0.005
"""Look-ahead ignores types that are less likely than this."""
CAUTION = 0.5
"""The least share of strangers: to believe in the wrong type costs more than to doubt the right one."""
MOST_TYPES = 6
"""How many known types, the likeliest, look-ahead plays against."""
DRAWN_FOR_OFFERS, DRAWN = 24, 48
"""How many negotiators by numbers it plays against: fewer where many actions are compared."""
SHARE_OF_TIME = 0.8
"""The share of the time for a move that look-ahead may take."""
SPREAD = 0.37
"""How far apart the random draws of possible opponents begin."""
REMEMBERED = 50_000
"""How many decisions a process remembers."""
Decisions = OrderedDict[tuple[object, ...], tuple[SearchResult, int]]
NODES = 30
"""The nodes that count as one simulation of other searches."""
decisions: Decisions = OrderedDict()
"""Decisions and the nodes they took, by all they depend on: the agent, the game, the seat, and the actions so far."""


class Kibitzer(core.Agent):
    """Holds a belief over types of opponent, and looks several rounds ahead against the likely ones.

    *types* are the negotiators it knows, by default those of `trails.types`; the share *unknown* of all are strangers.
    It looks *rounds* rounds ahead. Without *belief* it keeps its prior. It searches *nodes* events for a decision, or
    as many as a clock allows.
    """

    def __init__(
        self,
        types: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.1,
        belief: bool = True,
        rounds: core.Count = 7,
        nodes: core.Count = 3000,
    ) -> None:
        self.types, self.unknown, self.belief = types, unknown, belief
        self.rounds, self.nodes = rounds, nodes

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not isinstance(game, Trails) or game.players != 2 or game.hidden:
            raise core.Unsupported(self, game, "it plays Colored Trails with two players who see all chips")
        self.layout = game.layout
        self.model = Types(self.types, self.unknown)
        self.model.begin(game, player, deepcopy(rng))
        self.plans = [SimulatedNegotiator(plan, game, player, rng) for plan in careful_plans()]
        self.negotiators = [SimulatedNegotiator(agent, game, 1 - player, rng) for agent in self.opponent_types()]
        self.drawn: dict[str, SimulatedNegotiator] = {}
        """Negotiators by numbers that stood for a stranger so far."""
        self.prior = self.model.cautious_shares(1 - player)
        self.line: Line | None = None
        self.events: tuple[tuple[tuple[int | None, ...], tuple[bool, ...]], ...] = ()
        self.unread: list[core.Transition] = []
        self.view: State | None = None
        """The position of the last search."""
        self.found: SearchResult | None = None
        self.warm_up(game)

    def warm_up(self, game: Trails) -> None:
        """Search the first position, which loads the compiled code, so that no decision waits for it."""
        line = Line.from_state(game.new_initial_state(), History())
        if line.state.phase == OFFER:
            candidates(line, line.state.proposer, ())
            self.model.strange(line.state.proposer, line.state)

    def opponent_types(self) -> Iterator[Negotiator]:
        """The types, checked: each must depend on the history of the game and on nothing else."""
        for agent in self.model.hypotheses:
            if not is_type(agent):
                why = f"{agent!r} cannot be a type: it is no negotiator that depends on the history of the game alone"
                raise core.Unsupported(self, self.game, why)
            assert isinstance(agent, Negotiator)
            yield agent

    def observe(self, transition: core.Transition) -> None:
        before, after = transition.before, transition.after
        assert isinstance(before, State)
        assert isinstance(after, State)
        line = self.line or Line.from_state(before, History())
        self.line = line.after(tuple(action or 0 for action in transition.actions))
        self.events += ((transition.actions, transition.chosen),)
        self.unread.append(transition)  # a remembered decision needs no belief

    def act(self, view: core.State, clock: core.Clock) -> int:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return legal[0]
        self.view, self.found = view, self.search_actions(view, clock)
        return self.found.action

    def search_actions(self, view: State, clock: core.Clock) -> SearchResult:
        """The result of a search; without a clock each decision is searched once."""
        timed = clock.pace() < float("inf")
        key = (repr(self), repr(self.game), self.layout, self.player, self.events)
        if timed or key not in decisions:
            budget = Budget(self.nodes, SHARE_OF_TIME * clock.pace(), clock)
            particles = self.particles(DRAWN_FOR_OFFERS if view.phase == OFFER else DRAWN)
            search = self.searching(budget, particles)
            found = search.best(self.line or Line.from_state(view, History()), particles)
            if timed:
                self.searched += budget.used
                return found
            decisions[key] = found, budget.used
            if len(decisions) > REMEMBERED:
                decisions.popitem(last=False)
        found, nodes = decisions[key]
        self.searched += nodes
        return found

    def explain(self) -> Intention | None:
        view, found = self.view, self.found
        if view is None or found is None or found.action not in found.values:
            return None
        ranked = sorted(found.values, key=lambda action: (action != found.action, -found.values[action]))
        words = partial(view.action_to_string, self.player)
        belief = self.model.belief(1 - self.player)
        return Intention(
            action=words(found.action),
            value=found.values[found.action],
            rival=(words(ranked[1]), found.values[ranked[1]]) if len(ranked) > 1 else None,
            others=(SupposedPlayer(1 - self.player, tuple(ranked_claims(belief)), trust=1.0),),
        )

    def searching(self, budget: Budget, particles: Sequence[Particle]) -> Search:
        """A search with this agent's options."""
        player = self.player
        designs = [particle.negotiator.agent.design for particle in particles]
        terms = [each.acceptor.terms for each in designs if isinstance(each.acceptor, TermsAcceptor)]
        options = partial(candidates, player=player, plans=self.plans, possible=terms)
        return Search(player, self.plans, options, self.rounds, budget)

    def particles(self, drawn: int) -> Sequence[Particle]:
        """The possible opponents, and how likely each is: known types, and *drawn* negotiators for strangers."""
        for transition in self.unread if self.belief else ():
            self.model.observe(transition)
        self.unread = []
        other = 1 - self.player
        *weights, unknown = self.model.cautious_shares(other) if self.belief else self.prior
        unknown = max(unknown, CAUTION * sum(weights) / (1.0 - CAUTION)) if self.unknown else 0.0
        known = sorted(zip(weights, self.negotiators, strict=True), key=lambda pair: -pair[0])[:MOST_TYPES]
        opponents = [(weight, negotiator) for weight, negotiator in known if weight >= LEAST_SHARE]
        if unknown >= LEAST_SHARE:
            learner = self.model.learner(other) if self.belief else ParameterLearner(self.game, other)
            opponents += [
                (unknown * fraction, self.negotiator_of(each)) for each, fraction in learner.representatives(drawn)
            ]
        total = sum(weight for weight, _ in opponents)
        return [
            Particle(weight / total, negotiator, number * SPREAD % 1.0)
            for number, (weight, negotiator) in enumerate(opponents)
            if weight
        ]

    def negotiator_of(self, agent: Parametric) -> SimulatedNegotiator:
        """A negotiator by numbers, as look-ahead takes them."""
        name = repr(agent)
        if name not in self.drawn:
            self.drawn[name] = SimulatedNegotiator(agent, self.game, 1 - self.player, self.rng)
        return self.drawn[name]


def aware_agent(game: core.Game, aware: "Aware") -> core.Agent | None:
    """The agent that `aware` is in this game; None with a model that is no belief over negotiators."""
    model, trusted = aware.model, aware.trust > 0.0
    nodes = Kibitzer().nodes if aware.simulations is None else NODES * aware.simulations
    if model is None:
        return Kibitzer(belief=trusted, nodes=nodes)
    if type(model) is not Types or not all(is_type(agent) for agent in model.strategies):
        return None
    if not trusted:  # without a belief it keeps its prior, which must not tell who the opponent is
        return Kibitzer(belief=False, nodes=nodes)
    return Kibitzer(types=model.strategies, unknown=model.unknown, nodes=nodes)


def is_type(agent: core.Agent) -> bool:
    """Whether an agent can be a type: a negotiator that depends on the history of the game and on nothing else."""
    return isinstance(agent, Negotiator) and type(agent).observe is Negotiator.observe
