"""Pursuit automata: probabilities move towards the option with the best estimated reward, not the one just chosen."""

from typing import ClassVar

from kibitz.agents.automata.automaton import largest
from kibitz.agents.automata.linear import WeightedAutomaton
from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws

QUANTILE = 0.95
"""Bayesian pursuit compares options by this quantile of their belief."""


class Pursuit(WeightedAutomaton):
    """CP_RP (Thathachar & Sastry 1986): n_c += 1, W_c += b, d = W / n, m = argmax d; then p = (1 - a) p + a e_m.

    It tries every option a few times before the probabilities move.
    """

    on_reward: ClassVar[bool] = False
    """Whether p stays where it is after a penalty."""
    discretised: ClassVar[bool] = False
    """Whether p moves by 1 / (r N) and not by a share."""

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.pulls, self.wins = [0] * options, [0] * options

    def choose(self) -> int:
        tried = sum(self.pulls)
        return tried % self.options if tried < self.tier.tries * self.options else super().choose()

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        self.pulls[chosen] += 1
        self.wins[chosen] += reward
        tried = sum(self.pulls)
        if tried < self.tier.tries * self.options or (self.on_reward and not reward):
            return
        pursued = largest(self.estimates())
        if self.discretised:
            self.step_towards(pursued)
        else:
            self.move_towards(pursued, self.tier.rate)

    def estimates(self) -> list[float]:
        """The estimated reward of every option."""
        return [wins / pulls for wins, pulls in zip(self.wins, self.pulls, strict=True)]


class PursuitInaction(Pursuit):
    """CP_RI: pursuit that moves p after a reward only."""

    on_reward = True


class DiscretisedPursuit(PursuitInaction):
    """DP_RI (Oommen & Lanctot 1990): CP_RI with steps of 1 / (r N)."""

    discretised = True


class StochasticEstimator(DiscretisedPursuit):
    """SE_RI (Papadimitriou and others 2004): DP_RI after m = argmax of d_i + uniform(-1 / n_i, 1 / n_i)."""

    def estimates(self) -> list[float]:
        return [
            each + (2.0 * self.draws.unit() - 1.0) / pulls
            for each, pulls in zip(super().estimates(), self.pulls, strict=True)
        ]


class BayesianPursuit(PursuitInaction):
    """BPA (Zhang, Granmo & Oommen 2011): CP_RI after the 95 % quantile of Beta(1 + W_i, 1 + n_i - W_i)."""

    def estimates(self) -> list[float]:
        from scipy.special import betaincinv

        pairs = zip(self.wins, self.pulls, strict=True)
        return [float(betaincinv(1.0 + wins, 1.0 + pulls - wins, QUANTILE)) for wins, pulls in pairs]


class DiscretisedBayesianPursuit(BayesianPursuit):
    """DBPA (Zhang, Granmo & Oommen 2013): BPA with steps of 1 / (r N)."""

    discretised = True
