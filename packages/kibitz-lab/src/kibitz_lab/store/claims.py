"""Claims: they keep two processes from playing the same run, and two servers from using the same database.

A claim is a row that its holder renews every few seconds. It ends with its holder: on the same machine at once, since
kibitz can check the process there, and on another machine when it has not been renewed for a while.
"""

import os
import platform
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, func, literal, select, update

from kibitz.core.errors import KibitzError, RunInUse
from kibitz_lab.store import schema
from kibitz_lab.store.store import Store, now

BEAT = 5.0
"""Seconds between renewals."""
EXPIRES = 30.0
"""Seconds after which an unrenewed claim of another machine has ended."""


class Holder(msgspec.Struct, frozen=True):
    """The process that holds a claim."""

    run: int
    token: str
    """A unique id of this claim."""
    machine: str
    """The machine's name, and on Linux an id that distinguishes containers of the same name."""
    pid: int
    started: str
    """The start time of the process, if the system knows it; it distinguishes processes with the same number."""
    since: str
    folder: str = ""
    """The folder of a server's matches."""
    age: float = 0.0
    """Seconds since it was renewed."""

    @property
    def words(self) -> str:
        """The process in words: `process 4242 on thor`."""
        process = f"process {self.pid} on {self.machine.partition('/')[0]}"
        return f"a server with the folder {self.folder} ({process})" if self.folder else process

    @property
    def is_gone(self) -> bool:
        """Whether its process has ended, or on another machine has not renewed the claim for too long."""
        if self.machine == this_machine() and (self.started or os.name == "posix"):
            return not is_alive(self.pid, self.started)
        return self.age > EXPIRES


class Claim:
    """The right to play a run, as a context; raises RunInUse if another process has it.

    The claim of a server names its *folder*.
    """

    def __init__(self, store: Store, run: int, folder: str = "") -> None:
        self.store, self.run, self.folder = store, run, folder
        self.token = secrets.token_hex(8)
        self.lost = False
        self.over = threading.Event()
        self.renewing: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.over.clear()  # it may be tried again after an error
        while not self._take_run():
            found = holder(self.store, self.run)
            if found is not None and not found.is_gone:
                raise in_use(found)
        self.renewing = threading.Thread(target=self._renew, name=f"claim of run {self.run}", daemon=True)
        self.renewing.start()
        try:
            self.store.note_version(self.run)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over.set()
        if self.renewing is not None:
            self.renewing.join()
        claims = schema.claims.c
        mine = delete(schema.claims).where(claims.run == self.run, claims.token == self.token)
        with suppress(KibitzError):  # a lost database needs no release
            self.store.write_change(lambda connection: connection.execute(mine))

    def check(self) -> None:
        """Raise RunInUse if another process has taken the run meanwhile."""
        if self.lost:
            why = "was taken from this process (kibitz runs --release); its finished matches are stored"
            raise RunInUse(self.run, why)

    def check_in(self, connection: Connection) -> None:
        """Raise RunInUse if another process has taken the run, and let none take it until the transaction is over."""
        claims = schema.claims.c
        mine = select(claims.token).where(claims.run == self.run, claims.token == self.token)
        self.lost = self.lost or connection.scalar(mine.with_for_update(read=True, key_share=True)) is None
        self.check()

    def _take_run(self) -> bool:
        """Take the run if it is free or its holder has ended; return whether that worked."""
        row = {"run": self.run, "token": self.token, **this_process(), "since": now(), "folder": self.folder}
        row["beat"] = clock(self.store)
        self.store.write_change(lambda connection: connection.execute(self.store.insert(schema.claims).values(row)))
        found = holder(self.store, self.run)
        if found is None or found.token == self.token:
            return found is not None
        if found.is_gone:
            claims = schema.claims.c
            theirs = (claims.run == self.run) & (claims.token == found.token)
            self.store.write_change(lambda connection: connection.execute(delete(schema.claims).where(theirs)))
        return False

    def _renew(self) -> None:
        """Renew the claim now and then, until the work is over or another process has taken the run."""
        claims = schema.claims.c
        mine = (claims.run == self.run) & (claims.token == self.token)

        def renew_claim(connection: Connection) -> int:
            return connection.execute(update(schema.claims).where(mine).values(beat=clock(self.store))).rowcount

        while not self.over.wait(BEAT):
            try:
                count = self.store.write_change(renew_claim)
            except RunInUse:
                return
            except KibitzError:  # the database is unreachable; writing results will report it
                continue
            if not count:
                self.lost = True
                return


def holder(store: Store, run: int) -> Holder | None:
    """The process that holds a run, if one does."""
    return holders(store).get(run)


def holders(store: Store) -> dict[int, Holder]:
    """All claims by run, also of ended processes."""
    claims = schema.claims.c
    columns = (claims.run, claims.token, claims.machine, claims.pid, claims.started, claims.since, claims.folder)
    query = select(*columns, clock(store) - claims.beat)
    found = store.read(lambda connection: [Holder(*row) for row in connection.execute(query)])
    return {each.run: each for each in found}


def playing(store: Store) -> dict[int, str]:
    """The process that plays each active run, in words."""
    return {run: found.words for run, found in holders(store).items() if not found.is_gone}


def check_free(store: Store, run: int) -> None:
    """Raise RunInUse if a process plays the run."""
    found = holder(store, run)
    if found is not None and not found.is_gone:
        raise in_use(found)


@contextmanager
def own_database(stores: Sequence[Store], run: int, folder: Path) -> Iterator[Claim]:
    """Claim the run of a server's matches; *stores* change nothing any more as soon as another process has it."""
    with Claim(stores[0], run, str(folder)) as claim:
        for store in stores:
            store.fence = claim.check_in
        yield claim


def check_unused(store: Store) -> None:
    """Raise RunInUse if a process plays any run, or serves the database."""
    for found in holders(store).values():
        if not found.is_gone:
            raise in_use(found)


def release(store: Store, run: int) -> str:
    """Take a run from the process that plays it, which stops when it notices; return the process in words."""
    store.run(run)  # raises if there is none
    found = holder(store, run)
    store.write_change(lambda connection: connection.execute(delete(schema.claims).where(schema.claims.c.run == run)))
    return found.words if found is not None else ""


def in_use(found: Holder) -> RunInUse:
    """The error for a second process."""
    since = found.since[:16].replace("T", " ")
    ways = f"wait for it, stop it, or take the run from it: kibitz runs {found.run} --release"
    return RunInUse(found.run, f"is being played by {found.words} since {since} UTC; {ways}")


def clock(store: Store) -> ColumnElement[Any]:
    """The time by one clock for all users of the database: the server's, or that of the file's machine."""
    if store.engine.dialect.name == "postgresql":
        return func.extract("epoch", func.clock_timestamp())
    return literal(time.time())


def this_process() -> dict[str, Any]:
    """The columns that identify the current process."""
    return {"machine": this_machine(), "pid": os.getpid(), "started": start_of(os.getpid()) or ""}


def this_machine() -> str:
    """An id of this machine or container."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return platform.node()
    return f"{platform.node()}/{space}"


def is_alive(pid: int, started: str) -> bool:
    """Whether a process of this machine runs and has this start time."""
    if started:
        return start_of(pid) == started
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def start_of(pid: int) -> str | None:
    """The start time of a process, in ticks since boot; None if it has ended or the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]
