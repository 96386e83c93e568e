"""Plain plies: where nothing is asked for but moves, agents are called without requests and events in between.

A ply is plain if nothing is hidden, given, drawn or limited by a clock, no model watches and nobody has forfeited.
Every other ply is played by `Match.steps`, which `play_plain` is a twin of.
"""

from math import nan
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kibitz.core.agent import Agent
from kibitz.core.clocks import Clock
from kibitz.core.errors import MatchStopped
from kibitz.core.game import CHANCE, SIMULTANEOUS
from kibitz.core.match import Event, Fault, Reply, drawn_outcome
from kibitz.core.match.watchers import error_text
from kibitz.core.records.packed import MoveList
from kibitz.core.seeds import stream
from kibitz.core.transition import Observer, Position, Transition

if TYPE_CHECKING:
    from kibitz.core.match.recorded import RecordedMatch

FAILURES = (Exception, SystemExit, GeneratorExit)
"""Errors of an agent that do not end the match; only a person's Ctrl-C does."""


class AgentSeat(NamedTuple):
    """An agent in its seat, whether it acts without a view, and its clock if there are no limits."""

    player: int
    agent: Agent
    blind: bool
    clock: Clock


class Unseen(Position):
    """The position of an event whose observers have all said that they do not look at it."""

    def view(self, seat: int | None, observer: Observer) -> NoReturn:
        raise TypeError("an `observe` marked with `ignores_view` looks at a view")


def play_plain(table: "RecordedMatch", moves: MoveList) -> int:
    """Play until the match ends or a ply is not plain, and add to *moves*; return the number of plies played.

    Positions are copied only if somebody may look at one later.
    """
    match, now, listeners = table.match, table.now, table.listeners
    everyone = tuple((seat.player, seat.agent, seat.blind, seat.clock) for seat in table.seats)  # unpacked faster
    alone = [(seat,) for seat in everyone]
    unseen = all(ignores_views(agent, "observe") for _, agent in listeners)
    sharing = unseen and bool(listeners)
    before: Position = Unseen(match.position.state, hidden=False) if unseen else match.position
    after = before
    state = match.position.state.clone() if unseen else match.position.state
    used, most, taken, ply = match.used, match.max_plies, moves.seconds, 0
    faults: list[Fault] = []
    while ply < most and not match.forfeited:
        # 1. Everybody who moves chooses, or chance does.
        mover, actions = state.current_player(), []
        if mover == CHANCE:
            match.chance = match.chance or stream(match.options.seed, "chance")
            actions.append(drawn_outcome(state, match.chance.random()))
            taken.append(nan)
        elif mover < 0 and mover != SIMULTANEOUS:
            break
        else:
            for player, agent, blind, clock in everyone if mover < 0 else alone[mover]:
                start = clock.started = now()
                try:
                    action = agent.act(state if blind else state.view(player), clock)
                except FAILURES as error:
                    took = now() - start
                    action = match.settle(state, player, failed_reply(agent, error, took), faults)
                else:
                    took = now() - start
                    if type(action) is int and action in state.legal_actions(player):
                        used[player] += took
                    else:
                        action = match.settle(state, player, Reply(action, took), faults)
                actions.append(action)
                taken.append(took)
        # 2. The match goes on.
        done = tuple(actions)
        moves.actions += done
        chosen: tuple[bool, ...] = (
            match.own_choices(range(len(done)) if mover < 0 else (mover,), faults) if faults else ()
        )
        if not unseen:
            after = match.position = before.after(done, mover)
            state = after.state
        elif mover == SIMULTANEOUS:
            state.apply_actions(done)
        else:
            state.apply_action(done[0])
        # 3. The agents observe it.
        shared = Transition(ply, mover, done, before, after, chosen) if sharing else None
        for player, agent in listeners:
            if not match.forfeited or not match.has_forfeited(player):
                try:
                    agent.observe(shared or Transition(ply, mover, done, before, after, chosen, player, player))
                except FAILURES as error:
                    table.add_strike(player, error)
        if faults or table.pending_faults:
            movers = tuple(range(len(done))) if mover == SIMULTANEOUS else (mover,)
            event = Event(ply, mover, movers, done, before, after, (), tuple(faults), chosen)
            moves.details[ply], _ = table.details(event, table.record.header.truths)
            faults = []
        before = after
        ply += 1
    moves.plies = ply
    if unseen:
        match.position = Position(state, hidden=False)
    return ply


def ignores_views(agent: Agent, method: str) -> bool:
    """Whether the `act` or `observe` of an agent is marked as one that looks at no view."""
    return bool(getattr(getattr(type(agent), method), "view_ignored", False))


def failed_reply(agent: Agent, error: BaseException, seconds: float) -> Reply:
    """The reply of an agent that raised *error*; a person who stops the match is no failure."""
    if isinstance(error, MatchStopped) and agent.interactive:
        raise error
    return Reply(None, seconds, error_text(error))
