"""`KibitzPlayer`: any agent of the dilemma as an `axelrod.Player`, for Axelrod's matches and tournaments."""

from typing import Any

import axelrod

from kibitz import core
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.core.specs import Spec

LONGEST = 1_000_000
"""Most rounds of a dilemma."""


class KibitzPlayer(axelrod.Player):
    """An agent in a match of Axelrod. It observes every round, noise included, and knows the length if the match tells.

    *rounds* is how long it expects a match of unknown length to be; longer ones begin again with twice as many. With
    *ends_known* false it plays as if no end were in sight, whatever the match tells.
    """

    name = "Kibitz"
    classifier = {  # noqa: RUF012 - Axelrod reads it like this
        "memory_depth": float("inf"),
        "stochastic": True,
        "long_run_time": False,
        "inspects_source": False,
        "manipulates_source": False,
        "manipulates_state": False,
    }

    def __init__(self, agent: str = "tit_for_tat", rounds: int = 200, ends_known: bool = True) -> None:
        super().__init__()
        self.agent, self.rounds, self.ends_known = agent, rounds, ends_known
        self.seated: core.Agent | None = None
        self.chosen: list[int] = []
        """What the agent chose in each round."""
        self.seen: list[tuple[Any, Any]] = []
        """The rounds that the agent has observed."""

    def strategy(self, opponent: Any) -> Any:
        """The agent's choice, after it has observed all rounds so far."""
        played = len(self.history)
        if self.seated is None or not self.continues(opponent) or played >= self.expected:
            self.begin(played)
        for turn in range(len(self.seen), played):
            self.observe_round(self.history[turn], opponent.history[turn])
        assert self.seated is not None, "begin has seated the agent"
        action = self.seated.act(self.state.view(0), core.Clock())
        del self.chosen[played:]
        self.chosen.append(action)
        return axelrod.Action.D if action else axelrod.Action.C

    def continues(self, opponent: Any) -> bool:
        """Whether the match goes on from the rounds that the agent has observed: the last of them is as it was."""
        last = len(self.seen) - 1
        if last < 0:
            return True
        return last < len(self.history) and self.seen[last] == (self.history[last], opponent.history[last])

    def begin(self, played: int) -> None:
        """Seat a new agent in a dilemma like the match."""
        attributes = self.match_attributes
        length = attributes["length"] if self.ends_known else LONGEST
        known = isinstance(length, int) and 1 <= length <= LONGEST and played < length
        self.expected = length if known else self.rounds
        while self.expected <= played:
            self.expected *= 2
        reward, punishment, sucker, temptation = map(float, attributes["game"].RPST())
        options = {
            "rounds": min(self.expected, LONGEST),
            "noise": float(attributes["noise"] or 0.0),
            "payoffs": (reward, sucker, temptation, punishment),
        }
        self.rules = make_game(Spec("dilemma", options))
        self.state, self.ply, self.seen = self.rules.new_initial_state(), 0, []
        self.seated = make_agent(self.agent, "dilemma")
        self.seated.begin(self.rules, 0, stream(int(getattr(self, "_seed", None) or 0), "agent", 0))

    def observe_round(self, one: Any, other: Any) -> None:
        """Let the agent observe a round: the choices and, with noise, what became of them."""
        done = int(one == axelrod.Action.D), int(other == axelrod.Action.D)
        turn = len(self.seen)
        own = self.chosen[turn] if self.rules.hidden and turn < len(self.chosen) else done[0]
        self.observe_event(core.SIMULTANEOUS, (own, done[1]))
        if self.rules.hidden:
            self.observe_event(core.CHANCE, (2 * done[0] + done[1],))
        self.seen.append((one, other))

    def observe_event(self, player: int, actions: tuple[int, ...]) -> None:
        """Let the agent observe one event as it sees it."""
        assert self.seated is not None, "begin has seated the agent"
        before = self.state.view(0)
        movers = range(2) if player == core.SIMULTANEOUS else (player,)
        pairs = zip(movers, actions, strict=True)
        seen = tuple(self.state.seen_action(0, mover, action) for mover, action in pairs)
        self.state.step(actions)
        self.seated.observe(core.Transition(self.ply, player, seen, before, self.state.view(0)))
        self.ply += 1
