"""A match between agents in this process, with models that watch and a record that grows; `play` plays one.

Agents sit in seats, which observe the match and answer for them; a recorder writes it down, in full or packed.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from kibitz import __version__
from kibitz.core.agent import Agent, Clock, Now
from kibitz.core.errors import BadSpec, KibitzError, MatchStopped, error_text
from kibitz.core.game import Game, Rng, State, digest
from kibitz.core.insight import Insight
from kibitz.core.match.events import Event, Moment, Reply, Result
from kibitz.core.match.loop import Ask, Match, Steps
from kibitz.core.match.options import USUAL, MatchOptions
from kibitz.core.match.watchers import Watchers
from kibitz.core.player_memory import Memory
from kibitz.core.records import Ending, Header, Record, RecordWriter, Truths
from kibitz.core.records.packed import NO_DETAILS, Details, MoveList, PackedRecord
from kibitz.core.registry import kit_of, make_agent, make_game, spec_of
from kibitz.core.seeds import stream

FAILURES = (Exception, SystemExit, GeneratorExit)
"""Errors of an agent that do not end the match; only a person's Ctrl-C does."""


class Seats:
    """The agents of a match, one per player."""

    def __init__(self, game: Game, agents: Sequence[str | Agent], now: Now = time.perf_counter) -> None:
        name = spec_of(game).name
        self.agents = [make_agent(agent, name) for agent in agents]
        if len(self.agents) != game.players:
            raise BadSpec(repr(game), f"it has {game.players} players, you named {len(agents)}")
        if len({id(agent) for agent in self.agents}) != len(self.agents):
            raise BadSpec(repr(game), "the same agent object is in two seats; make one for each")
        self.specs = tuple(agent.public_spec for agent in self.agents)
        self.now = now
        self.clocks = [Clock(now=now) for _ in self.agents]
        """Their clocks if there are no limits."""
        # An agent that inherits the empty `observe` needs no views of events, so none are made for it.
        self.listeners = [pair for pair in enumerate(self.agents) if type(pair[1]).observe is not Agent.observe]
        # Nor does one whose `act` ignores its view; where nothing is hidden, it gets the state itself.
        self.blind = [not game.hidden and hasattr(type(agent).act, "view_ignored") for agent in self.agents]
        self.truths_change = game.hidden or any(type(agent).truth is not Agent.truth for agent in self.agents)
        self.streams: list[Rng] = []
        self.fresh: list[tuple[int, int]] = []
        """The state of each of the streams before the first draw."""

    def see(self, match: Match, moment: Moment) -> None:
        """Let the agents begin, or observe an event; the faults of past events are in the record already."""
        event = moment.event
        if event is None:
            self.begin(match)
            return
        for player, agent in self.listeners:
            if not match.forfeited or not match.has_forfeited(player):
                try:
                    agent.observe(event.transition(player, player))
                except FAILURES as error:
                    if event.ply >= len(match.past):
                        add_strike(match, player, error)

    def begin(self, match: Match) -> None:
        """Let the agents begin; one that plays on draws new numbers, not those of its first moves again."""
        later = [len(match.past)] if match.past else []
        for player, agent in enumerate(self.agents):
            self.streams.append(stream(match.options.seed, "agent", player, *later))
            self.fresh.append(generator_state(self.streams[player]))
            try:
                agent.begin(match.game, player, self.streams[player])
            except KibitzError:  # it refuses to play
                raise
            except FAILURES as error:
                add_strike(match, player, error)

    def end(self, match: Match, result: Result) -> None:
        """Tell the agents the result."""
        for player, agent in enumerate(self.agents):
            if not match.has_forfeited(player):
                attempt(match, player, agent.end, result.returns)

    def replies(self, match: Match, players: Sequence[int]) -> list[Reply]:
        """Ask the agents of *players*; an error becomes the reply."""
        state, now, found = match.position.state, self.now, []
        for player in players:
            agent = self.agents[player]
            clock = self.clocks[player]
            if match.timed:
                control, used = match.options.time_control, match.used[player]
                clock = Clock(control.allowance(used), now, 0.0, control.bank(used))
            start = clock.started = now()
            try:
                action = agent.act(state if self.blind[player] else state.view(player), clock)
            except FAILURES as error:
                if isinstance(error, MatchStopped) and agent.interactive:  # a person who stops is no failure
                    raise
                found.append(Reply(None, now() - start, error_text(error)))
            else:
                found.append(Reply(action, now() - start))
        return found

    def truths(self, match: Match, state: State) -> Truths:
        """The label and the hidden truth of every player; an error in an agent's `truth` does not end the match."""
        found = []
        for player, (spec, agent) in enumerate(zip(self.specs, self.agents, strict=True)):
            own: dict[str, Any] = {}
            attempt(match, player, lambda agent=agent, own=own: own.update(plain(agent.truth())))
            found.append({**own, **state.truth(player), "strategy": spec})
        return found

    def have_drawn(self) -> bool:
        """Whether any agent has drawn a random number."""
        return any(generator_state(used) != fresh for used, fresh in zip(self.streams, self.fresh, strict=True))


def attempt(match: Match, player: int, call: Callable[..., None], *arguments: Any) -> None:
    """Call an agent outside a request; an error is a strike."""
    try:
        call(*arguments)
    except FAILURES as error:
        add_strike(match, player, error)


def add_strike(match: Match, player: int, error: BaseException) -> None:
    """Count an agent's error outside a request."""
    match.pending_faults.append(match.strike(player, "raised", error_text(error)))


def generator_state(generator: Rng) -> tuple[int, int]:
    """What a generator, and those spawned from it, will draw."""
    bits = generator.bit_generator
    return bits.state["state"]["state"], getattr(bits.seed_seq, "n_children_spawned", 0)


def plain(truth: Mapping[str, Any]) -> dict[str, Any]:
    """A truth as the record holds it; raises if it cannot be written as JSON."""
    return msgspec.json.decode(msgspec.json.encode(truth), type=dict[str, Any]) if truth != {} else {}


class Recorder:
    """Writes a match down: all lines, and to the file *path* if there is one, or only *moves*, if they are wanted.

    With *past*, the record of a match that was cut off, the same record grows, in a new file with all its lines.
    """

    def __init__(self, match: Match, seats: Seats, watchers: Watchers, past: Record | None) -> None:
        self.seats, self.watchers = seats, watchers
        self.record = Record(first_line(match, seats, watchers) if past is None else past.header)
        self.past = past
        self.path: Path | None = None
        self.moves: MoveList | None = None
        """The numbers of the actions, which are kept instead of lines if they are to be packed."""
        self.writer: RecordWriter | None = None
        self.truths = self.record.header.truths
        self.notable = seats.truths_change or bool(watchers.seated)
        """Whether any event may change more than the position."""
        self.measures = kit_of(match.game).measures
        self.events: list[Event] | None = [] if self.measures is not None else None
        """All events, if the game measures anything of them."""

    def see(self, match: Match, moment: Moment) -> None:
        """Write a line."""
        event = moment.event
        moment.record = self.record
        if event is None:
            self.begin(match, moment)
            return
        if event.ply < len(match.past):
            self.add_past(event)
        else:
            plain = not (self.notable or event.faults or event.chosen or match.pending_faults)
            self.add(event, NO_DETAILS if plain else self.details(match, moment, event))
        if self.events is not None:
            self.events.append(event)

    def begin(self, match: Match, moment: Moment) -> None:
        """Complete the first line with the beliefs and truths before the first event; open the file."""
        if self.past is None:
            insights = self.full_insights(match, moment) or msgspec.UNSET
            self.truths = self.seats.truths(match, moment.state)
            found = {"truths": self.truths, "beliefs": moment.beliefs, "insights": insights}
            self.record.header = msgspec.structs.replace(self.record.header, **found)
        if self.path is not None:
            self.writer = RecordWriter(self.path, replace=self.past is not None)
            for line in (self.record.header, *(self.past.entries if self.past is not None else ())):
                self.writer.write(line)
            self.writer.take_over()

    def add_past(self, event: Event) -> None:
        """Add the line of a past event, which the file holds already."""
        assert self.past is not None, "only a resumed match has past events"
        entry = self.past.entries[event.ply]
        self.record.add(entry)
        self.truths = self.truths if entry.truths is None else entry.truths

    def add(self, event: Event, details: Details) -> None:
        """Add the line of an event."""
        if self.moves is not None:
            self.moves.add(event.actions, event.seconds, details)
            return
        after = event.after.state
        entry = details.entry(event.ply, event.player, tuple(event.notations()), event.seconds, after)
        self.record.add(entry)
        if self.writer is not None:
            self.writer.write(entry)

    def details(self, match: Match, moment: Moment, event: Event) -> Details:
        """What the record holds of an event, seen by everyone, besides actions and times."""
        faults = event.faults + match.new_faults()
        now_true = self.seats.truths(match, moment.state) if self.seats.truths_change else self.truths
        changed, self.truths = now_true if now_true != self.truths else None, now_true
        insights = self.full_insights(match, moment)
        return Details(faults, event.chosen, moment.beliefs, changed, insights)

    def full_insights(self, match: Match, moment: Moment) -> tuple[Insight, ...]:
        """What the models think now besides their beliefs, if the options ask for it."""
        if not match.options.insights:
            return ()
        return tuple(msgspec.structs.replace(each, beliefs=()) for each in moment.insights())

    def end(self, match: Match, result: Result) -> None:
        """Write the last line, with what the game measures of the match."""
        ending = Ending(
            list(result.returns),
            result.reason,
            result.plies,
            tuple(match.struck),
            result.forfeits,
            digest(match.position.state),
            match.new_faults(),
            self.watchers.errors(),
        )
        if self.measures is not None and self.events is not None:
            seen = (event.transition(None) for event in self.events)
            measures = self.measures(match.game, seen, ending.returns)
            ending = msgspec.structs.replace(ending, measures=tuple(measures))
        self.record.add(ending)
        if self.writer is not None:
            self.writer.write(ending)

    def packed_record(self, match: Match) -> PackedRecord | Record:
        """The record as it is stored: packed, unless an action is no number of 64 bits."""
        header, ending, moves = self.record.header, self.record.ending, self.moves
        if moves is None:
            return self.record
        assert ending is not None, "the match is over"
        packed = moves.pack(header, ending)
        if packed is None:
            return Record(header, list(moves.entries(match.game.new_initial_state(), match.game.players)), ending)
        return packed

    def close(self) -> None:
        """Close the file."""
        if self.writer is not None:
            self.writer.close()


def first_line(match: Match, seats: Seats, watchers: Watchers) -> Header:
    """The first line of a record, without truths and beliefs."""
    options = match.options
    return Header(
        kibitz=__version__,
        game=repr(match.game),
        seed=options.seed,
        agents=seats.specs,
        models=tuple(watcher.label for watcher in watchers.seated),
        time_control=options.time_control,
        max_plies=match.max_plies,
        strikes=options.strikes,
        opening=options.opening,
        given=len(options.given),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        hash=digest(match.position.state),
        recalled=watchers.recalled or msgspec.UNSET,
        packages=dict(match.game.packages) or msgspec.UNSET,
    )


class RecordedMatch(Match):
    """A match with its agents and watching models.

    With *past*, the record of a match that was cut off, that match goes on: its agents observe what happened, and the
    same record grows.
    """

    def __init__(
        self,
        game: str | Game,
        agents: Sequence[str | Agent],
        options: MatchOptions = USUAL,
        *,
        past: Record | None = None,
        now: Now = time.perf_counter,
    ) -> None:
        made = make_game(game)
        self.seats = Seats(made, agents, now)
        self.agents = self.seats.agents
        super().__init__(made, options, past=() if past is None else past.entries)
        self.watchers = Watchers(made, options.models, options.seed)
        if options.memory:
            names = options.names or ("",) * made.players
            self.watchers.memory = Memory(options.memory, made, names, self.seats.specs)
            self.watchers.recall(self.watchers.memory)
        self.recorder = Recorder(self, self.seats, self.watchers, past)
        watching = [self.watchers] if self.watchers.seated or options.memory else []
        self.observers = [self.seats, *watching, self.recorder]

    @property
    def record(self) -> Record:
        """The record so far."""
        return self.recorder.record

    def steps(self, ask: Ask | None = None, path: Path | str | None = None) -> Steps:
        """Play as `Match.steps` does; with *path* the record is also written there, event by event."""
        self.recorder.path = None if path is None else Path(path)
        try:
            yield from super().steps(ask)
        finally:
            self.recorder.close()

    def moments(self, path: Path | str | None = None) -> Iterator[Moment]:
        """Play with the agents, yielding after every event."""
        return cast("Iterator[Moment]", self.steps(self.seats.replies, path))

    def play_packed(self) -> PackedRecord | Record:
        """Play to the end; what is stored is the packed record, or the full one if it cannot be packed."""
        if not self.game.packages:  # a packed record is replayed on reading, where those may be missing
            self.recorder.moves = MoveList()
        for _ in self.moments():
            pass
        return self.recorder.packed_record(self)

    def has_used_randomness(self) -> bool:
        """Whether any random number was drawn; if not, the match is the same for every seed."""
        drawn = self.chance is not None or self.options.opening > 0 or bool(self.watchers.seated)
        return drawn or self.seats.have_drawn()


def play(
    game: str | Game,
    agents: Sequence[str | Agent],
    *,
    path: Path | str | None = None,
    now: Now = time.perf_counter,
    **options: Any,
) -> Record:
    """Play one match to its end and return the record; with *path* it is also written there, event by event.

    The options are those of `MatchOptions`: models, seed, move_time, max_plies, strikes, opening, given, memory …

    >>> play("pennies(lead=2)", ["pennies.heads", "pennies.alternator"], seed=3).ending.reason
    'max_plies'
    """
    table = RecordedMatch(game, agents, MatchOptions(**options), now=now)
    for _ in table.moments(path):
        pass
    return table.record


def playing(
    game: str | Game, agents: Sequence[str | Agent], *, path: Path | str | None = None, **options: Any
) -> Iterator[Moment]:
    """Like `play`, but yields the match moment by moment, the position before the first move included.

    >>> from kibitz import playing
    >>> for moment in playing("dilemma(rounds=2)", ["dilemma.grim", "dilemma.defector"], seed=1):
    ...     print(moment.state)
    round 0 of 2, points 0 : 0
    round 1 of 2, points 0 : 5
    round 2 of 2, points 1 : 6
    """
    return RecordedMatch(game, agents, MatchOptions(**options)).moments(path)
