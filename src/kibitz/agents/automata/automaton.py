"""What a learning automaton is: it chooses one of some options, is told how well that went, and chooses better.

The references here and beside are what kernels are the twins of; teams in games too large for tables use them as they
are. *status* is a number from 0 to 1; *reward* is a coin that falls on True with probability *status*.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws


class Automaton(ABC):
    """A learner with so many options; *draws* is all the luck it has."""

    feedback: ClassVar[Literal["own", "shared", "status"]] = "shared"
    """Whether it tosses a coin of its own, shares the team's, or needs none because it learns from the status."""

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        self.options, self.tier, self.draws = options, tier, draws

    @abstractmethod
    def choose(self) -> int:
        """The option it tries next."""

    @abstractmethod
    def learn(self, chosen: int, status: float, reward: bool) -> None:
        """Be told how well an option went."""

    @abstractmethod
    def top(self) -> int:
        """The option it holds for best now."""

    def surety(self) -> float:
        """How sure it is that its top option is best; 0 where it cannot tell."""
        return 0.0


def largest(numbers: Sequence[float]) -> int:
    """Where the largest number stands, the first of several."""
    return max(range(len(numbers)), key=numbers.__getitem__)
