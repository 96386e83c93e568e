"""kibitz's agents as bots of OpenSpiel, in kibitz's games and in its own. Importing this module imports pyspiel."""

from typing import Any

import pyspiel

from kibitz import core
from kibitz.core.match import Event, Position
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz_lab.bridges.openspiel.exported_games import KibitzGame
from kibitz_lab.bridges.openspiel.rules import OpenSpiel


class KibitzBot(pyspiel.Bot):
    """A kibitz agent that plays as *player*.

    OpenSpiel shows bots the whole state and tells them nothing where all choose at once. This one takes the actions
    from the state's history, and shows the agent its view and every event, as a match of kibitz does.
    """

    def __init__(self, agent: str | core.Agent, game: Any, player: int, seed: int = 0) -> None:
        super().__init__()
        self.spiel, self.player, self.seed, self.matches = game, player, seed, 0
        self.game: core.Game = game.kibitz if isinstance(game, KibitzGame) else OpenSpiel(str(game))
        self.agent = make_agent(agent, spec_of(self.game).name)
        self.restart()

    def player_id(self) -> int:
        return self.player

    def restart(self) -> None:
        """Begin another match."""
        self.history: list[int] = []
        """The numbers of the actions that the agent was told of, as OpenSpiel has them."""
        self.ply = 0
        self.position = Position(self.game.new_initial_state(), self.game.hidden)
        self.agent.begin(self.game, self.player, stream(self.seed, "bot", self.matches, self.player))
        self.matches += 1

    def restart_at(self, state: Any) -> None:
        self.restart()

    def step(self, state: Any) -> int:
        self.catch_up(list(map(int, state.history())))
        view = self.position.state.view(self.player)
        action = self.agent.act(view, core.Clock())
        if isinstance(self.spiel, KibitzGame):
            return self.spiel.numbers.number(action, self.position.state.legal_actions(self.player))
        return action

    def catch_up(self, history: list[int]) -> None:
        """Tell the agent what has happened since it was asked last."""
        if history[: len(self.history)] != self.history:
            self.restart()
        new = history[len(self.history) :]
        while new:
            movers = self.game.movers(self.position.state) or (core.CHANCE,)
            numbers, new = new[: len(movers)], new[len(movers) :]
            self.tell(movers, numbers)
        self.history = history

    def tell(self, movers: tuple[int, ...], numbers: list[int]) -> None:
        """Tell the agent of one event."""
        before = self.position
        actions = [self.action(before.state, mover, number) for mover, number in zip(movers, numbers, strict=True)]
        self.position = before.after(actions)
        event = Event(self.ply, before.state.current_player(), movers, tuple(actions), before, self.position)
        self.agent.observe(event.transition(self.player, self.player))
        self.ply += 1

    def action(self, state: core.State, player: int, number: int) -> int:
        """The kibitz action of a number in OpenSpiel's history."""
        if not isinstance(self.spiel, KibitzGame):
            return number
        if player == core.CHANCE:
            return state.chance_outcomes()[number][0]
        chosen = self.spiel.numbers.action(number, state.legal_actions(player))
        assert chosen is not None
        return chosen
