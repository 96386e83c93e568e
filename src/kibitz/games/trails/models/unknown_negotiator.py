"""A negotiator whom `trails.types` does not know: what they offer, answer, send and step is weighed phase by phase.

A player may offer as one known negotiator does, and answer as another. There are thousands of offers and two answers:
if all choices were weighed together, a player who makes the offers of a known one would seem to answer like them, too,
whatever they answered.
"""

from collections.abc import Sequence
from typing import Self

from kibitz import core
from kibitz.games.trails.state import State
from kibitz.models.strangers import Learner, Stranger
from kibitz.models.strangers.mixers import PolicyLearner


class UnknownNegotiator(Stranger):
    """A stranger whose learners have other weights in every phase of a round.

    Learners that weigh known policies do so phase by phase, too; the other learners know the player in all phases.
    """

    def __init__(self, player: int, learners: Sequence[Learner], prior: Sequence[float]) -> None:
        super().__init__(player, learners, prior)
        self.phase = ""
        """The phase of the weights and learners in use."""
        self.phases: dict[str, tuple[list[float], list[Learner]]] = {}
        """The weights and learners of all phases so far."""

    def predict(self, view: core.State, policies: Sequence[core.Distribution] = ()) -> core.Distribution:
        self.enter_phase(view)
        return super().predict(view, policies)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution] = ()) -> float:
        self.enter_phase(view)
        return super().learn(view, action, policies)

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
