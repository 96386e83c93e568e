"""The strategy of an unknown negotiator: it acts as learned predictors expect. The models of types need it."""

from kibitz import core
from kibitz.games.trails.agents.acceptors import Nothing
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator, Traits
from kibitz.games.trails.agents.proposers import Silent
from kibitz.games.trails.agents.senders import Reneges
from kibitz.games.trails.models.predictors import Predictors
from kibitz.games.trails.models.questions import question_about
from kibitz.games.trails.state import MOVEMENT, State

PATIENT = 0.8
"""How often a stranger moves as patient negotiators do, and not at random."""


class Stranger(Negotiator):
    """Answers, sends and offers with the probabilities that predictors learned; mostly moves only when it must."""

    design = Design(Silent(), Nothing(), Reneges(), Patient())

    def __init__(self, trained: str = "") -> None:
        self.trained = trained

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.predictors = Predictors(trained=self.trained)
        self.predictors.begin(game, None, rng)

    @property
    def traits(self) -> Traits:
        return Traits(stochastic=True, memory=True, honest=False)

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        legal = view.legal_actions(self.player)
        if view.phase == MOVEMENT:
            anywhere = core.Distribution.uniform(legal)
            return core.Distribution.mixture([(PATIENT, super().policy(view)), (1.0 - PATIENT, anywhere)], legal)
        self.predictors.history = self.history
        return self.predictors.predict(view, self.player)

    def state_key(self, view: State) -> core.Key:
        return None if view.phase == MOVEMENT else question_about(view, self.player).history_key(self.history)
