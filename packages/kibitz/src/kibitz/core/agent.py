"""Agents, which play; models, which watch and predict; the clocks and time limits of both."""

import copy
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar

import msgspec

from kibitz.core.actions import Distribution
from kibitz.core.errors import Unsupported
from kibitz.core.game import Game, Rng, State, Transition
from kibitz.core.insight import UNKNOWN, Explanation, Intention, explanation_of
from kibitz.core.player_memory import Learned
from kibitz.core.registry import at_home
from kibitz.core.specs import Configurable

Now = Callable[[], float]
"""A source of seconds; tests replace it."""

MOVES_TO_COME = 30
"""Number of further moves for which a pacing player reserves time."""
Seconds = Annotated[float, "S", msgspec.Meta(gt=0.0)]


class TimeControl(msgspec.Struct, frozen=True):
    """Seconds allowed per move and per game; None is no limit."""

    move: Seconds | None = None
    game: Seconds | None = None

    def bank(self, used: float) -> float | None:
        """Seconds left for the game after *used* seconds."""
        return None if self.game is None else max(0.0, self.game - used)

    def allowance(self, used: float) -> float | None:
        """Seconds allowed for the next move after *used* seconds."""
        bank = self.bank(used)
        if self.move is None:
            return bank
        return self.move if bank is None else min(self.move, bank)


class Clock:
    """Starts when it is created; `allowance` (this move) and `bank` (the game) are None without a limit."""

    __slots__ = ("allowance", "bank", "now", "started")

    def __init__(
        self,
        allowance: float | None = None,
        now: Now = time.perf_counter,
        started: float | None = None,
        bank: float | None = None,
    ) -> None:
        self.allowance, self.now, self.bank = allowance, now, bank
        self.started = now() if started is None else started

    def pace(self) -> float:
        """Seconds to plan for this move: its limit, and at most a fraction of the time left for the game."""
        move = float("inf") if self.allowance is None else self.allowance
        return move if self.bank is None else min(move, self.bank / MOVES_TO_COME)

    def elapsed_seconds(self) -> float:
        """Seconds since the request."""
        return self.now() - self.started

    def remaining(self) -> float:
        """Seconds left, never below 0; infinite without a limit."""
        return float("inf") if self.allowance is None else max(0.0, self.allowance - self.elapsed_seconds())


Method = TypeVar("Method", bound=Callable[..., int])


def ignores_view(method: Method) -> Method:
    """Mark an `act` that looks at no view where nothing is hidden, so that none need be made.

    An override loses the mark.
    """
    method.view_ignored = True  # type: ignore[attr-defined]
    return method


class Agent(Configurable, ABC):
    """A player. It may `begin` another match and keep what it learned.

    >>> from kibitz import Agent, play
    >>> class Last(Agent):
    ...     def act(self, view, clock):
    ...         return view.legal_actions(self.player)[-1]
    >>> play("dilemma(rounds=2)", [Last(), "dilemma.grim"], seed=1).ending.returns
    [6.0, 1.0]
    """

    interactive: ClassVar[bool] = False
    """Whether a person answers for it."""
    searched: int = 0
    """Nodes searched so far, for agents that search."""
    game: Game
    player: int
    rng: Rng

    def begin(self, game: Game, player: int, rng: Rng) -> None:
        """Start a match as *player*; raises Unsupported if this agent cannot play *game*."""
        if not at_home(self, game):
            raise Unsupported(self, game, "it belongs to another game and plays only that one")
        self.game, self.player, self.rng = game, player, rng

    @property
    def public_name(self) -> str:
        """The name that everybody may see; by default its spec."""
        return repr(self)

    @property
    def public_spec(self) -> str:
        """Its spec without what is the operator's alone, for records."""
        return repr(self)

    @abstractmethod
    def act(self, view: State, clock: Clock) -> int:
        """Choose a legal action. The view is this agent's own to step and change."""

    def manages(self, game: Game) -> bool:
        """Whether this agent plays games of this kind and size; a quick check, `begin` decides."""
        return True

    def observe(self, transition: Transition) -> None:
        """Take note of an event: of every one, its own moves and chance included."""

    def end(self, returns: Sequence[float]) -> None:
        """Take note of the result."""

    def truth(self) -> Mapping[str, Any]:
        """Facts that a model may be asked about this player besides its name: type, plan. For the record only."""
        return {}

    def explain(self) -> Intention | None:
        """What it meant by its last action, and whom it took the others for; None if it does not say.

        `core.wording.intention_sentence` puts it into words.
        """
        return None

    def clone(self) -> Self:
        """An independent copy with the same memory."""
        return copy.deepcopy(self)


class Strategy(Agent):
    """An agent that knows the probabilities of its own actions, so that models can weigh it as a hypothesis.

    >>> from kibitz import Distribution, Strategy, play
    >>> class Often(Strategy):
    ...     def policy(self, view):
    ...         return Distribution({1: 0.8}, view.legal_actions(self.player), rest=0.2)
    >>> play("dilemma(rounds=3)", [Often(), "dilemma.grim"], seed=1).ending.returns
    [6.0, 6.0]
    """

    supposed: ClassVar[bool] = True
    """Whether models use it as a hypothesis by default."""

    @abstractmethod
    def policy(self, view: State) -> Distribution:
        """The probabilities of this player's legal actions on *view*. Draws nothing and changes nothing."""

    def policies(self, strategies: "Sequence[Strategy]", view: State) -> list[Distribution]:
        """The policies of several strategies, this one first; a class may compute them together."""
        return [strategy.policy(view) for strategy in strategies]

    def act(self, view: State, clock: Clock) -> int:
        return self.policy(view).sample(self.rng)


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
    trainer: ClassVar[str] = ""
    """The function that fits its parameters to records, as `"module:function"`; see `kibitz_lab.models.training`."""
    learns_mixed_games: ClassVar[bool] = False
    """Whether training takes records of several games together, such as one game with different players or maps."""
    learns_a_file: ClassVar[bool] = False
    """Whether its trained parameters need a file, not a spec (`kibitz_lab.models.training.ParameterFile`)."""
    learns_from_rows: ClassVar[bool] = False
    """Whether training turns matches into rows, which can be saved (`TrainedModel.tables` there)."""
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
