"""The model `strategy_filter`: exact Bayes over known strategies, for any game, with hidden information or without.

The watcher keeps every *world*: a full state the match may be in, with the memory each strategy would have in it. A
visible choice is weighed by each strategy's policy; a hidden one splits the world; a world whose view from the
watcher's seat is not what the watcher sees is dropped. Given a world the players choose independently, so a world holds
one posterior per player, and the joint distribution over worlds and strategies is exact as long as no world was left
out (`exact`). Without hidden information there is one world.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from typing import Annotated

import msgspec

from kibitz import core
from kibitz.core.insight import UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.memory import Learned, recalled_prior
from kibitz.core.registry import entries, house_agents, make_agent, spec_of
from kibitz.core.registry.specs import constructor_parameters
from kibitz.models.habits import Habits

KNOWN = 4096
"""How many positions the cache of memoryless strategies holds."""


class PolicyCache(dict[tuple[int, core.Key], tuple[list[core.Distribution], int]]):
    """A cache of what the strategies would do in recent positions, and the nodes this took; a copy starts empty."""

    def __deepcopy__(self, memo: dict[int, object]) -> "PolicyCache":
        return PolicyCache()


class World(msgspec.Struct):
    """A state the match may be in: its weight, each player's strategies with their memory, and how likely each is."""

    weight: float
    state: core.State
    copies: list[list[core.Strategy]]
    posteriors: list[list[float]]


class StrategyFilter(core.Model):
    """Which of the known strategies does each player follow? Exact Bayes, with an unknown one and drift.

    *strategies* are the hypotheses (by default all the game's own); *unknown* is the prior of a player who follows none
    of them and plays any legal action; *noise* is the probability that a player plays a random action instead of their
    strategy's; *drift* is the share of the belief that returns to the prior at each of their moves, so that the model
    notices a change of strategy; the model keeps at most *worlds* worlds, or fewer if the game says so. With *depth*,
    searching strategies search only this many plies, which is faster and nearly as informative. *temper* is the power
    of each move's likelihood; below 1 it suits hypotheses that only roughly match the players, such as strategies of
    another depth.
    """

    answers = ("strategy", "action")

    def __init__(
        self,
        strategies: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.1,
        noise: core.Probability = 0.02,
        drift: core.Probability = 0.001,
        worlds: core.Count = 2000,
        depth: Annotated[int, msgspec.Meta(ge=1, le=200)] | None = None,
        temper: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 1.0,
    ) -> None:
        self.strategies, self.unknown, self.noise, self.drift = strategies, unknown, noise, drift
        self.worlds, self.depth, self.temper = worlds, depth, temper

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.hypotheses = self.strategies or self.usual(game)
        self.labels = [*(str(spec_of(strategy)) for strategy in self.hypotheses), UNKNOWN]
        known = (1.0 - self.unknown) / len(self.hypotheses) if self.hypotheses else 0.0
        self.prior = [known] * len(self.hypotheses) + [self.unknown if self.hypotheses else 1.0]
        self.asked = [looking(strategy, self.depth) for strategy in self.hypotheses]
        forgetful = all(type(strategy).observe is core.Agent.observe for strategy in self.asked)
        self.known = PolicyCache() if forgetful and not game.hidden else None
        self.exact = True
        self.most_worlds = min(self.worlds, game.worlds)
        self.possible = [self.world(game.new_initial_state(), 1.0)]
        self.evidence = [MoveEvidence() for _ in range(game.players)]
        self.habits = [Habits(game, player) for player in range(game.players)]

    def check_training(self, game: core.Game) -> None:
        if not (self.strategies or self.usual(game)):
            raise core.Unsupported(self, game, "it has no strategies of its own; name some: strategies=[…]")

    def usual(self, game: core.Game) -> tuple[core.Strategy, ...]:
        """The default hypotheses."""
        return known_strategies(game)

    def judges(self, player: int) -> bool:
        """Whether the actions of *player* count as evidence; the belief about other players stays at the prior."""
        return True

    def strange(self, player: int, view: core.State) -> core.Distribution:
        """What an unknown player would do; also the result of a slip."""
        return core.Distribution.uniform(view.legal_actions(player))

    def world(self, state: core.State, weight: float) -> World:
        """A world before any action of the players."""
        copies = []
        for player in range(self.game.players):
            copies.append([strategy.clone() for strategy in self.asked])
            for copy in copies[-1]:
                copy.begin(self.game, player, self.rng)
        return World(weight, state, copies, [list(self.prior) for _ in range(self.game.players)])

    def copy_strategy(self, strategy: core.Strategy) -> core.Strategy:
        """A copy with the same memory; a memoryless strategy is its own copy.

        A policy draws nothing, so all copies may share one generator.
        """
        if type(strategy).observe is core.Agent.observe and hasattr(strategy, "game"):
            return strategy
        return deepcopy(strategy, {id(self.rng): self.rng})

    def observe(self, transition: core.Transition) -> None:
        before = {player: self.belief(player) for player in transition.movers}
        self.update(transition)
        for player, held in before.items():
            action = transition.action_of(player)
            if action is not None and transition.chose(player) and self.judges(player):
                words = partial(transition.before.action_to_string, player, action)
                self.evidence[player].add(transition.ply, words, held, self.belief(player))
                self.habits[player].add(transition.before, action)

    def update(self, transition: core.Transition) -> None:
        """Weigh every world by what happened, and drop those it rules out."""
        seen = transition.after.key() if self.game.hidden else None
        found = [
            successor
            for world in self.possible
            for successor in self.successors(world, transition)
            if seen is None or successor.state.view(self.seat).key() == seen
        ]
        total = sum(world.weight for world in found)
        if total <= 0.0:
            found, total = [self.restart_world(transition)], 1.0
        for world in found:
            world.weight /= total
        self.possible = self.resample_worlds(found)

    def restart_world(self, transition: core.Transition) -> World:
        """A new world that fits the view, for when no known world does; it takes over beliefs and memories."""
        self.exact = False
        state = transition.after.complete(self.rng) if self.game.hidden else transition.after.clone()
        heaviest = max(self.possible, key=lambda world: world.weight)
        posteriors = [self.marginal(player) for player in range(self.game.players)]
        return World(1.0, state, heaviest.copies, [self.apply_drift(posterior) for posterior in posteriors])

    def successors(self, world: World, transition: core.Transition) -> list[World]:
        """The weighted successors of *world*, in which every strategy has observed what it would have seen."""
        movers = transition.movers or (core.CHANCE,)
        outcomes = []
        for mover in movers:
            possible = self.outcomes if mover == core.CHANCE or transition.chose(mover) else self.unchosen_outcomes
            outcomes.append(possible(world, mover, transition.action_of(mover)))
        single = all(len(options) == 1 for options in outcomes)  # else each successor needs its own copies
        return [self.step_world(world, transition, movers, choice, in_place=single) for choice in product(*outcomes)]

    def outcomes(self, world: World, mover: int, action: int | None) -> list[tuple[int, float, list[float]]]:
        """What *mover* may have chosen: the action, its probability, and the mover's posterior after it."""
        if mover == core.CHANCE:
            chances = world.state.chance_outcomes()
            return [(each, chance, []) for each, chance in chances if self.looks(world, mover, each) == action]
        if not self.judges(mover) and action is not None:
            return [(action, 1.0, world.posteriors[mover])]
        view = world.state.view(mover) if self.game.hidden else world.state
        legal = view.legal_actions(mover)
        policies = self.policies(world, mover, view)
        prior = self.apply_drift(world.posteriors[mover])
        mixed = core.Distribution.mixture(list(zip(prior, policies, strict=True)), legal)
        found = [self.weigh_action(each, prior, policies) for each in self.candidates(world, mover, mixed, action)]
        return [each for each in found if each[1] > 0.0]

    def unchosen_outcomes(self, world: World, mover: int, action: int | None) -> list[tuple[int, float, list[float]]]:
        """What was played for *mover*, who did not choose it: any action that looks like it, and the same posterior."""
        view = world.state.view(mover) if self.game.hidden else world.state
        anything = core.Distribution.uniform(view.legal_actions(mover))
        found = self.candidates(world, mover, anything, action)
        return [(each, 1.0 / len(found), world.posteriors[mover]) for each in found]

    def policies(self, world: World, player: int, view: core.State) -> list[core.Distribution]:
        """What each strategy would do, slips included, and last what an unknown player would."""
        if self.known is None:
            return self.worked_out(world, player, view)
        here = (player, view.key())
        if here in self.known:
            policies, cost = self.known[here]
            self.searched += cost  # as if searched again: the cost of a search must not depend on the cache
            return policies
        if len(self.known) >= KNOWN:
            self.known.clear()
        before = self.searched
        policies = self.worked_out(world, player, view)
        self.known[here] = (policies, self.searched - before)
        return policies

    def worked_out(self, world: World, player: int, view: core.State) -> list[core.Distribution]:
        """The same, asked of every strategy."""
        anything = self.strange(player, view)
        meant = self.strategy_policies(world.copies[player], view)
        slip = self.noise
        mixed = [core.Distribution.mixture([(1.0 - slip, each), (slip, anything)], each.legal) for each in meant]
        return [*(mixed if slip else meant), anything]

    def strategy_policies(self, copies: Sequence[core.Strategy], view: core.State) -> list[core.Distribution]:
        """What the strategies would do; where they search for that, the nodes are counted."""
        before = sum(copy.searched for copy in copies)
        policies = copies[0].policies(copies, view) if copies else []
        self.searched += sum(copy.searched for copy in copies) - before
        return policies

    def candidates(self, world: World, mover: int, mixed: core.Distribution, action: int | None) -> list[int]:
        """The legal actions that look like the one seen; a sample if a hidden one may be any of too many."""
        if action is not None and action in mixed.legal and self.looks(world, mover, action) == action:
            return [action]
        drawn: Sequence[int] = mixed.legal
        if len(drawn) > self.most_worlds:
            self.exact = False
            drawn = sorted({mixed.sample(self.rng) for _ in range(self.most_worlds)})
        return [each for each in drawn if self.looks(world, mover, each) == action]

    def looks(self, world: World, mover: int, action: int) -> int | None:
        """How an action in a world looks from this seat."""
        return world.state.seen_action(self.seat, mover, action) if self.game.hidden else action

    def weigh_action(
        self, action: int, prior: list[float], policies: list[core.Distribution]
    ) -> tuple[int, float, list[float]]:
        """*action*, its probability, and the posterior after it."""
        likely = [policy.probability(action) for policy in policies]
        told = [weight * share**self.temper for weight, share in zip(prior, likely, strict=True)]
        total = sum(told)
        weight = sum(held * share for held, share in zip(prior, likely, strict=True))
        return action, weight, [share / total for share in told] if total > 0.0 else prior

    def apply_drift(self, posterior: list[float]) -> list[float]:
        """The belief before the next move, moved towards the prior by the drift."""
        return [
            (1.0 - self.drift) * held + self.drift * start for held, start in zip(posterior, self.prior, strict=True)
        ]

    def step_world(
        self,
        world: World,
        transition: core.Transition,
        movers: tuple[int, ...],
        choice: tuple[tuple[int, float, list[float]], ...],
        in_place: bool,
    ) -> World:
        """*world* after one choice of each mover. A single successor takes over its copies of the strategies."""
        actions = tuple(action for action, _, _ in choice)
        state = world.state.clone()
        state.step(actions)
        posteriors = list(world.posteriors)
        weight = world.weight
        for mover, (_, probability, posterior) in zip(movers, choice, strict=True):
            weight *= probability
            if mover != core.CHANCE:
                posteriors[mover] = posterior
        copies = (
            world.copies if in_place else [[self.copy_strategy(strategy) for strategy in own] for own in world.copies]
        )
        for player, own in enumerate(copies):
            told = self.as_seen_by(player, world.state, state, transition, movers, actions)
            for copy in own:
                copy.observe(told)
        return World(weight, state, copies, posteriors)

    def as_seen_by(
        self,
        player: int,
        before: core.State,
        after: core.State,
        transition: core.Transition,
        movers: tuple[int, ...],
        actions: tuple[int, ...],
    ) -> core.Transition:
        """The event as *player* would have seen it in a world."""
        if not self.game.hidden:
            return msgspec.structs.replace(transition, actions=actions, before=before, after=after)
        pairs = zip(movers, actions, strict=True)
        seen = tuple(before.seen_action(player, mover, action) for mover, action in pairs)
        return msgspec.structs.replace(transition, actions=seen, before=before.view(player), after=after.view(player))

    def resample_worlds(self, found: list[World]) -> list[World]:
        """The worlds to keep; if there are too many, a systematic resample."""
        if len(found) <= self.most_worlds:
            return [world for world in found if world.weight > 0.0]
        self.exact = False
        step = 1.0 / self.most_worlds
        position, passed, kept = self.rng.random() * step, 0.0, []
        for world in found:
            passed += world.weight
            hits = 0
            while position < passed:
                position += step
                hits += 1
            if hits:
                world.weight = hits * step
                kept.append(world)
        return kept

    def belief(self, player: int) -> dict[str, float]:
        shares = self.marginal(player)
        belief = dict.fromkeys(self.labels, 0.0)
        for label, share in zip(self.labels, shares, strict=True):
            belief[label] += share / sum(shares)
        return belief

    def marginal(self, player: int) -> list[float]:
        """The probability of each hypothesis for *player*, over all worlds."""
        shares = [0.0] * len(self.labels)
        for world in self.possible:
            for number, share in enumerate(world.posteriors[player]):
                shares[number] += world.weight * share
        return shares

    def predict(self, view: core.State, player: int) -> core.Distribution:
        legal = view.legal_actions(player)
        parts = []
        for world in self.possible:
            policies = self.policies(world, player, world.state.view(player) if self.game.hidden else view)
            posterior = self.apply_drift(world.posteriors[player])
            parts += [(world.weight * share, policy) for share, policy in zip(posterior, policies, strict=True)]
        return core.Distribution.mixture(parts, legal)

    def remember(self, player: int) -> Learned:
        return self.belief(player) if self.evidence[player].choices else {}

    def recall(self, player: int, learned: Learned) -> None:
        prior = recalled_prior(self.belief(player), learned)
        shares = [share / self.labels.count(label) for label, share in ((each, prior[each]) for each in self.labels)]
        for world in self.possible:
            world.posteriors[player] = list(shares)

    def explain(self, player: int) -> Explanation:
        if not self.judges(player):
            return Explanation(notes=("is watched from their own seat, and not judged",))
        belief = self.belief(player)
        habits = self.habits[player].words() if belief[UNKNOWN] == max(belief.values()) else ()
        return explanation_of(belief, evidence=self.evidence[player], exact=self.exact, habits=habits)


def looking(strategy: core.Strategy, depth: int | None) -> core.Strategy:
    """The same strategy with search depth *depth*, if it searches and a depth is given."""
    if depth is None or "depth" not in constructor_parameters(type(strategy)):
        return strategy
    return type(strategy)(**{**strategy.parameters(), "depth": depth})


def known_strategies(game: core.Game) -> tuple[core.Strategy, ...]:
    """The strategies that come with *game*, can play it and may be hypotheses, each with its default parameters."""
    name = spec_of(game).name
    agents = [make_agent(agent) for agent in (house_agents(name) if name in entries("game") else ())]
    strategies = (agent for agent in agents if isinstance(agent, core.Strategy) and agent.supposed)
    return tuple(agent for agent in strategies if agent.manages(game))
