"""The choice learner: a player chooses what looks best after it, by weights that are learned from their choices.

The probability of an action is proportional to exp(w · x), where x are the numbers of the position after it
(`successors`). The weights, and with them how sharply the player chooses, have a normal distribution. A choice moves
its mean by one Newton step and adds the curvature to its precision (Laplace's method, one choice at a time). The
prediction allows for what is not known of the weights (MacKay 1992). Players who hardly care and players who choose
sharply start from narrow and wide priors; Bayes' rule weighs these against each other.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.models.strangers.choice_kernels import learn_weights, standardise, weigh_actions
from kibitz.models.strangers.successors import MOST, Successors

Floats = NDArray[np.float64]

WIDTHS = (0.4, 1.2, 3.6)
"""The standard deviations of weights in the priors, for features in their usual differences."""


class WeighedActions(NamedTuple):
    """Actions by their features: how far each is from the mean, the sizes of that, and their shares for each prior."""

    apart: Floats
    size: Floats
    plain: Floats
    """By the mean weights alone."""
    shares: Floats


class ChoiceLearner:
    """A softmax over how the positions after the legal actions look to the player."""

    def __init__(self, player: int, successors: Successors) -> None:
        self.player, self.successors = player, successors
        count, widths = len(successors.names), len(WIDTHS)
        self.means = np.zeros((widths, count))
        self.precisions = np.stack([np.eye(count) / width**2 for width in WIDTHS])
        self.covariances = np.stack([np.eye(count) * width**2 for width in WIDTHS])
        self.weights = np.full(widths, 1.0 / widths)
        self.spread, self.varied = np.zeros(count), np.zeros(count)
        """The sum of each feature's mean differences between actions, and at how many choices it differed at all."""

    def copy(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)  # arrays are replaced, never changed
        return copied

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing: the position holds all that counts."""

    def look(self, view: core.State, legal: Sequence[int]) -> tuple[list[int], Floats]:
        """The actions looked at, and the numbers of each."""
        count = len(legal)
        looked = list(legal) if count <= MOST else [legal[place * count // MOST] for place in range(MOST)]
        numbers = self.successors.find(view, looked)
        return looked, numbers if self.player == 0 else -numbers

    def weigh(self, numbers: Floats) -> WeighedActions:
        """The actions with these numbers, weighed by what is known of the weights."""
        apart, size = np.empty_like(numbers), np.empty(numbers.shape[1])
        plain = np.empty((len(WIDTHS), len(numbers)))
        shares = np.empty_like(plain)
        standardise(numbers, self.spread, self.varied, apart, size)
        weigh_actions(apart, self.means, self.covariances, plain, shares)
        return WeighedActions(apart, size, plain, shares)

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return core.Distribution.uniform(legal)
        looked, numbers = self.look(view, legal)
        part = len(looked) / len(legal)
        mixed = (self.weights @ self.weigh(numbers).shares) * part
        return core.Distribution(dict(zip(looked, mixed.tolist(), strict=True)), legal, 1.0 - part)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return 1.0
        looked, numbers = self.look(view, legal)
        if action not in looked:
            return 1.0 / len(legal)
        chosen, weighed = looked.index(action), self.weigh(numbers)
        likely = self.weights * weighed.shares[:, chosen]
        total = float(likely.sum())
        self.weights = likely / total
        self.means, self.precisions = self.means.copy(), self.precisions.copy()
        self.covariances = self.covariances.copy()
        learn_weights(weighed.apart, chosen, weighed.plain, self.means, self.precisions, self.covariances)
        self.spread, self.varied = self.spread + weighed.size, self.varied + (weighed.size > 0.0)
        return total * len(looked) / len(legal)
