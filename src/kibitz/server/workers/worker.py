"""The server's side of worker processes: calls to one, pausing and killing it, and the template that forks them.

A worker holds one object (an agent, the models of a match) and answers calls one by one, or does one job after another.
All of this runs in the event loop of `kibitz.server.compute`.
"""

import asyncio
import os
import pickle
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec

from kibitz.arena.executors.pool import departure, spawn_process
from kibitz.core.errors import ExecutionFailed
from kibitz.core.match.watchers import error_text
from kibitz.server.workers.budgets import ThinkingStopped
from kibitz.server.workers.confinement import Confinement
from kibitz.server.workers.template import PAUSES, Fork, Load, Note, Verb

Found = TypeVar("Found")
SERVE = "from kibitz.server.workers.template import main; main()"
GRACE = 1.0
"""Seconds to wait for the template to tell how a worker ended."""
LENGTH = struct.Struct("!i")
"""The head of a message, as `multiprocessing.connection` writes it."""
LARGEST = 1 << 28
"""Bytes of the longest answer."""
LONG_NICE = 7
"""How much a worker that has thought long gives way to others from then on; without privileges it stays so."""


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

    def __init__(self, pid: int, pauses: mmap) -> None:
        self.pid, self.pauses = pid, pauses
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
        self.paused_at: float | None = None
        self.why: ThinkingStopped | None = None
        """Why it was killed, if the server did it."""
        self.closed = self.yields = False
        self.loaded: Callable[[Load], None] = lambda _: None

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
        elif kind == "loaded":
            self.loaded(found)
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

    def compiling_seconds(self) -> float:
        """Seconds that it has spent on compiling kernels."""
        return self.compiled + (time.monotonic() - self.compiling_since if self.preparing else 0.0)

    # Pausing and ending

    def pause(self) -> None:
        """Stop the process for a while."""
        if self.paused_at is None:
            self.paused_at = time.perf_counter()
            self.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the process go on; its clock does not count the pause."""
        if self.paused_at is not None:
            (before,) = PAUSES.unpack_from(self.pauses)
            PAUSES.pack_into(self.pauses, 0, before + time.perf_counter() - self.paused_at)
            self.paused_at = None
            self.send_signal(signal.SIGCONT)

    def kill(self, why: ThinkingStopped | None = None) -> None:
        """End the process now, and with it whatever it thinks about."""
        if not self.closed:
            self.closed, self.why = True, why
            self.send_signal(signal.SIGKILL)
            self.channel.transport.abort()

    def yield_to_short(self) -> None:
        """Give way to short work from now on: this process thinks long."""
        if not self.yields and not self.ended.done():
            self.yields = True
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, LONG_NICE)

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


def shared_file() -> IO[bytes]:
    """A file for memory that two processes share; it has no name."""
    return os.fdopen(os.memfd_create("pauses"), "r+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()


def kill_unused(forking: "asyncio.Task[Worker]") -> None:
    """Kill a new worker that nobody waits for."""
    if not forking.cancelled() and forking.exception() is None:
        forking.result().kill()


class Workers:
    """The template process, and the workers forked from it. A template that dies is replaced."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.line: socket.socket | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.reading: asyncio.Task[None] | None = None
        self.lock = asyncio.Lock()
        self.born: asyncio.Future[int] | None = None
        """The process id of the worker that is being forked."""
        self.alive: dict[int, Worker] = {}
        self.codes: dict[int, int] = {}
        """Exit codes of workers that ended before their server knew them."""
        self.loaded: set[str] = set()
        """Modules and kernels that the template was asked to load."""

    def start(self) -> None:
        """Start the template. It ends with its server; if the main thread starts it, even if that is killed."""
        if self.process is None or self.process.poll() is not None:
            self.discard_template()
            self.process, self.line = spawn_process(SERVE)
            self.line.setblocking(False)

    async def fork(self, confinement: Confinement) -> Worker:
        """A new worker; if the caller is cancelled meanwhile, it is killed as soon as it is there."""
        forking = asyncio.create_task(self.fork_in_turn(confinement))
        try:
            return await asyncio.shield(forking)
        except asyncio.CancelledError:
            forking.add_done_callback(kill_unused)
            raise

    async def fork_in_turn(self, confinement: Confinement) -> Worker:
        """A new worker, forked after those asked for before."""
        async with self.lock:
            try:
                return await self.fork_once(confinement)
            except (OSError, EOFError):  # the template has died
                self.discard_template()
            try:
                return await self.fork_once(confinement)
            except (OSError, EOFError) as error:
                raise WorkerLost(f"no worker process can be started: {error_text(error)}") from None

    async def fork_once(self, confinement: Confinement) -> Worker:
        """A new worker of the present template."""
        self.start()
        assert self.line is not None, "start makes it"
        if self.writer is None:
            reader, self.writer = await asyncio.open_connection(sock=self.line.dup())
            self.writer.transport.set_write_buffer_limits(0)  # so that nothing is left to send after `drain`
            self.reading = asyncio.create_task(self.read_notes(reader))
        ours, theirs = socket.socketpair()
        try:
            with theirs, shared_file() as file:
                file.truncate(PAUSES.size)
                pauses = mmap(file.fileno(), PAUSES.size)
                self.born = asyncio.get_running_loop().create_future()
                await self.writer.drain()
                await self.send_wish(Fork(confinement), [theirs.fileno(), file.fileno()])
                pid = await self.born
        except BaseException:
            ours.close()
            raise
        worker = Worker(pid, pauses)
        await asyncio.get_running_loop().create_connection(lambda: worker.channel, sock=ours)
        worker.loaded = self.load
        self.alive[pid] = worker
        if pid in self.codes:
            self.note_end(Note(pid, self.codes.pop(pid)))
        return worker

    async def send_wish(self, wish: Fork, descriptors: list[int]) -> None:
        """Send a wish with descriptors to the template."""
        assert self.line is not None, "start makes it"
        while True:
            try:
                socket.send_fds(self.line, [msgspec.json.encode(wish) + b"\n"], descriptors)
                return
            except BlockingIOError:
                await asyncio.sleep(0.01)

    async def read_notes(self, reader: asyncio.StreamReader) -> None:
        """Read what the template tells, until it dies; its workers die with it."""
        with suppress(OSError):
            while text := await reader.readline():
                note = msgspec.json.decode(text, type=Note)
                if note.code is not None:
                    self.note_end(note)
                elif self.born is not None and not self.born.done():
                    self.born.set_result(note.pid)
        if self.born is not None and not self.born.done():
            self.born.set_exception(EOFError())
        for pid in list(self.alive):
            self.note_end(Note(pid, -signal.SIGKILL))

    def note_end(self, note: Note) -> None:
        """Note that a worker has ended."""
        assert note.code is not None, "its exit code says so"
        worker = self.alive.pop(note.pid, None)
        if worker is None:
            self.codes[note.pid] = note.code
        else:
            worker.note_end(note.code)

    def load(self, found: Load) -> None:
        """Let the template load what a worker had to load, once."""
        wish = Load(*([name for name in names if name not in self.loaded] for names in (found.modules, found.kernels)))
        self.loaded.update(wish.modules, wish.kernels)
        if self.writer is not None and (wish.modules or wish.kernels):
            self.writer.write(msgspec.json.encode(wish) + b"\n")

    def discard_template(self) -> None:
        """End the template and its workers."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        with suppress(RuntimeError):  # if its event loop was closed, all of this was
            for worker in list(self.alive.values()):
                worker.kill()
                self.note_end(Note(worker.pid, -signal.SIGKILL))
            if self.reading is not None:
                self.reading.cancel()
            if self.writer is not None:
                self.writer.close()
        if self.line is not None:
            self.line.close()
        self.alive.clear()
        self.process = self.line = self.reading = self.writer = None
        self.loaded.clear()
