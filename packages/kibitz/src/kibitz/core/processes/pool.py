"""Starts workers and calls them: processes that do one call after another, and can be killed at any moment.

    with Workers() as workers:
        worker = workers.fork(Limits(memory=1 << 30))
        worker.run(math.sqrt, 2.0, limit=5.0)          # raises what it raises; WorkerLost if the process dies
        worker.load(make_agent, "mcts", "pawns")       # an object that stays in the worker
        worker.call(core.Agent.begin, game, 0, rng)    # a function with that object first
        worker.kill(Refused("the match is over"))      # from any thread: the call that waits raises this

Callers wait; event loops do it in threads. A worker ends with the process that started it, however that ends,
and with it whatever it has started.
"""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Self, TypeAlias, TypeVar

import msgspec

from kibitz.core.errors import ExecutionFailed
from kibitz.core.processes.supervisor import departure
from kibitz.core.processes.template import Limits, Verb

Found = TypeVar("Found")
Line: TypeAlias = "Connection[Any, Any]"
ERRORS = 2
"""Where workers print: agents' output must not mix with ours."""
SERVE = "from kibitz.core.processes.template import main; main()"
PATIENCE = 60.0
"""Seconds after which a template that should fork is replaced."""
GRACE = 10.0
"""Seconds in which a template ends with all its workers."""


class WorkerLost(ExecutionFailed):
    """A worker process that died, with what was in it."""


class TimeSpent(WorkerLost):
    """A worker process that was killed because it gave no answer in time."""


class Worker:
    """A worker process. It is killed when this object is deleted."""

    def __init__(self, workers: "Workers", template: subprocess.Popen[bytes], connection: Line, leash: Line) -> None:
        self.workers, self.template = workers, template
        self.connection, self.leash = connection, leash
        self.pid = 0
        """Its process id; 0 before it is known to have started."""
        self.shared = 0
        """Bytes that it had in memory when it was forked."""
        self.why: Exception | None = None
        """Why it was killed."""
        self.closed = False
        """Whether it can be called no more."""
        self.calls = Lock()

    def load(self, make: Callable[..., object], *given: object, limit: float | None = None) -> None:
        """Create the object in the worker with *make*."""
        self.exchange("load", make, given, limit)

    def call(self, work: Callable[..., Found], *given: object, limit: float | None = None) -> Found:
        """The result of *work*, with the object as first argument; raises what it raises there."""
        found: Found = self.exchange("call", work, given, limit)
        return found

    def run(self, work: Callable[..., Found], *given: object, limit: float | None = None) -> Found:
        """The result of *work*, without the object. A worker that takes longer than *limit* seconds is killed."""
        found: Found = self.exchange("run", work, given, limit)
        return found

    def exchange(self, verb: Verb, work: Callable[..., object], given: tuple[object, ...], limit: float | None) -> Any:
        """Send a call and wait for the answer. Somebody who stops waiting leaves a worker that cannot be used."""
        message = pickle.dumps((verb, work, given))
        with self.calls:
            try:
                self.send(message)
                return self.receive(limit)
            except KeyboardInterrupt:
                self.kill()
                raise

    def send(self, message: bytes) -> None:
        """Send a pickled call, of which `receive` gets the answer; a dead worker is noticed then."""
        with suppress(OSError):
            self.connection.send_bytes(message)

    def receive(self, limit: float | None = None) -> Any:
        """The answer to the oldest call that has none yet."""
        try:
            self.wait_for_start()
            end = None if limit is None else monotonic() + limit
            while True:
                if end is not None and not self.connection.poll(max(0.0, end - monotonic())):
                    self.kill(TimeSpent(f"no answer within {limit:.3g} s"))
                kind, found = pickle.loads(self.connection.recv_bytes())
                if kind != "tell":
                    break
                work, given = found
                work(*given)
        except (EOFError, OSError, WorkerLost) as error:
            self.why = self.why or (error if isinstance(error, WorkerLost) else self.loss())
            self.kill()
            raise self.why from None
        if kind == "failed":
            raise found
        return found

    def wait_for_start(self) -> None:
        """Wait until it was forked; a template that does not do so is of no use."""
        if self.pid == 0:
            if not self.leash.poll(PATIENCE):
                self.template.kill()
            found = self.leash.recv()
            if isinstance(found, str):
                raise WorkerLost(f"no worker process can be started: {found}")
            self.pid, self.shared = found, resident_memory(found)

    def loss(self) -> WorkerLost:
        """The error that says how it ended."""
        with suppress(EOFError, OSError):
            if self.pid and self.leash.poll(GRACE):
                return WorkerLost(f"the worker process {departure(self.leash.recv())}")
        with suppress(subprocess.TimeoutExpired):
            ending = departure(self.template.wait(GRACE))
            return WorkerLost(f"no worker process starts: their template {ending}; see its output above")
        return WorkerLost("the worker process closed the connection")

    def kill(self, why: Exception | None = None) -> None:
        """End the process now, and with it whatever it does; any thread may call this."""
        if not self.closed:
            self.closed, self.why = True, self.why or why
            with suppress(OSError):
                self.leash.send_bytes(b"kill")

    def memory(self) -> int:
        """Bytes that it has taken since it was forked; before that, it shares those of the template."""
        return max(0, resident_memory(self.pid) - self.shared) if self.pid and not self.closed else 0


class Workers:
    """Starts workers. *prepare* is called once in the template of all: it imports what most of them need."""

    def __init__(self, prepare: Callable[[], object] | None = None) -> None:
        self.prepare = prepare
        self.lock = Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.line: socket.socket | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the template, if none runs; a template that has died is replaced."""
        if self.process is None or self.process.poll() is not None:
            self.close()
            prepare = f"{self.prepare.__module__}.{self.prepare.__qualname__}" if self.prepare else ""
            self.line, theirs = socket.socketpair()
            with theirs:
                # Its own session keeps a terminal's Ctrl-C away: this process decides when to stop.
                self.process = subprocess.Popen(
                    [sys.executable, "-P", "-c", SERVE, str(theirs.fileno()), prepare],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=ERRORS,
                    start_new_session=True,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
        return self.process

    def fork(self, limits: Limits = Limits()) -> Worker:  # noqa: B008 - it is frozen
        """A new worker. It may be called before it has started."""
        ends = [end for _ in ("calls", "leash") for end in socket.socketpair()]
        connection, their_connection, leash, their_leash = (Connection(end.detach()) for end in ends)
        with their_connection, their_leash, self.lock:
            try:
                template = self.start()
                assert self.line is not None, "start makes it"
                wanted = [their_connection.fileno(), their_leash.fileno()]
                socket.send_fds(self.line, [msgspec.json.encode(limits)], wanted)
            except BrokenPipeError:  # the template has ended; the worker's first call says how
                pass
            except OSError as error:
                raise WorkerLost(f"no worker process can be started: {error}") from None
        return Worker(self, template, connection, leash)

    def close(self) -> None:
        """End all workers; another call of `fork` starts again."""
        if self.process is not None and self.line is not None:
            with self.line, suppress(OSError):
                self.line.shutdown(socket.SHUT_RDWR)
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = self.line = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def resident_memory(pid: int) -> int:
    """Bytes of a process that are in memory and in no file; 0 if it has ended or the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
