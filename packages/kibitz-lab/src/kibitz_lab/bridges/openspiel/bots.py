"""OpenSpiel's own players as agents: `openspiel_bot`, for search and uniform play."""

from typing import Annotated, Literal

import msgspec

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz_lab.bridges.openspiel.loading import pyspiel
from kibitz_lab.bridges.openspiel.rules import BridgedState, OpenSpiel
from kibitz_lab.bridges.openspiel.views import View, offers_resampling

MEMORY = 500
"""Megabytes that a search tree may take."""


class OpenSpielBot(core.Agent):
    """A bot of OpenSpiel: Monte Carlo tree search, the same for hidden information, or any legal action.

    *simulations* and *rollouts* (games played out per simulation) are the budget, *exploration* its constant c.
    """

    def __init__(
        self,
        name: Literal["mcts", "ismcts", "uniform_random"] = "mcts",
        simulations: core.Count = 1000,
        rollouts: core.Count = 1,
        exploration: Annotated[float, msgspec.Meta(ge=0.0, le=1000.0)] = 2.0,
    ) -> None:
        self.name, self.simulations, self.rollouts, self.exploration = name, simulations, rollouts, exploration

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        why = self.trouble(game)
        if why:
            raise Unsupported(self, game, why)

    def manages(self, game: core.Game) -> bool:
        return not self.trouble(game)

    def trouble(self, game: core.Game) -> str:
        """Why it cannot play a game; empty if it can."""
        if not isinstance(game, OpenSpiel):
            return "it plays games of OpenSpiel only, such as openspiel:connect_four"
        kind = game.spiel.get_type()
        if self.name == "uniform_random":
            return ""
        if kind.dynamics != kind.Dynamics.SEQUENTIAL or kind.reward_model != kind.RewardModel.TERMINAL:
            return "it searches games in which players move in turn and earn at the end"
        if self.name == "mcts" and game.hidden:
            return "it needs to see everything; openspiel_bot(name=ismcts) does not"
        in_python = type(game.spiel).__module__.startswith("open_spiel.python")
        if self.name == "ismcts" and (in_python or not offers_resampling(game)):
            return "it needs a game that resamples hidden information, and one not written in Python"
        return ""

    def act(self, view: core.State, clock: core.Clock) -> int:
        seed = int(self.rng.integers(2**31))
        state = known_state(view, self.rng)
        if self.name == "uniform_random":
            legal = view.legal_actions(self.player)
            return legal[seed % len(legal)]
        spiel = pyspiel()
        rollouts = spiel.RandomRolloutEvaluator(self.rollouts, seed)
        if self.name == "ismcts":
            return int(spiel.ISMCTSBot(seed, rollouts, self.exploration, self.simulations).step(state.spiel))
        game = state.game.spiel
        bot = spiel.MCTSBot(game, rollouts, self.exploration, self.simulations, MEMORY, False, seed, False)
        return int(bot.mcts_search(state.spiel).best_child().action)  # its `step` ends the process on games in Python


def known_state(view: core.State, rng: core.Rng) -> BridgedState:
    """A state for a bot to look at: the view itself, or with hidden information one that fits it, never the truth."""
    full = view.complete(rng) if isinstance(view, View) else view
    assert isinstance(full, BridgedState)
    return full
