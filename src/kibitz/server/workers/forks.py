"""The template process, and the workers that it forks for the server."""

import asyncio
import signal
import socket
import subprocess
from contextlib import suppress

import msgspec

from kibitz.core.child_processes import spawn_process
from kibitz.core.match.watchers import error_text
from kibitz.server.workers.confinement import Confinement
from kibitz.server.workers.template import Fork, Note
from kibitz.server.workers.worker import Worker, WorkerLost

SERVE = "from kibitz.server.workers.template import main; main()"
PATIENCE = 60.0
"""Seconds after which a template that should fork is replaced."""


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
        self.forks = 0
        """How many were asked for."""
        self.closed = False
        self.alive: dict[int, Worker] = {}
        self.codes: dict[int, int] = {}
        """Exit codes of workers that ended before their server knew them."""

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
        if self.closed:
            raise WorkerLost("the server stops")
        self.start()
        assert self.line is not None, "start makes it"
        if self.writer is None:
            reader, self.writer = await asyncio.open_connection(sock=self.line.dup())
            self.writer.transport.set_write_buffer_limits(0)  # so that nothing is left to send after `drain`
            assert self.process is not None, "start makes it"
            self.reading = asyncio.create_task(self.read_notes(reader, self.process))
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.born = asyncio.get_running_loop().create_future()
                self.forks += 1
                await self.writer.drain()
                await self.send_wish(Fork(self.forks, confinement), [theirs.fileno()])
                pid = await self.await_fork(self.born)
        except BaseException:
            ours.close()
            raise
        worker = Worker(pid)
        await asyncio.get_running_loop().create_connection(lambda: worker.channel, sock=ours)
        self.alive[pid] = worker
        if pid in self.codes:
            self.note_end(Note(pid, self.codes.pop(pid)))
        return worker

    async def await_fork(self, born: asyncio.Future[int]) -> int:
        """The process id of the new worker; raises EOFError if the template has died or waits for ever."""
        if not (await asyncio.wait([born], timeout=PATIENCE))[0]:
            raise EOFError(f"the template did nothing for {PATIENCE:g} s")
        return born.result()

    async def send_wish(self, wish: Fork, descriptors: list[int]) -> None:
        """Send a wish with descriptors to the template."""
        assert self.line is not None, "start makes it"
        while True:
            try:
                socket.send_fds(self.line, [msgspec.json.encode(wish) + b"\n"], descriptors)
                return
            except BlockingIOError:
                await asyncio.sleep(0.01)

    async def read_notes(self, reader: asyncio.StreamReader, process: "subprocess.Popen[bytes]") -> None:
        """Read what a template tells, until it dies; its workers die with it."""
        try:
            while text := await self.next_note(reader):
                self.take_note(msgspec.json.decode(text, type=Note))
        finally:
            process.kill()  # one that cannot be heard is of no use
            if self.process is process:
                self.end_workers()

    async def next_note(self, reader: asyncio.StreamReader) -> bytes:
        """The next note as text; empty when the template has died."""
        try:
            return await reader.readline()
        except OSError:
            return b""

    def take_note(self, note: Note) -> None:
        """Take a note of the template."""
        if note.code is not None:
            self.note_end(note)
        elif note.fork == self.forks and self.born is not None and not self.born.done():
            if note.error:
                self.born.set_exception(WorkerLost(f"no worker process can be started: {note.error}"))
            else:
                self.born.set_result(note.pid)

    def end_workers(self) -> None:
        """Note that all workers have ended, and that the one that was being forked will not come."""
        if self.born is not None and not self.born.done():
            self.born.set_exception(EOFError("the template has died"))
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

    def discard_template(self) -> None:
        """End the template and its workers."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        with suppress(RuntimeError):  # if its event loop was closed, all of this was
            for worker in self.alive.values():
                worker.kill()
            self.end_workers()
            if self.reading is not None:
                self.reading.cancel()
            if self.writer is not None:
                self.writer.close()
        if self.line is not None:
            self.line.close()
        self.alive.clear()
        self.codes.clear()
        self.process = self.line = self.reading = self.writer = None

    def close(self) -> None:
        """End the template and its workers for good."""
        self.closed = True
        self.discard_template()
