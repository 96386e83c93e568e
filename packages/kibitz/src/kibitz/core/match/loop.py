"""The match loop, a generator without I/O: it yields moments and requests, and receives replies.

    match = Match(game, MatchOptions(seed=7))
    steps = match.steps()
    step = next(steps)                      # a Moment, or a tuple of Requests
    step = steps.send([Reply(action=3)])    # after Requests: one Reply each, in their order
    step = next(steps)                      # after a Moment: no reply

Arena, terminal, web, bridges and replay all use it. Agents, models and the record are its observers
(`core.match.play`); with `steps(ask)` it calls *ask* for the replies, and yields moments only.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import filterfalse
from operator import index
from typing import Protocol

from kibitz.core.agent import TimeControl
from kibitz.core.errors import IllegalAction, short_repr
from kibitz.core.game import CHANCE, SIMULTANEOUS, TERMINAL, Game, Position, Rng, State
from kibitz.core.kernels.background import load_compiled
from kibitz.core.match.events import NO_REPLY, Event, Moment, Reply, Request, Requests, Result
from kibitz.core.match.options import USUAL, MatchOptions
from kibitz.core.records.records import RESIGNED, Fault, PastEvent
from kibitz.core.seeds import stream

Ask = Callable[["Match", tuple[int, ...]], Sequence[Reply]]
"""Gets the replies of players who are asked at once."""
Steps = Generator[Moment | Requests, Sequence[Reply] | None, None]
Turn = tuple[Sequence[int], Sequence[float], Sequence[Fault], tuple[bool, ...]]
"""The actions of one event, with the seconds, faults and choices (`Event.chosen`) of its movers."""


class Observer(Protocol):
    """What is shown every moment of a match, the one before the first event included, and then its result."""

    def see(self, match: "Match", moment: Moment) -> None: ...

    def end(self, match: "Match", result: Result) -> None: ...


class Match:
    """One game to play: its rules, its options, its observers, and the faults of its players.

    A player who raises, answers illegally or too late gets the game's default action and a strike. After as many
    strikes as the options allow they forfeit: they are no longer asked, the default is played for them to the end,
    and they earn the game's lowest payoff. A match that was cut off resumes after its *past* events: they happen again
    without a request, with their clocks and faults.
    """

    def __init__(
        self,
        game: Game,
        options: MatchOptions = USUAL,
        observers: Iterable[Observer] = (),
        past: Sequence[PastEvent] = (),
    ) -> None:
        self.game, self.options, self.observers, self.past = game, options, list(observers), past
        self.timed = options.time_control != TimeControl()
        self.max_plies = game.max_plies if options.max_plies is None else options.max_plies
        self.everyone = tuple(range(game.players))
        self.ply, self.fixed = 0, max(len(past), len(options.given))
        """The number of events so far, and of those that are past or given."""
        self.drawn = 0
        """Number of opening moves so far."""
        self.chance: Rng | None = None
        """The random generator of chance; None until chance moves."""
        self.conceded = False
        """Whether all players but one have resigned, which ends the match."""
        self.forfeited = False
        """Whether any player has used up their strikes."""
        self.struck = [0] * game.players
        self.used = [0.0] * game.players
        """Seconds that each player has used."""
        self.pending_faults: list[Fault] = []
        """Faults since the last event that came from no request."""
        self.position = Position(game.new_initial_state(), game.hidden)

    def steps(self, ask: Ask | None = None) -> Steps:
        """Play to the end; the module's docstring shows what is yielded and sent."""
        yield self.show(None)
        while self.ply < self.max_plies and not self.conceded:
            load_compiled()
            before = self.position
            state = before.state
            mover = state.current_player()
            if mover == TERMINAL:
                break
            movers = self.everyone if mover == SIMULTANEOUS else (mover,)
            if mover == CHANCE or self.ply < self.fixed or self.drawn < self.options.opening:
                turn = self.unasked_turn(state, movers)
            else:
                asked = tuple(filterfalse(self.has_forfeited, movers)) if self.forfeited else movers
                replies = () if not asked else ask(self, asked) if ask is not None else (yield self.requests(asked))
                assert replies is not None, "Requests are answered by Replies"
                if self.conceded:
                    break
                turn = self.asked_turn(state, movers, asked, replies)
            actions, seconds, faults, chosen = turn
            after = self.position = before.after(actions, mover)
            event = Event(self.ply, mover, movers, tuple(actions), before, after, tuple(seconds), tuple(faults), chosen)
            moment = self.show(event)
            self.ply += 1
            yield moment
        self.end()

    def end(self) -> None:
        """Tell all observers the result."""
        result = self.result()
        for observer in self.observers:
            observer.end(self, result)

    def show(self, event: Event | None) -> Moment:
        """The moment after *event*, which all observers have seen."""
        moment = Moment(self.position.state, event)
        for observer in self.observers:
            observer.see(self, moment)
        return moment

    # What is played

    def unasked_turn(self, state: State, movers: tuple[int, ...]) -> Turn:
        """The turn for which nobody is asked: a past or a given event, a draw of chance or of the opening."""
        options, ply = self.options, self.ply
        if ply < len(self.past):
            return self.repeat(state, movers, self.past[ply])
        if ply < len(options.given):
            actions = [given_action(state, *pair) for pair in zip(movers, options.given[ply], strict=True)]
            return actions, (), (), () if movers[0] == CHANCE else (False,) * len(movers)
        if movers[0] == CHANCE:
            return [drawn_outcome(state, self.chance_draw())], (), (), ()
        rng = stream(options.seed, "opening", self.drawn)
        self.drawn += 1
        legal = [state.legal_actions(player) for player in movers]
        return [actions[int(rng.integers(len(actions)))] for actions in legal], (), (), (False,) * len(movers)

    def chance_draw(self) -> float:
        """The next random number of chance."""
        self.chance = self.chance or stream(self.options.seed, "chance")
        return float(self.chance.random())

    def repeat(self, state: State, movers: tuple[int, ...], past: PastEvent) -> Turn:
        """The turn of a past event, whose time and faults count; if the seed dealt it, chance draws its number."""
        actions = [given_action(state, *pair) for pair in zip(movers, past.actions, strict=True)]
        if self.ply >= len(self.options.given):
            if movers[0] == CHANCE:
                self.chance_draw()
            else:
                self.drawn += 1
        for player, seconds in zip(movers, past.seconds, strict=False):
            self.used[player] += seconds
        for fault in past.faults:
            self.strike(fault.player, fault.kind, fault.message)
        return actions, past.seconds, past.faults, past.chosen

    def requests(self, players: tuple[int, ...]) -> Requests:
        """The requests to *players*, with their clocks."""
        control, pairs = self.options.time_control, [(player, self.used[player]) for player in players]
        limits = [(player, control.allowance(used), control.bank(used)) for player, used in pairs]
        return tuple(Request(player, self.position, move, self.ply, bank) for player, move, bank in limits)

    def asked_turn(
        self, state: State, movers: tuple[int, ...], asked: tuple[int, ...], replies: Sequence[Reply]
    ) -> Turn:
        """The turn that the replies make: legal actions as they are, the default for a failure."""
        assert len(replies) == len(asked), "one Reply for each Request"
        if len(asked) < len(movers):
            answers = dict(zip(asked, replies, strict=True))
            replies = [answers.get(player, NO_REPLY) for player in movers]
        actions: list[int] = []
        seconds: list[float] = []
        faults: list[Fault] = []
        for player, reply in zip(movers, replies):  # noqa: B905 (checked; `strict` costs as much as the action)
            action = reply.action
            if not self.timed and type(action) is int and action in state.legal_actions(player):
                self.used[player] += reply.seconds
            else:
                action = self.settle(state, player, reply, faults)
            actions.append(action)
            seconds.append(reply.seconds)
        if not faults and not self.forfeited:
            return actions, seconds, faults, ()
        failed = {fault.player for fault in faults}
        chosen = tuple([player not in failed and not self.has_forfeited(player) for player in movers])
        return actions, seconds, faults, () if all(chosen) else chosen

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

    # Faults and the end

    def strike(self, player: int, kind: str, message: str) -> Fault:
        """Count a fault of *player*; the match ends if they resign and only one team is left."""
        self.struck[player] = max(self.struck[player] + 1, self.options.strikes if kind == RESIGNED else 0)
        self.forfeited |= self.has_forfeited(player)
        if kind == RESIGNED:
            self.conceded = sum(not all(map(self.has_forfeited, team)) for team in self.game.teams) <= 1
        return Fault(player, kind, message)

    def resign(self, player: int) -> None:
        """Let *player* resign; the driver must still answer the last request, with anything."""
        self.pending_faults.append(self.strike(player, RESIGNED, "gave up"))

    def has_forfeited(self, player: int) -> bool:
        """Whether *player* has used up their strikes."""
        return self.struck[player] >= self.options.strikes

    def new_faults(self) -> tuple[Fault, ...]:
        """The faults since the last event that came from no request; the next call gives later ones."""
        found, self.pending_faults = tuple(self.pending_faults), []
        return found

    def result(self) -> Result:
        """The result of the match now."""
        state = self.position.state
        terminal = state.is_terminal()
        returns = state.returns() if terminal else self.game.infinite_play(state)
        forfeits = tuple(filter(self.has_forfeited, self.everyone))
        return Result(
            returns=tuple(forfeit_returns(self.game, returns, forfeits)),
            reason="terminal" if terminal else "resigned" if self.conceded else "max_plies",
            plies=self.ply,
            strikes=tuple(self.struck),
            forfeits=forfeits,
        )


# What may be played, and what it earns


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
