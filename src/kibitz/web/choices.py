"""What a page offers to choose from: games, and the agents and models that fit one; a worker finds that out once."""

import msgspec

from kibitz.bridges.packages import bridge_status
from kibitz.core.game import Game
from kibitz.core.registry import bridged_entries, entries, make_game
from kibitz.core.registry.fitting import fits, fitting_names
from kibitz.server.compute import Compute

EVERYWHERE = ("random", "alphabeta", "asymmetric", "mcts", "aware")
"""Suggested agents that can play any game."""
MOST_KNOWN = 500
"""Number of games whose choices are remembered."""


class Fitting(msgspec.Struct, frozen=True):
    """The suggested general agents and the models that can take part in a game."""

    agents: list[str]
    models: list[str]


def general_agents(game: Game) -> list[str]:
    """The suggested general agents that can play *game*."""
    return [name for name in EVERYWHERE if fits("agent", name, game)]


def fitting_choices(spec: str) -> Fitting:
    """What fits a game; models may compile something to find out."""
    game = make_game(spec)
    return Fitting(general_agents(game), fitting_names("model", game))


def game_words() -> dict[str, str]:
    """All games with their summaries, which loads them; of bridges those whose package is installed."""
    bridged = {name: each for name, each in bridged_entries("game").items() if bridge_status(each.bridge).usable}
    return {name: f"{name}: {entry.summary()}" for name, entry in {**entries("game"), **bridged}.items()}


class Choices:
    """The choices of all pages of a server; finding them out holds up nobody else."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.known: dict[str, Fitting] = {}
        self.words: dict[str, str] = {}

    async def games(self) -> dict[str, str]:
        """All games by name, each in a few words."""
        if not self.words:
            self.words = await self.compute.run_io(game_words)
        return self.words

    async def fitting(self, game: Game) -> Fitting:
        """What fits a game."""
        spec = repr(game)
        if spec not in self.known:
            found = await self.compute.run_cpu(fitting_choices, spec)
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[spec] = found
        return self.known[spec]
