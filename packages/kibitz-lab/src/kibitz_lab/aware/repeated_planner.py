"""Plans the rounds of a repeated game against the players whom a model supposes: what one does now changes their next.

Every type is turned into a table of what it does after each of the last few rounds, played from now on with the memory
it has now; then value iteration over the rounds that are left finds what each action is worth against that type. The
agent plays the action that is worth most on average over the types, counting what it learns of them in those rounds.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import Intention
from kibitz.core.kit.positions import Stage
from kibitz.core.player_memory import Learned
from kibitz_lab.aware.suppositions import Supposition, Suppositions, supposed_players
from kibitz_lab.search.mcts.simulated_players import seen_transition

Floats = NDArray[np.float64]
MEMORY = 2
"""The rounds that the table of a type depends on, besides the memory it has now."""
HORIZON = 60
"""The most rounds that are planned ahead; more change little."""
LEAST = 0.02
"""Types that are less likely are left out."""


def repeats_a_stage(game: core.Game) -> bool:
    """Whether *game* repeats a round of two players."""
    return stage_of(game, game.new_initial_state()) is not None


def stage_of(game: core.Game, state: core.State) -> Stage | None:
    """The round that is played in *state*; None if the game does not repeat a round of two players."""
    return state.stage() if game.players == 2 else None


class TypePlan(NamedTuple):
    """A type as a table: what it does after no, one, two … rounds, and the best responses after the most of them."""

    levels: list[Floats]
    responses: list[NDArray[np.int64]]
    """The action in each context, if one round is left, two …"""


class RepeatedPlan:
    """What each action of *player* is worth now, against each type and on average."""

    def __init__(self, game: core.Game, player: int, stage: Stage) -> None:
        self.game, self.player = game, player
        self.rounds = min(stage.left, HORIZON)
        payoffs = np.array(stage.payoffs)[..., player]
        self.payoffs: Floats = payoffs if player == 0 else payoffs.T
        """What the player earns, by their own action, then by the other's."""
        self.execution = [execution_noise(size, stage.noise) for size in self.payoffs.shape]

    def values(self, view: core.State, candidates: Sequence[Supposition]) -> Floats:
        """What each own action is worth now, on average over the types.

        In the first rounds the belief is updated by what the types would do there, so that an action that shows who the
        other is may pay for itself; after them the player follows the best response to one of the types to the end.
        """
        memory = min(MEMORY, self.rounds - 1)
        plans = [self.plan_for(view, each.type, memory) for each in candidates]
        levels = [np.array([plan.levels[depth] @ self.execution[1] for plan in plans]) for depth in range(memory + 1)]
        reach = [np.array([[each.probability] for each in candidates])]
        """How likely each type leads to each context, the own actions given; the first index is the type."""
        for depth in range(memory):
            after = reach[depth][:, :, None] * levels[depth]
            reach.append(np.repeat(after[:, :, None], len(self.payoffs), axis=2).reshape(len(candidates), -1))
        total = sum(each.probability for each in candidates)
        if memory == 0:
            values: Floats = self.action_values(levels[0], reach[0], np.zeros((1, *self.payoffs.shape)))[0]
            return values / total
        best: Floats = np.einsum("ptc,tc->pc", self.response_values(plans, levels[-1]), reach[memory]).max(axis=0)
        for depth in reversed(range(memory)):
            here = self.action_values(levels[depth], reach[depth], best.reshape(-1, *self.payoffs.shape))
            values, best = here[0], here.max(axis=1)
        return values / total

    def action_values(self, theirs: Floats, reach: Floats, later: Floats) -> Floats:
        """What each own choice is worth in each context, times how likely the types lead there."""
        mean = np.einsum("tc,tcb->cb", reach, theirs)
        by_played = np.einsum("cb,ab->ca", mean, self.payoffs) + later.sum(axis=2)
        values: Floats = by_played @ self.execution[0].T
        return values

    def response_values(self, plans: Sequence["TypePlan"], theirs: Floats) -> Floats:
        """What the best response to each type earns against every type, in each of the longest contexts."""
        types, contexts, others = theirs.shape
        follow = following_contexts(contexts, self.payoffs.size)
        values = np.zeros((types, types, contexts))
        for responses in zip(*(plan.responses for plan in plans), strict=True):
            played = self.execution[0][np.array(responses)]
            later = values[:, :, follow].reshape(types, types, contexts, -1, others)
            by_played = np.einsum("tcb,ptcab->ptca", theirs, self.payoffs + later)
            values = np.einsum("pca,ptca->ptc", played, by_played)
        return values

    def plan_for(self, view: core.State, supposed: core.PlayerType, memory: int) -> "TypePlan":
        """The table of a type, and the best response to it in its longest contexts, by value iteration."""
        levels = self.policies(view, supposed, memory)
        contexts = len(levels[-1])
        follow = following_contexts(contexts, self.payoffs.size)
        later, responses = np.zeros((contexts, *self.payoffs.shape)), []
        for _ in range(self.rounds - memory):
            by_played = np.einsum("cb,cab->ca", levels[-1] @ self.execution[1], self.payoffs[None] + later)
            values = (by_played @ self.execution[0].T).round(9)
            responses.append(values.argmax(axis=1))
            later = values.max(axis=1)[follow].reshape(later.shape)
        return TypePlan(levels, responses)

    def policies(self, view: core.State, supposed: core.PlayerType, memory: int) -> list[Floats]:
        """What the type would do now, and after each series of one, two … rounds."""
        own, other = self.payoffs.shape
        steps = list(product(range(own), range(other)))
        now = [(view.clone(), supposed)]
        levels = [self.action_probabilities(now)]
        for _ in range(memory):
            if supposed.remembers:
                now = [self.after_round(state, other, step) for state, other in now for step in steps]
                levels.append(self.action_probabilities(now))
            else:
                levels.append(np.repeat(levels[-1], len(steps), axis=0))
        return levels

    def action_probabilities(self, histories: list[tuple[core.State, core.PlayerType]]) -> Floats:
        """The probabilities of the other's actions after each history."""
        count = self.payoffs.shape[1]
        rows = []
        for state, other in histories:
            policy = other.policy(state)
            rows.append([policy.probability(action) for action in range(count)])
        return np.array(rows)

    def after_round(
        self, state: core.State, other: core.PlayerType, step: tuple[int, int]
    ) -> tuple[core.State, core.PlayerType]:
        """A round in which both do what *step* says, and the type after it has seen it."""
        actions = step if self.player == 0 else step[::-1]
        after, seen = state.clone(), other.copy()
        self.show(after, seen, core.SIMULTANEOUS, actions)
        if after.current_player() == core.CHANCE:  # what they do is what they chose
            outcomes = [action for action, _ in after.chance_outcomes()]
            self.show(
                after, seen, core.CHANCE, (outcomes[actions[0] * self.payoffs.shape[1 - self.player] + actions[1]],)
            )
        return after, seen

    def show(self, state: core.State, other: core.PlayerType, mover: int, actions: tuple[int, ...]) -> None:
        """Step *state*, and let a type observe the event as it sees it."""
        before = state.clone()
        state.step(actions)
        other.observe(seen_transition(self.game, 1 - self.player, mover, actions, before, state.clone()))


def following_contexts(contexts: int, pairs: int) -> NDArray[np.int64]:
    """The context after each pair of actions played in each context: it forgets its oldest round."""
    return np.arange(contexts * pairs) % contexts


def execution_noise(actions: int, noise: float) -> Floats:
    """The probability of each action played, by the one chosen: *noise* replaces it by another."""
    others = noise / (actions - 1) if actions > 1 else 0.0
    table: Floats = np.full((actions, actions), others)
    np.fill_diagonal(table, 1.0 - noise if actions > 1 else 1.0)
    return table


class RepeatedPlanner(core.Agent):
    """Plays a repeated game by `RepeatedPlan` against what *model* supposes, and else by search."""

    def __init__(self, model: core.Model, trust: core.Probability = 1.0) -> None:
        self.model, self.trust = model, trust

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.model.begin(game, player, deepcopy(rng))  # a copy: asking a model must not change the agent's draws
        self.remembered: Learned = getattr(self, "remembered", {})
        if self.remembered:
            self.model.recall(1 - player, self.remembered)
        self.values: Floats = np.zeros(0)
        self.against = Suppositions(())
        self.view: core.State | None = None
        """The position of the last action."""

    def observe(self, transition: core.Transition) -> None:
        self.model.observe(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.remembered = self.model.remember(1 - self.player)

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view = view
        stage = stage_of(self.game, view)
        assert stage is not None, "aware asks only where a round is repeated"
        plan = RepeatedPlan(self.game, self.player, stage)
        self.against = supposed_players(self.model, view, self.rng)[1 - self.player]
        candidates = [each for each in self.against.candidates if each.probability >= LEAST] or list(
            self.against.candidates
        )
        if not candidates:
            return view.default_action(self.player)
        self.values = plan.values(view, candidates)
        return int(np.argmax(self.values.round(9)))

    def explain(self) -> Intention | None:
        if self.view is None or not len(self.values):
            return None
        best, *others = np.argsort(-self.values, kind="stable").tolist()
        words = partial(self.view.action_to_string, self.player)
        return Intention(
            action=words(best),
            value=float(self.values[best]),
            rival=(words(others[0]), float(self.values[others[0]])) if others else None,
            others=(self.against.supposed_player(1 - self.player),),
        )
