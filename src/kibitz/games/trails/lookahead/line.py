"""Positions with the past that led to them, and players who go on from there: what look-ahead is made of."""

from kibitz import core
from kibitz.games.trails.agents.negotiator import Negotiator, Part
from kibitz.games.trails.history import History
from kibitz.games.trails.state import MOVEMENT, State

PARTS = {"offer": "proposer", "answer": "acceptor", "exchange": "sender", "movement": "mover"}
"""Which part of a design decides in which phase."""


class Line:
    """A position and all that happened before it. It remembers where it was followed to, and what was chosen on it."""

    __slots__ = ("chosen", "history", "next", "state")

    def __init__(self, state: State, history: History) -> None:
        self.state, self.history = state, history
        self.next: dict[tuple[int, ...], Line] = {}
        self.chosen: dict[tuple[int, object], core.Distribution] = {}

    def after(self, actions: tuple[int, ...]) -> "Line":
        """The line one event later."""
        found = self.next.get(actions)
        if found is None:
            found = self.next[actions] = self.followed(actions)
        return found

    def followed(self, actions: tuple[int, ...]) -> "Line":
        """The same, worked out."""
        before, state = self.state, self.state.clone()
        state.step(actions)
        if before.phase == MOVEMENT:  # a history is of what was said and sent
            return Line(state, self.history)
        history = self.history.__deepcopy__({})
        history.observe(core.Transition(0, before.current_player(), actions, before, state))
        return Line(state, history)


class Mind:
    """A negotiator as others imagine him: all his memory is the history of the game, so one copy serves all lines."""

    def __init__(self, agent: Negotiator, game: core.Game, player: int, rng: core.Rng) -> None:
        self.agent, self.player = agent.clone(), player
        self.agent.begin(game, player, rng)
        self.draws = self.agent.traits.stochastic
        design = self.agent.design
        by_parts = type(agent).policy is Negotiator.policy
        self.deciding: dict[str, Part | Mind] = {
            phase: getattr(design, name) if by_parts else self for phase, name in PARTS.items()
        }
        """What decides in each phase; equal parts choose alike."""

    def policy(self, line: Line) -> core.Distribution:
        """What he would do there."""
        key = self.player, self.deciding[line.state.phase]
        found = line.chosen.get(key)
        if found is None:
            self.agent.history = line.history
            found = line.chosen[key] = self.agent.policy(line.state)
        return found


def together(state: State, player: int, own: int, other: int) -> tuple[int, ...]:
    """The actions of whoever moves, of *player*'s *own* and the *other*'s."""
    current = state.current_player()
    if current == core.SIMULTANEOUS:
        return (own, other) if player == 0 else (other, own)
    return (own,) if current == player else (other,)
