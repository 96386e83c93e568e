"""The house: all tables that are open, who may sit where, and the folder in which every match is kept."""

import asyncio
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, Refused, printable
from kibitz.core.files import write_file
from kibitz.core.game import State
from kibitz.core.registry import ability, has_ability, make_game, spec_of
from kibitz.server.guests import Guest
from kibitz.server.minds import Minds
from kibitz.server.permitted import permitted
from kibitz.server.tables import Table
from kibitz.web.kibitzers import Kibitzers
from kibitz.web.runs import Runs

SUFFIX = ".krec"
LONGEST_ANSWER = 2000
"""Characters that are kept of what a person says of his play."""
DEFAULT_MODEL = "strategy_filter"
"""Who kibitzes where nobody says."""


Experiment = Literal["free", "constrained"]
"""Whether people may do all that is legal, or what serves their goal alone (the ability `CONSTRAINT`)."""
PLAN, CHANGED = "What was your plan?", "Did it change, and when?"


class Setup(msgspec.Struct, frozen=True):
    """What is played: the game, who sits where (None: a person), who kibitzes, the clocks and the seed."""

    game: str
    seats: tuple[str | None, ...]
    models: tuple[str, ...] = ()
    time_control: TimeControl = TimeControl()
    seed: int | None = None
    secret: bool = False
    """Whether people learn what is believed of them only at the end."""
    experiment: Experiment | None = None
    """Whether this is played for a study: people are asked about their plan afterwards, and hints are not given."""
    given: tuple[tuple[str, ...], ...] = ()
    """How it begins: the events of another match, by the notation of everybody's action."""


class Sitting:
    """A table with its kibitzers, and the key of every seat that a person may take."""

    def __init__(self, number: int, setup: Setup, table: Table) -> None:
        self.number, self.setup, self.table = number, setup, table
        self.kibitzers = Kibitzers(table, setup.models)
        self.keys = {secrets.token_urlsafe(9): seat for seat, spec in enumerate(setup.seats) if spec is None}
        self.tasks: set[asyncio.Task[None]] = set()
        self.successor: str = ""
        """Where the people of this table went on, if they took a move back."""

    def begin(self) -> None:
        """Seat the people, whether they have come or not, and play."""
        for seat in self.keys.values():
            self.table.sit(Guest("", person=True), seat)
        self.table.start()
        self.tasks.add(asyncio.get_running_loop().create_task(self.kibitzers.follow()))

    def seat(self, key: str) -> int | None:
        """The seat that a key opens; None is a place to look on from."""
        return self.keys.get(key)

    def address(self, seat: int | None = None) -> str:
        """The page of the table, with the key of a seat."""
        key = next((key for key, own in self.keys.items() if own == seat), "")
        return f"/table/{self.number}" + (f"?key={key}" if key else "")

    @property
    def casual(self) -> bool:
        """Whether moves may be taken back: one person, no clock, no experiment."""
        free = self.setup.time_control == TimeControl() and self.setup.experiment is None
        return len(self.keys) == 1 and free

    def permitted(self, view: State, player: int) -> Sequence[int]:
        """What a person may choose here."""
        name = spec_of(self.table.game).name
        if self.setup.experiment == "constrained" and has_ability(name, "CONSTRAINT"):
            found: Sequence[int] = ability(name, "CONSTRAINT")(view, player)
            return found
        return view.legal_actions(player)

    def debrief(self, player: int, answers: dict[str, str]) -> None:
        """Keep in the record what a person says of his play, when it is over."""
        record, path = self.table.record, self.table.path
        if record.ending is None or path is None:
            raise Refused("people are asked when the match is over")
        told = {question: printable(answer)[:LONGEST_ANSWER] for question, answer in answers.items()}
        before = record.ending.debriefs or {}
        record.ending = msgspec.structs.replace(record.ending, debriefs={**before, player: told})
        write_file(path, record.to_bytes())


class House:
    """Everything that is played under one roof. *folder* keeps the records, the database *db* the runs."""

    def __init__(self, folder: Path, db: str | None = None) -> None:
        self.folder, self.minds = folder, Minds()
        self.runs = Runs(self.minds, db)
        self.sittings: dict[int, Sitting] = {}

    def open(self, setup: Setup) -> Sitting:
        """A table for *setup*; play begins at once. Nothing that a page asks for starts a program."""
        for spec in (*filter(None, setup.seats), *(model.partition("@")[0] for model in setup.models)):
            permitted(spec)
        game = make_game(setup.game)
        if setup.experiment == "constrained" and not has_ability(spec_of(game).name, "CONSTRAINT"):
            raise BadSpec(setup.game, "it does not say which orders serve a goal; play it freely")
        if len(setup.seats) != game.players:
            raise BadSpec(setup.game, f"{game.players} players take part, {len(setup.seats)} seats are named")
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(self.sittings) + 1
        table = Table(
            game,
            setup.seats,
            number=number,
            minds=self.minds,
            seed=setup.seed,
            time_control=setup.time_control,
            given=setup.given,
            path=self.folder / fresh_name(spec_of(game).name, number),
        )
        sitting = self.sittings[number] = Sitting(number, setup, table)
        sitting.begin()
        return sitting

    def sitting(self, number: int) -> Sitting:
        """The table of that number."""
        if number not in self.sittings:
            raise Refused(f"there is no table {number}; finished matches are among the records")
        return self.sittings[number]

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
        again = self.open(msgspec.structs.replace(sitting.setup, seed=sitting.table.seed))
        again.tasks.add(asyncio.get_running_loop().create_task(_play_on(again.table, seat, chosen[:-1])))
        sitting.successor = again.address(seat)
        return again

    def record_path(self, name: str) -> Path:
        """The file of a record by its name."""
        path = self.folder / f"{name}{SUFFIX}"
        if Path(name).name != name or not path.is_file():
            raise Refused(f"there is no record called {name!r}")
        return path

    def record_names(self) -> list[str]:
        """The records that are not being written, the newest first."""
        live = {sitting.table.path for sitting in self.sittings.values() if sitting.table.status == "playing"}
        whole = (path for path in self.folder.glob(f"*{SUFFIX}") if not path.stem.isdecimal())  # a lobby's are live
        found = [path for path in whole if path not in live]
        return [path.stem for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)]


def fresh_name(game: str, number: int) -> str:
    """A name for the file of a match that begins now."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{game}-{number}-{secrets.token_hex(2)}{SUFFIX}"


async def _play_on(table: Table, seat: int, actions: list[int]) -> None:
    """Choose *actions* on a seat, one after the other, as they are asked for."""
    rest = list(actions)
    async for update in table.updates(seat, since=0):
        if not rest:
            return
        if update.request is not None:
            table.guest(seat).choose(rest.pop(0))
