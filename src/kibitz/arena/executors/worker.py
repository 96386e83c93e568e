"""A worker process of the pool: takes batches, does the work, sends results; ends when its parent does."""

import os
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import msgspec

from kibitz.core.errors import ExecutionFailed, KibitzError
from kibitz.core.watchers import described


class Batch(msgspec.Struct):
    """Work on some items, each with its position."""

    work: Callable[[Any], Any]
    items: list[tuple[int, Any]]
    losses: int = 0
    """How often a worker died over it."""


class Done(msgspec.Struct):
    """The results of a batch, as far as an error let it come."""

    results: list[tuple[int, Any]]
    seconds: float
    error: KibitzError | None = None


def done(batch: Batch) -> Done:
    """Do the work of a batch; the first error ends it."""
    start = time.perf_counter()
    results = []
    error = None
    for position, item in batch.items:
        try:
            results.append((position, batch.work(item)))
        except KibitzError as found:
            error = found
            break
        except Exception as found:
            error = ExecutionFailed(f"item {position} failed: {described(found)}")
            break
    return Done(results, time.perf_counter() - start, error)


def main() -> None:
    """Serve the parent on the socket whose number is the only argument."""
    connection = Connection(int(sys.argv[1]))
    waiting: SimpleQueue[Batch] = SimpleQueue()
    connection.send(None)  # here we are
    threading.Thread(target=receive, args=(connection, waiting), daemon=True).start()
    while True:
        connection.send(done(waiting.get()))


def receive(connection: "Connection[Any, Any]", waiting: "SimpleQueue[Batch]") -> None:
    """Take batches while others are worked on; a parent that is gone ends this process at once, whatever it does."""
    try:
        while True:
            waiting.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)
