"""Models, which watch a match, infer who the players are, and predict what they will do next."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Self

from kibitz.core.actions import Distribution
from kibitz.core.game import Game, Rng, State
from kibitz.core.insight import UNKNOWN, Explanation, explanation_of
from kibitz.core.memory import Learned
from kibitz.core.registry.specs import Configurable
from kibitz.core.transition import Transition


class PlayerType(ABC):
    """One player as a model supposes them: who they are, and what they would do in any position from here on."""

    label: str
    """Who they are: a label of the model's belief."""
    remembers: bool = False
    """Whether `policy` depends on the events observed; a search then shows each simulation to a copy."""

    @abstractmethod
    def policy(self, state: State) -> Distribution:
        """The probabilities of the player's actions in *state*, which hides nothing; it uses what the player sees."""

    def observe(self, transition: Transition) -> None:  # noqa: B027 - a type without memory needs none
        """Take note of an event as the player sees it."""

    def copy(self) -> "PlayerType":
        """An independent copy with the same memory; a type without memory is its own copy."""
        return self


class SampledWorld(NamedTuple):
    """A draw from a model's joint belief: a state that fits what the watcher sees, and who the other players are."""

    state: State
    """Several worlds may share it: copy it before you play on."""
    types: Mapping[int, PlayerType]
    """The type of every other player whom the model understands; it says nothing about the others."""


class Model(Configurable, ABC):
    """A belief about all players, in one instance so that it can be a joint belief.

    >>> from kibitz import play
    >>> record = play("dilemma(rounds=3)", ["dilemma.defector", "dilemma.grim"], models=["strategy_filter"], seed=1)
    >>> belief, _ = record.entries[-1].beliefs["strategy_filter"]
    >>> max(belief, key=belief.get)
    'dilemma.defector'
    """

    answers: ClassVar[tuple[str, ...]]
    """The questions it answers: "action" is `predict`'s; any other ("strategy", "goal", "type", "card" …) names the
    label of the record's truths that `belief` is about."""
    follows_lines: ClassVar[bool] = False
    """Whether `predict` depends on the events that led to the view, so that a search must step a copy along its lines;
    otherwise a search asks it about any future view as it is."""
    learns_mixed_games: ClassVar[bool] = False
    """Whether training takes records of several games together, such as one game with different players or maps."""
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

    def ignore(self, player: int) -> None:
        """Spend no time on judging *player*: an agent does not ask its model about itself. Called after `begin`."""

    def confidence(self, player: int) -> float:
        """How far what it says of *player* has proved itself, from 0 to 1: a cautious agent acts on it so far."""
        return 1.0

    def sample_worlds(self, view: State, count: int, rng: Rng) -> list[SampledWorld]:
        """Draw *count* worlds from the joint belief about states and players, for a search from *view*.

        By default hidden parts are drawn at random and the others do what `predict` says, but the model understands a
        player only with the probability that they are known. A model that holds more than that draws from it.
        """
        asked = self.clone()  # predictions for the search must not change those for the match
        others = [player for player in range(self.game.players) if player != self.seat]
        types = {player: PredictedPlayer(asked, player) for player in others}
        unknown = {player: self.belief(player).get(UNKNOWN, 0.0) for player in others}
        return [
            SampledWorld(
                view.complete(rng),
                {player: each for player, each in types.items() if rng.random() >= unknown[player]},
            )
            for _ in range(count)
        ]

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


class PredictedPlayer(PlayerType):
    """A player who does what *model* predicts for any position, as it stands now: it does not follow simulations."""

    label = "predicted"

    def __init__(self, model: Model, player: int) -> None:
        self.model, self.player = model, player

    def policy(self, state: State) -> Distribution:
        legal = state.legal_actions(self.player)
        predicted = self.model.predict(state.view(self.model.seat), self.player)
        return Distribution.mixture([(1.0, predicted)], legal)
