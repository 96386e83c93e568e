"""Worker processes that run agents and watching models, so that their thinking does not slow the event loop.

Each agent or model stays in its worker, with its memory, and is reached through a channel. A worker is a plain
process with a thread per channel; it ends with its server.
"""

import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Literal, Self, TypeVar

from kibitz.arena.executors.pool import cores, departure, spawn_process
from kibitz.arena.executors.worker import die_with
from kibitz.core.errors import ExecutionFailed
from kibitz.core.match.watchers import error_text

Found = TypeVar("Found")
Verb = Literal["load", "call", "run"]
SERVE = "from kibitz.server.workers import main; main()"
GRACE = 1.0
"""Seconds to wait for a disconnected worker to exit."""


class WorkerLost(ExecutionFailed):
    """A worker process that died, and the agents in it."""


class Channel:
    """The connection to an object in a worker. Threads may call at once; calls are answered one by one."""

    def __init__(self, worker: "Worker") -> None:
        """Open the connection; the first call notices a worker that has died."""
        self.worker, self.lock = worker, threading.Lock()
        self.line, theirs = socket.socketpair()
        self.connection: Connection[Any, Any] = Connection(os.dup(self.line.fileno()))
        with theirs, suppress(OSError):
            socket.send_fds(worker.line, [b"."], [theirs.fileno()])
        worker.channels.add(self)

    def load(self, make: Callable[..., object], *given: object) -> None:
        """Create the object in the worker with *make*."""
        self.exchange("load", make, given)

    def call(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work* in the worker, with the object as first argument; raises what it raises there."""
        found: Found = self.exchange("call", work, given)
        return found

    def run(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work* in the worker, without the object."""
        found: Found = self.exchange("run", work, given)
        return found

    def exchange(self, verb: Verb, work: Callable[..., object], given: tuple[object, ...]) -> Any:
        """Send a call and wait for the answer; raises WorkerLost if the worker has died."""
        message = pickle.dumps((verb, work, given))
        try:
            with self.lock:
                self.connection.send_bytes(message)
                good, found = self.connection.recv()
        except (EOFError, OSError):
            raise WorkerLost(f"the worker process {self.worker.ending()}") from None
        if not good:
            raise found
        return found

    def close(self) -> None:
        """Close the connection; calls that wait for an answer end."""
        with suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.line.close()
            self.connection.close()
        self.worker.channels.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class Worker:
    """A worker process and its channels."""

    def __init__(self) -> None:
        self.process, self.line = spawn_process(SERVE)
        self.channels: set[Channel] = set()

    def ending(self) -> str:
        """How the process ended, in words."""
        try:
            return f"died: {departure(self.process.wait(GRACE))}"
        except subprocess.TimeoutExpired:
            return "closed the connection"

    def close(self) -> None:
        """Kill the process."""
        for channel in list(self.channels):
            channel.close()
        self.process.kill()
        self.process.wait()
        self.line.close()


class Workers:
    """The workers of a server, *size* or one per core; dead ones are replaced."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size or cores()
        self.lock = threading.Lock()
        self.running: list[Worker] = []

    def open_channel(self) -> Channel:
        """A channel to the worker that has the fewest."""
        with self.lock:
            self.start()
            return Channel(min(self.running, key=lambda worker: len(worker.channels)))

    def run_work(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work* in a worker."""
        with self.open_channel() as channel:
            return channel.run(work, *given)

    def start(self) -> None:
        """Start all workers."""
        for worker in [each for each in self.running if each.process.poll() is not None]:
            self.running.remove(worker)
            worker.close()
        self.running += [Worker() for _ in range(self.size - len(self.running))]

    def close(self) -> None:
        """End all workers."""
        with self.lock:
            for worker in self.running:
                worker.close()
            self.running = []


def main() -> None:
    """Run agents in this process until the server exits; `spawn_process` describes the arguments."""
    die_with(int(sys.argv[2]))
    line = socket.socket(fileno=int(sys.argv[1]))
    while True:
        _, channels, _, _ = socket.recv_fds(line, 1, 1)
        if not channels:
            os._exit(0)  # other threads may be busy
        threading.Thread(target=serve_channel, args=(Connection(channels[0]),), daemon=True).start()


def serve_channel(connection: "Connection[Any, Any]") -> None:
    """Answer the calls of one channel, until it closes."""
    resident: Any = None
    with connection, suppress(EOFError, OSError):
        while True:
            message = connection.recv_bytes()
            try:
                verb, work, given = pickle.loads(message)
                found = work(resident, *given) if verb == "call" else work(*given)
                if verb == "load":
                    resident, found = found, None
                answer = pickle.dumps((True, found))
            except BaseException as error:  # sent back to the caller, whatever it is
                answer = pickle.dumps((False, portable(error)))
            connection.send_bytes(answer)


def portable(error: BaseException) -> BaseException:
    """The error, or its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(error_text(error))
    return error
