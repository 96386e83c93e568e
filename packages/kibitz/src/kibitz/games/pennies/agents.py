"""Four strategies of matching pennies, as people might play them."""

from kibitz import core
from kibitz.games.pennies.rules import HEADS, TAILS


class Biased(core.Strategy):
    """Shows heads with a fixed probability, whatever happened."""

    def __init__(self, heads: core.Probability = 0.7) -> None:
        self.heads = heads

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution({HEADS: self.heads, TAILS: 1.0 - self.heads}, view.legal_actions(self.player))


class Heads(core.Strategy):
    """Always shows heads."""

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.certain(HEADS, view.legal_actions(self.player))


class Alternator(core.Strategy):
    """Shows heads and tails in turn."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.next = HEADS

    def observe(self, transition: core.Transition) -> None:
        self.next = 1 - self.next

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.certain(self.next, view.legal_actions(self.player))


class Copycat(core.Strategy):
    """Shows what the other player showed last; either side at first."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.seen: int | None = None

    def observe(self, transition: core.Transition) -> None:
        self.seen = transition.action_of(1 - self.player)

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        return core.Distribution.uniform(legal) if self.seen is None else core.Distribution.certain(self.seen, legal)
