"""The match loop, a generator without I/O: it yields requests and events, and receives replies.

    match = Match(game, MatchOptions(seed=7))
    steps = match.steps()
    step = next(steps)                      # a tuple of Requests, or an Event
    step = steps.send([Reply(action=3)])    # after Requests: one Reply each, in their order
    step = next(steps)                      # after an Event: no reply

Arena, terminal, web and remote all use it; `core.match.play` is the driver for agents in the same process.
"""

from collections.abc import Generator, Sequence
from operator import index
from typing import final

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import IllegalAction, short_repr
from kibitz.core.game import CHANCE, SIMULTANEOUS, TERMINAL, Game, Rng, State
from kibitz.core.match.choices import RESIGNED, Choices, Fault, PastEvent
from kibitz.core.match.options import DEFAULTS, MatchOptions
from kibitz.core.seeds import stream
from kibitz.core.transition import Observer, Position, Transition


class Request(msgspec.Struct, frozen=True, gc=False):
    """Asks *player* for an action on *view*, which they may keep, within *allowance* seconds (None: no limit)."""

    player: int
    position: Position
    allowance: float | None
    ply: int
    bank: float | None = None
    """Seconds left for the whole game; None without a limit."""

    @property
    def view(self) -> State:
        """What the player sees, made each time it is asked for."""
        return self.position.state.view(self.player)


class Reply(msgspec.Struct, frozen=True, gc=False):
    """The answer to a Request: an action and the seconds it took, or an error."""

    action: object = None
    seconds: float = 0.0
    error: str | None = None


NO_REPLY = Reply()
"""The reply of a player who has forfeited and is not asked."""


@final
class Event(msgspec.Struct, gc=False):
    """Everything that happened at one ply: for the record and for `transition`, never for a player."""

    ply: int
    player: int
    movers: tuple[int, ...]
    """The player of each of `actions`, CHANCE included."""
    actions: tuple[int, ...]
    before: Position
    after: Position
    seconds: tuple[float, ...] = ()
    faults: tuple[Fault, ...] = ()
    chosen: tuple[bool, ...] = ()
    """Whether each of `movers` chose their action; empty if all did, or if chance moved."""

    def choices(self) -> list[tuple[int, int]]:
        """The players who chose, each with their action."""
        chosen = self.chosen or (self.player != CHANCE,) * len(self.movers)
        return [pair for pair, own in zip(zip(self.movers, self.actions, strict=True), chosen, strict=True) if own]

    def transition(self, seat: int | None, observer: Observer = None) -> Transition:
        """The event as *seat* sees it, with the views of *observer*."""
        actions: tuple[int | None, ...] = self.actions
        if self.before.hidden:
            state, pairs = self.before.state, zip(self.movers, self.actions, strict=True)
            actions = tuple(state.seen_action(seat, player, action) for player, action in pairs)
        return Transition(self.ply, self.player, actions, self.before, self.after, self.chosen, seat, observer)

    def notations(self) -> list[str]:
        """The actions in the game's notation."""
        return list(map(self.before.state.action_to_string, self.movers, self.actions))


class Result(msgspec.Struct, frozen=True):
    """How a match ended: by the rules (`terminal`), at `max_plies`, or because all but one `resigned`.

    A player who forfeits gets the game's lowest payoff.
    """

    returns: tuple[float, ...]
    reason: str
    plies: int
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()


class Match:
    """One game to play: its rules, its options, and the faults of its players.

    A player who raises, answers illegally or too late gets the game's default action and a strike. After as many
    strikes as the options allow they forfeit: they are no longer asked, the default is played for them to the end,
    and they earn the game's lowest payoff. A match that was cut off resumes after its *past* events: they happen again
    without a request, with their clocks and faults.
    """

    def __init__(self, game: Game, options: MatchOptions = DEFAULTS, past: Sequence[PastEvent] = ()) -> None:
        self.game, self.options, self.past = game, options, past
        self.timed = options.time_control != TimeControl()
        self.max_plies = game.max_plies if options.max_plies is None else options.max_plies
        self.chance: Rng | None = None
        """The random generator of chance; None until chance moves."""
        self.conceded = False
        """Whether all players but one have resigned, which ends the match."""
        self.forfeited = False
        """Whether any player has used up their strikes."""
        self.struck = [0] * game.players
        self.used = [0.0] * game.players
        self.position = Position(game.new_initial_state(), game.hidden)
        counts = {"given": len(options.given), "opening": options.opening, "strikes": options.strikes}
        self.past_choices = Choices(game.players, **counts)
        """Which actions of the past events were chosen."""

    def strike(self, player: int, kind: str, message: str) -> Fault:
        """Count a fault of *player*; drivers report errors outside a request here."""
        self.struck[player] += 1
        self.forfeited |= self.struck[player] >= self.options.strikes
        return Fault(player, kind, message)

    def resign(self, player: int) -> Fault:
        """Let *player* resign; the match ends at once if only one team is left."""
        fault = self.strike(player, RESIGNED, "gave up")
        self.struck[player] = max(self.struck[player], self.options.strikes)
        self.forfeited = True
        playing = {number for number, team in enumerate(self.game.teams) if not all(map(self.has_forfeited, team))}
        self.conceded = len(playing) <= 1
        return fault

    def has_forfeited(self, player: int) -> bool:
        """Whether *player* has used up their strikes."""
        return self.struck[player] >= self.options.strikes

    def steps(self, first: int = 0) -> Generator[tuple[Request, ...] | Event, Sequence[Reply] | None, Result]:
        """Play to the end, from ply *first* on; the module's docstring shows what is yielded and sent."""
        options, everyone = self.options, tuple(range(self.game.players))
        fixed, opening, untimed = max(len(self.past), len(options.given)), options.opening, not self.timed
        moves, ply = 0, first
        while ply < self.max_plies and not self.conceded:
            before = self.position
            state = before.state
            mover = state.current_player()
            if mover == TERMINAL:
                break
            movers = everyone if mover == SIMULTANEOUS else (mover,)
            actions: list[int] = []
            seconds: Sequence[float] = ()
            faults: list[Fault] = []
            chosen: tuple[bool, ...] = ()
            random = moves < opening and ply >= len(options.given) and mover != CHANCE
            if ply < fixed:
                if ply < len(self.past):
                    actions = self.repeat(state, movers, self.past[ply], dealt=ply >= len(options.given))
                    seconds, faults = self.past[ply].seconds, list(self.past[ply].faults)
                    chosen = self.past_choices.of(movers, self.past[ply])
                    moves += random
                else:
                    actions = [given_action(state, *pair) for pair in zip(movers, options.given[ply], strict=True)]
                    chosen = () if mover == CHANCE else (False,) * len(movers)
            elif mover == CHANCE:
                self.chance = self.chance or stream(options.seed, "chance")
                actions = [drawn_outcome(state, self.chance.random())]
            elif random:
                actions = self.opening_actions(state, movers, moves)
                chosen = (False,) * len(movers)
                moves += 1
            else:
                plain = untimed and not self.forfeited
                asked = [Request(each, before, None, ply) for each in movers] if plain else self.requests(movers, ply)
                requests = tuple(asked)
                replies = (yield requests) if requests else ()
                assert replies is not None, "Requests are answered by Replies"
                if self.conceded:
                    break
                if len(requests) < len(movers):
                    answers = {request.player: reply for request, reply in zip(requests, replies, strict=True)}
                    replies = [answers.get(player, NO_REPLY) for player in movers]
                assert len(replies) == len(movers), "one Reply for each Request"
                seconds = []
                for player, reply in zip(movers, replies):  # noqa: B905 (checked; `strict` costs as much as the action)
                    action = reply.action
                    if untimed and type(action) is int and action in state.legal_actions(player):
                        self.used[player] += reply.seconds
                    else:
                        action = self.settle(state, player, reply, faults)
                    actions.append(action)
                    seconds.append(reply.seconds)
                if faults or self.forfeited:
                    chosen = self.own_choices(movers, faults)
            after = self.position = before.after(actions, mover)
            yield Event(ply, mover, movers, tuple(actions), before, after, tuple(seconds), tuple(faults), chosen)
            ply += 1
        return self.result(ply)

    def repeat(self, state: State, movers: Sequence[int], past: PastEvent, *, dealt: bool) -> list[int]:
        """The actions of a past event, whose time and faults count; if the seed *dealt* it, chance drew a number."""
        actions = [given_action(state, *pair) for pair in zip(movers, past.actions, strict=True)]
        if dealt and movers == (CHANCE,):
            self.chance = self.chance or stream(self.options.seed, "chance")
            self.chance.random()
        if past.seconds:
            for player, seconds in zip(movers, past.seconds, strict=True):
                self.used[player] += seconds
        for fault in past.faults:
            if fault.kind == RESIGNED:
                self.resign(fault.player)
            else:
                self.strike(fault.player, fault.kind, fault.message)
        return actions

    def requests(self, movers: Sequence[int], ply: int) -> list[Request]:
        """The requests to those of *movers* who have not forfeited, with their clocks."""
        position, control = self.position, self.options.time_control
        asked = [(player, self.used[player]) for player in movers if not self.has_forfeited(player)]
        return [Request(player, position, control.allowance(used), ply, control.bank(used)) for player, used in asked]

    def opening_actions(self, state: State, movers: Sequence[int], move: int) -> list[int]:
        """The actions of one of the random opening moves."""
        rng = stream(self.options.seed, "opening", move)
        legal = [state.legal_actions(player) for player in movers]
        return [actions[int(rng.integers(len(actions)))] for actions in legal]

    def settle(self, state: State, player: int, reply: Reply, faults: list[Fault]) -> int:
        """The action to play for a reply; adds its errors to *faults*."""
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

    def own_choices(self, movers: Sequence[int], faults: Sequence[Fault]) -> tuple[bool, ...]:
        """Whether each of *movers*, who were asked if they had not forfeited, chose; empty if all did."""
        failed = {fault.player for fault in faults}
        chosen = tuple([player not in failed and not self.has_forfeited(player) for player in movers])
        return () if all(chosen) else chosen

    def result(self, plies: int) -> Result:
        """The result of the match now."""
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
    """*action* as a legal int; raises IllegalAction if it is not legal."""
    legal = state.legal_actions(player)
    if type(action) is int and action in legal:
        return action
    try:
        chosen = None if isinstance(action, bool) else index(action)  # type: ignore[arg-type]
    except Exception:  # converting an object to a number may raise anything
        chosen = None
    if chosen is None or chosen not in legal:
        raise illegal(state, player, short_repr(action))
    return chosen


def given_action(state: State, player: int, notation: str) -> int:
    """The legal or chance action of a notation; raises IllegalAction if there is none."""
    action = state.string_to_action(player, notation)
    if player != CHANCE and action not in state.legal_actions(player):
        raise illegal(state, player, notation)
    return action


def illegal(state: State, player: int, action: str) -> IllegalAction:
    """The error that names the illegal action and some legal ones."""
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
    """Returns in which teams that forfeit get the game's lowest payoff; in zero-sum games the others share the rest.

    A team forfeits only when all its players do.
    """
    lost = {player for team in game.teams if all(player in forfeits for player in team) for player in team}
    settled = [game.utility[0] if player in lost else value for player, value in enumerate(returns)]
    others = len(settled) - len(lost)
    if game.zero_sum and lost and others:
        gain = -sum(settled) / others
        settled = [value if player in lost else value + gain for player, value in enumerate(settled)]
    return settled if others or not game.zero_sum else [0.0] * len(settled)
