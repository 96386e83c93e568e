"""The lines that look-ahead follows: positions with the past that led to them, and the players who go on from there."""

from functools import lru_cache

from kibitz import core
from kibitz.games.trails.agents.negotiator import Negotiator, Part
from kibitz.games.trails.board import Board
from kibitz.games.trails.history import History
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import MOVEMENT, State

PARTS = {"offer": "proposer", "answer": "acceptor", "exchange": "sender", "movement": "mover"}
"""Which part of a design decides in which phase."""
MOST_POSITIONS = 20_000
"""How many positions of a game are remembered; then all are forgotten."""
GAMES_KNOWN = 4
"""Games of which a process remembers positions."""


class Position:
    """A state that many lines lead to: where events lead from it, and the choices there by what players remember.

    All positions of a game are `known` by their keys, so that equal ones are one.
    """

    __slots__ = ("chosen", "known", "next", "situations", "state")

    def __init__(self, state: State, known: "Atlas") -> None:
        self.state, self.known = state, known
        self.situations: dict[int, Situation] = {}
        self.next: dict[tuple[int, ...], Position] = {}
        self.chosen: dict[tuple[object, ...], core.Distribution] = {}

    @classmethod
    def of(cls, state: State, known: "Atlas") -> "Position":
        """The position of *state*, the same one where it is known."""
        key = state.round, state.key()  # a key does not contain the round, but look-ahead counts rounds
        found = known.get(key)
        if found is None:
            if len(known) >= MOST_POSITIONS:
                forget(known)
            found = known[key] = cls(state, known)
        return found

    def situation(self, player: int) -> Situation:
        """The decision as *player* sees it, before any past; what depends on the position alone is worked out once."""
        found = self.situations.get(player)
        if found is None:
            found = self.situations[player] = Situation(self.state, player, History())
        return found

    def after(self, actions: tuple[int, ...]) -> "Position":
        """The position one event later."""
        found = self.next.get(actions)
        if found is None:
            state = self.state.clone()
            state.step(actions)
            found = self.next[actions] = Position.of(state, self.known)
        return found


Atlas = dict[core.Key, Position]


@lru_cache(maxsize=GAMES_KNOWN)
def atlas(game: str, layout: Board) -> Atlas:
    """The positions of a game that any search of this process visited lately."""
    return {}


def forget(known: Atlas) -> None:
    """Forget all positions: those still in use hold no others."""
    for position in known.values():
        position.next.clear()
    known.clear()


class Line:
    """A position and all that happened before it. It remembers where it was followed to, and what was chosen on it."""

    __slots__ = ("chosen", "history", "next", "position", "state")

    def __init__(self, position: Position, history: History) -> None:
        self.position, self.state, self.history = position, position.state, history
        self.next: dict[tuple[int, ...], Line] = {}
        self.chosen: dict[tuple[int, object], core.Distribution] = {}

    @classmethod
    def from_state(cls, state: State, history: History) -> "Line":
        """A line that begins with *state*."""
        return cls(Position.of(state.clone(), atlas(repr(state.game), state.board)), history)

    def after(self, actions: tuple[int, ...]) -> "Line":
        """The line one event later."""
        found = self.next.get(actions)
        if found is None:
            found = self.next[actions] = self.compute_after(actions)
        return found

    def compute_after(self, actions: tuple[int, ...]) -> "Line":
        """The same, worked out."""
        before, position = self.state, self.position.after(actions)
        if before.phase == MOVEMENT:  # a history holds only talk and transfers
            return Line(position, self.history)
        history = self.history.__deepcopy__({})
        history.observe(core.Transition(0, before.current_player(), actions, before, position.state))
        return Line(position, history)


class SimulatedNegotiator:
    """A negotiator in look-ahead: all they remember is the history of the game, so one copy serves all lines."""

    def __init__(self, agent: Negotiator, game: core.Game, player: int, rng: core.Rng) -> None:
        self.agent, self.player = agent.clone(), player
        self.agent.begin(game, player, rng)
        self.draws = self.agent.traits.stochastic
        design = self.agent.design
        by_parts = type(agent).policy is Negotiator.policy
        self.deciding: dict[str, Part | tuple[type, str]] = {
            phase: getattr(design, name) if by_parts else (type(agent), repr(agent)) for phase, name in PARTS.items()
        }
        """What decides in each phase: a part, or the agent as a whole. Equal ones choose alike."""

    def policy(self, line: Line) -> core.Distribution:
        """What the negotiator would do there."""
        key = self.player, self.deciding[line.state.phase]
        found = line.chosen.get(key)
        if found is None:
            found = line.chosen[key] = self.shared_policy(line)
        return found

    def shared_policy(self, line: Line) -> core.Distribution:
        """The same, worked out once for all lines to a position on which the deciding part remembers the same."""
        self.agent.history, state = line.history, line.state
        part = self.deciding[state.phase]
        if isinstance(part, tuple):
            remembered = self.agent.state_key(state)
        else:
            situation, remembered = line.position.situation(self.player), None
            if part.memory:
                situation = situation.with_history(line.history)
                remembered = part.history_key(situation)
        key = self.player, part, remembered
        found = line.position.chosen.get(key)
        if found is None:
            whole = isinstance(part, tuple)
            found = self.agent.policy(state) if whole else self.agent.policy_in(situation)
            line.position.chosen[key] = found
        return found


def together(state: State, player: int, own: int, other: int) -> tuple[int, ...]:
    """The actions of the players who move, *player*'s *own* and the *other*'s."""
    current = state.current_player()
    if current == core.SIMULTANEOUS:
        return (own, other) if player == 0 else (other, own)
    return (own,) if current == player else (other,)
