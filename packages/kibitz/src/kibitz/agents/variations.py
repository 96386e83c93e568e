"""The agents `noisy`, `mixture` and `switcher`: players made of other strategies, which follow none of them."""

from collections.abc import Sequence

from kibitz import core
from kibitz.agents.random import Random
from kibitz.core.errors import BadSpec


class Variation(core.Strategy):
    """A player made of strategies that all watch the match from its seat."""

    def parts(self) -> Sequence[core.Strategy]:
        """The strategies it is made of."""
        return ()

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        for part in self.parts():
            part.begin(game, player, rng)

    def manages(self, game: core.Game) -> bool:
        return all(part.manages(game) for part in self.parts())

    def observe(self, transition: core.Transition) -> None:
        for part in self.parts():
            part.observe(transition)

    def end(self, returns: Sequence[float]) -> None:
        for part in self.parts():
            part.end(returns)


class Noisy(Variation):
    """Follows *strategy*, but plays any legal action with probability *rate*."""

    def __init__(self, strategy: core.Strategy | None = None, rate: core.Probability = 0.2) -> None:
        self.strategy, self.rate = strategy, rate

    def parts(self) -> Sequence[core.Strategy]:
        return () if self.strategy is None else (self.strategy,)

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        anything = core.Distribution.uniform(legal)
        if self.strategy is None:
            return anything
        meant = self.strategy.policy(view)
        return core.Distribution.mixture([(1.0 - self.rate, meant), (self.rate, anything)], legal)


class Mixture(Variation):
    """Follows one of the *strategies* at each move, drawn with the probabilities *shares* (by default equal ones)."""

    def __init__(self, strategies: tuple[core.Strategy, ...] = (), shares: tuple[core.Probability, ...] = ()) -> None:
        self.strategies, self.shares = strategies, shares

    def parts(self) -> Sequence[core.Strategy]:
        return self.strategies

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        if self.shares and (len(self.shares) != len(self.strategies) or sum(self.shares) <= 0.0):
            many = len(self.strategies)
            raise BadSpec(repr(self), f"{many} strategies need {many} shares, and not all of them 0")
        super().begin(game, player, rng)

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        shares = self.shares or [1.0] * len(self.strategies)
        said = [part.policy(view) for part in self.strategies]
        return core.Distribution.mixture(list(zip(shares, said, strict=True)), legal)


class Switcher(Variation):
    """Follows each of the *strategies* for *every* moves of its own, in turn; the last one to the end."""

    def __init__(self, strategies: tuple[core.Strategy, ...] = (), every: core.Count = 8) -> None:
        self.strategies, self.every = strategies, every

    def parts(self) -> Sequence[core.Strategy]:
        return self.strategies

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.moves = 0
        self.default = Random()
        self.default.begin(game, player, rng)

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        self.moves += self.player in transition.movers

    def policy(self, view: core.State) -> core.Distribution:
        return self.current().policy(view)

    def current(self) -> core.Strategy:
        """The strategy that it follows now."""
        if not self.strategies:
            return self.default
        return self.strategies[min(self.moves // self.every, len(self.strategies) - 1)]
