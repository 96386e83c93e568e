"""Models, which watch a match, infer who the players are, and predict what they will do next."""

import copy
from abc import ABC, abstractmethod
from typing import ClassVar, Self

from kibitz.core.actions import Distribution
from kibitz.core.game import Game, Rng, State
from kibitz.core.insight import Explanation, explanation_of
from kibitz.core.memory import Learned
from kibitz.core.registry.specs import Configurable
from kibitz.core.transition import Transition


class Model(Configurable, ABC):
    """A belief about all players, in one instance so that it can be a joint belief."""

    answers: ClassVar[tuple[str, ...]]
    """The questions it answers: "action" is `predict`'s; any other ("strategy", "goal", "type", "card" …) names the
    label of the record's truths that `belief` is about."""
    follows_lines: ClassVar[bool] = False
    """Whether `predict` depends on the events that led to the view, so that a search must step a copy along its lines;
    otherwise a search asks it about any future view as it is."""
    learns_a_file: ClassVar[bool] = False
    """Whether its trained parameters need a file, not a spec (`core.abilities.trainer.ParameterFile`)."""
    learns_from_rows: ClassVar[bool] = False
    """Whether training turns matches into rows, which can be saved (`core.abilities.trainer.TrainedModel.tables`)."""
    searched: int = 0
    """Nodes searched so far, for models that search."""

    def begin(self, game: Game, seat: int | None, rng: Rng) -> None:
        """Start to watch from the seat of a player, or as a spectator (None)."""
        self.game, self.seat, self.rng = game, seat, rng

    @abstractmethod
    def observe(self, transition: Transition) -> None:
        """Learn from an event: about a player only from what they chose (`Transition.chose`).

        Clone the transition's views before stepping them.
        """

    def belief(self, player: int) -> dict[str, float]:
        """Who *player* is: label to probability, adding up to 1; empty if the model does not say."""
        return {}

    def predict(self, view: State, player: int) -> Distribution:
        """Predict the next action of *player* on *view*, a position in which they are to move."""
        return Distribution.uniform(view.legal_actions(player))

    def explain(self, player: int) -> Explanation:
        """The reasons for its belief; `core.wording.sentence` puts them into words."""
        question = next((question for question in self.answers if question != "action"), "action")
        return explanation_of(self.belief(player), choices=None, question=question)

    def remember(self, player: int) -> Learned:
        """What it learned of *player* that holds in other matches too: numbers of 0 or more by name; empty: nothing."""
        return {}

    def recall(self, player: int, learned: Learned) -> None:
        """Begin with what `remember` gave in an earlier match; called after `begin`, before the first event.

        The numbers are from a file, which a model with other parameters may have written: skip unknown names.
        """

    def gauges(self) -> dict[str, float]:
        """Numbers about its own work, such as how many explanations it keeps, for measurements."""
        return {}

    def check_training(self, game: Game) -> None:
        """Raise if it cannot be trained on *game* with its parameters; called before matches are played."""

    def clone(self) -> Self:
        """An independent copy, so that a search can step it along a line."""
        return copy.deepcopy(self)
