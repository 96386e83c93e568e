"""The one match loop, a generator without I/O: it yields requests and events, and is sent replies.

    match = Match(game, MatchOptions(seed=7))
    steps = match.steps()
    step = next(steps)                      # a tuple of Requests, or an Event
    step = steps.send([Reply(action=3)])    # after Requests: one Reply each, in their order
    step = next(steps)                      # after an Event: nothing to say

Arena, terminal, web and remote all drive this one; `core.match.play` is the driver for agents in the same process.
"""

from collections.abc import Generator, Sequence
from operator import index

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import IllegalAction, short_repr
from kibitz.core.game import CHANCE, SIMULTANEOUS, Game, Rng, State
from kibitz.core.match.options import DEFAULTS, MatchOptions
from kibitz.core.seeds import stream
from kibitz.core.transition import Transition


class Request(msgspec.Struct, frozen=True):
    """Asks *player* for an action on *view*, which is his to keep, within *allowance* seconds (None: no limit)."""

    player: int
    view: State
    allowance: float | None
    ply: int
    bank: float | None = None
    """Seconds left for the whole game; None where that has no limit."""


class Reply(msgspec.Struct, frozen=True):
    """The answer to a Request: an action and the seconds it took, or what went wrong instead."""

    action: object = None
    seconds: float = 0.0
    error: str | None = None


NO_REPLY = Reply()
"""Stands for a player who has forfeited and is not asked."""


class Fault(msgspec.Struct, frozen=True):
    """A player who raised, chose illegally or was late, the default action was played for him; or who resigned."""

    player: int
    kind: str
    message: str


Observer = int | tuple[str, int] | None
"""Who is told: an agent by his seat, a watcher by his number."""


class Position(msgspec.Struct, eq=False):
    """A state of the match, never stepped again, and the view of it that each observer has been given."""

    state: State
    hidden: bool
    views: dict[Observer, State] = {}

    def view(self, seat: int | None, observer: Observer) -> State:
        """The view from *seat*, one for each observer, so that nobody can spoil another's."""
        found = self.views.get(observer)
        if found is None:
            found = self.views[observer] = self.state.view(seat)
        return found

    def __reduce__(self) -> tuple[type["Position"], tuple[State, bool]]:
        """Views stay where their observers are."""
        return Position, (self.state, self.hidden)

    def after(self, actions: Sequence[int]) -> "Position":
        """The position that *actions* lead to."""
        state = self.state.clone()
        state.step(actions)
        return Position(state, self.hidden)


class Event(msgspec.Struct):
    """What happened at one ply, all of it: for the record and for `transition`, never for a player."""

    ply: int
    player: int
    movers: tuple[int, ...]
    """Who each of `actions` belongs to, CHANCE included."""
    actions: tuple[int, ...]
    before: Position
    after: Position
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()

    def transition(self, seat: int | None, observer: Observer = None) -> Transition:
        """The event as it is seen from *seat*, with views that belong to *observer*."""
        actions: tuple[int | None, ...] = self.actions
        if self.before.hidden:
            state, pairs = self.before.state, zip(self.movers, self.actions, strict=True)
            actions = tuple(state.seen_action(seat, player, action) for player, action in pairs)
        before, after = self.before.view(seat, observer), self.after.view(seat, observer)
        return Transition(self.ply, self.player, actions, before, after)

    def notations(self) -> list[str]:
        """The actions in the game's notation."""
        return list(map(self.before.state.action_to_string, self.movers, self.actions))


class Result(msgspec.Struct, frozen=True):
    """How a match ended: by the rules (`terminal`), at `max_plies` or as all but one `resigned`.

    Forfeits are the game's least payoff.
    """

    returns: tuple[float, ...]
    reason: str
    plies: int
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()


class Match:
    """One game to be played: its rules, its options, and what happens to players who fail.

    A player who raises, answers illegally or overruns gets the game's default action and a strike. After so many
    strikes as the options allow they forfeit: they are asked no more, the default is played for them to the end, and
    they earn the game's least.
    """

    def __init__(self, game: Game, options: MatchOptions = DEFAULTS) -> None:
        self.game, self.options = game, options
        self.timed = options.time_control != TimeControl()
        self.max_plies = game.max_plies if options.max_plies is None else options.max_plies
        self.chance: Rng | None = None
        """What chance draws from; None as long as it has not moved."""
        self.conceded = False
        """Whether all players but one have given up, which ends the match."""
        self.struck = [0] * game.players
        self.used = [0.0] * game.players
        self.position = Position(game.new_initial_state(), game.hidden)

    def strike(self, player: int, kind: str, message: str) -> Fault:
        """Count a fault of *player*; drivers report what goes wrong outside a request here."""
        self.struck[player] += 1
        return Fault(player, kind, message)

    def resign(self, player: int) -> Fault:
        """Let *player* forfeit at his own wish; the match ends at once if that leaves nobody to play against."""
        fault = self.strike(player, "resigned", "gave up")
        self.struck[player] = max(self.struck[player], self.options.strikes)
        playing = {number for number, team in enumerate(self.game.teams) if not all(map(self.has_forfeited, team))}
        self.conceded = len(playing) <= 1
        return fault

    def has_forfeited(self, player: int) -> bool:
        """Whether *player* has used up his strikes."""
        return self.struck[player] >= self.options.strikes

    def steps(self) -> Generator[tuple[Request, ...] | Event, Sequence[Reply] | None, Result]:
        """Play to the end; see the module's text for what goes in and out."""
        options, everyone = self.options, tuple(range(self.game.players))
        moves = 0
        ply = 0
        while ply < self.max_plies and not self.position.state.is_terminal() and not self.conceded:
            before = self.position
            state = before.state
            mover = state.current_player()
            movers = everyone if mover == SIMULTANEOUS else (mover,)
            actions: list[int] = []
            seconds: list[float] = []
            faults: list[Fault] = []
            if ply < len(options.given):
                actions += [given_action(state, *pair) for pair in zip(movers, options.given[ply], strict=True)]
            elif mover == CHANCE:
                self.chance = self.chance or stream(options.seed, "chance")
                actions.append(drawn_outcome(state, self.chance.random()))
            elif moves < options.opening:
                actions += self.opening_actions(state, movers, moves)
                moves += 1
            else:
                requests = tuple([self.request(player, ply) for player in movers if not self.has_forfeited(player)])
                replies = (yield requests) if requests else ()
                assert replies is not None, "Requests are answered by Replies"
                if self.conceded:
                    break
                if len(requests) < len(movers):
                    answers = {request.player: reply for request, reply in zip(requests, replies, strict=True)}
                    replies = [answers.get(player, NO_REPLY) for player in movers]
                for player, reply in zip(movers, replies, strict=True):
                    actions.append(self.settle(state, player, reply, faults))
                    seconds.append(reply.seconds)
            self.position = before.after(actions)
            yield Event(ply, mover, movers, tuple(actions), before, self.position, tuple(seconds), tuple(faults))
            ply += 1
        return self.result(ply)

    def request(self, player: int, ply: int) -> Request:
        """What *player* is asked now."""
        view = self.position.state.view(player)
        if not self.timed:
            return Request(player, view, None, ply)
        used, control = self.used[player], self.options.time_control
        return Request(player, view, control.allowance(used), ply, control.bank(used))

    def opening_actions(self, state: State, movers: Sequence[int], move: int) -> list[int]:
        """What is played at one of the moves that are drawn."""
        rng = stream(self.options.seed, "opening", move)
        legal = [state.legal_actions(player) for player in movers]
        return [actions[int(rng.integers(len(actions)))] for actions in legal]

    def settle(self, state: State, player: int, reply: Reply, faults: list[Fault]) -> int:
        """The action that is played for a reply; what is wrong with it is added to *faults*."""
        if reply is NO_REPLY:
            return state.default_action(player)
        allowance = self.options.time_control.allowance(self.used[player]) if self.timed else None
        self.used[player] += reply.seconds
        if reply.error is not None:
            faults.append(self.strike(player, "raised", reply.error))
        elif allowance is not None and reply.seconds > allowance:
            faults.append(self.strike(player, "late", f"took {reply.seconds:.3f} s of {allowance:.3f} s"))
        else:
            try:
                return checked_action(state, player, reply.action)
            except IllegalAction as error:
                faults.append(self.strike(player, "illegal", str(error)))
        return state.default_action(player)

    def result(self, plies: int) -> Result:
        """The result of the match as it stands."""
        state = self.position.state
        terminal = state.is_terminal()
        returns = state.returns() if terminal else self.game.infinite_play(state)
        forfeits = tuple(player for player in range(self.game.players) if self.has_forfeited(player))
        return Result(
            returns=tuple(forfeit_returns(self.game, returns, forfeits)),
            reason="terminal" if terminal else "resigned" if self.conceded else "max_plies",
            plies=plies,
            strikes=tuple(self.struck),
            forfeits=forfeits,
        )


def checked_action(state: State, player: int, action: object) -> int:
    """*action* as a legal int; raises IllegalAction where it is none."""
    legal = state.legal_actions(player)
    if type(action) is int and action in legal:
        return action
    try:
        chosen = None if isinstance(action, bool) else index(action)  # type: ignore[arg-type]
    except Exception:  # an object may do anything when it is asked for a number
        chosen = None
    if chosen is None or chosen not in legal:
        raise illegal(state, player, short_repr(action))
    return chosen


def given_action(state: State, player: int, notation: str) -> int:
    """The action behind a notation, legal or chance's; raises IllegalAction where it is none."""
    action = state.string_to_action(player, notation)
    if player != CHANCE and action not in state.legal_actions(player):
        raise illegal(state, player, notation)
    return action


def illegal(state: State, player: int, action: str) -> IllegalAction:
    """Says that *player* may not do that here, and some of what he may."""
    return IllegalAction(
        player, action, [state.action_to_string(player, each) for each in state.legal_actions(player)[:9]]
    )


def drawn_outcome(state: State, draw: float) -> int:
    """The chance outcome that *draw*, a number in [0, 1), falls on."""
    outcomes = state.chance_outcomes()
    for action, probability in outcomes:
        draw -= probability
        if draw < 0.0:
            return action
    return outcomes[-1][0]  # the probabilities fell short of 1 by a rounding error


def forfeit_returns(game: Game, returns: Sequence[float], forfeits: Sequence[int]) -> list[float]:
    """Returns in which teams of forfeiters get the game's least; where the sum is zero, the others share the rest.

    A team forfeits when all its players do: until then the others play for it.
    """
    lost = {player for team in game.teams if all(player in forfeits for player in team) for player in team}
    settled = [game.utility[0] if player in lost else value for player, value in enumerate(returns)]
    others = len(settled) - len(lost)
    if game.zero_sum and lost and others:
        gain = -sum(settled) / others
        settled = [value if player in lost else value + gain for player, value in enumerate(settled)]
    return settled if others or not game.zero_sum else [0.0] * len(settled)
