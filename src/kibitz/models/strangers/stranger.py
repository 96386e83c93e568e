"""A player whom no model knows: a mixture of learners, each of which learns the player while it watches.

The mixture's probability of what the player did is what a model compares with its known strategies, so that Bayes'
rule itself decides between "one of the known" and "somebody new".
"""

from collections.abc import Sequence
from math import log
from typing import Protocol, Self

import numpy as np

from kibitz import core
from kibitz.models.strangers.choices import ChoiceLearner
from kibitz.models.strangers.mixers import Coin, Erring, Mixer, PolicyLearner, Switcher, Typical, likelihoods
from kibitz.models.strangers.sequences import SequenceLearner
from kibitz.models.strangers.successors import Successors, successors_of

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

CHANCE = 0
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
        held, start = self.weights[CHANCE], self.prior[CHANCE]
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
