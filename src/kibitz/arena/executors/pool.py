"""A pool of processes: results come as they are completed, a worker that dies is replaced and its work done again."""

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from signal import Signals
from typing import Any

from kibitz.arena.executors.executor import Batches, Executor, Item, Result
from kibitz.arena.executors.worker import Batch, Done
from kibitz.core.errors import BadSpec, ExecutionFailed, shown

AHEAD = 2
"""Batches a worker holds, so that it need not wait for the next."""
SERVE = "from kibitz.arena.executors.worker import main; main()"
LOSSES = 3
"""So many workers may die over one item."""


class Worker:
    """A process, the line to it, and the batches it holds, the one it works on first."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own keeps a terminal's Ctrl-C away: whether to stop is the parent's to say.
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.connection: Connection[Any, Any] = Connection(ours.detach())
        self.batches: deque[Batch] = deque()
        self.started = False

    def send(self, batch: Batch) -> None:
        """Hand over a batch; a worker that is gone is noticed when its results are waited for."""
        self.batches.append(batch)
        with suppress(OSError):
            self.connection.send(batch)

    def end(self) -> str:
        """Make sure the process is gone; how it ended, in words."""
        self.connection.close()
        try:
            code = self.process.wait(0.1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return f"killed by {Signals(-code).name}" if code < 0 else f"exit code {code}"


class Pool(Executor):
    """Worker processes on this machine, as many as it has cores unless *workers* says otherwise."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and not 1 <= workers <= 1024:
            raise BadSpec(f"workers={workers}", "it is a number from 1 to 1024")
        self.size = workers or cores()
        self.workers: list[Worker] = []

    def completed(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        batches = Batches(items)
        again: deque[Batch] = deque()  # what a dead worker left
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
                busy = {worker.connection: worker for worker in self.workers if worker.batches}
                if not busy:
                    return
                for connection in wait(list(busy)):
                    worker = busy[connection]  # type: ignore[index]
                    try:
                        done: Done | None = worker.connection.recv()
                    except (EOFError, OSError):
                        self.workers.remove(worker)
                        false_starts += not worker.started
                        again.extend(left_by(worker, false_starts))
                        continue
                    if done is None:
                        worker.started = True
                        continue
                    worker.batches.popleft()
                    yield from done.results
                    if done.error is not None:
                        raise done.error
                    batches.took(len(done.results), done.seconds)
        finally:
            if any(worker.batches for worker in self.workers):  # stopped in the middle
                self.close()

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.end()
        self.workers = []


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def left_by(worker: Worker, false_starts: int) -> Iterator[Batch]:
    """What a dead worker held: the batch it died over item by item, to find out which one it was, then the others."""
    ending = worker.end()
    if not worker.started:
        if false_starts >= LOSSES:
            raise ExecutionFailed(f"no worker process starts ({ending}); what it printed stands above")
        yield from worker.batches
        return
    suspect, *others = worker.batches
    if len(suspect.items) == 1 and suspect.losses + 1 >= LOSSES:
        position, item = suspect.items[0]
        raise ExecutionFailed(f"item {position} ended {LOSSES} workers (the last: {ending}): {shown(item, 300)}")
    for pair in suspect.items:
        yield Batch(suspect.work, [pair], suspect.losses + 1)
    yield from others
