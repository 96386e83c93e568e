"""The agent `adapting`: learns from what it earns which of its actions pay against these very opponents."""

from collections.abc import Sequence
from math import exp
from typing import Annotated

from msgspec import Meta

from kibitz import core

Temperature = Annotated[float, Meta(gt=0.0, le=10.0)]
Memory = Annotated[int, Meta(ge=0, le=5)]
Situation = tuple[object, ...]
START = 0.5
"""The value of an action that was never tried: between the least and the most."""
MOST = 1000
"""With more actions than this all stay equally likely: too few would come again."""


class Adapting(core.Strategy):
    """Prefers actions that earned more in the same situation, in this match and in earlier ones.

    A situation is what the player sees; where all players move at once, it is the last *memory* rounds instead. An
    action is credited with what the player earned from then to the end, or until *horizon* further choices, as a share
    of the most that was ever earned so; newer returns count more, by *rate*. The probability of an action grows with
    exp(value / *temperature*), so that it still tries the others.
    """

    supposed = False  # what it does depends on earlier matches, which a copy has not seen

    def __init__(
        self,
        memory: Memory = 1,
        temperature: Temperature = 0.1,
        rate: core.Probability = 0.2,
        horizon: core.Count = 3,
    ) -> None:
        self.memory, self.temperature, self.rate, self.horizon = memory, temperature, rate, horizon

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not hasattr(self, "values"):
            self.values: dict[tuple[Situation, int], float] = {}
            self.reach = 0.0
            """The most that was earned or lost after any choice."""
        self.rounds: tuple[object, ...] = ()
        self.waiting: list[tuple[Situation, int, float]] = []
        """Own choices whose credit is not known yet, each with what was earned before it."""

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if len(legal) > MOST:
            return core.Distribution.uniform(legal)
        here = self.situation(view)
        weights = {a: exp((self.values.get((here, a), START) - START) / self.temperature) for a in legal}
        total = sum(weights.values())
        return core.Distribution({action: weight / total for action, weight in weights.items()}, legal)

    def situation(self, view: core.State) -> Situation:
        """What the choice depends on."""
        if view.current_player() == core.SIMULTANEOUS:
            return self.rounds
        return (view.key(),)

    def observe(self, transition: core.Transition) -> None:
        action = transition.action_of(self.player)
        if action is not None and transition.chose(self.player):
            self.waiting.append((self.situation(transition.before), action, self.earned(transition.before)))
        if len(transition.movers) > 1 and self.memory:
            self.rounds = (*self.rounds, transition.actions)[-self.memory :]
        while len(self.waiting) > self.horizon:
            self.credit(self.earned(transition.after))

    def end(self, returns: Sequence[float]) -> None:
        while self.waiting:
            self.credit(returns[self.player])

    def earned(self, view: core.State) -> float:
        """What the player has earned so far, as far as they see."""
        return view.returns()[self.player]

    def credit(self, earned: float) -> None:
        """Credit the oldest choice with what it led to."""
        here, action, before = self.waiting.pop(0)
        self.reach = max(self.reach, abs(earned - before))
        value = START + (earned - before) / (self.reach or 1.0) / 2.0
        old = self.values.get((here, action), START)
        self.values[here, action] = old + self.rate * (value - old)
