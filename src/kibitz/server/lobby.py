"""The lobby: all live matches (tables) of a server, waiting or running, and the store of finished ones.

While a match is played, its record grows in a file; at the end it goes into the store and the file is deleted. So a
killed server leaves files behind: at the next start complete ones go into the store, the others are marked.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kibitz.arena.series import result_of, thinking
from kibitz.core.errors import BadRecord, KibitzError, Refused, UnknownName
from kibitz.core.files import make_folder
from kibitz.core.records import Record, read_record
from kibitz.core.registry import make_game
from kibitz.server.compute import Compute
from kibitz.server.participants import Participant
from kibitz.server.policy import AllowedSpec
from kibitz.server.tables import Table
from kibitz.store import Run, Store, StoredMatch
from kibitz.store.results import RunKind

log = logging.getLogger(__name__)
ENDING = ".krec"
"""The extension of record files."""


class Limits(msgspec.Struct, frozen=True):
    """The limits of a server."""

    tables: int = 1000
    """Matches waiting or running at once."""
    tables_each: int = 300
    """Of these, matches that one client may have opened."""
    plies: int = 20_000
    body: int = 1 << 20
    """Bytes of a request."""
    message: int = 1 << 16
    """Bytes of a message on a socket."""
    sockets: int = 2000
    sockets_each: int = 1000
    rate: float = 200.0
    """Requests a second of one client, and messages a second on one socket."""
    burst: float = 400.0
    tournaments: int = 4
    """At once."""
    kept: int = 500
    """Finished matches that are still served as live ones; their records stay in the store."""


class Lobby:
    """All live matches of a server. *agents* are the operator's own, by name."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        *,
        compute: Compute | None = None,
        agents: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.store, self.folder = store, folder
        self.compute, self.agents, self.limits = compute or Compute(), dict(agents or {}), limits or Limits()
        self.tables: dict[int, Table] = {}
        self.owners: dict[int, str] = {}
        self.interrupted: dict[int, Record] = {}
        """Matches that were being played when the server was killed."""
        make_folder(folder)
        self.run: Run = store.begin(
            RunKind.SERVER, "tables of the server", '{"server":"tables"}', planned=0, formerly=RunKind.IMPORT
        )
        self.restore()
        self.last = max([0, *store.indexes(self.run.run), *self.interrupted])
        self.keeping: set[asyncio.Task[None]] = set()
        self.amending = asyncio.Lock()

    def restore(self) -> None:
        """Recover the files of a killed server: store finished matches, mark the others."""
        for path in self.folder.glob(f"*{ENDING}"):
            if not path.stem.isdecimal():
                continue
            try:
                record = read_record(path, salvage=True)
            except BadRecord:  # killed before the first line was written
                path.unlink()
                continue
            if record.complete:
                self.keep(int(path.stem), record)
            else:
                self.interrupted[int(path.stem)] = record

    def open(self, game: AllowedSpec, seats: Sequence[AllowedSpec | None], *, owner: str = "", **options: Any) -> Table:
        """Open a match; without open seats it starts at once."""
        self.check_room(owner)
        number = self.last + 1
        most = min(options.pop("max_plies", None) or make_game(game).max_plies, self.limits.plies)
        path = self.folder / f"{number}{ENDING}"
        table = Table(game, seats, number=number, compute=self.compute, path=path, max_plies=most, **options)
        self.last = number
        self.tables[number], self.owners[number] = table, owner
        keeping = asyncio.get_running_loop().create_task(self.store_match(table))
        self.keeping.add(keeping)
        keeping.add_done_callback(self.keeping.discard)
        table.start()
        return table

    def check_room(self, owner: str) -> None:
        """Raise Refused if the lobby or the owner has too many matches."""
        live = [number for number, table in self.tables.items() if table.live]
        own = sum(self.owners[number] == owner for number in live)
        if len(live) >= self.limits.tables or own >= self.limits.tables_each:
            raise Refused("too many matches are open; try again when some have finished")

    def find(self, number: int) -> Table:
        """The live match with this number."""
        if number not in self.tables:
            live = [str(each) for each, table in self.tables.items() if table.live]
            raise UnknownName("table", str(number), live, "(finished matches are among the records)")
        return self.tables[number]

    def seek(self, guest: Participant, game: AllowedSpec) -> tuple[Table, int]:
        """Seat *guest* in an open match of *game*, or open a new one for them to wait in."""
        wanted = repr(make_game(game))
        for table in self.tables.values():
            others = {each.name for each in table.guests()}
            if table.status == "open" and repr(table.game) == wanted and guest.name not in others:
                return table, table.sit(guest)
        table = self.open(game, [None] * make_game(game).players, owner=guest.name)
        return table, table.sit(guest)

    async def store_match(self, table: Table) -> None:
        """Wait for the end of a match, and store it."""
        await table.ended.wait()
        if table.status == "finished":
            try:
                await self.compute.run_io(self.keep, table.number, table.record)
            except KibitzError as error:  # its file stays, and is recovered at the next start
                log.error("match %d could not be stored: %s", table.number, error)
        over = [number for number, each in self.tables.items() if not each.live]
        for number in over[: -self.limits.kept]:
            del self.tables[number], self.owners[number]

    def keep(self, number: int, record: Record) -> None:
        """Store a finished match; doing it twice changes nothing."""
        names = names_of(record)
        row = result_of(record, number, names, thinking(record, len(names)))
        self.store.add(self.run.run, [StoredMatch(row, record.to_bytes())])
        (self.folder / f"{number}{ENDING}").unlink(missing_ok=True)

    async def amend(self, number: int, record: Record) -> None:
        """Store a finished match again: people may have commented on it afterwards.

        Writes happen in the order of the calls; a client that disconnects, or a server that closes, interrupts none.
        """
        writing = asyncio.get_running_loop().create_task(self.write_in_turn(number, record))
        self.keeping.add(writing)
        writing.add_done_callback(self.keeping.discard)
        await asyncio.shield(writing)

    async def write_in_turn(self, number: int, record: Record) -> None:
        """Write a record after the ones queued before it."""
        async with self.amending:
            await self.compute.run_io(self.rewrite, number, record)

    def rewrite(self, number: int, record: Record) -> None:
        """Replace the stored record, or add it if there is none."""
        self.keep(number, record)
        self.store.amend(self.run.run, number, record.to_bytes())

    async def discard(self, table: Table) -> None:
        """Stop a match and delete it."""
        await table.stop()
        if table.path is not None:
            table.path.unlink(missing_ok=True)

    async def close(self) -> None:
        """Stop the running matches and store the finished ones."""
        for table in list(self.tables.values()):
            await table.stop()
        while self.keeping:
            for failure in await asyncio.gather(*self.keeping, return_exceptions=True):
                if failure is not None and not isinstance(failure, KibitzError):  # the caller sees other errors
                    raise failure
        self.compute.close()


def names_of(record: Record) -> tuple[str, ...]:
    """The names of the players: participants by their names, agents by their specs."""
    specs, truths = record.header.agents, record.header.truths
    return tuple((truths[seat].get("name") if truths else None) or spec for seat, spec in enumerate(specs))
