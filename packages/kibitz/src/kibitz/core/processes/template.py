"""The code in worker processes: a template that has imported what most need, and forks a worker whenever one is wanted.

A fork takes a few milliseconds and shares the template's memory. The template does no work itself, has one thread, and
ends with its pool. It is the parent of all orphans of its workers, so whatever a worker has started ends with it.
"""

import ctypes
import gc
import os
import pickle
import resource
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal, NoReturn

import msgspec

from kibitz.core.errors import error_text
from kibitz.core.processes.supervisor import (
    adopt_orphans,
    children,
    descendants,
    ended_children,
    kill_descendants,
    kill_group,
    kill_processes,
    lower_limit,
)

Verb = Literal["load", "call", "run", "tell"]
"""Create the object of a worker; call a function with it; call one without it; and call one in the pool's process."""
DEATH_SIGNAL = 1
"""The option of `prctl` for a signal at the parent's death."""
LARGEST_FILE = 1 << 28
"""Bytes of a file that a worker with a memory limit may write."""


class Limits(msgspec.Struct, frozen=True):
    """What a worker may use, and what goes with it. A limit that the system does not offer is left out."""

    memory: int | None = None
    """Bytes of memory beyond those of a new worker; None: any."""
    nice: int = 0
    """How much it yields to other processes."""
    folder: str = ""
    """A folder that is deleted when it has ended."""


class Template:
    """Forks workers, kills those that the pool lets go of, and reports how each ended."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        """Brings the limits of each wanted worker, its channel and its leash."""
        self.workers: dict[int, tuple[Connection[Any, Any], Limits]] = {}
        """The leash of each worker. It tells the pool its process id and then its exit code, or why there is none; when
        the pool sends anything or closes its end, the worker is killed."""
        self.selector = selectors.DefaultSelector()
        self.woken, self.waking = os.pipe()
        os.set_blocking(self.waking, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.waking, warn_on_full_buffer=False)
        self.selector.register(self.line, selectors.EVENT_READ, self.fork)
        self.selector.register(self.woken, selectors.EVENT_READ, self.note_ends)

    def run(self) -> NoReturn:
        """Serve the pool to its end."""
        while True:
            for key, _ in self.selector.select():
                key.data()

    def fork(self) -> None:
        """Fork a worker, and tell its process id."""
        try:
            text, descriptors, _, _ = socket.recv_fds(self.line, 1 << 12, 2)
        except OSError:
            text = b""
        if not text:
            self.end()
        limits = msgspec.json.decode(text, type=Limits)
        for each in descriptors:
            os.set_inheritable(each, False)
        connection, leash = Connection(descriptors[0]), Connection(descriptors[1])
        template = os.getpid()
        with connection:
            try:
                pid = os.fork()
            except OSError as error:  # too many processes, or too little memory: the other workers go on
                with leash, suppress(OSError):
                    leash.send(error_text(error))
                return
            if pid == 0:
                leash.close()
                self.start_worker(connection, limits, template)
        with suppress(OSError):  # the pool has let go of it
            leash.send(pid)
        self.workers[pid] = leash, limits
        self.selector.register(leash, selectors.EVENT_READ, partial(self.kill, pid))

    def start_worker(self, connection: "Connection[Any, Any]", limits: Limits, template: int) -> NoReturn:
        """Turn this process into a worker, and answer its calls."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            die_with(template)
            self.selector.close()
            for each in (self.woken, self.waking):
                os.close(each)
            self.line.close()
            for leash, _ in self.workers.values():
                leash.close()
            set_limits(limits)
            with suppress(EOFError, OSError):
                serve_calls(connection)
            os._exit(0)
        finally:
            os._exit(1)

    def kill(self, pid: int) -> None:
        """Kill a worker of which the pool has let go, unless it has just ended."""
        if pid in self.workers:
            self.selector.unregister(self.workers[pid][0])
            os.kill(pid, signal.SIGKILL)

    def note_ends(self) -> None:
        """Report the workers that have ended, and end what they left running."""
        os.read(self.woken, 1 << 12)
        for pid, code in ended_children():
            if pid in self.workers:
                self.note_end(pid, code)
        for orphan in set(children(os.getpid())) - self.workers.keys():
            kill_processes([orphan, *descendants(orphan)])

    def note_end(self, pid: int, code: int) -> None:
        """Report a worker that has ended."""
        leash, limits = self.workers.pop(pid)
        kill_group(pid, signal.SIGKILL)
        with suppress(KeyError):  # it was killed
            self.selector.unregister(leash)
        with leash, suppress(OSError):
            leash.send(code)
        if limits.folder:
            rmtree(limits.folder, ignore_errors=True)

    def end(self) -> NoReturn:
        """End with all workers and what they started."""
        kill_descendants()
        for _, limits in self.workers.values():
            if limits.folder:
                rmtree(limits.folder, ignore_errors=True)
        os._exit(0)


def main() -> None:
    """Fork workers for the pool at the socket of the first argument; the second names a function to call first."""
    line = socket.socket(fileno=int(sys.argv[1]))
    adopt_orphans()
    module, _, name = sys.argv[2].rpartition(".")
    if module:
        getattr(import_module(module), name)()
    gc.collect()
    gc.freeze()  # so that collecting garbage touches, and thereby copies, no page that workers share
    Template(line).run()


# A worker


def set_limits(limits: Limits) -> None:
    """Limit this process."""
    with suppress(OSError):
        os.nice(limits.nice)
    with suppress(OSError):  # if the system runs out of memory, it ends workers first
        Path("/proc/self/oom_score_adj").write_text("1000")
    lower_limit(resource.RLIMIT_CORE, 0)
    if limits.memory is not None:
        with suppress(ValueError, OSError):
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            lower_limit(resource.RLIMIT_AS, used + limits.memory)
            lower_limit(resource.RLIMIT_FSIZE, LARGEST_FILE)


def die_with(parent: int) -> None:
    """Let the system end this process with its parent, even inside compiled code that lets no thread run."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def serve_calls(connection: "Connection[Any, Any]") -> None:
    """Answer calls, one by one in their order, until the pool ends this worker."""
    global CONNECTION
    CONNECTION, own = connection, None
    while True:
        message = connection.recv_bytes()
        try:
            verb, work, given = pickle.loads(message)
            found = work(own, *given) if verb == "call" else work(*given)
            if verb == "load":
                own, found = found, None
            answer = pickle.dumps(("done", found))
        except BaseException as error:  # sent back to the caller, whatever it is
            answer = pickle.dumps(("failed", portable(error)))
        connection.send_bytes(answer)


CONNECTION: "Connection[Any, Any] | None" = None
"""The connection of this worker to its pool; None in other processes."""


def tell(work: Callable[..., object], *given: object) -> None:
    """In a worker: call a function in the process of the pool, while that waits for an answer."""
    assert CONNECTION is not None, "only workers have a pool to tell"
    CONNECTION.send_bytes(pickle.dumps(("tell", (work, given))))


def portable(error: BaseException) -> Exception:
    """The error; its text if it cannot be pickled, or is one that would end the caller, such as SystemExit."""
    try:
        pickle.loads(pickle.dumps(error.with_traceback(None)))
    except Exception:
        return RuntimeError(error_text(error))
    return error if isinstance(error, Exception) else RuntimeError(error_text(error))
