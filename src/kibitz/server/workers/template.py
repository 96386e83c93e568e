"""The code in worker processes: a template that has imported what most need, and forks a worker for each agent or job.

A fork takes a few milliseconds and shares the template's memory. A worker answers the calls of one channel, within the
limits it was forked with. The template never runs an agent, has one thread, and exits with its server.
"""

import gc
import os
import pickle
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Literal, NoReturn

import msgspec

from kibitz.core.child_processes import die_with
from kibitz.core.kernels import kernels
from kibitz.core.match.watchers import error_text
from kibitz.core.registry import entries
from kibitz.core.registry.registry import KINDS
from kibitz.server.workers.confinement import Confinement, confine

Verb = Literal["load", "call", "run"]
"""Create the object of this worker; call a function with it; call a function without it."""
FIRST = (
    "kibitz.core.match.play",
    "kibitz.core.drawing",
    "kibitz.agents.random",
    "kibitz.models.strategy_filter",
    "kibitz.server.workers.watching",
    "kibitz.server.workers.worker_agents",
    "numpy.random",
    "numba",
)
"""Modules that most workers use."""


class Fork(msgspec.Struct):
    """Asks the template for a worker; the descriptor of its channel comes along."""

    number: int
    confinement: Confinement


class Note(msgspec.Struct):
    """What the template tells: the process id of a new worker or why there is none, or the exit code of an old one."""

    pid: int
    code: int | None = None
    fork: int = 0
    """The number of the wish that this answers."""
    error: str = ""


class ThinkingClock:
    """Seconds that this process has had to think: not while kernels were compiled."""

    def __init__(self) -> None:
        self.compiling = 0.0

    def now(self) -> float:
        """The reading of the clock."""
        return time.perf_counter() - self.compiling


clock = ThinkingClock()
"""The clock of this process."""


# The template


def main() -> None:
    """Fork workers until the server exits; `spawn_process` describes the arguments."""
    die_with(int(sys.argv[2]))
    line = socket.socket(fileno=int(sys.argv[1]))
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for module in FIRST:
        with suppress(ImportError):
            import_module(module)
    for kind in KINDS:
        entries(kind)  # reads the manifests, once for all workers
    gc.collect()
    gc.freeze()  # so that collecting garbage touches, and thereby copies, no page that workers share
    text, descriptors = b"", list[int]()
    while True:
        ready, _, _ = select.select([line.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            for note in ended_children():
                send_note(line, note)
        if line.fileno() in ready:
            try:
                more, found, _, _ = socket.recv_fds(line, 1 << 16, 1)
            except OSError:
                os._exit(0)
            if not more:
                os._exit(0)
            descriptors += found
            *wishes, text = (text + more).split(b"\n")
            for wish in wishes:
                wanted = msgspec.json.decode(wish, type=Fork)
                send_note(line, fork_worker(wanted, descriptors, (line, woken, waking)))
                descriptors = []


def send_note(line: socket.socket, note: Note) -> None:
    """Tell the server, if it is still there."""
    with suppress(OSError):
        line.sendall(msgspec.json.encode(note) + b"\n")


def ended_children() -> Iterator[Note]:
    """The workers that have ended since the last call."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            yield Note(found[0], os.waitstatus_to_exitcode(found[1]))


def fork_worker(wanted: Fork, descriptors: Sequence[int], own: Sequence[Any]) -> Note:
    """Fork a worker; return the note that tells so."""
    template = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:  # too many processes, or too little memory: the other workers go on
        return Note(0, fork=wanted.number, error=error_text(error))
    finally:
        if os.getpid() == template:
            for descriptor in descriptors:
                os.close(descriptor)
    if pid == 0:
        try:
            start_worker(wanted, descriptors, own, template)
        finally:
            os._exit(1)
    return Note(pid, fork=wanted.number)


# A worker


def start_worker(wanted: Fork, descriptors: Sequence[int], own: Sequence[Any], template: int) -> NoReturn:
    """Turn this process into a worker, and answer its calls."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    die_with(template)
    for each in own:
        os.close(each if isinstance(each, int) else each.detach())
    confine(wanted.confinement)
    with Connection(descriptors[0]) as connection, suppress(EOFError, OSError):
        serve_calls(connection)
    os._exit(0)


class CompileReport:
    """The progress while kernels are compiled."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self.connection, self.depth = connection, 0

    @contextmanager
    def watch(self, name: str, missing: bool) -> Iterator[None]:
        """Tell the server about a kernel that is compiled, and stop the clock meanwhile."""
        start, outermost = time.perf_counter(), self.depth == 0
        self.depth += 1
        if missing:
            self.connection.send(("preparing", name))
        try:
            yield
        finally:
            self.depth -= 1
            if outermost:
                clock.compiling += time.perf_counter() - start
                if missing:
                    self.connection.send(("preparing", ""))


def serve_calls(connection: "Connection[Any, Any]") -> None:
    """Answer calls, one by one, until the channel closes."""
    resident: Any = None
    kernels.WATCHES.append(CompileReport(connection).watch)
    while True:
        message = connection.recv_bytes()
        try:
            verb, work, given = pickle.loads(message)
            found = work(resident, *given) if verb == "call" else work(*given)
            if verb == "load":
                resident, found = found, None
            answer = pickle.dumps(("done", found))
        except BaseException as error:  # sent back to the caller, whatever it is
            answer = pickle.dumps(("failed", portable(error)))
        connection.send_bytes(answer)


def portable(error: BaseException) -> Exception:
    """The error; its text if it cannot be pickled, or is one that would end the server, such as SystemExit."""
    try:
        pickle.loads(pickle.dumps(error.with_traceback(None)))
    except Exception:
        return RuntimeError(error_text(error))
    return error if isinstance(error, Exception) else RuntimeError(error_text(error))
