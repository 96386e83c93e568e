"""The candidate actions of look-ahead in each phase: a few of the thousands that are legal.

It follows lines: positions with the past that led to them, and the players who go on from there.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import ceil, floor

from kibitz import core
from kibitz_trails.agents.negotiator import Negotiator, Part
from kibitz_trails.agents.parametric import Terms
from kibitz_trails.agents.senders import Deceives, Feeding, Keeps, Reliable, Reneges, nothing
from kibitz_trails.board import Board, Chips
from kibitz_trails.offer_scoring import bargains, front, pair_of
from kibitz_trails.offers import PASS, Offers
from kibitz_trails.rules import ACCEPT, MOVEMENT, REJECT, STAY, State
from kibitz_trails.situation import History, Situation

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
        self.is_random = self.agent.traits.stochastic
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


RISKED = 20
"""How far the BestUse may fall below its maximum so far in return for promises: a stranger may break them all."""
GAINS = (1, 20, 40, 100)
"""Levels of the least points that the other player should gain by an offer."""
TRANSFERS = (Reneges(), Deceives(), Keeps(), Feeding(), Reliable())
"""Nothing; the largest part that leaves them dependent; all; a chip they cannot move without; as much as they kept."""


def candidates(
    line: Line,
    player: int,
    plans: Sequence[SimulatedNegotiator],
    possible: Sequence[Terms] = (),
) -> list[int]:
    """The actions of *player* to search, those that give nothing away first: the first wins ties.

    *possible* are terms that the other may insist on: each makes the best offers that meet them worth a look.
    """
    state = line.state
    legal = state.legal_actions(player)
    match state.phase:
        case "answer":
            return [ACCEPT, REJECT]
        case "exchange":
            return list(dict.fromkeys(transfers(line, player)))
        case "offer":
            assert isinstance(legal, Offers)
            found = [*actions_of_plans(line, plans), *offers(line, player, legal)]
            found += acceptable_offers(line, player, legal, possible)
            own = Situation(line.state, player, line.history)
            made = [action for action in dict.fromkeys(found) if action != PASS]
            return [each for each in made if is_sound(own, *legal.sides(each))] + [PASS]
    return list(steps(line, player, legal))


def actions_of_plans(line: Line, plans: Sequence[SimulatedNegotiator]) -> Iterator[int]:
    """What each plan would do."""
    for plan in plans:
        yield plan.policy(line).top(1)[0][0]


def offers(line: Line, player: int, legal: Offers) -> Iterator[int]:
    """The best offers for each level of the other player's gain."""
    for offer in front(*pair_of(Situation(line.state, player, line.history)), GAINS):
        if (action := legal.of(*offer)) in legal:
            yield action


def acceptable_offers(line: Line, player: int, legal: Offers, possible: Sequence[Terms]) -> Iterator[int]:
    """The best offers that the other accepts by some possible terms: to be paid, and not to be."""
    own = Situation(line.state, player, line.history)
    other = Situation(line.state, own.other.player, line.history)
    bargain = bargains(*pair_of(own)) if possible else None
    limits = {(ceil(each.least_gain(other)), floor(each.most_chips(other))) for each in possible}
    for (least, most), kept in product(sorted(limits), (False, True)):
        offer = bargain.best(kept, least, most=most) if bargain is not None else None
        if offer is not None and (action := legal.of(*offer)) in legal:
            yield action


def is_sound(situation: Situation, given: Chips, asked: Chips) -> bool:
    """Whether the player could keep an offer, or needs no more deals once the other has kept it.

    A promise that is broken while one still depends on the other costs all further deals with many players.
    """
    if situation.own.independent or situation.sides_after(nothing(situation), asked)[0].independent:
        return True
    return situation.use_after(given, asked) >= least_use(situation)


def transfers(line: Line, player: int) -> Iterator[int]:
    """The five transfers to search, except those that risk too much or that free the other."""
    legal = line.state.legal_actions(player)
    assert isinstance(legal, core.ProductActions)
    situation = Situation(line.state, player, line.history)
    for sender in TRANSFERS:
        for sent in sender.sends(situation):
            if situation.frees_other(sent):  # who needs nothing more gives nothing more
                continue
            if situation.use_after(sent, nothing(situation)) >= least_use(situation):
                yield legal.action(sent)


def steps(line: Line, player: int, legal: Sequence[int]) -> Iterator[int]:
    """The steps, except those that lose too much; who depends on the other moves only to keep the game going."""
    situation = Situation(line.state, player, line.history)
    own, must = situation.own, situation.must_move(player)
    found = {
        step: situation.side_after_step(step).best_use for step in legal if step != STAY and (own.independent or must)
    }
    free = [step for step, use in found.items() if must and not own.independent and use >= own.best_use]
    yield from free  # while nothing is lost, there is hope
    yield STAY
    yield from (step for step, use in found.items() if step not in free and use >= least_use(situation))


def least_use(situation: Situation) -> int:
    """The least BestUse to accept; where it has fallen lower already, what it is now."""
    own, board = situation.own, situation.board
    past = [board.best_use(each.positions[own.player], each.chips[own.player]) for each in situation.history.exchanges]
    return min(own.best_use, max([own.best_use, *past]) - RISKED)
