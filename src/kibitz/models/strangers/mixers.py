"""Learners of players who follow known strategies, but not one of them all the time: they err, mix or switch.

Each predicts a weighted mean of the strategies' policies and of any action at all, so what a player did counts only
through the probability that each strategy gave to it.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core

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
