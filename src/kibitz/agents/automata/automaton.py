"""The interface of a learning automaton: it chooses an option, learns how well that went, and chooses better.

The Python automata in this package are the references of the kernels; teams in games too large for a table use them
directly. *status* is a number from 0 to 1; *reward* is a coin that shows True with probability *status*.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws


class Automaton(ABC):
    """A learner that chooses among *options*; all its random numbers come from *draws*."""

    feedback: ClassVar[Literal["own", "shared", "status"]] = "shared"
    """Whether it tosses a coin of its own, shares the team's, or needs none because it learns from the status."""

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        self.options, self.tier, self.draws = options, tier, draws

    @abstractmethod
    def choose(self) -> int:
        """The option it tries next."""

    @abstractmethod
    def learn(self, chosen: int, status: float, reward: bool) -> None:
        """Learn how well an option went."""

    @abstractmethod
    def top(self) -> int:
        """The option it now believes to be best."""

    def surety(self) -> float:
        """How sure it is that its top option is best; 0 for automata that cannot say."""
        return 0.0


def largest(numbers: Sequence[float]) -> int:
    """The index of the largest number; of several, the first."""
    return max(range(len(numbers)), key=numbers.__getitem__)
