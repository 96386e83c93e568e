"""A negotiator whom `trails.types` does not know: what they offer, answer, send and step is weighed phase by phase.

A player may offer as one known negotiator does, and answer as another. There are thousands of offers and two answers:
if all choices were weighed together, a player who makes the offers of a known one would also seem to answer like them,
whatever they answered.

This class also weighs whether somebody is a stranger at all, since it sees everything that this depends on. The program
reports that as an `Identity`; look-ahead expects more slips of known players than the `Identity` does.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.games.trails.state import State
from kibitz.models.strangers import Learner, Stranger
from kibitz.models.strangers.mixers import PolicyLearner

Floats = NDArray[np.float64]

ALIKE = 0.07
"""How many strangers play a whole match as one of the known negotiators would, so that no choice tells them apart.

Fitted to players who are not judged: negotiators of the library, each known and each left out, and generated ones."""


class Identity(NamedTuple):
    """Which of the known negotiators a player is, or a stranger: Bayes' rule on all choices, after each of them.

    >>> told = Identity.before_choices([0.25, 0.25, 0.5])
    >>> [round(share, 2) for share in told.after([0.9, 0.0, 0.1]).shares()]
    [0.78, 0.0, 0.22]
    """

    prior: Floats
    held: Floats
    """The share of each known negotiator, and last of strangers who play unlike any of them."""
    alike: float
    """How many strangers play like a known negotiator, for each player who is that negotiator."""
    drift: float = 0.0
    """The part of the shares that returns to the prior at each choice."""

    @classmethod
    def before_choices(cls, prior: Sequence[float], drift: float = 0.0) -> Self:
        """What is held before the first choice: *prior* is the share of each known one, and last of strangers."""
        *known, strange = prior
        among = sum(known)
        held = np.array([*known, (1.0 - ALIKE) * strange if among > 0.0 else strange])
        return cls(held, held, ALIKE * strange / among if among > 0.0 else 0.0, drift)

    def after(self, likely: Sequence[float]) -> Self:
        """The same after a choice that was so likely by each of them; one that nobody explains says nothing."""
        weighed = ((1.0 - self.drift) * self.held + self.drift * self.prior) * np.asarray(likely)
        total = float(weighed.sum())
        return self._replace(held=weighed * (self.prior.sum() / total)) if total > 0.0 else self

    def shares(self) -> list[float]:
        """How likely the player is each known negotiator, and last a stranger."""
        known = self.held[:-1]
        strange = self.held[-1] + self.alike * known.sum()
        total = known.sum() + strange
        return [*(known / total).tolist(), float(strange / total)]


class UnknownNegotiator(Stranger):
    """A stranger whose learners have other weights in every phase of a round.

    Learners that weigh known policies do so phase by phase; the other learners know the player in all phases.
    *identity* tells whether the player is a stranger, where a known negotiator does with probability *slips* what
    players in general do.
    """

    def __init__(
        self, player: int, learners: Sequence[Learner], prior: Sequence[float], identity: Identity, slips: float
    ) -> None:
        super().__init__(player, learners, prior)
        self.identity, self.slips = identity, slips
        self.phase = ""
        """The phase of the weights and learners in use."""
        self.phases: dict[str, tuple[list[float], list[Learner]]] = {}
        """The weights and learners of all phases so far."""

    def predict(self, view: core.State, policies: Sequence[core.Distribution] = ()) -> core.Distribution:
        self.enter_phase(view)
        return super().predict(view, policies)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution] = ()) -> float:
        self.enter_phase(view)
        strange = super().learn(view, action, policies)
        *known, usual = (policy.probability(action) for policy in policies)
        meant = [(1.0 - self.slips) * share + self.slips * usual for share in known]
        self.identity = self.identity.after([*meant, strange])
        return strange

    def enter_phase(self, view: core.State) -> None:
        """Take up the weights and learners of the phase that *view* is in; a new phase begins with the prior."""
        assert isinstance(view, State)
        if view.phase == self.phase:
            return
        self.phases[self.phase] = self.weights, self.learners
        weights, learners = self.phases.get(view.phase, (self.prior, self.phases[""][1]))
        self.learners = [
            each.copy() if isinstance(each, PolicyLearner) else shared
            for each, shared in zip(learners, self.learners, strict=True)
        ]
        self.weights, self.phase = list(weights), view.phase

    def copy(self) -> Self:
        copied = super().copy()
        copied.phases = dict(self.phases)  # what it holds is copied before it changes
        return copied
