"""A match between agents in this process, with models watching and a record that grows: what `play` drives."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from kibitz import __version__
from kibitz.core.abilities import ability
from kibitz.core.agent import Agent
from kibitz.core.clocks import Clock, Now
from kibitz.core.errors import BadSpec, KibitzError
from kibitz.core.game import CHANCE, Game, Rng, State, digest
from kibitz.core.insight import Beliefs, Insight
from kibitz.core.match import Event, Fault, Match, Reply, Request, Result
from kibitz.core.match.options import DEFAULTS, MatchOptions
from kibitz.core.match.plain import FAILURES, AgentSeat, failed_reply, ignores_views, play_plain
from kibitz.core.match.watchers import Watchers, error_text
from kibitz.core.memory import Memory
from kibitz.core.records import HASH_EVERY, Ending, Entry, Header, Record, RecordWriter, Truths
from kibitz.core.records.packed import NO_DETAILS, Details, MoveList, PackedRecord
from kibitz.core.registry import has_ability, make_agent, make_game, spec_of
from kibitz.core.seeds import stream

Requests = tuple[Request, ...]
"""Requests that are made at once."""


class Moment(msgspec.Struct):
    """The match after one event (None: before the first), with every model's beliefs."""

    state: State
    event: Event | None
    beliefs: Beliefs
    record: Record
    watchers: Watchers | None = None
    """The watching models; None if beliefs are read from the record."""

    def insights(self) -> tuple[Insight, ...]:
        """Every model's beliefs, predictions and reasons. Call it before the match continues.

        If no model watches, they come from the record.
        """
        if self.watchers is not None:
            return self.watchers.insights(self.state)
        return self.record.insights(0 if self.event is None else self.event.ply + 1)


class RecordedMatch:
    """A match with its agents and watching models.

    With *past*, the record of a match that was cut off, that match goes on: its agents observe what happened, and the
    same record grows.
    """

    def __init__(
        self,
        game: str | Game,
        agents: Sequence[str | Agent],
        options: MatchOptions = DEFAULTS,
        *,
        past: Record | None = None,
        now: Now = time.perf_counter,
    ) -> None:
        self.game = make_game(game)
        self.game_name = spec_of(self.game).name
        self.agents = [make_agent(agent, self.game_name) for agent in agents]
        if len(self.agents) != self.game.players:
            raise BadSpec(repr(self.game), f"it has {self.game.players} players, you named {len(agents)}")
        if len({id(agent) for agent in self.agents}) != len(self.agents):
            raise BadSpec(repr(self.game), "the same agent object is in two seats; make one for each")
        self.options = options
        self.past = past
        self.repeated = 0 if past is None else len(past.entries)
        """Number of past events."""
        self.match = Match(self.game, options, () if past is None else past.entries)
        self.now = now
        self.specs = tuple(agent.public_spec for agent in self.agents)
        self.watchers = Watchers(self.game, options.models, options.seed)
        self.memory = self.open_memory() if options.memory else None
        if self.memory is not None:
            self.watchers.recall(self.memory)
        # An agent that inherits the empty `observe` needs no views of events, so none are made for it.
        self.listeners = [pair for pair in enumerate(self.agents) if type(pair[1]).observe is not Agent.observe]
        # Nor does one whose `act` ignores its view; where nothing is hidden, it gets the state itself.
        self.seats = [
            AgentSeat(player, agent, not self.game.hidden and ignores_views(agent, "act"), Clock(now=now))
            for player, agent in enumerate(self.agents)
        ]
        self.streams: list[Rng] = []
        self.fresh: list[tuple[int, int]] = []
        """The state of each of the streams before the first draw."""
        self.pending_faults: list[Fault] = []
        self.truths_change = self.game.hidden or any(type(agent).truth is not Agent.truth for agent in self.agents)
        self.record = Record(self.header() if past is None else past.header)

    def open_memory(self) -> Memory:
        """What the models remember of the players by name, or else by agent."""
        names = self.options.names or ("",) * len(self.specs)
        return Memory(self.options.memory, self.game, names, self.specs)

    def moments(self, path: Path | str | None = None) -> Iterator[Moment]:
        """Play with the agents, yielding after every event."""
        steps = self.steps(path)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Moment):
                    yield step
                    step = next(steps)
                else:
                    step = steps.send(self.replies(step))
        except StopIteration:
            return
        finally:
            steps.close()

    def steps(self, path: Path | str | None = None) -> Generator[Requests | Moment, Sequence[Reply] | None, None]:
        """Play: yields requests, which the driver answers as in `Match.steps`, and the match's moments."""
        self.begin_match()
        writer = self.open_file(Path(path)) if path is not None else None
        try:
            truths, beliefs = self.record.header.truths, self.record.header.beliefs
            yield Moment(self.match.position.state, None, beliefs, self.record, self.watchers)
            steps = self.match.steps()
            events = self.new_event_list()
            try:
                step = next(steps)
                while True:
                    if not isinstance(step, Event):
                        step = steps.send((yield step))
                        continue
                    past = self.past is not None and step.ply < self.repeated
                    if past:
                        entry, truths = self.repeat(step, truths)
                    else:
                        self.notify_players(step)
                        details, truths = self.details(step, truths)
                        entry = full_entry(step, details)
                    self.record.add(entry)
                    if writer is not None and not past:
                        writer.write(entry)
                    yield Moment(step.after.state, step, entry.beliefs, self.record, self.watchers)
                    if events is not None:
                        events.append(step)
                    step = next(steps)
            except StopIteration as stop:
                self.record.add(self.with_measures(self.end_match(stop.value), events))
            if writer is not None and self.record.ending is not None:
                writer.write(self.record.ending)
        finally:
            if writer is not None:
                writer.close()

    def begin_match(self) -> None:
        """Let the agents begin, and complete the header."""
        for player, agent in enumerate(self.agents):
            # An agent that plays on draws new numbers, not those of its first moves again.
            self.streams.append(stream(self.options.seed, "agent", player, *([self.repeated] if self.repeated else [])))
            self.fresh.append(generator_state(self.streams[player]))
            self.attempt(player, agent.begin, self.game, player, self.streams[player], refusal_is_final=True)
        if self.past is None:
            self.record.header = self.full_header()

    def open_file(self, path: Path) -> RecordWriter:
        """The file of the record, with its first line; a resumed match goes on in a new file with all its lines."""
        writer = RecordWriter(path, replace=self.past is not None)
        try:
            writer.write(self.record.header)
            for entry in [] if self.past is None else self.past.entries:
                writer.write(entry)
            writer.take_over()
        except BaseException:
            writer.close()
            raise
        return writer

    def full_header(self) -> Header:
        """The first line, with what the models believe and what is true before the first event."""
        state = self.match.position.state
        beliefs, insights = self.thoughts(state)
        found = {"truths": self.truths(state), "beliefs": beliefs, "insights": insights or msgspec.UNSET}
        return msgspec.structs.replace(self.record.header, **found)

    def has_used_randomness(self) -> bool:
        """Whether any random number was drawn; if not, the match is the same for every seed."""
        if self.match.chance is not None or self.options.opening > 0 or self.watchers.seated:
            return True
        return any(generator_state(used) != fresh for used, fresh in zip(self.streams, self.fresh, strict=True))

    def header(self) -> Header:
        return Header(
            kibitz=__version__,
            game=repr(self.game),
            seed=self.options.seed,
            agents=self.specs,
            models=tuple(watcher.label for watcher in self.watchers.seated),
            time_control=self.options.time_control,
            max_plies=self.match.max_plies,
            strikes=self.options.strikes,
            opening=self.options.opening,
            given=len(self.options.given),
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            hash=digest(self.match.position.state),
            recalled=self.watchers.recalled or msgspec.UNSET,
            packages=dict(self.game.packages) or msgspec.UNSET,
        )

    def replies(self, requests: Requests) -> list[Reply]:
        """Ask the agents; an error becomes the reply."""
        found = []
        now, seats, timed = self.now, self.seats, self.match.timed
        for request in requests:
            _, agent, blind, clock = seats[request.player]
            if timed:
                clock = Clock(request.allowance, now, 0.0, request.bank)
            start = clock.started = now()
            try:
                action = agent.act(request.position.state if blind else request.view, clock)
            except FAILURES as error:
                found.append(failed_reply(agent, error, now() - start))
            else:
                found.append(Reply(action, now() - start))
        return found

    def notify_players(self, event: Event) -> None:
        """Let the agents and the models that watch observe *event*."""
        match = self.match
        for player, agent in self.listeners:
            if not match.forfeited or not match.has_forfeited(player):
                try:
                    agent.observe(event.transition(player, player))
                except FAILURES as error:
                    self.add_strike(player, error)
        if self.watchers.seated:
            self.watchers.observe(event)

    def details(self, event: Event, truths: Truths) -> tuple[Details, Truths]:
        """What the record holds of *event*, observed by everyone, besides actions and times; and the truths now."""
        faults = event.faults + self.outside_faults()
        if not faults and not self.truths_change and not self.watchers.seated:
            return NO_DETAILS, truths
        state = event.after.state
        now_true = self.truths(state) if self.truths_change else truths
        beliefs, insights = self.thoughts(state)
        chosen = (event.chosen or (True,) * len(event.movers)) if faults and event.player != CHANCE else ()
        changed = now_true if now_true != truths else None
        if not faults and changed is None and not beliefs and not insights:
            return NO_DETAILS, truths
        return Details(faults, chosen, beliefs, changed, insights), now_true

    def play_packed(self) -> PackedRecord | Record:
        """Play to the end; what is stored is the packed record, or the full one if it cannot be packed."""
        if self.game.packages:  # their rules may be missing where it is read
            for _ in self.moments():
                pass
            return self.record
        self.begin_match()
        moves, truths = MoveList(), self.record.header.truths
        notable = self.truths_change or bool(self.watchers.seated)
        events = self.new_event_list()
        steps = self.match.steps(play_plain(self, moves) if self.is_plain(events) else 0)
        try:
            step = next(steps)
            while True:
                if type(step) is Event:  # `isinstance` takes five times as long to say no
                    self.notify_players(step)
                    if notable or step.faults or self.pending_faults:
                        details, truths = self.details(step, truths)
                        moves.add(step.actions, step.seconds, details)
                    else:
                        moves.add(step.actions, step.seconds)
                    if events is not None:
                        events.append(step)
                    step = next(steps)
                else:
                    step = steps.send(self.replies(step))
        except StopIteration as stop:
            ending = self.with_measures(self.end_match(stop.value), events)
        packed = moves.pack(self.record.header, ending)
        if packed is None:
            state = self.game.new_initial_state()
            return Record(self.record.header, list(moves.entries(state, self.game.players)), ending)
        return packed

    def is_plain(self, events: list[Event] | None) -> bool:
        """Whether nothing is asked for but moves, so that `play_plain` may play."""
        special = self.match.timed or self.repeated or self.options.given or self.options.opening
        return not (special or events is not None or self.truths_change or self.watchers.seated or self.game.hidden)

    def repeat(self, event: Event, truths: Truths) -> tuple[Entry, Truths]:
        """Let everyone observe a past event; return its line of the record, and the truths after it."""
        assert self.past is not None, "only a resumed match has past events"
        entry = self.past.entries[event.ply]
        for player, agent in self.listeners:
            with suppress(*FAILURES):  # their faults are in the record already
                agent.observe(event.transition(player, player))
        self.watchers.observe(event)
        return entry, truths if entry.truths is None else entry.truths

    def thoughts(self, state: State) -> tuple[Beliefs, tuple[Insight, ...]]:
        """What the record holds of the models now: their beliefs, and full insights if the options ask for them."""
        if not self.options.insights:
            return self.watchers.beliefs(), ()
        found = self.watchers.insights(state)
        beliefs = {each.label: list(each.beliefs) for each in found if not each.error}
        return beliefs, tuple(msgspec.structs.replace(each, beliefs=()) for each in found)

    def end_match(self, result: Result) -> Ending:
        """Send the result to the agents; return the record's last line."""
        for player, agent in enumerate(self.agents):
            if not self.match.has_forfeited(player):
                self.attempt(player, agent.end, result.returns)
        if self.memory is not None:
            self.watchers.remember(self.memory)
        return Ending(
            list(result.returns),
            result.reason,
            result.plies,
            tuple(self.match.struck),
            result.forfeits,
            digest(self.match.position.state),
            self.outside_faults(),
            self.watchers.errors(),
        )

    def new_event_list(self) -> list[Event] | None:
        """A list for all events, if the game measures anything of them."""
        return [] if has_ability(self.game_name, "MEASURES") else None

    def with_measures(self, ending: Ending, events: list[Event] | None) -> Ending:
        """The last line with what the game measures of the match."""
        if events is None:
            return ending
        seen = (event.transition(None) for event in events)
        found = ability(self.game_name, "MEASURES")(self.game, seen, ending.returns)
        return msgspec.structs.replace(ending, measures=tuple(found))

    def outside_faults(self) -> tuple[Fault, ...]:
        """The faults since the last entry that came from no request."""
        if not self.pending_faults:
            return ()
        faults, self.pending_faults = tuple(self.pending_faults), []
        return faults

    def attempt(self, player: int, call: Callable[..., None], *arguments: Any, refusal_is_final: bool = False) -> None:
        """Call an agent outside a request; an error is a strike, but a final refusal to play is raised."""
        try:
            call(*arguments)
        except FAILURES as error:
            if refusal_is_final and isinstance(error, KibitzError):
                raise
            self.add_strike(player, error)

    def add_strike(self, player: int, error: BaseException) -> None:
        """Count an agent's error outside a request."""
        self.pending_faults.append(self.match.strike(player, "raised", error_text(error)))

    def resign(self, player: int) -> None:
        """Let *player* resign; the driver must still answer the last request, with anything."""
        self.pending_faults.append(self.match.resign(player))

    def truths(self, state: State) -> Truths:
        """The label and the hidden truth of every player; an error in an agent's `truth` does not end the match."""
        found = []
        for player, (spec, agent) in enumerate(zip(self.specs, self.agents, strict=True)):
            own: dict[str, Any] = {}
            self.attempt(player, lambda agent=agent, own=own: own.update(plain(agent.truth())))
            found.append({**own, **state.truth(player), "strategy": spec})
        return found


def full_entry(event: Event, details: Details) -> Entry:
    """The line of the record of an event."""
    return Entry(
        event.ply,
        event.player,
        tuple(event.notations()),
        event.seconds,
        details.faults,
        details.chosen,
        details.beliefs,
        details.truths,
        digest(event.after.state) if event.ply % HASH_EVERY == HASH_EVERY - 1 else None,
        details.insights,
    )


def generator_state(generator: Rng) -> tuple[int, int]:
    """What a generator, and those spawned from it, will draw."""
    bits = generator.bit_generator
    return bits.state["state"]["state"], getattr(bits.seed_seq, "n_children_spawned", 0)


def plain(truth: Mapping[str, Any]) -> dict[str, Any]:
    """A truth as the record holds it; raises if it cannot be written as JSON."""
    return msgspec.json.decode(msgspec.json.encode(truth), type=dict[str, Any]) if truth != {} else {}
