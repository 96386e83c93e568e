"""Agents play; a Strategy is an agent whose choice can be foretold as a distribution."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from kibitz.core.actions import Distribution
from kibitz.core.clocks import Clock
from kibitz.core.errors import Unsupported
from kibitz.core.game import Game, Rng, State
from kibitz.core.registry import at_home
from kibitz.core.registry.specs import Configurable
from kibitz.core.transition import Transition


class Agent(Configurable, ABC):
    """A player. It may be begun again for another match and keep what it learned."""

    interactive: ClassVar[bool] = False
    """Whether a person answers for it."""
    searched: int = 0
    """Nodes it has looked at so far, where it searches."""
    game: Game
    player: int
    rng: Rng

    def begin(self, game: Game, player: int, rng: Rng) -> None:
        """Sit down as *player*; raises Unsupported where this agent cannot play *game*."""
        if not at_home(self, game):
            raise Unsupported(self, game, "it comes with another game and plays that one only")
        self.game, self.player, self.rng = game, player, rng

    @abstractmethod
    def act(self, view: State, clock: Clock) -> int:
        """Choose a legal action. The view is this agent's own to step and change."""

    def manages(self, game: Game) -> bool:
        """Whether this agent plays games of this kind and size; said without much work, `begin` has the last word."""
        return True

    def observe(self, transition: Transition) -> None:
        """Be told of an event: every one, own moves and chance included."""

    def end(self, returns: Sequence[float]) -> None:
        """Be told the result."""

    def truth(self) -> Mapping[str, Any]:
        """What a model may be asked about this player besides its name: its type, its plan. For the record only."""
        return {}

    def clone(self) -> Self:
        """An independent copy with the same memory."""
        return copy.deepcopy(self)


class Strategy(Agent):
    """An agent that says how likely it is to do what, so that models can weigh it against what is seen."""

    supposed: ClassVar[bool] = True
    """Whether models take it for a hypothesis where none are named."""

    @abstractmethod
    def policy(self, view: State) -> Distribution:
        """The probabilities of this player's legal actions on *view*. Draws nothing and changes nothing."""

    def policies(self, strategies: "Sequence[Strategy]", view: State) -> list[Distribution]:
        """The policies of several strategies, this one first; a kind may work out those of its kind together."""
        return [strategy.policy(view) for strategy in strategies]

    def act(self, view: State, clock: Clock) -> int:
        return self.policy(view).sample(self.rng)
