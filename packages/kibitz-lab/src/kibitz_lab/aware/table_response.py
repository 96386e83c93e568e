"""The best response to a belief in small games with secrets or simultaneous moves, within what may be risked.

Before every match the model's types, and what earlier matches showed of a stranger, become one strategy of the
opponent. If two players play for the same points, the response to it is ε-safe: against anyone it earns at least the
value of the game less *risk* less what the opponent gave away before. So over any number of matches, however the
opponent plays, it earns on average at most *risk* a match less than an equilibrium. In other games nothing like that
can be promised: it plays the best response, and counts whom it does not understand as players of the solver's profile.
"""

from copy import deepcopy
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadGame, Unsupported
from kibitz.core.insight import UNKNOWN, Intention, ranked_claims
from kibitz.core.player_memory import Learned
from kibitz_lab.agents.solution_cache import make_once
from kibitz_lab.aware.opponent_learning import EndObservation, InfosetGroups, LearnedStrategy, ObservedEnds, given_away
from kibitz_lab.aware.suppositions import Supposition, Suppositions, as_strategy, supposed_players
from kibitz_lab.extensive import (
    BehaviourPolicy,
    InformationTable,
    InformationTracker,
    SequenceProgram,
    ValuedPolicy,
    best_response,
    build_table,
    equilibrium,
    policy_of,
    policy_of_plan,
    safe_response,
    solve_cfr,
    worst_return,
)
from kibitz_lab.extensive.linear_programs import EXACT
from kibitz_lab.extensive.table import is_zero_sum_pair

Floats = NDArray[np.float64]
HISTORIES = 30_000
"""The most histories of a game: a match waits while the table is built."""
ITERATIONS = 1000
"""Of regret minimisation, for the strategies of players who are not understood in games of several players."""
AGAIN = 12
"""The strategy is looked at again whenever one part in so many of the matches from a seat is new."""
STAYS = 0.995
"""How likely an opponent is the same player as in the match before."""
GOOD = 0.2
"""The part of the players who are not understood that plays an equilibrium."""
STRANGER = 1
"""The place of the stranger among the hypotheses: after the player of the equilibrium, before the types."""
MOST = 5
"""The most actions that an explanation names."""


class TableSolution(msgspec.Struct, frozen=True):
    """A game as a table, and what a player needs who trusts nobody."""

    table: InformationTable
    player: int
    usual: tuple[BehaviourPolicy, ...]
    """The strategies of players of whom nothing is known."""
    safe: ValuedPolicy | None
    """An equilibrium strategy and the value, if two players play for the same points."""
    program: SequenceProgram | None
    ends: ObservedEnds
    levels: tuple[InfosetGroups, ...]
    """The information sets of each player in groups."""

    def __deepcopy__(self, memo: dict[int, object]) -> "TableSolution":
        return self  # it does not change, so copies of agents share it


class Hypotheses:
    """Who one opponent may be: types, a player of the equilibrium, and a stranger whose strategy is learned."""

    def __init__(self, solution: TableSolution, other: int, supposed: Suppositions, trust: float) -> None:
        self.solution, self.other = solution, other
        self.learned = LearnedStrategy(solution.table, other, solution.levels[other])
        self.types: list[core.PlayerType] = []
        self.plans = [solution.usual[other].plan(), solution.usual[other].plan()]
        """Those of the good player, of the stranger (before the first match the same), and of the types."""
        self.prior: Floats = np.array([GOOD, 1.0 - GOOD] if trust > 0.0 else [1.0, 0.0])
        self.posterior = self.prior.copy()
        self.trust = trust
        self.add_types(supposed)

    def add_types(self, supposed: Suppositions) -> None:
        """Take in the types that are new, as likely as the model says."""
        known = {each.label for each in self.types}
        new = [each for each in supposed.candidates if each.type.label not in known | {UNKNOWN}]
        if not new or self.trust == 0.0:
            return
        likely = np.array([self.trust * each.probability for each in new])
        rest = max(0.0, 1.0 - float(likely.sum()))
        self.prior, self.posterior = (np.append(rest * each, likely) for each in (self.prior, self.posterior))
        self.types += [each.type for each in new]
        self.plans += [policy_of(self.solution.table, self.other, as_strategy(each.type)).plan() for each in new]

    def weigh(self, sequences: NDArray[np.int64], weights: Floats) -> None:
        """Weigh everyone by how likely they were to play a match that ended like this."""
        first = int(self.solution.table.sets.empty[self.other])
        likely = np.array([weights @ plan[sequences[:, self.other] - first] for plan in self.plans])
        weighed = self.posterior * likely
        if weighed.sum() > 0.0:
            self.posterior = STAYS * weighed / weighed.sum() + (1.0 - STAYS) * self.prior

    def learn(self, weights: dict[EndObservation, Floats]) -> None:
        """Take note of all matches so far in the strategy of the stranger."""
        if self.learned.seen and self.prior[STRANGER] > 0.0:
            self.learned.learn(self.solution.ends, weights)
            self.plans[STRANGER] = self.learned.policy.plan()

    def strategy(self) -> BehaviourPolicy:
        """All of them as one strategy: plans are mixed, because each follows one of them all through a match."""
        mixed = sum(probability * plan for probability, plan in zip(self.posterior, self.plans, strict=True))
        return policy_of_plan(self.solution.table, self.other, np.asarray(mixed))

    def suppositions(self) -> Suppositions:
        """The types, for explanations."""
        pairs = zip(self.posterior[STRANGER + 1 :].tolist(), self.types, strict=True)
        return Suppositions(tuple(Supposition(probability, each) for probability, each in pairs))


class SeatAccount:
    """What is known and planned for one seat: who the others may be, the strategy, and what it costs at worst."""

    def __init__(self, solution: TableSolution) -> None:
        self.solution = solution
        self.own = solution.safe.policy if solution.safe else solution.usual[solution.player]
        self.cost = 0.0
        """What the strategy gives up at worst."""
        self.gifts: Floats | None = None
        self.expected = solution.safe.value if solution.safe else 0.0
        """What the strategy earns if the forecast is right."""
        self.others: dict[int, Hypotheses] = {}
        self.forecast: list[BehaviourPolicy] = []
        self.matches, self.responded_after = 0, -1

    def needs_response(self, risk_budget: float) -> bool:
        """Whether to look for a strategy: there is news, or the present one is too dear."""
        news = self.matches - self.responded_after
        return self.responded_after < 0 or news > self.matches // AGAIN or self.cost > risk_budget + EXACT

    def respond(self, risk_budget: float) -> None:
        """Take up the best response to the belief that the risk budget covers."""
        solution = self.solution
        for other, hypotheses in self.others.items():
            hypotheses.learn({seen: self.weights(seen, other) for seen in hypotheses.learned.seen})
        self.forecast = [hypotheses.strategy() for hypotheses in self.others.values()]
        self.responded_after = self.matches
        best = best_response(solution.table, solution.player, self.forecast)
        policy, expected, cost = best.policy, best.value, 0.0
        if solution.safe is not None:
            cost = solution.safe.value - worst_return(solution.table, policy)
            if cost > risk_budget:
                (forecast,) = self.forecast
                safe = safe_response(
                    solution.table, solution.player, forecast, risk_budget, solution.safe, solution.program
                )
                policy, expected, cost = safe.policy, safe.value, solution.safe.value - safe.worst
        self.own, self.expected, self.cost, self.gifts = policy, expected, cost, None

    def weights(self, seen: EndObservation, other: int) -> Floats:
        """The part of chance and of everyone but *other* and the player in each end that looks like this."""
        reach, sequences = self.solution.ends.chances[seen].copy(), self.solution.ends.sequences[seen]
        for policy in self.forecast:
            if policy.player != other:
                first = int(self.solution.table.sets.empty[policy.player])
                reach *= policy.plan()[sequences[:, policy.player] - first]
        return reach

    def learn(self, seen: EndObservation) -> float:
        """Take note of a match; return what the opponent gave away in it for certain."""
        sequences = self.solution.ends.sequences[seen]
        for other, hypotheses in self.others.items():
            hypotheses.weigh(sequences, self.weights(seen, other))
            hypotheses.learned.seen[seen] += 1
        self.matches += 1
        if self.solution.safe is None:
            return 0.0
        if self.gifts is None:
            self.gifts = given_away(self.solution.table, self.own)
        return float(self.gifts[sequences[:, 1 - self.solution.player]].min())


class TableResponse(core.Strategy):
    """Responds to what *model* believes, in games of at most HISTORIES histories; without a model it plays safely."""

    supposed = False

    def __init__(self, model: core.Model | None = None, risk: float = 0.1, trust: float = 1.0) -> None:
        self.model, self.risk, self.trust = model, risk, trust

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        key = type(self), type(game), repr(game), player
        self.solution = make_once(key, self.solve_table)
        self.tracker = InformationTracker(self.solution.table, player)
        self.last: EndObservation | None = None
        """What was known before the last event, and how it was seen."""
        if getattr(self, "played", None) != repr(game):
            self.played = repr(game)
            self.saved = 0.0
            """What the opponent gave away in earlier matches and is not spent yet."""
            self.seats: dict[int, SeatAccount] = {}
            self.remembered: dict[int, Learned] = {}
        self.risk_budget = self.risk + self.saved
        self.view: core.State | None = None
        """The position of the last action."""
        if player not in self.seats:
            self.seats[player] = SeatAccount(self.solution)
        if self.model is not None:
            self._ask_model(self.model, rng)

    def _ask_model(self, model: core.Model, rng: core.Rng) -> None:
        """Let the model go on from the last match from this seat; if it is time, ask it for types, and respond."""
        model.begin(self.game, self.player, deepcopy(rng))  # a copy: asking a model must not change the agent's draws
        for other, learned in self.remembered.items():
            if other != self.player:
                model.recall(other, learned)
        if not self.account.needs_response(self.risk_budget):
            return
        view = self.game.new_initial_state().view(self.player)
        for other, supposed in supposed_players(model, view, deepcopy(rng)).items():
            if other in self.account.others:
                self.account.others[other].add_types(supposed)
            else:
                self.account.others[other] = Hypotheses(self.solution, other, supposed, self.trust)
        self.account.respond(self.risk_budget)

    @property
    def account(self) -> SeatAccount:
        """That of the seat of this match."""
        return self.seats[self.player]

    @property
    def own(self) -> BehaviourPolicy:
        """The strategy of this match."""
        return self.account.own

    @property
    def against(self) -> dict[int, Suppositions]:
        """Who the others may be."""
        return {other: each.suppositions() for other, each in self.account.others.items()}

    def solve_table(self) -> TableSolution:
        try:
            table = build_table(self.game, limit=HISTORIES)
        except BadGame as error:
            raise Unsupported(self, self.game, error.why) from None
        ends = ObservedEnds(table, self.player)
        levels = tuple(InfosetGroups(table, each) for each in range(table.players))
        if not is_zero_sum_pair(self.game):
            profile = solve_cfr(table, iterations=ITERATIONS).profile
            return TableSolution(table, self.player, profile, None, None, ends, levels)
        program = SequenceProgram(table, self.player)
        safe, other = equilibrium(table, self.player, program), equilibrium(table, 1 - self.player)
        usual = (safe.policy, other.policy) if self.player == 0 else (other.policy, safe.policy)
        return TableSolution(table, self.player, usual, safe, program, ends, levels)

    def policy(self, view: core.State) -> core.Distribution:
        number = self.tracker.information_set
        if number is None:
            return core.Distribution.uniform(view.legal_actions(self.player))
        return self.own.distribution(number)

    def observe(self, transition: core.Transition) -> None:
        token = transition.player, transition.actions, transition.after.key()
        self.last = self.tracker.moment, token
        self.tracker.observe(transition)
        if self.model is not None:
            self.model.observe(transition)

    def end(self, returns: Any) -> None:
        """Take note of the match; save what was given away, and spend what was risked beyond the allowance."""
        seen, self.last = self.last, None
        if self.model is None or seen is None or seen not in self.solution.ends.chances:
            return
        gift = self.account.learn(seen)
        for other in self.account.others:
            self.remembered[other] = self.model.remember(other)
        self.saved = max(0.0, self.saved + gift - max(0.0, self.account.cost - self.risk))

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view, self.shown = view, self.policy(view)
        return self.shown.sample(self.rng)

    def explain(self) -> Intention | None:
        if self.view is None:
            return None
        probabilities = {
            self.view.action_to_string(self.player, action): probability for action, probability in self.shown.top(MOST)
        }
        safe = self.solution.safe
        return Intention(
            action=next(iter(probabilities)),
            value=self.account.expected,
            mixture=tuple(ranked_claims(probabilities)) if len(probabilities) > 1 else (),
            others=tuple(each.supposed_player(other) for other, each in self.against.items()),
            risked=None if safe is None else max(0.0, self.account.cost),
        )
