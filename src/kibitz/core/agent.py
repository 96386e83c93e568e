"""Agents, which play; a Strategy is an agent whose choice is predicted by a distribution."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from kibitz.core.actions import Distribution
from kibitz.core.clocks import Clock
from kibitz.core.errors import Unsupported
from kibitz.core.game import Game, Rng, State
from kibitz.core.insight import Intention
from kibitz.core.registry import at_home
from kibitz.core.registry.specs import Configurable
from kibitz.core.transition import Transition

Method = TypeVar("Method", bound=Callable[..., int | None])


def ignores_view(method: Method) -> Method:
    """Mark an `act` or `observe` that looks at no view where nothing is hidden, so that none need be made.

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

    def compiled_policy(self, game: Game, player: int) -> Any:
        """This agent in a new match, as data for the game's ability `POLICIES`; None if it has no such form.

        It is the same whatever the agent has played before.
        """
        return None

    def explain(self) -> Intention | None:
        """What it meant by its last action, and whom it took the others for; None if it does not say.

        `core.intention_wording.intention_sentence` puts it into words.
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
