"""The executor for many machines: a Ray cluster, or a Ray on this machine that ends with the executor."""

import io
import logging
import os
import pickle
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any, TextIO

import kibitz
from kibitz.core.errors import BadSpec, ExecutionFailed, MissingPackage, short_repr
from kibitz.core.processes import Limits, Worker, WorkerLost, Workers, cores
from kibitz_lab.arena.executors.executor import Answer, Batch, BatchResult, Item, ProcessExecutor, Result
from kibitz_lab.arena.executors.ray_process import RayDispatcher

AHEAD = 3
"""Batches in progress per CPU, so that none has to wait for the next."""
START, SILENCE, BARE = 120.0, 30.0, 120.0
"""Seconds to wait for Ray to start, for an answer of a running one, and for a cluster without CPUs to get some."""
STORE = 200 * 2**20
"""Bytes for Ray's object store on this machine; our objects are small."""
TOKEN = "put the cluster's token into a file, name it in RAY_AUTH_TOKEN_PATH, and set RAY_AUTH_MODE=token"

log = logging.getLogger(__name__)


class Cluster(ProcessExecutor):
    """Does the work on the cluster at *address* (`host:port`, or `auto` for the one this machine is part of).

    Without an address it starts a Ray on this machine, with *workers* CPUs or all, which other machines cannot reach,
    and `close` ends it. With one, *workers* is the largest number of batches at once, and the cluster stays as it was.
    Every machine needs the same version of kibitz and the packages of the work: no code is sent.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        if workers is not None and not 1 <= workers <= 100_000:
            raise BadSpec(f"workers={workers}", "must be a number from 1 to 100000")
        self.address, self.workers = address, workers
        self.processes = Workers()
        self.output: TextIO = io.StringIO()
        """The file that Ray prints to, which is deleted with its process."""
        self.ray: Worker | None = None
        """The process that uses Ray."""
        self.number = 0
        self.flying: dict[int, Batch] = {}
        self.unsent: dict[int, tuple[str, bytes]] = {}
        """Batches that go out with the next step."""
        self.most = 1
        self.bare_until = 0.0

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        if getattr(work, "__module__", None) == "__main__":
            raise ExecutionFailed(
                f"{short_repr(work)} belongs to a script; workers can import only functions of modules"
            )
        self.connect()
        self.bare_until = monotonic() + BARE
        yield from super().run_items(work, items)

    def has_room(self) -> bool:
        return len(self.flying) < self.most

    def send(self, batch: Batch) -> None:
        self.number += 1
        self.unsent[self.number] = kibitz.__version__, batch.dump()
        self.flying[self.number] = batch

    def answers(self) -> list[tuple[Batch, BatchResult | WorkerLost]]:
        assert self.ray is not None, "run_items connects"
        while self.flying:
            unsent, self.unsent = self.unsent, {}
            try:
                progress = self.ray.call(RayDispatcher.step, unsent, limit=SILENCE)
            except WorkerLost:
                said = self.last_words()
                self.close()
                why = f"disconnected; run the same command again to resume{f' (Ray: {said})' if said else ''}"
                raise ExecutionFailed(f"{self.place} {why}") from None
            self.spread_over(progress.cpus)
            if progress.node_lost:
                log.warning("a node was lost; the %d batches in progress are repeated", len(self.flying))
            if progress.failure:
                raise ExecutionFailed(f"{self.place} cannot run kibitz {kibitz.__version__}: {progress.failure}")
            if progress.answers:
                return [(self.flying.pop(number), loaded_answer(answer)) for number, answer in progress.answers]
        return []

    def cancel(self) -> None:
        """Stop all batches in progress."""
        if self.flying and self.ray is not None:
            with suppress(WorkerLost):
                self.ray.call(RayDispatcher.cancel, limit=SILENCE)
        self.flying, self.unsent = {}, {}

    def close(self) -> None:
        """Disconnect from the cluster, or stop the Ray that was started here."""
        self.ray = None
        self.output.close()
        self.processes.close()

    @property
    def place(self) -> str:
        """What it works on, in words."""
        return f"the Ray cluster at {self.address}" if self.address else "the Ray of this machine"

    def spread_over(self, cpus: int) -> None:
        """Set how many batches may be in progress; a cluster may grow and shrink."""
        self.most = max(1, AHEAD * cpus)
        if self.address is not None and self.workers is not None:
            self.most = min(self.most, self.workers)
        if cpus:
            self.bare_until = monotonic() + BARE
        elif monotonic() > self.bare_until:
            raise ExecutionFailed(
                f"{self.place} has had no CPU for {BARE:.0f} s; add a node, then run the command again"
            )

    def connect(self) -> None:
        """Start the process that uses Ray, if none runs, and wait until it is connected."""
        if self.ray is not None and not self.ray.closed:
            return
        if find_spec("ray") is None:
            raise MissingPackage("ray", "ray")
        if self.address is not None:
            check_address(self.address)
        folder = short_folder()
        self.output.close()
        self.output = (folder / "log").open("w+", encoding="utf-8", errors="replace")
        self.ray = self.processes.fork(Limits(folder=str(folder)))
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
        if self.address is None:
            alone = {"num_cpus": self.workers or cores(), "include_dashboard": False, "object_store_memory": STORE}
            settings |= {"address": "local", "_temp_dir": str(folder), **alone}
        else:
            settings["address"] = self.address
        given = (settings, environment(None if self.address else folder), str(folder / "log"))
        try:
            self.ray.send(pickle.dumps(("load", RayDispatcher, given)))
            self.wait_until_connected(self.ray, START if self.address is None else SILENCE)
        except BaseException:
            self.close()
            raise

    def wait_until_connected(self, ray: Worker, seconds: float) -> None:
        """Wait for an answer; Ray itself would wait for minutes."""
        until = monotonic() + seconds
        while not ray.connection.poll(0.1):
            if "InvalidAuthToken" in self.log_text():
                raise ExecutionFailed(f"{self.place} does not accept our token; {TOKEN}")
            if monotonic() > until:
                raise ExecutionFailed(f"{self.place} gave no answer in {seconds:.0f} s; does Ray listen there?")
        try:
            ray.receive()
        except Exception as error:
            advice = f"; {TOKEN}" if "AuthenticationError" in f"{type(error).__name__} {error}" else ""
            raise ExecutionFailed(f"{self.place} cannot be used: {str(error).partition('. ')[0]}{advice}") from None

    def log_text(self) -> str:
        """Ray's output."""
        self.output.seek(0)
        return self.output.read()

    def last_words(self) -> str:
        """The last line of Ray's output."""
        return self.log_text().strip().rpartition("\n")[2][:300]


def loaded_answer(answer: Answer | str) -> BatchResult | WorkerLost:
    """The result of a batch, or how its worker was lost."""
    return WorkerLost(f"a worker process died: {answer}") if isinstance(answer, str) else answer.load()


def environment(folder: Path | None) -> dict[str, str]:
    """The variables that Ray needs; with a folder, those of a Ray that is started with its token there."""
    variables = {"RAY_USAGE_STATS_ENABLED": "0"}
    if folder is not None:
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        # If Ray expects clusters, it replaces 127.0.0.1 and listens on all interfaces; otherwise on loopback only.
        variables["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        variables["RAY_AUTH_MODE"] = "token"
        if not os.environ.keys() & {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}:
            token = folder / "token"
            token.touch(mode=0o600)
            token.write_text(secrets.token_hex(32), encoding="ascii")
            variables["RAY_AUTH_TOKEN_PATH"] = str(token)
    return variables


def short_folder() -> Path:
    """A private folder for sockets, whose paths may have 107 characters, of which Ray needs 65."""
    root = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="kibitz-ray-", dir=root if len(root) <= 20 else "/tmp"))


def check_address(address: str) -> None:
    """Check that a server listens there first, because Ray would wait for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "//" in host:
        raise BadSpec(address, "the address of a Ray cluster must be host:port, or auto on one of its machines")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5.0).close()
    except (OSError, OverflowError) as error:
        raise ExecutionFailed(f"no server listens at {address} ({error}); is the head of the cluster up?") from None
