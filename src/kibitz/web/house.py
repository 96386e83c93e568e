"""Live matches as the pages show them: with watching models, and with keys for the seats of people."""

import asyncio
import secrets
from collections.abc import Sequence
from typing import Literal

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, Refused, printable
from kibitz.core.game import State
from kibitz.core.match.watchers import Watchers, usual_model
from kibitz.core.records import Record
from kibitz.core.registry import has_ability, make_game, spec_of
from kibitz.server.lobby import Lobby
from kibitz.server.participants import Participant
from kibitz.server.policy import allowed_spec
from kibitz.server.tables import Table
from kibitz.store import MatchResult
from kibitz.web.kibitzers import Kibitzers
from kibitz.web.runs import Runs
from kibitz.web.solutions import SolvableGames

PERSON = "a person"
"""The name of a person who gives none."""
LONGEST_ANSWER = 2000
"""Longest answer of a person about their play, in characters."""


Experiment = Literal["free", "constrained"]
"""Whether people may choose any legal action, or only those that serve their goal (the ability `CONSTRAINT`)."""
PLAN, CHANGED = "What was your plan?", "Did it change, and when?"


class Setup(msgspec.Struct, frozen=True):
    """A match to open: the game, the seats (None: a person or an open seat), the models, the clocks and the seed."""

    game: str
    seats: tuple[str | None, ...]
    models: tuple[str, ...] = ()
    time_control: TimeControl = TimeControl()
    seed: int | None = None
    secret: bool = False
    """Whether beliefs about people are hidden from them until the game ends."""
    experiment: Experiment | None = None
    """Whether this is an experiment: it asks people about their plan afterwards, and gives no hints."""
    waiting: tuple[int, ...] = ()
    """The seats open to any person or bot; the other seats of None are for the host and the people they invite."""
    given: tuple[tuple[str, ...], ...] = ()
    """The opening: the events of another match, with each player's action in notation."""


class Sitting:
    """A live match with its watching models, and the key of every seat that a person has taken."""

    def __init__(self, setup: Setup, table: Table, watchers: Watchers, lobby: Lobby) -> None:
        self.number, self.setup, self.table, self.lobby = table.number, setup, table, lobby
        self.kibitzers = Kibitzers(table, setup.models, watchers)
        self.keys: dict[str, Participant] = {}
        """Keys belong to people, not to seats: another person may have the seat later."""
        self.invites: dict[str, Participant] = {}
        """For each seat reserved for an invited person: the one-use text that gives them its key."""
        self.host: Participant | None = None
        """The person who opened the match and plays in it; only they see the invitations."""
        self.tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Seat the host, reserve the seats of invited people, and start the watching models."""
        for seat, spec in enumerate(self.setup.seats):
            if spec is None and seat not in self.setup.waiting:
                if self.host is None:
                    self.host = self.sit(seat)
                else:
                    invited = Participant(PERSON, person=True)
                    self.table.sit(invited, seat)
                    self.invites[secrets.token_urlsafe(9)] = invited
        self.tasks.add(asyncio.get_running_loop().create_task(self.watch()))

    async def watch(self) -> None:
        """Let the models follow the match, and add their beliefs to its record."""
        await self.kibitzers.follow()
        if self.table.status == "finished" and self.kibitzers.watchers.seated:
            self.kibitzers.keep(self.table.record)
            await self.lobby.amend(self.number, self.table.record)

    def sit(self, seat: int | None = None) -> Participant:
        """Seat a person, on the first open seat if none is named, and give them a key."""
        person = Participant(PERSON, person=True)
        self.table.sit(person, seat)
        self.keys[secrets.token_urlsafe(9)] = person
        return person

    def claim(self, invite: str) -> Participant:
        """Give a person with an invitation their key, and use the invitation up."""
        if invite not in self.invites:
            raise Refused("this invitation is used or unknown")
        person = self.invites.pop(invite)
        self.keys[secrets.token_urlsafe(9)] = person
        return person

    def invitation(self, seat: int) -> str | None:
        """The page on which an invited person takes a seat; None if no invitation to it is left."""
        code = next((code for code, own in self.invites.items() if self.table.seat_of(own) == seat), None)
        return None if code is None else f"/table/{self.number}?invite={code}"

    def leave(self, person: Participant) -> None:
        """Let a person leave their seat; once the match has begun, that is resigning."""
        if self.table.status == "open":
            self.keys = {key: own for key, own in self.keys.items() if own is not person}
        self.table.leave(person)

    def address(self, person: Participant | None = None) -> str:
        """The page of the match, with the key of a person who plays in it."""
        key = next((key for key, own in self.keys.items() if own is person), "")
        return f"/table/{self.number}" + (f"?key={key}" if key else "")

    @property
    def casual(self) -> bool:
        """Whether moves may be taken back: one person, no remote player, no clock, no experiment."""
        free = self.setup.time_control == TimeControl() and self.setup.experiment is None
        return self.setup.seats.count(None) == 1 and not self.setup.waiting and free

    def permitted_actions(self, view: State, player: int) -> Sequence[int]:
        """The actions that a person may choose here."""
        name = spec_of(self.table.game).name
        if self.setup.experiment == "constrained" and has_ability(name, "CONSTRAINT"):
            found: Sequence[int] = ability(name, "CONSTRAINT")(view, player)
            return found
        return view.legal_actions(player)

    async def debrief(self, player: int, answers: dict[str, str]) -> None:
        """Add a person's answers about their play to the record of a finished match."""
        record = self.table.record
        if record.ending is None:
            raise Refused("the questions come when the match is over")
        told = {question: printable(answer)[:LONGEST_ANSWER] for question, answer in answers.items()}
        before = record.ending.debriefs or {}
        record.ending = msgspec.structs.replace(record.ending, debriefs={**before, player: told})
        await self.lobby.amend(self.number, record)


class House:
    """All live matches of the lobby, and the runs in its store, for the pages."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby, self.compute = lobby, lobby.compute
        self.runs = Runs(lobby)
        self.solvable = SolvableGames(self.compute)
        self.sittings: dict[int, Sitting] = {}

    def open(self, setup: Setup) -> Sitting:
        """Open a match; it begins when all seats are taken. No input of a page can start a program."""
        for model in setup.models:
            allowed_spec(model.partition("@")[0])
        if setup.seed is not None and setup.waiting:
            raise Refused("a seed needs a match without open or invited seats: a player who knows it knows the dice")
        allowed = allowed_spec(setup.game)
        game = make_game(allowed)
        if setup.experiment == "constrained" and not has_ability(spec_of(game).name, "CONSTRAINT"):
            raise BadSpec(setup.game, "it does not define which orders serve a goal; choose free play")
        seats = [None if spec is None else allowed_spec(spec, self.lobby.agents) for spec in setup.seats]
        seed = secrets.randbits(63) if setup.seed is None else setup.seed
        watchers = Watchers(game, setup.models, seed)  # before the match opens: some models refuse some games
        timed, given = setup.time_control, setup.given
        table = self.lobby.open(allowed, seats, seed=seed, time_control=timed, given=given)
        return self.add_sitting(setup, table, watchers)

    def add_sitting(self, setup: Setup, table: Table, watchers: Watchers) -> Sitting:
        """Add a match to the pages; drop those that the lobby no longer has."""
        self.sittings = {number: each for number, each in self.sittings.items() if number in self.lobby.tables}
        sitting = self.sittings[table.number] = Sitting(setup, table, watchers, self.lobby)
        sitting.begin()
        return sitting

    def sitting(self, number: int) -> Sitting:
        """The match with this number, by any owner; all its visitors see the same models."""
        table = self.lobby.find(number)
        if number in self.sittings:
            return self.sittings[number]
        setup = setup_of(table)
        return self.add_sitting(setup, table, Watchers(table.game, setup.models, table.options.seed))

    def tables(self) -> list[Table]:
        """The matches that are waiting or running."""
        return [table for table in self.lobby.tables.values() if table.live]

    def taken_back(self, sitting: Sitting, seat: int) -> Sitting:
        """A new match in which everything up to the last choice of the person on *seat* is played again.

        With the same seed, all other players repeat their moves.
        """
        if not sitting.casual:
            raise Refused("you can take back moves only if you are the only person and there is no clock")
        chosen = [
            action
            for event in sitting.table.events[len(sitting.setup.given) :]
            for player, action in zip(event.movers, event.actions, strict=True)
            if player == seat
        ]
        if not chosen:
            raise Refused("there is no move to take back")
        again = self.open(msgspec.structs.replace(sitting.setup, seed=sitting.table.options.seed))
        loop = asyncio.get_running_loop()
        again.tasks.add(loop.create_task(_play_on(again.table, seat, chosen[:-1])))
        sitting.tasks.add(loop.create_task(self.lobby.discard(sitting.table)))
        return again

    def results(self) -> list[MatchResult]:
        """The results of all finished matches, newest first."""
        return self.lobby.store.results(self.lobby.run.run)[::-1]

    def record(self, name: str) -> Record:
        """The record of a finished match: `7` was played at table 7, `3-7` is match 7 of run 3."""
        run, dash, number = name.rpartition("-")
        if not number.isdecimal() or (dash and not run.isdecimal()):
            raise Refused(f"there is no record called {name!r}")
        return self.lobby.store.record(int(run) if dash else self.lobby.run.run, int(number))


def setup_of(table: Table) -> Setup:
    """The setup of a match that was not opened by a page."""
    seats = tuple(None if agent is None or isinstance(agent, Participant) else repr(agent) for agent in table.seats)
    guests = tuple(seat for seat, spec in enumerate(seats) if spec is None)
    return Setup(repr(table.game), seats, (usual_model(table.game),), table.options.time_control, waiting=guests)


async def _play_on(table: Table, seat: int, actions: list[int]) -> None:
    """Choose *actions* on a seat, one for each request."""
    rest = list(actions)
    async for update in table.updates(seat, since=0):
        if not rest:
            return
        if update.request is not None:
            table.guest(seat).choose(rest.pop(0))
