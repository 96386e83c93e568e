"""The agent `adapting`: learns from what it earns which of its actions pay against these very opponents."""

from collections.abc import Sequence
from math import exp
from typing import Annotated

from msgspec import Meta

from kibitz import core

Temperature = Annotated[float, Meta(gt=0.0, le=10.0)]
Memory = Annotated[int, Meta(ge=0, le=5)]
Situation = tuple[object, ...]
MOST = 1000
"""With more actions than this all stay equally likely: too few would come again."""


class Adapting(core.Strategy):
    """Prefers actions that earned more in the same situation, in this match and in earlier ones.

    A situation is what the player sees; where all players move at once, it is the last *memory* rounds instead. An
    action earns what comes in until the end of the match; in a move at once, what comes in until *horizon* rounds are
    played. Newer earnings count more, by *rate*. How much an action earns beyond the others, as a share of the spread
    of all earnings and divided by *temperature*, is the logarithm of its odds; so it still tries the others.
    """

    supposed = False  # what it does depends on earlier matches, which a copy has not seen

    def __init__(
        self,
        memory: Memory = 1,
        temperature: Temperature = 0.2,
        rate: core.Probability = 0.2,
        horizon: core.Count = 2,
    ) -> None:
        self.memory, self.temperature, self.rate, self.horizon = memory, temperature, rate, horizon

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not hasattr(self, "values"):
            self.values: dict[Situation, dict[int, float]] = {}
            self.least, self.most = float("inf"), float("-inf")
            """The least and the most that any choice earned."""
        self.rounds: tuple[object, ...] = ()
        self.waiting: list[tuple[Situation, int, float]] = []
        """Own choices that still earn, each with what was earned before it."""

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        tried = self.values.get(self.situation(view), {}) if len(legal) <= MOST else {}
        if not tried or self.most <= self.least:
            return core.Distribution.uniform(legal)
        usual = sum(tried.values()) / len(tried)
        unit = self.temperature * (self.most - self.least)
        weights = {action: exp((tried.get(action, usual) - usual) / unit) for action in legal}
        total = sum(weights.values())
        return core.Distribution({action: weight / total for action, weight in weights.items()}, legal)

    def situation(self, view: core.State) -> Situation:
        """What the choice depends on."""
        return self.rounds if view.current_player() == core.SIMULTANEOUS else (view.key(),)

    def observe(self, transition: core.Transition) -> None:
        action = transition.action_of(self.player)
        if action is not None and transition.chose(self.player):
            before = transition.before.returns()[self.player]
            self.waiting.append((self.situation(transition.before), action, before))
        if len(transition.movers) > 1:
            self.rounds = (*self.rounds, transition.actions)[-self.memory :] if self.memory else ()
            while len(self.waiting) >= self.horizon:
                self.learn(transition.after.returns()[self.player])

    def end(self, returns: Sequence[float]) -> None:
        while self.waiting:
            self.learn(returns[self.player])

    def learn(self, earned: float) -> None:
        """Note what the oldest choice earned."""
        here, action, before = self.waiting.pop(0)
        gain = earned - before
        self.least, self.most = min(self.least, gain), max(self.most, gain)
        tried = self.values.setdefault(here, {})
        tried[action] = tried.get(action, gain) + self.rate * (gain - tried.get(action, gain))
