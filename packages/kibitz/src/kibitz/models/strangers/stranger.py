"""A player whom no model knows: a mixture of learners, each of which learns the player while it watches.

The mixture's probability of what the player did is what a model compares with its known strategies, so that Bayes'
rule itself decides between "one of the known" and "somebody new".

The learners here are of players who follow known strategies, but not one of them all the time: they err, mix or switch.
Each predicts a weighted mean of the strategies' policies and of any action at all, so what a player did counts only
through the probability that each strategy gave to it.

Trust in a model's predictions of one player: none at first, more with every choice that the model predicted well. A
model that knows many players is still wrong about somebody. In a prediction chance counts most until the player is
seen, so a bad prediction of anybody costs little.
"""

from collections.abc import Sequence
from math import log
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.player_memory import CHANGED, Learned
from kibitz.models.strangers.choices import ChoiceLearner, Successors, successors_of
from kibitz.models.strangers.sequences import SequenceLearner

LEARNED = "chance"
"""The name under which a memory keeps the weight of chance."""
CHANCE = 0.8
"""The weight of chance before the first choice of a player."""
RELEASED = 0.05
"""The part of the weight of chance that goes over to the model before every choice."""

COUNTED = 0.75
"""In predictions strangers count as if they were at least this share of all players: to trust a wrong strategy costs
more than not to trust a right one, which a stranger soon predicts as well."""


class Trust:
    """The weight of chance beside a model, by Bayes' rule with release (fixed share; Herbster and Warmuth 1998).

    For every player, after T choices the log loss of `mix_with_chance` is at most that of a uniform prediction plus
    -log(chance) - T log(1 - released), which is 0.22 + 0.051 T by default. If the model predicts well, nearly all of
    the weight is its own after a few choices.
    """

    def __init__(self, chance: float = CHANCE, released: float = RELEASED) -> None:
        self.chance, self.released = chance, released

    def before_choice(self) -> float:
        """The weight of chance at the next choice."""
        return (1.0 - self.released) * self.chance

    def mix_with_chance(self, predicted: core.Distribution, legal: Sequence[int]) -> core.Distribution:
        """A prediction with chance in it."""
        chance = self.before_choice()
        if chance <= 0.0 or len(legal) == 1:
            return predicted
        return core.Distribution.mixture([(1.0 - chance, predicted), (chance, core.Distribution.uniform(legal))], legal)

    def learn(self, likely: float, options: int) -> None:
        """Learn from a choice among so many *options*, to which the model gave the probability *likely*."""
        if options > 1:
            even = self.before_choice() / options
            self.chance = even / (even + (1.0 - self.before_choice()) * likely)

    def remember(self) -> Learned:
        """What a memory keeps."""
        return {LEARNED: self.chance}

    def recall(self, learned: Learned) -> None:
        """Begin with what an earlier match ended with, unless the player has changed since.

        Chance counts no more than the player is unknown: who is met again need not earn all trust once more.
        """
        if LEARNED in learned:
            held = min(learned[LEARNED], learned.get(UNKNOWN, 1.0), 1.0)
            self.chance = (1.0 - CHANGED) * held + CHANGED * self.chance


def caution_of(unknown: float, counted: float = COUNTED) -> float:
    """How much more a stranger with this prior counts in predictions than in beliefs, so that *counted* is reached."""
    odds = unknown / (1.0 - unknown) if unknown < 1.0 else 1.0
    return max(1.0, counted / (1.0 - counted) / odds) if odds > 0.0 else 1.0


Floats = NDArray[np.float64]

ERRORS = (0.05, 0.12, 0.25, 0.45, 0.7)
"""Rates at which a player who follows one strategy plays any action instead."""
SWITCHES = (0.02, 0.07, 0.25)
"""Probabilities that a player takes up another strategy at a choice."""
ERRING, SWITCHING = np.array(ERRORS), np.array(SWITCHES)[:, None]
KEPT = 1.0 - ERRING
CONCENTRATION = 2.0
"""The weight of the prior of a mixer, in choices."""


class PolicyLearner:
    """The base of learners that weigh known policies, the uniform one last."""

    def __init__(self, player: int, strategies: int) -> None:
        self.player, self.strategies = player, strategies

    def shares(self) -> Floats:
        """The weight of each policy in the prediction."""
        raise NotImplementedError

    def update(self, likely: Floats) -> float:
        """Learn from a choice that each policy gave this probability; return the prediction's."""
        raise NotImplementedError

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        legal = view.legal_actions(self.player)
        parts = [*policies, core.Distribution.uniform(legal)]
        return core.Distribution.mixture(list(zip(self.shares().tolist(), parts, strict=True)), legal)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        return self.update(likelihoods(action, policies, len(view.legal_actions(self.player))))

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing: policies already depend on what happened."""

    def copy(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)  # arrays are replaced, never changed
        return copied


class Coin(PolicyLearner):
    """A player who plays any legal action, each as likely as another."""

    def shares(self) -> Floats:
        return np.concatenate((np.zeros(self.strategies), [1.0]))

    def update(self, likely: Floats) -> float:
        return float(likely[-1])


class Typical(PolicyLearner):
    """A player who does what a predictor of players in general expects: the last policy but chance."""

    def shares(self) -> Floats:
        return np.concatenate((np.zeros(self.strategies - 1), [1.0, 0.0]))

    def update(self, likely: Floats) -> float:
        return float(likely[-2])


class Erring(PolicyLearner):
    """A player who follows one strategy and errs at a rate of their own: exact Bayes over strategy and rate."""

    def __init__(self, player: int, strategies: int) -> None:
        super().__init__(player, strategies)
        self.weights = np.full((len(ERRORS), strategies), 1.0 / (strategies * len(ERRORS)))

    def shares(self) -> Floats:
        found: Floats = np.concatenate((KEPT @ self.weights, [np.vdot(ERRING, self.weights.sum(axis=1))]))
        return found

    def update(self, likely: Floats) -> float:
        weighed = self.weights * (KEPT[:, None] * likely[:-1] + ERRING[:, None] * likely[-1])
        total = float(weighed.sum())
        if total > 0.0:
            self.weights = weighed / total
        return total


class Mixer(PolicyLearner):
    """A player who draws a strategy for every choice, with probabilities of their own (a Dirichlet distribution).

    A choice adds to the count of each policy the probability that it was the one drawn.
    """

    def __init__(self, player: int, strategies: int) -> None:
        super().__init__(player, strategies)
        self.counts = np.full(strategies + 1, CONCENTRATION / (strategies + 1))

    def shares(self) -> Floats:
        found: Floats = self.counts / self.counts.sum()
        return found

    def update(self, likely: Floats) -> float:
        weighed = self.shares() * likely
        total = float(weighed.sum())
        if total > 0.0:
            self.counts = self.counts + weighed / total
        return total


class Switcher(PolicyLearner):
    """A player who follows one strategy for a while and then another (fixed share; Herbster and Warmuth 1998)."""

    def __init__(self, player: int, strategies: int) -> None:
        super().__init__(player, strategies)
        count = strategies + 1
        self.weights = np.full((len(SWITCHES), count), 1.0 / (len(SWITCHES) * count))

    def before_choice(self) -> Floats:
        """The weights of rate and policy, after the player may have switched."""
        even = self.weights.sum(axis=1, keepdims=True) / self.weights.shape[1]
        found: Floats = self.weights + SWITCHING * (even - self.weights)
        return found

    def shares(self) -> Floats:
        found: Floats = self.before_choice().sum(axis=0)
        return found

    def update(self, likely: Floats) -> float:
        weighed = self.before_choice() * likely
        total = float(weighed.sum())
        if total > 0.0:
            self.weights = weighed / total
        return total


def likelihoods(action: int, policies: Sequence[core.Distribution], legal: int) -> Floats:
    """The probability of an action by each policy and by chance."""
    return np.array([*(policy.probability(action) for policy in policies), 1.0 / legal])


PRIOR = {
    "coin": 0.3,
    "erring": 0.2,
    "mixer": 0.15,
    "switcher": 0.15,
    "sequence": 0.15,
    "choice": 0.15,
    "typical": 1.5,
}
"""The prior weight of each learner; those that a game does not allow are left out, and the others share the rest."""
SHARE = 0.01
"""The part of the weights that returns to the prior before each choice: a learner may become good late."""

COIN = 0
"""The place of the coin among the learners."""
LEAST = 1e-6


class Learner(Protocol):
    """A part of a stranger: learns one player from their choices."""

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        """What the player would do; *policies* are what the known strategies would."""

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        """Learn from a choice; return the probability that `predict` gave it."""

    def observe(self, transition: core.Transition) -> None:
        """Take note of an event as the player sees it, after `learn` if the player chose."""

    def copy(self) -> Self:
        """An independent copy."""


class Stranger:
    """A player who follows none of the known strategies, inside one world: Bayes over learners."""

    def __init__(self, player: int, learners: Sequence[Learner], prior: Sequence[float]) -> None:
        total = sum(prior)
        self.player, self.learners = player, list(learners)
        self.prior = [weight / total for weight in prior]
        self.weights = list(self.prior)

    def predict(self, view: core.State, policies: Sequence[core.Distribution] = ()) -> core.Distribution:
        """What the player would do next; *policies* are what the known strategies would, in their usual order."""
        legal = view.legal_actions(self.player)
        if len(legal) < 2:
            return core.Distribution.uniform(legal)
        parts, shares = [], np.zeros(len(policies) + 1)
        for weight, learner in zip(self.before_choice(), self.learners, strict=True):
            if isinstance(learner, PolicyLearner):
                shares += weight * learner.shares()
            else:
                parts.append((weight, learner.predict(view, policies)))
        parts += zip(shares.tolist(), [*policies, core.Distribution.uniform(legal)], strict=True)
        return core.Distribution.mixture(parts, legal)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution] = ()) -> float:
        """Learn from a choice; return the probability that `predict` gave it. A forced action teaches nothing."""
        legal = view.legal_actions(self.player)
        if len(legal) < 2:
            return 1.0
        by_policy = likelihoods(action, policies, len(legal))
        likely = [
            learner.update(by_policy) if isinstance(learner, PolicyLearner) else learner.learn(view, action, policies)
            for learner in self.learners
        ]
        weighed = [weight * share for weight, share in zip(self.before_choice(), likely, strict=True)]
        total = sum(weighed)
        if total > 0.0:
            self.weights = [each / total for each in weighed]
        return total

    def before_choice(self) -> list[float]:
        """The weight of each learner at the next choice."""
        return [(1.0 - SHARE) * held + SHARE * start for held, start in zip(self.weights, self.prior, strict=True)]

    def learning_gain(self) -> float:
        """The logarithm of how much likelier all choices were without chance among the learners than with it."""
        held, start = self.weights[COIN], self.prior[COIN]
        return log(max(1.0 - held, LEAST) / (1.0 - start)) if start < 1.0 else 0.0

    def observe(self, transition: core.Transition) -> None:
        """Take note of an event as the player sees it, after `learn` if the player chose."""
        for learner in self.learners:
            learner.observe(transition)

    def copy(self) -> Self:
        """An independent copy; what it learned is copied only when one of the two learns more."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.learners = [learner.copy() for learner in self.learners]
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()


def new_stranger(
    game: core.Game,
    player: int,
    policies: int = 0,
    typical: bool = False,
    successors: Successors | None = None,
    sequences: bool = True,
) -> Stranger:
    """A stranger in the seat of *player*, before anything is seen of them.

    *policies* is how many policies `predict` and `learn` are given: those of the known strategies and, if *typical*,
    last that of a predictor of players in general. *successors* are those of the game if they are there already.
    Without *sequences* it is faster, and as good in games where actions seldom come again.
    """
    learners: dict[str, Learner] = {"coin": Coin(player, policies)}
    if typical:
        learners["typical"] = Typical(player, policies)
    if policies:
        learners |= {
            "erring": Erring(player, policies),
            "mixer": Mixer(player, policies),
            "switcher": Switcher(player, policies),
        }
    if sequences:
        learners["sequence"] = SequenceLearner(player)
    successors = successors or successors_of(game)
    if successors is not None:
        learners["choice"] = ChoiceLearner(player, successors)
    return Stranger(player, list(learners.values()), [PRIOR[name] for name in learners])
