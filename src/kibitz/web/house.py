"""The house: the tables of the lobby as pages show them, with kibitzers and with keys for the seats of people."""

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
"""What a person is called who does not say who he is."""
LONGEST_ANSWER = 2000
"""Characters that are kept of what a person says of his play."""


Experiment = Literal["free", "constrained"]
"""Whether people may do all that is legal, or what serves their goal alone (the ability `CONSTRAINT`)."""
PLAN, CHANGED = "What was your plan?", "Did it change, and when?"


class Setup(msgspec.Struct, frozen=True):
    """What is played: the game, who sits where (None: somebody), who kibitzes, the clocks and the seed."""

    game: str
    seats: tuple[str | None, ...]
    models: tuple[str, ...] = ()
    time_control: TimeControl = TimeControl()
    seed: int | None = None
    secret: bool = False
    """Whether people learn what is believed of them only at the end."""
    experiment: Experiment | None = None
    """Whether this is played for a study: people are asked about their plan afterwards, and hints are not given."""
    waiting: tuple[int, ...] = ()
    """The seats open to any person or bot; the other seats of None are for the host and those they invite."""
    given: tuple[tuple[str, ...], ...] = ()
    """How it begins: the events of another match, by the notation of everybody's action."""


class Sitting:
    """A table with its kibitzers, and the key of every seat that a person has taken."""

    def __init__(self, setup: Setup, table: Table, watchers: Watchers, lobby: Lobby) -> None:
        self.number, self.setup, self.table, self.lobby = table.number, setup, table, lobby
        self.kibitzers = Kibitzers(table, setup.models, watchers)
        self.keys: dict[str, Participant] = {}
        """A key stands for a person, not for a seat: the seat may be another's afterwards."""
        self.invites: dict[str, Participant] = {}
        """For each seat that is kept for a person who has not come yet: the text that gets them its key, once."""
        self.host: Participant | None = None
        """The person who opened the table and sits there; they alone are shown the invitations."""
        self.tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Seat the host, keep the other people's seats for them, and let the kibitzers watch."""
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
        """Let the kibitzers follow the match, and keep in its record what they believed."""
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
        """Give the person with an invitation their key; the invitation is used up."""
        if invite not in self.invites:
            raise Refused("this invitation is used or unknown")
        person = self.invites.pop(invite)
        self.keys[secrets.token_urlsafe(9)] = person
        return person

    def invitation(self, seat: int) -> str | None:
        """The page on which an invited person takes a seat; None where no invitation to it is left."""
        code = next((code for code, own in self.invites.items() if self.table.seat_of(own) == seat), None)
        return None if code is None else f"/table/{self.number}?invite={code}"

    def leave(self, person: Participant) -> None:
        """Let a person get up; once the match has begun, that is giving up."""
        if self.table.status == "open":
            self.keys = {key: own for key, own in self.keys.items() if own is not person}
        self.table.leave(person)

    def address(self, person: Participant | None = None) -> str:
        """The page of the table, with the key of a person who sits there."""
        key = next((key for key, own in self.keys.items() if own is person), "")
        return f"/table/{self.number}" + (f"?key={key}" if key else "")

    @property
    def casual(self) -> bool:
        """Whether moves may be taken back: one person, nobody from elsewhere, no clock, no experiment."""
        free = self.setup.time_control == TimeControl() and self.setup.experiment is None
        return self.setup.seats.count(None) == 1 and not self.setup.waiting and free

    def permitted_actions(self, view: State, player: int) -> Sequence[int]:
        """What a person may choose here."""
        name = spec_of(self.table.game).name
        if self.setup.experiment == "constrained" and has_ability(name, "CONSTRAINT"):
            found: Sequence[int] = ability(name, "CONSTRAINT")(view, player)
            return found
        return view.legal_actions(player)

    async def debrief(self, player: int, answers: dict[str, str]) -> None:
        """Keep in the record what a person says of his play, when it is over."""
        record = self.table.record
        if record.ending is None:
            raise Refused("people are asked when the match is over")
        told = {question: printable(answer)[:LONGEST_ANSWER] for question, answer in answers.items()}
        before = record.ending.debriefs or {}
        record.ending = msgspec.structs.replace(record.ending, debriefs={**before, player: told})
        await self.lobby.amend(self.number, record)


class House:
    """Everything that is played under one roof: the tables of the lobby, and the runs in its store."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby, self.minds = lobby, lobby.minds
        self.runs = Runs(lobby)
        self.solvable = SolvableGames(self.minds)
        self.sittings: dict[int, Sitting] = {}

    def open(self, setup: Setup) -> Sitting:
        """A table for *setup*; play begins when nobody is awaited. Nothing that a page asks for starts a program."""
        for model in setup.models:
            allowed_spec(model.partition("@")[0])
        if setup.seed is not None and setup.waiting:
            raise Refused("a seed can be given only where nobody is awaited: who knows it knows the dice")
        allowed = allowed_spec(setup.game)
        game = make_game(allowed)
        if setup.experiment == "constrained" and not has_ability(spec_of(game).name, "CONSTRAINT"):
            raise BadSpec(setup.game, "it does not say which orders serve a goal; play it freely")
        seats = [None if spec is None else allowed_spec(spec, self.lobby.agents) for spec in setup.seats]
        seed = secrets.randbits(63) if setup.seed is None else setup.seed
        watchers = Watchers(game, setup.models, seed)  # before the table: some models refuse some games
        timed, given = setup.time_control, setup.given
        table = self.lobby.open(allowed, seats, seed=seed, time_control=timed, given=given)
        return self.add_sitting(setup, table, watchers)

    def add_sitting(self, setup: Setup, table: Table, watchers: Watchers) -> Sitting:
        """A table as the pages show it from now on; those that the lobby has forgotten are forgotten here too."""
        self.sittings = {number: each for number, each in self.sittings.items() if number in self.lobby.tables}
        sitting = self.sittings[table.number] = Sitting(setup, table, watchers, self.lobby)
        sitting.begin()
        return sitting

    def sitting(self, number: int) -> Sitting:
        """The table of that number, whoever opened it; everybody who comes by a page has the same kibitzers there."""
        table = self.lobby.find(number)
        if number in self.sittings:
            return self.sittings[number]
        setup = setup_of(table)
        return self.add_sitting(setup, table, Watchers(table.game, setup.models, table.options.seed))

    def tables(self) -> list[Table]:
        """The tables at which somebody is awaited or playing."""
        return [table for table in self.lobby.tables.values() if table.live]

    def taken_back(self, sitting: Sitting, seat: int) -> Sitting:
        """A new table on which all is played again up to the last choice of the person on *seat*.

        The same seed makes everybody else do the same again.
        """
        if not sitting.casual:
            raise Refused("moves are taken back where one person plays without a clock")
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
        """What came of all matches that are over, the newest first."""
        return self.lobby.store.results(self.lobby.run.run)[::-1]

    def record(self, name: str) -> Record:
        """The record of a match that is over: `7` was played at table 7, `3-7` is match 7 of run 3."""
        run, dash, number = name.rpartition("-")
        if not number.isdecimal() or (dash and not run.isdecimal()):
            raise Refused(f"there is no record called {name!r}")
        return self.lobby.store.record(int(run) if dash else self.lobby.run.run, int(number))


def setup_of(table: Table) -> Setup:
    """What is played at a table that no page has opened."""
    seats = tuple(None if agent is None or isinstance(agent, Participant) else repr(agent) for agent in table.seats)
    guests = tuple(seat for seat, spec in enumerate(seats) if spec is None)
    return Setup(repr(table.game), seats, (usual_model(table.game),), table.options.time_control, waiting=guests)


async def _play_on(table: Table, seat: int, actions: list[int]) -> None:
    """Choose *actions* on a seat, one after the other, as they are asked for."""
    rest = list(actions)
    async for update in table.updates(seat, since=0):
        if not rest:
            return
        if update.request is not None:
            table.guest(seat).choose(rest.pop(0))
