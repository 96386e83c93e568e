"""The agents of cops and robber: one that takes the shortest way, one that keeps away, and one for both parts."""

from kibitz import core
from kibitz_lab.games.cops.graphs import distances
from kibitz_lab.games.cops.rules import COPS, NOWHERE, State


class Chaser(core.Strategy):
    """Every unit takes a step on a shortest way to the other side; a robber who plays so is caught at once."""

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        targets = view.cops if view.player else (view.robber,)
        far, legal = distances(view.ways), view.legal_actions(self.player)
        return core.Distribution.certain(min(legal, key=lambda to: min(far[to][each] for each in targets)), legal)


class Runner(core.Strategy):
    """Goes where the nearest unit of the other side is farthest away; cops who play so keep their distance."""

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        targets = view.cops if view.player else tuple(place for place in (view.robber,) if place != NOWHERE)
        far, legal = distances(view.ways), view.legal_actions(self.player)
        return core.Distribution.certain(max(legal, key=lambda to: min(far[to][each] for each in targets)), legal)


class Pursuit(core.Strategy):
    """Chases with the cops and runs as the robber, so that it can sit on either seat."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.part = Chaser() if player == COPS else Runner()
        self.part.begin(game, player, rng)

    def policy(self, view: core.State) -> core.Distribution:
        return self.part.policy(view)
