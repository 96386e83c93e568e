"""A pool of processes: results come as they are completed; a worker that dies is replaced and its work repeated."""

import os
import subprocess
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from signal import SIGKILL, Signals
from typing import Any

from kibitz.arena.executors.executor import Batches, Executor, Item, Result
from kibitz.arena.executors.worker import LOSSES, Batch, BatchResult, item_by_item
from kibitz.core.child_processes import cores, spawn_process
from kibitz.core.errors import BadSpec, ExecutionFailed

AHEAD = 2
"""Batches that a worker holds, so that it need not wait for the next."""
SERVE = "from kibitz.arena.executors.worker import main; main()"


def departure(code: int) -> str:
    """How a process ended, in words."""
    return f"killed by {Signals(-code).name}" if code < 0 else f"exit code {code}"


class Worker:
    """A process, the socket to it, and its batches, the current one first."""

    def __init__(self) -> None:
        self.process, ours = spawn_process(SERVE)
        self.connection: Connection[Any, Any] = Connection(ours.detach())
        self.death = os.pidfd_open(self.process.pid) if hasattr(os, "pidfd_open") else None
        """A descriptor to wait for: children of a dead worker may hold its socket open."""
        self.batches: deque[Batch] = deque()
        self.started = False

    def send(self, batch: Batch) -> None:
        """Send a batch; a dead worker is noticed later, when its results are awaited."""
        self.batches.append(batch)
        with suppress(OSError):
            self.connection.send(batch)

    def receive_result(self) -> BatchResult | None:
        """The next result; raises EOFError if the worker has died."""
        if not self.connection.poll() and self.process.poll() is not None:
            raise EOFError
        done: BatchResult | None = self.connection.recv()
        return done

    def end(self) -> str:
        """Make sure that the process and its children have ended; return how, in words."""
        self.connection.close()
        try:
            code = self.process.wait(0.1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        with suppress(OSError):
            os.killpg(self.process.pid, SIGKILL)
        if self.death is not None:
            os.close(self.death)
        return departure(code)


class Pool(Executor):
    """Worker processes on this machine, as many as it has cores unless *workers* says otherwise."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and not 1 <= workers <= 1024:
            raise BadSpec(f"workers={workers}", "must be a number from 1 to 1024")
        self.size = workers or cores()
        self.workers: list[Worker] = []

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        batches = Batches(items)
        again: deque[Batch] = deque()  # batches of dead workers
        hopeless: ExecutionFailed | None = None  # raised when everything else is done
        false_starts = 0
        try:
            while True:
                self.workers += [Worker() for _ in range(self.size - len(self.workers))]
                for worker in sorted(self.workers, key=lambda worker: len(worker.batches)):
                    while len(worker.batches) < AHEAD:
                        batch = again.popleft() if again else Batch(work, batches.next())
                        if not batch.items:
                            break
                        worker.send(batch)
                busy = [worker for worker in self.workers if worker.batches]
                if not busy:
                    break
                for worker in wait_for_workers(busy):
                    try:
                        done = worker.receive_result()
                    except (EOFError, OSError):
                        self.workers.remove(worker)
                        ending = worker.end()
                        if not worker.started:
                            false_starts += 1
                            if false_starts >= LOSSES:
                                why = f"no worker process starts ({ending}); see its output above"
                                raise ExecutionFailed(why) from None
                        else:
                            try:
                                again.extend(item_by_item(worker.batches.popleft(), ending))
                            except ExecutionFailed as error:
                                hopeless = hopeless or error
                        again.extend(worker.batches)
                        continue
                    if done is None:
                        worker.started, false_starts = True, 0
                        continue
                    worker.batches.popleft()
                    yield from done.results
                    if done.error is not None:
                        raise done.error
                    batches.adapt_size(len(done.results), done.seconds)
        finally:
            if any(worker.batches for worker in self.workers):  # stopped in the middle
                self.close()
        if hopeless is not None:
            raise hopeless

    def close(self) -> None:
        """Stop all workers at once."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.end()
        self.workers = []


def wait_for_workers(workers: Sequence[Worker]) -> list[Worker]:
    """Wait for workers that have sent something or have died."""
    lines: dict[Any, Worker] = {worker.connection: worker for worker in workers}
    lines |= {worker.death: worker for worker in workers if worker.death is not None}
    return list(dict.fromkeys(lines[each] for each in wait(list(lines))))
