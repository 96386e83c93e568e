"""Live matches, called tables: people and bots take seats, others watch.

    table = Table("kuhn", [None, "solid", "maniac"])   # None is an open seat
    player = table.sit(Participant("ann", person=True))  # play begins when no seat is open
    async for update in table.updates(player):         # what the player may see; None: the public view
        if update.request is not None:
            table.guest(player).choose("bet")
    record = table.record

Everything runs in one event loop, and nothing here blocks it.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from kibitz import core
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, Refused
from kibitz.core.match import NO_REPLY, Event, MatchOptions, Position, Reply, Request, play
from kibitz.core.match.watchers import error_text
from kibitz.core.records import Ending, Record
from kibitz.core.registry import make_game, spec_of
from kibitz.server.compute import Compute, RunInlineIfFast
from kibitz.server.participants import PATIENCE, Participant
from kibitz.server.worker_agents import WorkerAgent

Status = Literal["open", "playing", "finished", "stopped", "failed"]


class Update(msgspec.Struct, frozen=True):
    """News for a viewer: an event, a request to choose, or the state of the match."""

    ply: int
    """Number of events so far."""
    view: core.State
    transition: core.Transition | None = None
    """The new event, if there is one."""
    request: Request | None = None
    """The viewer's own open request."""
    used: tuple[float, ...] = ()
    """Seconds that each player has used, as far as that is public."""
    ending: Ending | None = None


class Table:
    """One match, from its open seats to its record. *seats* are specs of agents, or None for an open seat."""

    def __init__(
        self,
        game: str | core.Game,
        seats: Sequence[str | None],
        *,
        number: int = 0,
        compute: Compute | None = None,
        seed: int | None = None,
        time_control: TimeControl | None = None,
        max_plies: int | None = None,
        strikes: int = 3,
        opening: int = 0,
        given: Sequence[Sequence[str]] = (),
        patience: float = PATIENCE,
        path: Path | None = None,
    ) -> None:
        self.game = make_game(game)
        if len(seats) != self.game.players:
            raise BadSpec(repr(self.game), f"it has {self.game.players} players, you named {len(seats)} seats")
        self.number, self.compute, self.patience, self.path = number, compute or Compute(), patience, path
        self.seats: list[core.Agent | None] = [self.seat_agent(spec) for spec in seats]
        self.options = MatchOptions(
            seed=secrets.randbits(63) if seed is None else seed,
            time_control=time_control or TimeControl(),
            max_plies=max_plies,
            strikes=strikes,
            opening=opening,
            given=given,
        )
        self.status: Status = "open"
        self.failure = ""
        self.positions: list[Position] = []
        """Positions; the first is there when all players know that the match begins."""
        self.events: list[Event] = []
        self.resigning: set[int] = set()
        self.changed = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the match is over."""
        self.match: play.RecordedMatch | None = None
        self.task: asyncio.Task[None] | None = None

    def seat_agent(self, spec: str | None) -> core.Agent | None:
        """The agent that a spec names; None for an open seat. People join by themselves."""
        agent = None if spec is None else self.compute.agent(spec, spec_of(self.game).name)
        if agent is not None and agent.interactive:
            raise BadSpec(str(spec), "leave the seat open (null) for a person")
        return agent

    # Taking and leaving seats

    @property
    def open_seats(self) -> list[int]:
        """The open seats."""
        return [player for player, agent in enumerate(self.seats) if agent is None]

    @property
    def live(self) -> bool:
        """Whether the match is waiting or running."""
        return self.status in ("open", "playing")

    def sit(self, guest: Participant, seat: int | None = None) -> int:
        """Seat *guest*, on the first open seat if none is named; the match begins when all seats are taken."""
        free = self.open_seats if self.status == "open" else []
        if not free or (seat is not None and seat not in free):
            where = "the table" if seat is None else f"seat {seat}"
            raise Refused(f"{where} is taken; open: {', '.join(map(str, free)) or 'none'}")
        player = free[0] if seat is None else seat
        self.seats[player] = guest
        self.start()
        return player

    def seat_of(self, guest: Participant) -> int | None:
        """The seat of *guest*; None if they have none, or have given it up."""
        return next((player for player, agent in enumerate(self.seats) if agent is guest), None)

    def leave(self, guest: Participant) -> None:
        """Free the seat of *guest* before the match begins; afterwards, leaving is resigning."""
        player = self.seat_of(guest)
        if player is None:
            return
        if self.status == "open":
            self.seats[player] = None
            self.change()
        else:
            self.resign(player)

    def guest(self, player: int) -> Participant:
        """The participant on a seat."""
        found = self.seats[player] if 0 <= player < len(self.seats) else None
        if not isinstance(found, Participant):
            raise Refused(f"seat {player} has no participant")
        return found

    def who(self, player: int) -> str:
        """The public name of the player on a seat."""
        agent = self.seats[player]
        if agent is None:
            return "open seat"
        return agent.name if isinstance(agent, Participant) else repr(agent)

    def guests(self) -> list[Participant]:
        """All participants from outside."""
        return [agent for agent in self.seats if isinstance(agent, Participant)]

    def worker_agents(self) -> list[WorkerAgent]:
        """All agents in workers."""
        return [agent for agent in self.seats if isinstance(agent, WorkerAgent)]

    # Playing

    def start(self) -> bool:
        """Begin the match if no seat is open; return whether it has begun."""
        agents = [agent for agent in self.seats if agent is not None]
        if self.status == "open" and len(agents) == len(self.seats):
            self.match = play.RecordedMatch(self.game, agents, self.options)
            self.status = "playing"
            self.task = asyncio.get_running_loop().create_task(self.run(self.match))
        self.change()
        return self.status != "open"

    async def run(self, match: play.RecordedMatch) -> None:
        """Play the match and set the status."""
        steps = match.steps(self.path)
        try:
            await self.drive(match, steps)
            self.status = "finished"
        except asyncio.CancelledError:
            self.status = "stopped"
        except Exception as error:  # an agent that refuses the game, a full disk: only this match fails
            self.status, self.failure = "failed", error_text(error)
        finally:
            self.ended.set()
            with suppress(ValueError):  # an agent may still be thinking: then the record is closed later
                steps.close()
            for agent in self.worker_agents():
                agent.close()
            self.change()

    async def drive(self, match: play.RecordedMatch, steps: "Steps") -> None:
        """Get the replies to every request, simultaneous ones together, and publish the events."""
        guests_only = all(isinstance(agent, Participant) for agent in self.seats)
        advance = RunInlineIfFast(self.compute).run if guests_only else self.compute.run_blocking
        replies: list[Reply] | None = None
        while (step := await advance(next_step, steps, replies)) is not None:
            replies = None
            self.check_workers()
            if isinstance(step, play.Moment):
                self.positions.append(match.match.position if step.event is None else step.event.after)
                if step.event is not None:
                    self.events.append(step.event)
            else:
                waiting = [asyncio.ensure_future(self.reply(match, request)) for request in step]
                await asyncio.sleep(0)  # so that one update carries both the event and the request
                self.change()
                replies = await asyncio.gather(*waiting)
                self.check_workers()
            for player in self.resigning:
                match.resign(player)
            self.resigning.clear()

    async def reply(self, match: play.RecordedMatch, request: Request) -> Reply:
        """The reply of the player to whom the request goes."""
        agent = self.seats[request.player]
        if request.player in self.resigning or self.is_decided(match):
            return NO_REPLY
        if isinstance(agent, Participant):
            return await agent.await_reply(request, self.patience)
        return await self.compute.run_blocking(match.reply, request)

    def check_workers(self) -> None:
        """Raise WorkerLost if the worker of a player has died: that is not the player's fault."""
        for agent in self.worker_agents():
            if agent.lost is not None:
                raise agent.lost

    def resign(self, player: int) -> None:
        """Let a participant resign; with one player left, the match is over."""
        guest = self.guest(player)
        if self.status != "playing" or self.match is None or self.match.match.has_forfeited(player):
            return
        self.resigning.add(player)
        for each in self.guests() if self.is_decided(self.match) else [guest]:
            each.reply()

    def is_decided(self, match: play.RecordedMatch) -> bool:
        """Whether all but one have resigned, or are about to."""
        out = [player in self.resigning or match.match.has_forfeited(player) for player in range(len(self.seats))]
        return bool(self.resigning) and sum(out) >= len(out) - 1

    async def stop(self) -> None:
        """End the match now; its record stays incomplete."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
        if self.live:  # it was open, or its task was cancelled before the first step
            self.status = "stopped"
            self.ended.set()
            self.change()

    async def over(self) -> Record:
        """Wait for the end of the match; return its record."""
        await self.ended.wait()
        return self.record

    # Watching

    @property
    def record(self) -> Record:
        """The record so far. It holds secrets that may not be shown during the match."""
        if self.match is None:
            raise Refused("the match has not begun")
        return self.match.record

    def change(self) -> None:
        """Wake all viewers."""
        self.changed.set()
        self.changed = asyncio.Event()

    async def wait_for_start(self) -> bool:
        """Wait until the match begins or is stopped; return whether it began."""
        while not self.positions and self.live:
            await self.changed.wait()
        return bool(self.positions)

    async def news(self) -> AsyncIterator[Ending | None]:
        """Yield after every event or request: the ending, or None before it."""
        if not await self.wait_for_start():
            return
        while True:
            changed, live = self.changed, self.live
            yield None if live else self.record.ending
            if not live:
                return
            if changed is self.changed:
                await changed.wait()

    async def updates(self, viewer: Participant | int | None = None, since: int | None = None) -> AsyncIterator[Update]:
        """Updates for a participant or the player on a seat, from event *since* or from now, to the end.

        None, and a participant without a seat when the match begins, see public information only. A slow reader misses
        nothing and delays no one else.
        """
        since = 0 if since is None and not self.positions else since
        if not await self.wait_for_start():
            return
        seat = self.seat_of(viewer) if isinstance(viewer, Participant) else viewer
        ply = len(self.events) if since is None else max(0, min(since, len(self.events)))
        update = self.update(seat, ply)
        yield update
        while True:
            changed = self.changed
            while ply < len(self.events):
                ply += 1
                update = self.update(seat, ply, happened=True)
                yield update
            request = self.open_request(seat)
            if request is not None and request is not update.request and request.ply == ply:
                update = self.update(seat, ply)
                yield update
            elif not self.live:
                yield self.update(seat, ply)
                return
            elif changed is self.changed:
                await changed.wait()

    def open_request(self, seat: int | None) -> Request | None:
        """The open request of the participant on *seat*."""
        agent = None if seat is None else self.seats[seat]
        return agent.request if isinstance(agent, Participant) else None

    def update(self, seat: int | None, ply: int, happened: bool = False) -> Update:
        """What *seat* may see after *ply* events."""
        assert self.match is not None, "there are no updates before the match begins"
        observer = ("update", -1 if seat is None else seat)
        transition = self.events[ply - 1].transition(seat, observer) if happened else None
        request = self.open_request(seat)
        return Update(
            ply,
            self.positions[ply].view(seat, observer),
            transition,
            request if request is not None and request.ply == ply else None,
            tuple(self.match.match.used),
            self.match.record.ending if ply == len(self.events) else None,
        )


Steps = Generator[play.Requests | play.Moment, Sequence[Reply] | None, None]


def next_step(steps: Steps, replies: Sequence[Reply] | None) -> play.Requests | play.Moment | None:
    """The next step of a match; None at the end."""
    try:
        return next(steps) if replies is None else steps.send(replies)
    except StopIteration:
        return None
