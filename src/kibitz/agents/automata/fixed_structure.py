"""Automata of fixed structure (Tsetlin's family): each holds an action, and how deep it has settled on it."""

from typing import ClassVar, Literal

from kibitz.agents.automata.automaton import Automaton
from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws


class Tsetlin(Automaton):
    """Tsetlin (1961), with the limiter of Lie (2009, algorithm 3).

    Holds an action c at depth d in 1..D. Reward: d = min(d + 1, D). Penalty, with probability L: d = d - 1 where
    d > 1, else c is drawn again from all actions. L = 1 is the classic automaton.
    """

    feedback: ClassVar[Literal["own", "shared", "status"]] = "own"

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.held, self.depth = draws.below(options), 1

    def choose(self) -> int:
        return self.held

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        if reward:
            self.apply_reward()
        else:
            self.apply_penalty()

    def apply_reward(self) -> None:
        """Move one step deeper."""
        self.depth = min(self.depth + 1, self.tier.states)

    def apply_penalty(self) -> None:
        """Move one step up; from the top, draw another action."""
        if self.draws.unit() >= self.tier.limiter:
            return
        if self.depth > 1:
            self.depth -= 1
        else:
            self.held = self.draws.below(self.options)

    def top(self) -> int:
        return self.held


class Krinsky(Tsetlin):
    """Krinsky: as Tsetlin's, but one reward settles at once: d = D."""

    def apply_reward(self) -> None:
        self.depth = self.tier.states


class Krylov(Tsetlin):
    """Krylov: as Tsetlin's, but a penalty counts as a reward every second time: a coin decides."""

    def apply_penalty(self) -> None:
        if self.draws.unit() < 0.5:
            self.apply_reward()
        else:
            super().apply_penalty()
