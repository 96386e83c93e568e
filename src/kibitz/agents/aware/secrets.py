"""Small games with secrets, or in which all move at once: the best response to a belief, within what may be risked.

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
from kibitz.agents.aware.hands import ChoiceCounts, EndsSeen, Seen, given_away
from kibitz.agents.aware.suppositions import Suppositions, as_strategy, supposed_players
from kibitz.agents.solved_games import make_once
from kibitz.core.errors import BadGame, Unsupported
from kibitz.core.insight import UNKNOWN, Intention, ranked_claims
from kibitz.core.memory import Learned
from kibitz.solve.extensive import (
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
    uniform_policy,
    worst_return,
)
from kibitz.solve.extensive.table import is_zero_sum_pair

Floats = NDArray[np.float64]
HISTORIES = 30_000
"""The most histories of a game: a match waits while the table is built."""
ITERATIONS = 1000
"""Of regret minimisation, for the strategies of players who are not understood in games of several players."""
CHANGED = 0.05
"""Forecasts that differ by less count as equal, and so do purses that differ by less than this share of the risk."""

MOST = 5
"""The most actions that an explanation names."""


class TableGround(msgspec.Struct, frozen=True):
    """A game as a table, and what a player needs who trusts nobody."""

    table: InformationTable
    player: int
    usual: tuple[BehaviourPolicy, ...]
    """The strategies of players of whom nothing is known."""
    safe: ValuedPolicy | None
    """An equilibrium strategy and the value, if two players play for the same points."""
    program: SequenceProgram | None
    ends: EndsSeen

    def __deepcopy__(self, memo: dict[int, object]) -> "TableGround":
        return self  # it does not change, so copies of agents share it


class TableResponse(core.Strategy):
    """Responds to what *model* believes, in games of at most *limit* histories; without a model it plays safely."""

    supposed = False

    def __init__(
        self, model: core.Model | None = None, risk: float = 0.1, limit: int = HISTORIES, trust: float = 1.0
    ) -> None:
        self.model, self.risk, self.limit, self.trust = model, risk, limit, trust

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        key = type(self), type(game), repr(game), self.limit, player
        self.ground = make_once(key, self._prepare)
        table = self.ground.table
        self.tracker = InformationTracker(table, player)
        self.last: Seen | None = None
        """What was known before the last event, and how it was seen."""
        if getattr(self, "seat", None) != (repr(game), player):
            self._forget()
            self.seat = repr(game), player
        self.purse = self.risk + self.saved
        self.view: core.State | None = None
        """The position of the last action."""
        if self.model is not None:
            self.model.begin(game, player, deepcopy(rng))  # a copy: asking a model must not change the agent's draws
            for other, learned in self.remembered.items():
                self.model.recall(other, learned)
        self._respond(rng)

    def _forget(self) -> None:
        """Begin to play against somebody new."""
        table, player = self.ground.table, self.player
        others = [each for each in range(table.players) if each != player]
        self.saved = 0.0
        """What the opponent gave away in earlier matches and is not spent yet."""
        self.counts = {other: ChoiceCounts(table, other) for other in others}
        self.remembered: dict[int, Learned] = {}
        self.known: dict[tuple[int, str], Floats] = {}
        """The plans of known types by player and label."""
        self.against: dict[int, Suppositions] = {}
        self.forecast: list[BehaviourPolicy] = []
        self.answered: tuple[Floats, float] | None = None
        self.own = self.ground.safe.policy if self.ground.safe else self.ground.usual[player]
        self.lost: Floats | None = None
        self.expected = self.ground.safe.value if self.ground.safe else 0.0
        """What the strategy earns if the forecast is right."""

    def _prepare(self) -> TableGround:
        try:
            table = build_table(self.game, limit=self.limit)
        except BadGame as error:
            raise Unsupported(self, self.game, error.why) from None
        ends = EndsSeen(table, self.player)
        if not is_zero_sum_pair(self.game):
            return TableGround(table, self.player, solve_cfr(table, iterations=ITERATIONS).profile, None, None, ends)
        program = SequenceProgram(table, self.player)
        safe, other = equilibrium(table, self.player, program), equilibrium(table, 1 - self.player)
        usual = (safe.policy, other.policy) if self.player == 0 else (other.policy, safe.policy)
        return TableGround(table, self.player, usual, safe, program, ends)

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
        seen, self.last = self.last, None
        if self.model is None or seen not in self.ground.ends.chances:
            return
        sequences, chances = self.ground.ends.sequences[seen], self.ground.ends.chances[seen]
        plans = np.ones(int(self.ground.table.sets.empty[-1]))
        for policy in self.forecast:
            plans[self.ground.table.sequences_of(policy.player)] = policy.plan()
        for other, counts in self.counts.items():
            weights = chances * np.prod([plans[sequences[:, who]] for who in self.counts], axis=0)
            if weights.sum() > 0.0:
                counts.learn(sequences[:, other], weights / weights.sum())
            self.remembered[other] = self.model.remember(other)
        self._keep_accounts(sequences)

    def _keep_accounts(self, sequences: NDArray[np.int64]) -> None:
        """Save what the opponent gave away for certain, and spend what the strategy risked beyond the allowance."""
        safe = self.ground.safe
        if safe is None:
            return
        if self.lost is None:
            self.lost = given_away(self.ground.table, self.own)
        gift = float(self.lost[sequences[:, 1 - self.player]].min())
        spent = max(0.0, safe.value - worst_return(self.ground.table, self.own) - self.risk)
        self.saved = max(0.0, self.saved + gift - spent)

    def _respond(self, rng: core.Rng) -> None:
        """Take up the best response to the belief that the purse covers, if the belief or the purse has changed."""
        if self.model is None:
            return
        view = self.game.new_initial_state().view(self.player)
        self.against = supposed_players(self.model, view, deepcopy(rng))
        self.forecast = [self._strategy(other, found) for other, found in self.against.items()]
        shares = np.concatenate([policy.shares for policy in self.forecast])
        if self.answered is not None:
            before, purse = self.answered
            if abs(shares - before).max() < CHANGED and abs(self.purse - purse) <= CHANGED * self.risk:
                return
        ground = self.ground
        if ground.safe is None:
            best = best_response(ground.table, self.player, self.forecast)
            self.own, self.expected = best.policy, best.value
        elif self.purse > 0.0:
            (forecast,) = self.forecast
            found = safe_response(ground.table, self.player, forecast, self.purse, ground.safe, ground.program)
            self.own, self.expected = found.policy, found.value
        self.answered, self.lost = (shares, self.purse), None

    def _strategy(self, other: int, found: Suppositions) -> BehaviourPolicy:
        """All that an opponent may be, as one strategy: plans are mixed, because each follows one type all through."""
        table, counts = self.ground.table, self.counts[other]
        usual = self.ground.usual[other]
        plan = np.zeros_like(usual.shares)
        strange = 1.0 - found.trust
        for each in found.found:
            if each.type.label == UNKNOWN:
                strange += each.share
            else:
                plan += each.share * self._plan_of_type(other, each.type)
        if strange > 1e-9:
            prior = (usual.plan() + uniform_policy(table, other).plan()) / 2.0
            learned = counts.policy(policy_of_plan(table, other, prior)) if counts.matches else usual
            plan += strange * learned.plan()
        return policy_of_plan(table, other, self.trust * plan + (1.0 - self.trust) * usual.plan())

    def _plan_of_type(self, other: int, supposed: core.PlayerType) -> Floats:
        key = other, supposed.label
        if key not in self.known:
            self.known[key] = policy_of(self.ground.table, other, as_strategy(supposed)).plan()
        return self.known[key]

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view, self.shown = view, self.policy(view)
        return self.shown.sample(self.rng)

    def explain(self) -> Intention | None:
        if self.view is None:
            return None
        shares = {self.view.action_to_string(self.player, action): share for action, share in self.shown.top(MOST)}
        safe = self.ground.safe
        return Intention(
            action=next(iter(shares)),
            value=self.expected,
            mixture=tuple(ranked_claims(shares)) if len(shares) > 1 else (),
            others=tuple(found.supposed_player(other) for other, found in self.against.items()),
            risked=None if safe is None else max(0.0, safe.value - worst_return(self.ground.table, self.own)),
        )
