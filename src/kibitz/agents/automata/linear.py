"""Automata of variable structure (the linear family): a probability for every option, moved by rewards."""

from typing import ClassVar, Literal

from kibitz.agents.automata.automaton import Automaton, largest
from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws


class WeightedAutomaton(Automaton):
    """Chooses options by their probabilities p, which are equal at first; its top option has the largest."""

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.p = [1.0 / options] * options

    def choose(self) -> int:
        drawn = self.draws.unit()
        for option, probability in enumerate(self.p):
            drawn -= probability
            if drawn < 0.0:
                return option
        return self.options - 1

    def top(self) -> int:
        return largest(self.p)

    def surety(self) -> float:
        return max(self.p)

    def move_towards(self, option: int, rate: float) -> None:
        """p = (1 - rate) p + rate e, where e is the option's unit vector."""
        self.p = [(1.0 - rate) * each for each in self.p]
        self.p[option] += rate

    def step_towards(self, option: int) -> None:
        """Move up to 1 / (r N) from every other option to this one."""
        step = 1.0 / (self.options * self.tier.steps)
        self.p = [max(each - step, 0.0) for each in self.p]
        self.p[option] = 0.0
        self.p[option] = 1.0 - sum(self.p)


class RewardInaction(WeightedAutomaton):
    """L_RI (Lie 2009, algorithm 4). Reward: p = (1 - a) p + a e_c. Penalty: nothing."""

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        if reward:
            self.move_towards(chosen, self.tier.rate)


class StatusRewardInaction(WeightedAutomaton):
    """L_RI in the S-model: always p = (1 - a s) p + a s e_c, without a coin."""

    feedback: ClassVar[Literal["own", "shared", "status"]] = "status"

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        self.move_towards(chosen, self.tier.rate * status)


class RewardPenalty(WeightedAutomaton):
    """L_RP. Reward: as L_RI. Penalty: p_c = (1 - g) p_c, p_j = g / (r - 1) + (1 - g) p_j, with g = a."""

    leniency: ClassVar[float] = 1.0
    """g is a times this."""

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        if reward:
            self.move_towards(chosen, self.tier.rate)
        elif self.options > 1:
            rate = self.tier.rate * self.leniency
            share = rate / (self.options - 1)
            kept = (1.0 - rate) * self.p[chosen]
            self.p = [(1.0 - rate) * each + share for each in self.p]
            self.p[chosen] = kept


class RewardSlightPenalty(RewardPenalty):
    """L_R-εP: L_RP with g = a / 10."""

    leniency = 0.1


class DiscretisedRewardInaction(WeightedAutomaton):
    """DL_RI. Reward: p_j = max(p_j - 1 / (r N), 0) for all j but c, p_c = 1 - their sum. Penalty: nothing."""

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        if reward:
            self.step_towards(chosen)
