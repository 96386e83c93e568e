"""Processes in which agents and kibitzers live, so that their thinking takes nothing from the loop that serves all.

Whoever lives in a worker has a room there, and stays in it with all he remembers. A worker is a plain process with a
thread for each room; it ends with its server.
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
Verb = Literal["settle", "ask", "do"]
SERVE = "from kibitz.server.workers import main; main()"
GRACE = 1.0
"""Seconds in which a worker whose line is cut is expected to be gone."""


class WorkerLost(ExecutionFailed):
    """A worker that is no more, with all who lived there."""


class Channel:
    """The line to somebody who lives in a worker. Threads may ask at once; they are answered one by one."""

    def __init__(self, worker: "Worker") -> None:
        """Move in; a worker that is gone is noticed when something is asked."""
        self.worker, self.lock = worker, threading.Lock()
        self.line, theirs = socket.socketpair()
        self.connection: Connection[Any, Any] = Connection(os.dup(self.line.fileno()))
        with theirs, suppress(OSError):
            socket.send_fds(worker.line, [b"."], [theirs.fileno()])
        worker.rooms.add(self)

    def settle(self, make: Callable[..., object], *given: object) -> None:
        """Let what *make* makes live here."""
        self.exchange("settle", make, given)

    def ask(self, work: Callable[..., Found], *given: object) -> Found:
        """What *work* finds over there, told first who lives there; raises what it raises there."""
        found: Found = self.exchange("ask", work, given)
        return found

    def do(self, work: Callable[..., Found], *given: object) -> Found:
        """What *work* finds over there, whoever lives there."""
        found: Found = self.exchange("do", work, given)
        return found

    def exchange(self, verb: Verb, work: Callable[..., object], given: tuple[object, ...]) -> Any:
        """Send something and wait for the answer; raises WorkerLost where nobody is there any more."""
        message = pickle.dumps((verb, work, given))
        try:
            with self.lock:
                self.connection.send_bytes(message)
                good, found = self.connection.recv()
        except (EOFError, OSError):
            raise WorkerLost(f"the process that did the thinking {self.worker.ending()}") from None
        if not good:
            raise found
        return found

    def close(self) -> None:
        """Move out; whoever waits for an answer waits no more."""
        with suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.line.close()
            self.connection.close()
        self.worker.rooms.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class Worker:
    """A process, and those who live in it."""

    def __init__(self) -> None:
        self.process, self.line = spawn_process(SERVE)
        self.rooms: set[Channel] = set()

    def ending(self) -> str:
        """How it ended, in words."""
        try:
            return f"is gone: {departure(self.process.wait(GRACE))}"
        except subprocess.TimeoutExpired:
            return "has hung up"

    def close(self) -> None:
        """End it, whatever it does."""
        for room in list(self.rooms):
            room.close()
        self.process.kill()
        self.process.wait()
        self.line.close()


class Workers:
    """The workers of a server, as many as there are cores unless *size* says otherwise; dead ones are replaced."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size or cores()
        self.lock = threading.Lock()
        self.running: list[Worker] = []

    def room(self) -> Channel:
        """A room in the worker that has the fewest."""
        with self.lock:
            self.start()
            return Channel(min(self.running, key=lambda worker: len(worker.rooms)))

    def run_work(self, work: Callable[..., Found], *given: object) -> Found:
        """What *work* finds in a worker."""
        with self.room() as room:
            return room.do(work, *given)

    def start(self) -> None:
        """Have all workers run."""
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
    """Let agents live in this process until its server is gone; `spawned` says what the arguments are."""
    die_with(int(sys.argv[2]))
    line = socket.socket(fileno=int(sys.argv[1]))
    while True:
        _, rooms, _, _ = socket.recv_fds(line, 1, 1)
        if not rooms:
            os._exit(0)  # threads may be thinking
        threading.Thread(target=live, args=(Connection(rooms[0]),), daemon=True).start()


def live(connection: "Connection[Any, Any]") -> None:
    """Do in one room what is asked there, until it is left."""
    tenant: Any = None
    with connection, suppress(EOFError, OSError):
        while True:
            message = connection.recv_bytes()
            try:
                verb, work, given = pickle.loads(message)
                found = work(tenant, *given) if verb == "ask" else work(*given)
                if verb == "settle":
                    tenant, found = found, None
                answer = pickle.dumps((True, found))
            except BaseException as error:  # the asker's business, whatever it is
                answer = pickle.dumps((False, portable(error)))
            connection.send_bytes(answer)


def portable(error: BaseException) -> BaseException:
    """The error, or its words where it does not survive the way."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(error_text(error))
    return error
