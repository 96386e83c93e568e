"""The executor for many machines: a Ray cluster, or a Ray on this machine that ends with the executor."""

import json
import logging
import os
import pickle
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any

import kibitz
from kibitz.arena.executors.executor import Batches, Executor, Item, Result
from kibitz.arena.executors.worker import Batch, BatchResult, item_by_item
from kibitz.core.child_processes import cores
from kibitz.core.errors import BadSpec, ExecutionFailed, MissingPackage, short_repr
from kibitz.core.match.watchers import error_text

AHEAD = 3
"""Batches in progress per CPU, so that none has to wait for the next."""
START, SILENCE, BARE = 120.0, 30.0, 120.0
"""Seconds to wait for Ray to start, for an answer of a running one, and for a cluster without CPUs to get some."""
STORE = 200 * 2**20
"""Bytes for Ray's object store on this machine; our objects are small."""
SERVE = "from kibitz.arena.executors.ray_process import main; main()"
TOKEN = "put the cluster's token into a file, name it in RAY_AUTH_TOKEN_PATH, and set RAY_AUTH_MODE=token"

log = logging.getLogger(__name__)


class Cluster(Executor):
    """Does the work on the cluster at *address* (`host:port`, or `auto` for the one this machine is part of).

    Without an address it starts a Ray on this machine, with *workers* CPUs or all, which other machines cannot reach,
    and `close` ends it. With one, *workers* is the largest number of batches at once, and the cluster stays as it was.
    Every machine needs the same version of kibitz and the packages of the work: no code is sent.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if workers is not None and not 1 <= workers <= 100_000:
            raise BadSpec(f"workers={workers}", "must be a number from 1 to 100000")
        self.address, self.workers = address, workers
        self._courier: RayProcess | None = None
        self._number = 0
        self._most = 1

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        if getattr(work, "__module__", None) == "__main__":
            raise ExecutionFailed(
                f"{short_repr(work)} belongs to a script; workers can import only functions of modules"
            )
        batches = Batches(items)
        again: deque[Batch] = deque()  # lost batches
        flying: dict[int, Batch] = {}
        bare_until = monotonic() + BARE
        courier = self._connect_process()

        def send(batch: Batch) -> None:
            self._number += 1
            courier.send(("do", self._number, kibitz.__version__, _dump_batch(batch)))
            flying[self._number] = batch

        try:
            while True:
                while len(flying) < self._most:
                    batch = again.popleft() if again else Batch(work, batches.next())
                    if not batch.items:
                        break
                    send(batch)
                if not flying:
                    return
                kind, number, *rest = courier.next_message(SILENCE)
                if kind == "cpus":
                    self._spread_over(number)
                    if number:
                        bare_until = monotonic() + BARE
                    elif monotonic() > bare_until:
                        raise ExecutionFailed(
                            f"{self._place} has had no CPU for {BARE:.0f} s; add a node, then run the command again"
                        )
                elif kind == "node lost":
                    # Ray may wait for its batches for minutes, and does not say which they are: repeat all of them.
                    log.warning("a node was lost; the %d batches in progress are repeated", len(flying))
                    for batch in list(flying.values()):
                        send(batch)
                elif number not in flying:
                    continue  # stopped before it was completed
                elif kind == "done":
                    batch, answer = flying.pop(number), _load_answer(rest[0])
                    for twin in [each for each, other in flying.items() if other is batch]:
                        del flying[twin]
                        courier.send(("forget", twin))
                    yield from answer.results
                    if answer.error is not None:
                        raise answer.error
                    batches.adapt_size(len(batch.items), answer.seconds)
                elif kind == "lost":
                    batch = flying.pop(number)
                    if not any(other is batch for other in flying.values()):
                        log.warning("a worker died (%s); its work is repeated item by item", rest[0])
                        again.extend(item_by_item(batch, rest[0]))
                else:
                    raise ExecutionFailed(f"{self._place} cannot run kibitz {kibitz.__version__}: {rest[0]}")
        finally:
            if flying:  # stopped in the middle
                with suppress(ExecutionFailed):
                    courier.send(("cancel", 0))

    def close(self) -> None:
        """Disconnect from the cluster, or stop the Ray that was started here."""
        if self._courier is not None:
            self._courier.end()
            self._courier = None

    @property
    def _place(self) -> str:
        return f"the Ray cluster at {self.address}" if self.address else "the Ray of this machine"

    def _spread_over(self, cpus: int) -> None:
        """Set how many batches may be in progress; a cluster may grow and shrink."""
        self._most = max(1, AHEAD * cpus)
        if self.address is not None and self.workers is not None:
            self._most = min(self._most, self.workers)

    def _connect_process(self) -> "RayProcess":
        if self._courier is not None and self._courier.ended:
            self.close()
        if self._courier is None:
            if find_spec("ray") is None:
                raise MissingPackage("ray", "ray")
            if self.address is not None:
                _somebody_listens(self.address)
            courier = RayProcess(self._place, self.address, self.workers or cores())
            try:
                courier.wait_until_ready(START if self.address is None else SILENCE)
            except BaseException:
                courier.end(0.0)
                raise
            self._courier = courier
        return self._courier


class RayProcess:
    """Our side of the process that uses Ray; its folder holds the token, the sockets and Ray's log."""

    def __init__(self, place: str, address: str | None, cpus: int) -> None:
        self.place = place
        self.folder = _short_folder()
        ours, theirs = Pipe()
        self.connection: Connection[Any, Any] = ours
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
        alone = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": STORE}
        settings = {"address": address} if address else {"address": "local", "_temp_dir": str(self.folder), **alone}
        with theirs, (self.folder / "log").open("wb") as written:
            # Its own session keeps a terminal's Ctrl-C away: this process decides when to stop.
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-c",
                    SERVE,
                    str(theirs.fileno()),
                    str(self.folder),
                    json.dumps(settings | quiet),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                start_new_session=True,
                env=_environment(None if address else self.folder),
            )
        self.ended = False

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until it is connected."""
        until = monotonic() + seconds
        while not self.connection.poll(0.1):
            if "InvalidAuthToken" in self.log():
                raise ExecutionFailed(f"{self.place} does not accept our token; {TOKEN}")
            if monotonic() > until:
                raise ExecutionFailed(f"{self.place} gave no answer in {seconds:.0f} s; does Ray listen there?")
        kind, *why = self.next_message(0.0)
        if kind == "trouble":
            advice = f"; {TOKEN}" if "AuthenticationError" in why[0] else ""
            raise ExecutionFailed(f"{self.place} cannot be used: {why[0].partition('. ')[0]}{advice}")

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message; the process always receives."""
        try:
            self.connection.send(message)
        except OSError:
            raise self.lost_error() from None

    def next_message(self, seconds: float) -> tuple[Any, ...]:
        """The next message; while there is work one comes every second."""
        with suppress(EOFError, OSError):
            if self.connection.poll(seconds):
                message = self.connection.recv()
                assert isinstance(message, tuple)
                return message
        raise self.lost_error()

    def lost_error(self) -> ExecutionFailed:
        """The error to raise after the connection ended."""
        last = self.log().strip().rpartition("\n")[2]
        self.end(0.0)
        return ExecutionFailed(
            f"{self.place} disconnected; run the same command again to resume {f'(Ray: {last[:300]})' if last else ''}"
        )

    def log(self) -> str:
        """Ray's output."""
        with suppress(OSError):
            return (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        return ""

    def end(self, seconds: float = 15.0) -> None:
        """Make sure that the process has ended, with the Ray that it started."""
        self.ended = True
        self.connection.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        for pid in _session(self.process.pid):  # its own children, never a node of a cluster
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        rmtree(self.folder, ignore_errors=True)


def _session(leader: int) -> list[int]:
    """The processes of a session; Ray's workers have their own groups in it. Empty without /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError):
            if os.getsid(int(path.name)) == leader:
                found.append(int(path.name))
    return found


def _environment(folder: Path | None) -> dict[str, str]:
    """The environment of the Ray process; with a folder, of one that starts a Ray with its token there."""
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    if folder is not None:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        # If Ray expects clusters, it replaces 127.0.0.1 and listens on all interfaces; otherwise on loopback only.
        environment["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        environment["RAY_AUTH_MODE"] = "token"
        if not environment.keys() & {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}:
            token = folder / "token"
            token.touch(mode=0o600)
            token.write_text(secrets.token_hex(32), encoding="ascii")
            environment["RAY_AUTH_TOKEN_PATH"] = str(token)
    return environment


def _short_folder() -> Path:
    """A private folder for sockets, whose paths may have 107 characters, of which Ray needs 65."""
    root = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="kibitz-ray-", dir=root if len(root) <= 20 else "/tmp"))


def _dump_batch(batch: Batch) -> bytes:
    try:
        return pickle.dumps(batch)
    except Exception as error:
        raise ExecutionFailed(f"item {batch.items[0][0]} failed: it cannot be sent: {error_text(error)}") from None


def _load_answer(answer: tuple[str, str, bytes]) -> BatchResult:
    version, machine, payload = answer
    if version != kibitz.__version__:
        ours = kibitz.__version__
        raise ExecutionFailed(f"{machine} has kibitz {version} and we have {ours}; install the same on every machine")
    done = pickle.loads(payload)
    assert isinstance(done, BatchResult)
    return done


def _somebody_listens(address: str) -> None:
    """Check the connection first, because Ray would wait for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "//" in host:
        raise BadSpec(address, "the address of a Ray cluster must be host:port, or auto on one of its machines")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5.0).close()
    except (OSError, OverflowError) as error:
        raise ExecutionFailed(f"no server listens at {address} ({error}); is the head of the cluster up?") from None
