"""Models watch a match and say who the players are and what they will do next."""

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from kibitz.core.actions import Distribution
from kibitz.core.game import Game, Rng, State
from kibitz.core.insight import Explanation, explanation_of
from kibitz.core.registry.specs import Configurable
from kibitz.core.transition import Transition


class Model(Configurable, ABC):
    """A watcher's belief about all players, held in one instance so that joint knowledge stays inside."""

    answers: ClassVar[tuple[str, ...]]
    """The questions it answers: "action" is `predict`'s; any other ("strategy", "goal", "type", "card" …) names the
    label of the record's truths that `belief` is about."""
    follows_lines: ClassVar[bool] = False
    """Whether `predict` depends on the events that led to the view, so that a search must step a copy along its lines;
    otherwise it is asked as it stands about any view ahead."""
    learns_a_file: ClassVar[bool] = False
    """Whether training finds more than a spec says, kept in a file (`core.abilities.trainer.ParameterFile`)."""
    learns_from_rows: ClassVar[bool] = False
    """Whether training it turns matches into rows, which can be kept (`core.abilities.trainer.TrainedModel.tables`)."""
    searched: int = 0
    """Nodes its own searches have looked at so far, where it searches."""

    def begin(self, game: Game, seat: int | None, rng: Rng) -> None:
        """Sit down to watch from the seat of a player, or as an outsider (None)."""
        self.game, self.seat, self.rng = game, seat, rng

    @abstractmethod
    def observe(self, transition: Transition) -> None:
        """Learn from an event. Clone the transition's views before stepping them."""

    def belief(self, player: int) -> dict[str, float]:
        """Who *player* is: label to probability, adding up to 1; empty where the model does not say."""
        return {}

    def predict(self, view: State, player: int) -> Distribution:
        """What *player* will do next on *view*, a position where he is to move."""
        return Distribution.uniform(view.legal_actions(player))

    def explain(self, player: int) -> Explanation:
        """Why it believes what it believes; `core.wording.sentence` puts it into words."""
        question = next((question for question in self.answers if question != "action"), "action")
        return explanation_of(self.belief(player), question=question)

    def gauges(self) -> dict[str, float]:
        """Numbers about its own work, such as how many explanations it keeps, for whoever measures it."""
        return {}

    def check_training(self, game: Game) -> None:
        """Raise where it cannot be trained on *game*, or not as its parameters say; asked before matches are played."""

    def clone(self) -> Self:
        """An independent copy, so that a search can step it along a line."""
        return copy.deepcopy(self)
