"""Live matches: people and programs take seats, others watch.

    match = LiveMatch(allowed_setup("kuhn", [None, "solid", "maniac"], public=(0,)))   # None: a seat to take
    seat = match.sit(principal)                        # play begins when no seat is open
    async for update in seat.updates():                # what its holder may see
        if update.request is not None:
            seat.choose("bet")
    record = match.record

Everything runs in one event loop, and nothing here blocks it.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from kibitz import core
from kibitz.core.drawing import Drawing
from kibitz.core.errors import BadSpec, Refused, error_text
from kibitz.core.match import NO_REPLY, Event, MatchOptions, Moment, Position, Reply, Request, Requests, Steps
from kibitz.core.match.play import RecordedMatch
from kibitz.core.records import Ending, Record
from kibitz.core.records.records import RESIGNED
from kibitz.core.registry import kit_of, make_game, spec_of
from kibitz_lab.store.accounts import hash_of
from kibitz_web.server.access.auth import Principal, new_secret
from kibitz_web.server.live.insights import LiveModels
from kibitz_web.server.live.participants import PATIENCE, Participant
from kibitz_web.server.live.seats import Seat, Spectator
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.workers.compute import Compute, RunInlineIfFast
from kibitz_web.server.workers.worker_agents import WorkerAgent

Status = Literal["open", "playing", "finished", "stopped", "failed"]


class LiveMatch:
    """One match, from its open seats to its record; with *past*, it goes on where that record ends."""

    def __init__(
        self,
        setup: MatchSetup,
        *,
        number: int = 0,
        owner: str = "",
        compute: Compute | None = None,
        max_plies: int | None = None,
        patience: float = PATIENCE,
        path: Path | None = None,
        past: Record | None = None,
        clocks: Sequence[float] = (),
    ) -> None:
        self.setup, self.number, self.owner = setup, number, owner
        self.game = make_game(setup.game)
        self.game.new_initial_state()  # it loads what the rules need, such as maps, and checks the last parameters
        self.compute, self.patience, self.path, self.past = compute or Compute(), patience, path, past
        self.work = number or object()
        """The name under which the thinking of its agents, which its owner pays for, can be cancelled."""
        self.clocks = clocks
        """Seconds that each player had used when the match was cut off."""
        self.agents: list[core.Agent | None] = [self.make_agent(spec) for spec in setup.seats]
        self.seats: dict[int, Seat] = {}
        """The seats that people and remote programs have taken."""
        self.spectators: set[Spectator] = set()
        self.invites: dict[int, str] = dict.fromkeys(setup.private_seats, "")
        """For each seat that an invited person may take, the hash of the one-use code for it; empty: none was made."""
        self.codes: dict[int, str] = {}
        """The codes themselves, for the host; a restart forgets them."""
        self.host: Principal | None = None
        """The person who opened the match and plays in it; only they see the invitations."""
        conditions = setup.conditions() | ({"max_plies": max_plies} if max_plies else {})
        self.options = MatchOptions(
            seed=drawn_seed(setup, past), opening=setup.opening, given=setup.given, **conditions
        )
        self.status: Status = "open"
        self.failure = ""
        self.positions: list[Position] = []
        """Positions; the first is there when all players know that the match begins."""
        self.events: list[Event] = []
        self.drawings: dict[int, Drawing] = {}
        """The public pictures of the last few positions, which all spectators share."""
        self.resigned: set[int] = set()
        """The players who have resigned."""
        self.resigning: set[int] = set()
        """Those of them of whom the record does not say so yet."""
        self.changed = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the match is over."""
        self.models: LiveModels | None = None
        """The models that watch; the lobby adds them."""
        self.match: RecordedMatch | None = None
        self.task: asyncio.Task[None] | None = None
        self.waits = 0
        """How many wait for a seat to be stored before the match may begin."""

    def make_agent(self, spec: str | None) -> core.Agent | None:
        """The agent that a spec names; None for a seat to take. People join by themselves."""
        name = spec_of(self.game).name
        agent = None if spec is None else self.compute.agent(spec, name, payer=self.owner, match=self.work)
        if agent is not None and agent.interactive:
            raise BadSpec(str(spec), "leave the seat open (null) for a person")
        return agent

    # Taking and leaving seats

    @property
    def open_seats(self) -> list[int]:
        """The seats that anyone may take."""
        if self.status != "open":
            return []
        return [player for player, agent in enumerate(self.agents) if agent is None and player not in self.invites]

    @property
    def live(self) -> bool:
        """Whether the match is waiting or running."""
        return self.status in ("open", "playing")

    def sit(self, principal: Principal, player: int | None = None) -> Seat:
        """Seat a principal, on the first open seat if none is named; the match begins when all seats are taken."""
        principal.check_may_play()
        free = self.open_seats
        if not free or (player is not None and player not in free):
            where = "the table" if player is None else f"seat {player}"
            raise Refused(f"{where} is taken; open: {', '.join(map(str, free)) or 'none'}")
        return self.take_seat(free[0] if player is None else player, principal)

    def sit_host(self, principal: Principal) -> Seat | None:
        """Seat the person who opened the match on the first private seat, if there is one."""
        if not self.invites:
            return None
        principal.check_may_play()
        self.host = principal
        return self.take_seat(min(self.invites), principal)

    def take_seat(self, player: int, principal: Principal, name: str = "", key_hash: str = "") -> Seat:
        """Seat a principal on a free seat."""
        participant = Participant(name or principal.name, person=principal.person)
        seat = self.seats[player] = Seat(self, principal, player, participant, key_hash)
        self.agents[player] = participant
        self.invites.pop(player, None)
        self.codes.pop(player, None)
        self.start()
        return seat

    def invitation(self, player: int) -> str | None:
        """The one-use code with which an invited person takes a seat; None if the seat needs none."""
        if player not in self.invites or self.status != "open":
            return None
        if player not in self.codes:
            self.codes[player] = new_secret()
            self.invites[player] = hash_of(self.codes[player])
        return self.codes[player]

    def invited_seat(self, code: str) -> int | None:
        """The seat that a code gives; None if it is used or unknown."""
        hashed = hash_of(code)
        return next((player for player, known in self.invites.items() if known == hashed), None)

    def claim(self, code: str, principal: Principal) -> Seat:
        """Seat a person who was invited, and use the invitation up."""
        principal.check_may_play()
        player = self.invited_seat(code)
        if player is None or self.status != "open":
            raise Refused("this invitation is used or unknown")
        return self.take_seat(player, principal)

    def seat(self, key: str, principal: Principal) -> Seat:
        """The seat that a key gives to a principal; the same refusal for a wrong key and for another's."""
        for seat in self.seats.values():
            if seat.fits(key, principal):
                seat.key, seat.principal = key, principal  # after a restart neither the key nor the role is known
                return seat
        raise Refused("this seat key is unknown or belongs to somebody else")

    def watch(self, principal: Principal) -> Spectator:
        """The right of a principal to watch."""
        made = Spectator(self, principal)
        self.spectators.add(made)
        return made

    def leave(self, seat: Seat) -> None:
        """Free a seat before the match begins; afterwards, leaving is resigning."""
        if self.status == "open":
            seat.revoked = True
            del self.seats[seat.number]
            self.agents[seat.number] = None
            if seat.number in self.setup.private_seats:
                self.invites[seat.number] = ""
            self.change()
        else:
            self.resign(seat)

    def revoke(self, principal_id: str) -> None:
        """End every right of a principal in this match."""
        for viewer in [*self.seats.values(), *self.spectators]:
            if viewer.principal.id == principal_id:
                viewer.revoke()

    def who(self, player: int) -> str:
        """The public name of the player on a seat."""
        agent = self.agents[player]
        if agent is None:
            return "open seat"
        return agent.public_name

    def participants(self) -> list[Participant]:
        """All people and remote programs that play."""
        return [agent for agent in self.agents if isinstance(agent, Participant)]

    def worker_agents(self) -> list[WorkerAgent]:
        """All agents in workers."""
        return [agent for agent in self.agents if isinstance(agent, WorkerAgent)]

    def permitted_actions(self, view: core.State, player: int) -> Sequence[int]:
        """The actions that a person may choose here: in a constrained experiment, those that serve their goal."""
        serving = kit_of(self.game).constraint if self.setup.experiment == "constrained" else None
        return view.legal_actions(player) if serving is None else serving(view, player)

    # Playing

    def start(self) -> bool:
        """Begin the match if no seat is open; return whether it has begun."""
        agents = [agent for agent in self.agents if agent is not None]
        if self.status == "open" and len(agents) == len(self.agents) and not self.waits:
            self.match = RecordedMatch(self.game, agents, self.options, past=self.past)
            self.status = "playing"
            self.task = asyncio.get_running_loop().create_task(self.run(self.match))
        self.change()
        return self.status != "open"

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Keeps the match from beginning before the end of the block."""
        self.waits += 1
        try:
            yield
        finally:
            self.waits -= 1
            self.start()

    async def run(self, match: RecordedMatch) -> None:
        """Play the match and set the status."""
        steps = match.steps(path=self.path)
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
            if self.status != "finished":  # watching models still have to see the end of a finished match
                self.compute.cancel(self.work)
            self.change()

    async def drive(self, match: RecordedMatch, steps: Steps) -> None:
        """Get the replies to every request, simultaneous ones together, and publish the events."""
        inline = RunInlineIfFast(self.compute, self.agents)
        inline.in_thread |= kit_of(self.game).measures is not None  # the last step computes them
        advance = inline.run
        replies: list[Reply] | None = None
        while (step := await advance(next_step, steps, replies)) is not None:
            replies = None
            self.check_workers()
            if isinstance(step, Moment):
                self.positions.append(match.position)
                if step.event is not None:
                    self.events.append(step.event)
                if len(self.events) == len(match.past):
                    match.used = list(map(max, match.used, self.clocks)) or match.used
            else:
                waiting = [asyncio.ensure_future(self.reply(match, request)) for request in step]
                await asyncio.sleep(0)  # so that one update carries both the event and the request
                self.change()
                replies = await asyncio.gather(*waiting)
                self.check_workers()
            if len(self.events) >= len(match.past):
                for player in self.resigning:
                    match.resign(player)
                self.resigning.clear()

    async def reply(self, match: RecordedMatch, request: Request) -> Reply:
        """The reply of the player to whom the request goes."""
        agent = self.agents[request.player]
        if request.player in self.resigning or self.is_decided(match):
            return NO_REPLY
        if isinstance(agent, Participant):
            return await agent.await_reply(request, self.patience)
        if isinstance(agent, WorkerAgent):
            return await agent.reply(request)
        [reply] = await self.compute.run_blocking(match.seats.replies, match, (request.player,))
        return reply

    def check_workers(self) -> None:
        """Raise WorkerLost if the worker of a player has died: that is not the player's fault."""
        for agent in self.worker_agents():
            if agent.lost is not None:
                raise agent.lost

    def resign(self, seat: Seat) -> None:
        """Let a participant resign; with one player left, the match is over."""
        if self.status != "playing" or self.match is None or self.match.has_forfeited(seat.number):
            return
        self.resigned.add(seat.number)
        self.resigning.add(seat.number)
        decided = self.is_decided(self.match)
        for each in self.participants() if decided else [seat.participant]:
            each.reply()
        for agent in self.worker_agents() if decided else []:
            agent.close()

    def restore_resignation(self, player: int) -> None:
        """Note that a player had resigned before the match was cut off, whether its record says so or not."""
        self.resigned.add(player)
        faults = () if self.past is None else (fault for entry in self.past.entries for fault in entry.faults)
        if not any(fault.player == player and fault.kind == RESIGNED for fault in faults):
            self.resigning.add(player)

    def is_decided(self, match: RecordedMatch) -> bool:
        """Whether all but one have resigned, or are about to."""
        out = [player in self.resigning or match.has_forfeited(player) for player in range(len(self.agents))]
        return bool(self.resigning) and sum(out) >= len(out) - 1

    async def stop(self) -> None:
        """End the match now; its record stays incomplete."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
        if self.live:  # it was open, or its task was cancelled before the first step
            self.status = "stopped"
            self.ended.set()
            self.compute.cancel(self.work)
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

    def used_seconds(self) -> list[float]:
        """The seconds that each player has used, those of open requests included."""
        if self.match is None:
            return []
        used = list(self.match.used)
        for participant in self.participants():
            if participant.request is not None:
                used[participant.request.player] += participant.seconds_waited()
        return used


def drawn_seed(setup: MatchSetup, past: Record | None) -> int:
    """The seed of a match: of its record, of its setup, or a new one."""
    if past is not None:
        return past.header.seed
    return secrets.randbits(63) if setup.seed is None else setup.seed


def next_step(steps: Steps, replies: Sequence[Reply] | None) -> Requests | Moment | None:
    """The next step of a match; None at the end."""
    try:
        return next(steps) if replies is None else steps.send(replies)
    except StopIteration:
        return None
