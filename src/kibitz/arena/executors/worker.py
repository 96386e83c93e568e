"""A worker process of the pool: takes batches, does the work, sends results; ends when its parent does."""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import msgspec

from kibitz.arena.executors.executor import results_of
from kibitz.core.child_processes import die_with
from kibitz.core.errors import ExecutionFailed, KibitzError, printable
from kibitz.core.match.watchers import error_text
from kibitz.remote.commands import Commands, commands

LOSSES = 3
"""Number of workers that one item may kill."""


class Batch(msgspec.Struct):
    """Work on some items, each with its position."""

    work: Callable[[Any], Any]
    items: list[tuple[int, Any]]
    losses: int = 0
    """Number of workers that died while doing it."""
    commands: Commands = msgspec.field(default_factory=lambda: commands)
    """The programs that the sender knows."""


def item_by_item(lost: Batch, why: str) -> list[Batch]:
    """A batch that killed a worker, divided into single items; raises if one item has killed too many."""
    position, item = lost.items[0]
    if len(lost.items) == 1 and lost.losses + 1 >= LOSSES:
        raise ExecutionFailed(f"item {position} ended {LOSSES} workers (the last: {why}): {printable(str(item))[:300]}")
    return [Batch(lost.work, [pair], lost.losses + 1) for pair in lost.items]


class BatchResult(msgspec.Struct):
    """The results of a batch, up to the first error."""

    results: list[tuple[int, Any]]
    seconds: float
    error: KibitzError | None = None


def run_batch(batch: Batch) -> BatchResult:
    """Do the work of a batch; the first error ends it."""
    commands.learn(batch.commands)
    start = time.perf_counter()
    results = []
    error = None
    made = results_of(batch.work, [item for _, item in batch.items])
    for position, _ in batch.items:
        try:
            results.append((position, next(made)))
        except KibitzError as found:
            error = found
            break
        except Exception as found:
            error = ExecutionFailed(f"item {position} failed: {error_text(found)}")
            break
    return BatchResult(results, time.perf_counter() - start, error)


def main() -> None:
    """Serve the parent on the socket of the first argument; the second is the parent whose death ends us, or 0."""
    die_with(int(sys.argv[2]))
    connection = Connection(int(sys.argv[1]))
    waiting: SimpleQueue[Batch] = SimpleQueue()
    send(connection, None)  # ready
    threading.Thread(target=receive, args=(connection, waiting), daemon=True).start()
    while True:
        send(connection, run_batch(waiting.get()))


def send(connection: "Connection[Any, Any]", message: BatchResult | None) -> None:
    """Send something to the parent; exit at once if it has ended."""
    try:
        connection.send(message)
    except OSError:
        os._exit(0)


def receive(connection: "Connection[Any, Any]", waiting: "SimpleQueue[Batch]") -> None:
    """Receive batches while others are done; exit at once when the parent has ended."""
    try:
        while True:
            waiting.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)
    except BaseException:  # a batch that cannot be loaded, such as a function of a module that is not installed
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
