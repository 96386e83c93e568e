"""The search of `aware`: Monte Carlo tree search with a model that remembers the others from match to match."""

from collections.abc import Sequence

from kibitz import core
from kibitz.agents.search.mcts.agent import MCTS
from kibitz.core.memory import Learned


class AwareSearch(MCTS):
    """Searches against the players that *model* believes in, each with probability *trust* times its confidence."""

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
        """Worlds of the model, in which each other player is believed to be who they are there as far as is safe.

        Before a player has chosen anything, every type is a guess. A guess that is wrong costs more than one that is
        right wins, so the others choose as the search would until the model has predicted them better than chance.
        """
        worlds, watcher = super().sample_worlds(view, count), self.watcher
        if watcher is None:
            return worlds
        others = [player for player in range(self.game.players) if player != self.player]
        confidences = self.ask_safely("confidence", lambda: {each: watcher.confidence(each) for each in others}) or {}
        believed = {who: self.trust * confidences.get(who, 0.0) for who in others}
        least, draws = min(believed.values()), self.rng.random(len(worlds)).tolist()
        sampled = []
        for world, draw in zip(worlds, draws, strict=True):
            if draw >= least:
                types = {who: each for who, each in world.types.items() if draw < believed[who]}
                world = core.SampledWorld(world.state, types)
            sampled.append(world)
        return sampled
