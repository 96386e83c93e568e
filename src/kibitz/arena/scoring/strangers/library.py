"""What the library's strategies would have done in a player's place: how near it is to them, and how well they predict.

Needed to say whether a stranger differs from a known strategy, and whether a model beats the best of them.
"""

from collections.abc import Sequence

from kibitz import core
from kibitz.arena.scoring.strangers.worlds import SecretWorlds
from kibitz.core.match import Event
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream

FEW_WORLDS = 100
"""Games that keep fewer worlds than this are too large to be followed; there strategies see what the player sees."""


class Library:
    """The strategies of a library in one player's seat, along one match."""

    def __init__(self, game: core.Game, seat: int, player: str, library: Sequence[str], seed: int) -> None:
        self.game, self.seat = game, seat
        name = spec_of(game).name
        made = [make_agent(spec, name) for spec in library]
        self.strategies = [each for each in made if isinstance(each, core.Strategy) and each.manages(game)]
        self.labels = [str(spec_of(each)) for each in self.strategies]
        own = make_agent(player, name)
        self.own = own if isinstance(own, core.Strategy) else None
        for each in self.strategies + ([] if self.own is None else [self.own]):
            each.begin(game, seat, stream(seed, "library"))
        followed = game.hidden and game.worlds > FEW_WORLDS
        self.secrets = [SecretWorlds(game, spec, seed) for spec in self.labels] if followed else []

    def compare(self, event: Event, action: int) -> tuple[dict[str, float], dict[str, float]]:
        """For a choice of the player: what each strategy gives *action*, and its total variation from the player."""
        view = event.before.view(self.seat, self.seat)
        policies = self.strategies[0].policies(self.strategies, view.clone()) if self.strategies else []
        shares = [policy.probability(action) for policy in policies]
        if self.secrets:
            shares = [each.probability(self.seat, action) for each in self.secrets]
        apart: dict[str, float] = {}
        if self.own is not None:
            meant = self.own.policy(view.clone())
            apart = {label: total_variation(meant, policy) for label, policy in zip(self.labels, policies, strict=True)}
        return dict(zip(self.labels, shares, strict=True)), apart

    def observe(self, event: Event) -> None:
        """Let everyone see an event."""
        seen = event.transition(self.seat, self.seat)
        for each in self.strategies + ([] if self.own is None else [self.own]):
            each.observe(seen)
        for worlds in self.secrets:
            worlds.observe(event)


def total_variation(one: core.Distribution, other: core.Distribution) -> float:
    """Half the sum of the differences of all probabilities; actions that neither names count together."""
    named = {*one.named, *other.named}
    apart = sum(abs(one.probability(action) - other.probability(action)) for action in named)
    unnamed = len(one.legal) - len(named)
    return min(1.0, (apart + unnamed * abs(one.share_of_others() - other.share_of_others())) / 2.0)
