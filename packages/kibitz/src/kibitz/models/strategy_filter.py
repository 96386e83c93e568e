"""The model `strategy_filter`: exact Bayes over known strategies, for any game, with hidden information or without.

`WorldFilter` weighs worlds and strategies; here are the answers: beliefs, predictions, explanations, and what is
remembered of a player.

A *world* is a full state the match may be in, with the memory each
strategy would have in it. A visible choice is weighed by each strategy's policy; a hidden one splits the world; a world
whose view from the watcher's seat is not what the watcher sees is dropped. Given a world the players choose
independently, so a world holds one posterior per player, and the joint distribution over worlds and strategies is exact
as long as no world was left out (`exact`). Without hidden information there is one world. There is also one in games
that say so (`Game.worlds`): what the watcher sees, on which the strategies themselves sum over what they do not see.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from typing import Annotated

import msgspec

from kibitz import core
from kibitz.core.insight import UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.player_memory import Learned, recalled_prior
from kibitz.core.registry import spec_of
from kibitz.models.habits import Habits
from kibitz.models.strangers import COUNTED, Stranger, Trust, caution_of, new_stranger
from kibitz.models.worlds import (
    KNOWN,
    USUAL,
    MomentCache,
    Outcome,
    Policies,
    PositionCache,
    World,
    as_seen_by,
    known_strategies,
    looking,
    resample_worlds,
    sample_worlds,
)


class WorldFilter(core.Model):
    """The worlds a match may be in, and the strategies of their players; the parameters are `StrategyFilter`'s."""

    counted = COUNTED
    """The least share of strangers in predictions."""

    def __init__(
        self,
        strategies: tuple[core.Strategy, ...] = (),
        unknown: core.Probability = 0.1,
        noise: core.Probability = 0.001,
        drift: core.Probability = 0.0,
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
        self.forgetful = all(type(strategy).observe is core.Agent.observe for strategy in self.asked)
        self.known = PositionCache[Policies]() if self.forgetful and not game.hidden else None
        self.type_policies = PositionCache[core.Distribution]()
        self.caution = caution_of(self.unknown, self.counted)
        self.trust = [self.new_trust() for _ in range(game.players)]
        self.most_worlds = min(self.worlds, game.worlds)
        self.secrets = game.hidden and game.worlds > 1
        """Whether worlds differ in what is hidden."""
        self.exact = True
        self.ignored: int | None = None
        self.possible = [self.world(game.new_initial_state(), 1.0)]
        self.moment = MomentCache()

    def usual(self, game: core.Game) -> tuple[core.Strategy, ...]:
        """The default hypotheses."""
        return known_strategies(game)

    def judges(self, player: int) -> bool:
        """Whether the actions of *player* count as evidence; the belief about other players stays at the prior."""
        return player != self.ignored

    def strange(self, player: int, view: core.State) -> core.Distribution:
        """What players in general would do; also the result of a slip."""
        return core.Distribution.uniform(view.legal_actions(player))

    @property
    def expects(self) -> bool:
        """Whether `strange` says more than that anything may be played."""
        return type(self).strange is not WorldFilter.strange

    def stranger(self, player: int) -> Stranger:
        """A player of whom nothing was seen yet."""
        return new_stranger(self.game, player, len(self.asked) + self.expects, typical=self.expects)

    def world(self, state: core.State, weight: float) -> World:
        """A world before any action of the players."""
        copies = []
        for player in range(self.game.players):
            copies.append([strategy.clone() for strategy in self.asked])
            for copy in copies[-1]:
                copy.begin(self.game, player, self.rng)
        players = range(self.game.players)
        posteriors = [list(self.prior) for _ in players]
        return World(weight, state, copies, posteriors, [self.stranger(player) for player in players])

    def copy_strategy(self, strategy: core.Strategy) -> core.Strategy:
        """A copy with the same memory; a memoryless strategy is its own copy.

        A policy draws nothing, so all copies may share one generator.
        """
        if type(strategy).observe is core.Agent.observe and hasattr(strategy, "game"):
            return strategy
        return deepcopy(strategy, {id(self.rng): self.rng})

    def update(self, transition: core.Transition) -> None:
        """Weigh every world by what happened, and drop those it rules out."""
        seen = transition.after.key() if self.secrets else None
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
        self.exact = self.exact and len(found) <= self.most_worlds
        self.possible = resample_worlds(found, self.most_worlds, self.rng)
        for mover, given in self.moment.given.items():
            total = sum(weight for _, weight in given)
            likelihood = sum(probability for probability, _ in given) / total if total > 0.0 else 0.0
            self.learn_trust(mover, likelihood, transition)
        self.moment = MomentCache()

    def new_trust(self) -> Trust:
        """Trust in predictions of a player of whom nothing was seen; complete where nobody is a stranger."""
        return Trust() if self.unknown > 0.0 else Trust(chance=0.0)

    def learn_trust(self, mover: int, likelihood: float, transition: core.Transition) -> None:
        """Learn how far to trust predictions of *mover*, whose choice was given the probability *likelihood*."""
        self.trust[mover].learn(likelihood, len(transition.before.legal_actions(mover)))

    def restart_world(self, transition: core.Transition) -> World:
        """A new world that fits the view, for when no known world does; it takes over beliefs and memories."""
        self.exact = False
        state = transition.after.complete(self.rng) if self.secrets else transition.after.clone()
        heaviest = max(self.possible, key=lambda world: world.weight)
        posteriors = [self.marginal(player) for player in range(self.game.players)]
        drifted = [self.apply_drift(posterior) for posterior in posteriors]
        return World(1.0, state, heaviest.copies, drifted, heaviest.strangers)

    def successors(self, world: World, transition: core.Transition) -> list[World]:
        """The weighted successors of *world*, in which every strategy has observed what it would have seen."""
        movers = transition.movers or (core.CHANCE,)
        outcomes = []
        for mover in movers:
            chose, action = mover == core.CHANCE or transition.chose(mover), transition.action_of(mover)
            outcomes.append((self.outcomes if chose else self.unchosen_outcomes)(world, mover, action))
            if mover != core.CHANCE and chose and action is not None and self.trust[mover].chance > 0.0:
                probability = world.weight * sum(outcome.given for outcome in outcomes[-1])
                weight = world.weight * sum(self.predictive_weights(world.posteriors[mover]))
                self.moment.given.setdefault(mover, []).append((probability, weight))
        single = all(len(options) == 1 for options in outcomes)  # else each successor needs its own copies
        return [self.step_world(world, transition, movers, choice, in_place=single) for choice in product(*outcomes)]

    def outcomes(self, world: World, mover: int, action: int | None) -> list[Outcome]:
        """What *mover* may have chosen."""
        if not self.secrets and (action is None or mover == core.CHANCE):  # hidden, or the same in every world
            return [Outcome(-1 if action is None else action, 1.0, world.posteriors[mover] if mover >= 0 else [])]
        if mover == core.CHANCE:
            chances = world.state.chance_outcomes()
            return [Outcome(each, chance, []) for each, chance in chances if self.looks(world, mover, each) == action]
        if not self.judges(mover) and action is not None:
            return [Outcome(action, 1.0, world.posteriors[mover])]
        view = world.state.view(mover) if self.secrets else world.state
        policies = self.policies(world, mover, view)
        prior = self.apply_drift(world.posteriors[mover])
        likely = partial(self.mixed_prediction, world, mover, view, prior)
        candidates = self.candidates(world, mover, view.legal_actions(mover), action, likely)
        alone = len(candidates) == 1 and not self.secrets
        weighed = [self.weigh_action(each, world, mover, view, prior, policies, alone) for each in candidates]
        return [outcome for outcome in weighed if outcome.probability > 0.0]

    def unchosen_outcomes(self, world: World, mover: int, action: int | None) -> list[Outcome]:
        """What was played for *mover*, who did not choose it: any action that looks like it, and the same posterior."""
        view = world.state.view(mover) if self.secrets else world.state
        legal = view.legal_actions(mover)
        candidates = self.candidates(world, mover, legal, action, partial(core.Distribution.uniform, legal))
        return [Outcome(each, 1.0 / len(candidates), world.posteriors[mover]) for each in candidates]

    def policies(self, world: World, player: int, view: core.State) -> Policies:
        """What each strategy would do, from a cache if possible: that of memoryless strategies outlasts the moment."""
        cache = self.moment.policies if self.known is None else self.known
        here = player if self.forgetful else id(world.copies[player]), view.key()
        found = cache.get(here)
        if found is not None:
            self.searched += found.cost  # as if searched again: the cost of a search must not depend on the cache
            return found
        if len(cache) >= KNOWN * USUAL // max(USUAL, len(view.legal_actions(player))):
            cache.clear()
        before = self.searched
        meant = self.strategy_policies(world.copies[player], view)
        found = cache[here] = Policies(meant, self.strange(player, view), self.searched - before)
        return found

    def compared_policies(self, policies: Policies) -> list[core.Distribution]:
        """The policies that a stranger is compared with."""
        return [*policies.meant, policies.anything] if self.expects else policies.meant

    def mixed_prediction(
        self, world: World, player: int, view: core.State, weights: Sequence[float]
    ) -> core.Distribution:
        """What the player would do in a world, where the hypotheses have these weights."""
        components = self.mixture_components(world, player, view, weights)
        return core.Distribution.mixture(components, view.legal_actions(player))

    def mixture_components(
        self, world: World, player: int, view: core.State, weights: Sequence[float]
    ) -> list[tuple[float, core.Distribution]]:
        """What the player would do by each hypothesis, slips included, with its part of the *weights*."""
        policies = self.policies(world, player, view)
        components = [
            ((1.0 - self.noise) * weight, each) for weight, each in zip(weights, policies.meant, strict=False)
        ]
        components.append((self.noise * sum(weights[:-1]), policies.anything))
        if weights[-1] > 0.0:
            stranger, compared = world.strangers[player], self.compared_policies(policies)
            components.append((weights[-1], self.moment.stranger_prediction(stranger, view, compared)))
        return components

    def strategy_policies(self, copies: Sequence[core.Strategy], view: core.State) -> list[core.Distribution]:
        """What the strategies would do; where they search for that, the nodes are counted."""
        before = sum(copy.searched for copy in copies)
        policies = copies[0].policies(copies, view) if copies else []
        self.searched += sum(copy.searched for copy in copies) - before
        return policies

    def candidates(
        self,
        world: World,
        mover: int,
        legal: Sequence[int],
        action: int | None,
        likely: Callable[[], core.Distribution],
    ) -> Sequence[int]:
        """The legal actions that look like the one seen; if a hidden one may be any of too many, some *likely* ones."""
        if action is not None and not self.secrets:
            return [action]
        if action is not None and action in legal and self.looks(world, mover, action) == action:
            return [action]
        if len(legal) > self.most_worlds:
            self.exact = False
            drawn = likely()
            legal = sorted({drawn.sample(self.rng) for _ in range(self.most_worlds)})
        return [each for each in legal if self.looks(world, mover, each) == action]

    def looks(self, world: World, mover: int, action: int) -> int | None:
        """How an action in a world looks from this seat."""
        return world.state.seen_action(self.seat, mover, action) if self.secrets else action

    def weigh_action(
        self,
        action: int,
        world: World,
        mover: int,
        view: core.State,
        prior: list[float],
        policies: Policies,
        alone: bool,
    ) -> Outcome:
        """*action*, its probability, and the posterior after it; a stranger who is needed only here learns in place."""
        stranger, compared = world.strangers[mover], self.compared_policies(policies)
        if alone:
            strange = stranger.learn(view, action, compared)
        else:
            strange, stranger = self.moment.teach_copy(stranger, view, action, compared)
        slip = self.noise * policies.anything.probability(action)
        likelihoods = [*((1.0 - self.noise) * each.probability(action) + slip for each in policies.meant), strange]
        joint = [weight * likelihood**self.temper for weight, likelihood in zip(prior, likelihoods, strict=True)]
        total = sum(joint)
        posterior = [weight / total for weight in joint] if total > 0.0 else prior
        probability = sum(weight * likelihood for weight, likelihood in zip(prior, likelihoods, strict=True))
        given = probability + (self.caution - 1.0) * prior[-1] * strange
        return Outcome(action, probability, posterior, stranger, given)

    def apply_drift(self, posterior: list[float]) -> list[float]:
        """The belief before the next move, moved towards the prior by the drift."""
        return [(1.0 - self.drift) * now + self.drift * start for now, start in zip(posterior, self.prior, strict=True)]

    def step_world(
        self,
        world: World,
        transition: core.Transition,
        movers: tuple[int, ...],
        choice: tuple[Outcome, ...],
        in_place: bool,
    ) -> World:
        """*world* after one choice of each mover. A single successor takes over its copies of the strategies."""
        actions = tuple(each.action for each in choice)
        state = world.state.clone() if self.secrets else transition.after.clone()
        if self.secrets:
            state.step(actions)
        posteriors, strangers = list(world.posteriors), list(world.strangers)
        weight = world.weight
        for mover, outcome in zip(movers, choice, strict=True):
            weight *= outcome.probability
            if mover != core.CHANCE:
                posteriors[mover] = outcome.posterior
                strangers[mover] = outcome.stranger or strangers[mover]
        copies = (
            world.copies if in_place else [[self.copy_strategy(strategy) for strategy in own] for own in world.copies]
        )
        for player, own in enumerate(copies):
            if self.secrets:
                seen = as_seen_by(player, world.state, state, transition, movers, actions)
            else:
                seen = msgspec.structs.replace(transition, earlier=world.state, later=state)
            for copy in own:
                copy.observe(seen)
            if transition.player != core.CHANCE:
                if self.secrets:
                    strangers[player] = self.moment.show_copy(strangers[player], seen)
                else:
                    strangers[player].observe(seen)
        return World(weight, state, copies, posteriors, strangers)

    def marginal(self, player: int) -> list[float]:
        """The probability of each hypothesis for *player*, over all worlds."""
        probabilities = [0.0] * len(self.labels)
        for world in self.possible:
            for number, probability in enumerate(world.posteriors[player]):
                probabilities[number] += world.weight * probability
        return probabilities

    def predictive_weights(self, posterior: list[float]) -> list[float]:
        """How much each hypothesis counts in predictions."""
        *known, strange = self.apply_drift(posterior)
        return [*known, self.caution * strange]


class StrategyFilter(WorldFilter):
    """Which of the known strategies does each player follow? Exact Bayes, with an unknown one and drift.

    *strategies* are the hypotheses (by default all the game's own); *unknown* is the prior of a stranger, who follows
    none of them and is learned while they play (`models.strangers`); *noise* is the probability that a player plays a
    random action instead of their strategy's; *drift* is the share of the belief that returns to the prior at each of
    their moves, so that the model notices a change of strategy; the model keeps at most *worlds* worlds, or fewer if
    the game says so. With *depth*, searching strategies search only this many plies, which is faster and nearly as
    informative. *temper* is the power of each move's likelihood; below 1 it suits hypotheses that only roughly match
    the players, such as strategies of another depth.

    >>> from kibitz import play
    >>> from kibitz import StrategyFilter
    >>> record = play("dilemma(rounds=4)", ["dilemma.defector", "random"], models=[StrategyFilter(drift=0.01)], seed=1)
    >>> ((belief, _),) = record.entries[-1].beliefs.values()
    >>> max(belief, key=belief.get)
    'dilemma.defector'
    """

    answers = ("strategy", "action")
    trainer = "kibitz_lab.models.strategy_training:train"

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.evidence = [MoveEvidence() for _ in range(game.players)]
        self.habits = [Habits(game, player) for player in range(game.players)]

    def check_training(self, game: core.Game) -> None:
        if not (self.strategies or self.usual(game)):
            raise core.Unsupported(self, game, "it has no strategies of its own; name some: strategies=[…]")

    def observe(self, transition: core.Transition) -> None:
        before = {player: self.belief(player) for player in transition.movers}
        self.update(transition)
        for player, prior in before.items():
            action = transition.action_of(player)
            if action is not None and transition.chose(player) and self.judges(player):
                words = partial(transition.before.action_to_string, player, action)
                self.evidence[player].add(transition.ply, words, prior, self.belief(player))
        for habits in self.habits:
            habits.observe(transition)

    def belief(self, player: int) -> dict[str, float]:
        probabilities = self.reported_probabilities(player)
        belief, total = dict.fromkeys(self.labels, 0.0), sum(probabilities)
        for label, probability in zip(self.labels, probabilities, strict=True):
            belief[label] += probability / total
        return belief

    def reported_probabilities(self, player: int) -> list[float]:
        """How much of `belief` each hypothesis has."""
        return self.marginal(player)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return self.trust[player].mix_with_chance(self.trusted_prediction(view, player), view.legal_actions(player))

    def trusted_prediction(self, view: core.State, player: int) -> core.Distribution:
        """What is predicted before chance is mixed in."""
        components = []
        for world in self.possible:
            seen = world.state.view(player) if self.secrets else view
            weights = [world.weight * weight for weight in self.predictive_weights(world.posteriors[player])]
            components += self.mixture_components(world, player, seen, weights)
        return core.Distribution.mixture(components, view.legal_actions(player))

    def ignore(self, player: int) -> None:
        self.ignored = player

    def confidence(self, player: int) -> float:
        return 1.0 - self.trust[player].before_choice()

    def sample_worlds(self, view: core.State, count: int, rng: core.Rng) -> list[core.SampledWorld]:
        return sample_worlds(self, view, count, rng)

    def remember(self, player: int) -> Learned:
        return {**self.belief(player), **self.trust[player].remember()} if self.evidence[player].choices else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.trust[player].recall(learned)
        prior = recalled_prior(self.belief(player), learned)
        posterior = [prior[label] / self.labels.count(label) for label in self.labels]
        for world in self.possible:
            world.posteriors[player] = list(posterior)

    def explain(self, player: int) -> Explanation:
        if not self.judges(player):
            return Explanation(notes=("is watched from their own seat, and not judged",))
        belief = self.belief(player)
        habits = self.habits[player].words() if belief[UNKNOWN] == max(belief.values()) else ()
        return explanation_of(belief, evidence=self.evidence[player], exact=self.exact, habits=habits)
