"""The search of `aware`: Monte Carlo tree search with a model that remembers the others from match to match."""

from collections.abc import Sequence

from kibitz import core
from kibitz.agents.search.mcts.agent import MCTS
from kibitz.core.memory import Learned


class AwareSearch(MCTS):
    """Searches against the players that *model* believes in, each with probability *trust*."""

    def __init__(
        self, model: core.Model | None = None, simulations: core.Count | None = None, trust: core.Probability = 1.0
    ) -> None:
        super().__init__(simulations=simulations, model=model)
        self.trust = trust

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.remembered: dict[int, Learned] = getattr(self, "remembered", {})
        if self.watcher is not None:
            for other, learned in self.remembered.items():
                self.watcher.recall(other, learned)

    def end(self, returns: Sequence[float]) -> None:
        if self.watcher is not None and not self.fault:
            others = [each for each in range(self.game.players) if each != self.player]
            self.remembered = {other: learned for other in others if (learned := self.watcher.remember(other))}

    def sample_worlds(self, view: core.State, count: int) -> Sequence[core.SampledWorld]:
        worlds = super().sample_worlds(view, count)
        if self.trust >= 1.0:
            return worlds
        return [core.SampledWorld(world.state, self.believed_types(world)) for world in worlds]

    def believed_types(self, world: core.SampledWorld) -> dict[int, core.PlayerType]:
        """The types of a world, each believed with probability *trust*."""
        return {player: each for player, each in world.types.items() if self.rng.random() < self.trust}
