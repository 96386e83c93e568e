"""The server's side of a worker process: calls to it, and killing it; `forks` starts it.

A worker holds one object (an agent, the models of a match) and answers calls one by one, or does one job after another.
All of this runs in the event loop of `kibitz.server.workers.compute`.
"""

import asyncio
import os
import pickle
import signal
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from kibitz.arena.executors.pool import departure
from kibitz.core.errors import ExecutionFailed
from kibitz.server.workers.template import Verb
from kibitz.server.workers.turns import ThinkingStopped

Found = TypeVar("Found")
GRACE = 1.0
"""Seconds to wait for the template to tell how a worker ended."""
LENGTH = struct.Struct("!i")
"""The head of a message, as `multiprocessing.connection` writes it."""
LARGEST = 1 << 28
"""Bytes of the longest answer."""


class WorkerLost(ExecutionFailed):
    """A worker process that died, and the agent or job in it."""


class Channel(asyncio.Protocol):
    """The connection to a worker: messages after their lengths, as `multiprocessing.connection` sends them."""

    def __init__(self, receive: Callable[[bytes], None], lose: Callable[[], None]) -> None:
        self.receive, self.lose = receive, lose
        self.buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass of it

    def send(self, message: bytes) -> None:
        """Send a message."""
        self.transport.write(LENGTH.pack(len(message)) + message)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while len(self.buffer) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self.buffer)
            if not 0 <= length <= LARGEST:
                self.transport.abort()
                return
            end = LENGTH.size + length
            if len(self.buffer) < end:
                return
            message = bytes(self.buffer[LENGTH.size : end])
            del self.buffer[:end]
            self.receive(message)

    def connection_lost(self, error: Exception | None) -> None:
        self.lose()


class Worker:
    """A worker process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.handle, self.shared = process_handle(pid), resident_memory(pid)
        self.channel = Channel(self.receive, self.lose)
        self.lock = asyncio.Lock()
        self.answer: asyncio.Future[tuple[str, Any]] | None = None
        """The coming answer to the present call."""
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Its exit code, when it has ended."""
        self.preparing = ""
        """The kernel that it compiles."""
        self.compiled, self.compiling_since = 0.0, 0.0
        self.why: ThinkingStopped | WorkerLost | None = None
        """Why it was killed, if the server did it."""
        self.closed = False
        self.prepared: Callable[[], None] = lambda: None
        """Called when it begins or ends to compile a kernel."""

    # Calls

    async def load(self, make: Callable[..., object], *given: object) -> None:
        """Create the object in the worker with *make*."""
        await self.exchange("load", make, given)

    async def call(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, with the object as first argument; raises what it raises there."""
        found: Found = await self.exchange("call", work, given)
        return found

    async def run(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, without the object."""
        found: Found = await self.exchange("run", work, given)
        return found

    async def exchange(self, verb: Verb, work: Callable[..., object], given: tuple[object, ...]) -> Any:
        """Send a call and wait for the answer; raises WorkerLost or BudgetSpent if the worker ends meanwhile.

        A call that is cancelled leaves a worker that nobody can use: it is killed.
        """
        message = pickle.dumps((verb, work, given))
        async with self.lock:
            if self.closed or self.channel.transport.is_closing():
                raise await self.loss()
            self.answer = asyncio.get_running_loop().create_future()
            self.channel.send(message)
            try:
                kind, found = await self.answer
            except EOFError:
                raise await self.loss() from None
            except asyncio.CancelledError:
                self.kill()
                raise
        if kind == "failed":
            raise found
        return found

    def receive(self, message: bytes) -> None:
        """Take a message of the worker."""
        kind, found = pickle.loads(message)
        if kind == "preparing":
            self.note_compiling(found)
        elif self.answer is not None and not self.answer.done():
            self.answer.set_result((kind, found))

    def lose(self) -> None:
        """Note that the channel is closed: nothing is answered any more."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(EOFError())

    async def loss(self) -> Exception:
        """The error that says how the worker ended."""
        if self.why is not None:
            return self.why
        with suppress(TimeoutError):
            code = await asyncio.wait_for(asyncio.shield(self.ended), GRACE)
            return WorkerLost(f"the worker process died: {departure(code)}")
        return WorkerLost("the worker process closed the connection")

    def note_compiling(self, kernel: str) -> None:
        """Note that a kernel is compiled now, or that none is."""
        now = time.monotonic()
        if self.preparing:
            self.compiled += now - self.compiling_since
        self.preparing, self.compiling_since = kernel, now
        self.prepared()

    def compiling_seconds(self) -> float:
        """Seconds that it has spent on compiling kernels."""
        return self.compiled + (time.monotonic() - self.compiling_since if self.preparing else 0.0)

    # Ending

    def kill(self, why: ThinkingStopped | WorkerLost | None = None) -> None:
        """End the process now, and with it whatever it thinks about."""
        if not self.closed:
            self.closed, self.why = True, why
            self.send_signal(signal.SIGKILL)
            self.channel.transport.abort()

    def memory(self) -> int:
        """Bytes that it has taken since it was forked; before that, it shares those of the template."""
        return max(0, resident_memory(self.pid) - self.shared)

    def send_signal(self, number: int) -> None:
        """Send a signal to this very process: if it has ended, none that got its id later receives it."""
        with suppress(OSError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, number)
            elif not self.ended.done():
                os.kill(self.pid, number)

    def note_end(self, code: int) -> None:
        """Note that the process has ended."""
        if not self.ended.done():
            self.ended.set_result(code)
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None
        self.channel.transport.abort()  # what it left running may hold the channel open


def process_handle(pid: int) -> int | None:
    """A descriptor of a process, which names no other one; None where the system has none, or it has ended."""
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        return None


def resident_memory(pid: int) -> int:
    """Bytes of a process that are in memory and in no file; 0 if it has ended or the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")
