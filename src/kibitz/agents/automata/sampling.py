"""Automata that keep a belief about the worth of every option, and choose by a draw from it or by its upper bound."""

from math import erf, exp, log, sqrt
from typing import ClassVar, Literal

from kibitz.agents.automata.automaton import Automaton, largest
from kibitz.agents.automata.linear import WeightedAutomaton
from kibitz.agents.automata.tier import Tier
from kibitz.core.kernels.random import Draws


def confidence(means: list[float], variances: list[float]) -> float:
    """The probability that the option with the largest mean is better than the next, as if both were normal."""
    if len(means) == 1:
        return 1.0
    best = largest(means)
    second = max((option for option in range(len(means)) if option != best), key=means.__getitem__)
    spread = sqrt(variances[best] + variances[second])
    return 0.5 + 0.5 * erf((means[best] - means[second]) / (spread * sqrt(2.0))) if spread > 0.0 else 1.0


class BetaBayes(Automaton):
    """The Bayesian automaton for coins (Granmo 2010): argmax of x_i ~ Beta(A_i, B_i); then A_c += b, B_c += 1 - b."""

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.wins, self.losses = [1.0] * options, [1.0] * options

    def choose(self) -> int:
        drawn = []
        for wins, losses in zip(self.wins, self.losses, strict=True):
            won = self.draws.gamma(wins)
            drawn.append(won / (won + self.draws.gamma(losses)))
        return largest(drawn)

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        if reward:
            self.wins[chosen] += 1.0
        else:
            self.losses[chosen] += 1.0

    def means(self) -> list[float]:
        """The expected reward of every option."""
        return [wins / (wins + losses) for wins, losses in zip(self.wins, self.losses, strict=True)]

    def top(self) -> int:
        return largest(self.means())

    def surety(self) -> float:
        totals = [wins + losses for wins, losses in zip(self.wins, self.losses, strict=True)]
        return confidence(
            self.means(), [m * (1.0 - m) / (total + 1.0) for m, total in zip(self.means(), totals, strict=True)]
        )


class NormalGammaBayes(Automaton):
    """The Bayesian automaton for numbers (Lie 2009, algorithms 6 and 7, corrected).

    Belief about option i: precision l ~ Gamma(alpha, rate beta), mean ~ N(mu, 1 / (tau l)). It chooses the argmax of
    a mean drawn for each, which is mu + sqrt(beta / (alpha tau)) t with t of Student's law of 2 alpha degrees. Then
    beta += tau (s - mu)² / (2 (tau + 1)), mu = (tau mu + s) / (tau + 1), tau += 1, alpha += 1/2.
    """

    feedback: ClassVar[Literal["own", "shared", "status"]] = "status"

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        alpha, beta, mu, tau = tier.prior
        self.alpha, self.beta, self.mu, self.tau = [alpha] * options, [beta] * options, [mu] * options, [tau] * options

    def choose(self) -> int:
        return largest(
            [
                self.mu[option] + self.draws.student(2.0 * self.alpha[option]) * sqrt(self.variance(option))
                for option in range(self.options)
            ]
        )

    def variance(self, option: int) -> float:
        """The squared scale of the belief about an option's mean."""
        return self.beta[option] / (self.alpha[option] * self.tau[option])

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        tau, mu = self.tau[chosen], self.mu[chosen]
        self.beta[chosen] = self.next_beta(self.beta[chosen], tau * (status - mu) ** 2, tau)
        self.mu[chosen] = (tau * mu + status) / (tau + 1.0)
        self.tau[chosen] = tau + 1.0
        self.alpha[chosen] += 0.5

    def next_beta(self, beta: float, surprise: float, tau: float) -> float:
        """Beta after one more status."""
        return beta + surprise / (2.0 * (tau + 1.0))

    def top(self) -> int:
        return largest(self.mu)

    def surety(self) -> float:
        return confidence(self.mu, [self.variance(option) for option in range(self.options)])


class LiteralBayes(NormalGammaBayes):
    """Algorithm 6 as printed: the gamma draw takes beta as its scale, so surprises make the belief more certain."""

    def variance(self, option: int) -> float:
        return 1.0 / (self.alpha[option] * self.beta[option] * self.tau[option])


class ChapterBayes(NormalGammaBayes):
    """The formula of chapter 2.3.3 as printed: beta = (beta + tau (s - mu)²) / (2 (tau + 1))."""

    def next_beta(self, beta: float, surprise: float, tau: float) -> float:
        return (beta + surprise) / (2.0 * (tau + 1.0))


class UpperBound(Automaton):
    """UCB1 (Auer and others 2002): each once, then argmax of mean_i + sqrt(2 ln t / n_i); its top was played most."""

    feedback: ClassVar[Literal["own", "shared", "status"]] = "status"

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.means, self.pulls = [0.0] * options, [0] * options

    def choose(self) -> int:
        tried = sum(self.pulls)
        if tried < self.options:
            return tried
        wide = 2.0 * log(tried)
        return largest([mean + sqrt(wide / pulls) for mean, pulls in zip(self.means, self.pulls, strict=True)])

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        self.pulls[chosen] += 1
        self.means[chosen] += (status - self.means[chosen]) / self.pulls[chosen]

    def top(self) -> int:
        return largest(self.pulls)


class ExponentialWeights(WeightedAutomaton):
    """EXP3 (Auer and others 2002): p_i = (1 - g) w_i / sum w + g / r; then w_c *= exp(g (s / p_c) / r).

    It keeps logarithms. Its top option has the largest weight.
    """

    feedback: ClassVar[Literal["own", "shared", "status"]] = "status"

    def __init__(self, options: int, tier: Tier, draws: Draws) -> None:
        super().__init__(options, tier, draws)
        self.logs = [0.0] * options

    def learn(self, chosen: int, status: float, reward: bool) -> None:
        self.logs[chosen] += self.tier.rate * status / (self.p[chosen] * self.options)
        most = max(self.logs)
        self.logs = [each - most for each in self.logs]
        weights = [exp(each) for each in self.logs]
        total, flat = sum(weights), self.tier.rate / self.options
        self.p = [(1.0 - self.tier.rate) * each / total + flat for each in weights]
