"""Executors: this process, a pool of processes that replaces one that dies, or a Ray cluster.

Items are done in batches: here is how large they are, and how a worker does one. A batch that killed a worker is
divided.
"""

import logging
import pickle
import platform
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from multiprocessing.connection import wait
from typing import Any, NamedTuple, Self, TypeVar

import msgspec

import kibitz
from kibitz.core.errors import BadSpec, ExecutionFailed, KibitzError, UnknownName, error_text, printable
from kibitz.core.processes import Worker, WorkerLost, Workers, cores
from kibitz.core.specs import constructor_parameters
from kibitz.remote.command_lines import Commands, commands

Item = TypeVar("Item")
Result = TypeVar("Result")
LOSSES = 3
"""Number of workers that one item may kill."""
SECONDS, LARGEST = 0.3, 2000
"""The time that a batch should take, and the most items in it."""


class Batches:
    """Divides items into batches that take about SECONDS, judging by the last ones."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = enumerate(items)
        self.size = 1

    def next(self) -> list[tuple[int, Any]]:
        """The next batch of positions and items; empty when there are no more."""
        batch = []
        for pair in self.items:
            batch.append(pair)
            if len(batch) >= self.size:
                break
        return batch

    def adapt_size(self, count: int, seconds: float) -> None:
        """Learn from a batch: grow at most fourfold at a time, shrink at once."""
        fitting = int(SECONDS * count / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 4 * self.size, LARGEST))


class Batch(msgspec.Struct):
    """Work on some items, each with its position."""

    work: Callable[[Any], Any]
    items: list[tuple[int, Any]]
    losses: int = 0
    """Number of workers that died while doing it."""
    commands: Commands = msgspec.field(default_factory=lambda: commands)
    """The programs that the sender knows."""

    def dump(self) -> bytes:
        """The batch as a worker gets it."""
        try:
            return pickle.dumps(self)
        except Exception as error:
            why = f"item {self.items[0][0]} failed: it cannot be sent: {error_text(error)}"
            raise ExecutionFailed(why) from None

    def item_by_item(self, why: str) -> "list[Batch]":
        """A batch that killed a worker, divided into single items; raises if one item has killed too many."""
        position, item = self.items[0]
        if len(self.items) == 1 and self.losses + 1 >= LOSSES:
            ended = f"item {position} ended {LOSSES} workers (the last: {why})"
            raise ExecutionFailed(f"{ended}: {printable(str(item))[:300]}")
        return [Batch(self.work, [pair], self.losses + 1) for pair in self.items]


class BatchResult(msgspec.Struct):
    """The results of a batch, up to the first error."""

    results: list[tuple[int, Any]]
    seconds: float = 0.0
    error: KibitzError | None = None


class Answer(NamedTuple):
    """What a worker sends: its version, its machine, and a pickled `BatchResult`, which other versions cannot read."""

    version: str
    machine: str
    result: bytes

    def load(self) -> BatchResult:
        """The result; raises ExecutionFailed if the worker has another version."""
        if self.version != kibitz.__version__:
            versions = f"kibitz {self.version} and we have {kibitz.__version__}"
            raise ExecutionFailed(f"{self.machine} has {versions}; install the same on every machine")
        done = pickle.loads(self.result)
        assert isinstance(done, BatchResult)
        return done


# In a worker


def do_batch(version: str, batch: bytes) -> Answer:
    """The answer to a batch of a sender with this version."""
    done = BatchResult([])
    if version == kibitz.__version__:
        try:
            loaded: Batch = pickle.loads(batch)
        except Exception as error:
            why = f"{platform.node()} cannot load the work: {error_text(error)}; install what it needs there"
            done.error = ExecutionFailed(why)
        else:
            done = run_batch(loaded)
    try:
        result = pickle.dumps(done)
    except Exception as error:
        why = f"item {unsendable_item(done)} failed: its result cannot be sent: {error_text(error)}"
        result = pickle.dumps(BatchResult([], error=ExecutionFailed(why)))
    return Answer(kibitz.__version__, platform.node(), result)


def run_batch(batch: Batch) -> BatchResult:
    """Do the work of a batch; the first error ends it."""
    commands.learn(batch.commands)
    start = time.perf_counter()
    done = BatchResult([])
    made = results_of(batch.work, [item for _, item in batch.items])
    for position, _ in batch.items:
        try:
            done.results.append((position, next(made)))
        except KibitzError as found:
            done.error = found
            break
        except Exception as found:
            done.error = ExecutionFailed(f"item {position} failed: {error_text(found)}")
            break
    done.seconds = time.perf_counter() - start
    return done


def results_of(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results of items, worked on at once if the work has a method `together` for that."""
    together: Callable[[Sequence[Item]], list[Result]] | None = getattr(work, "together", None)
    if together is not None and len(items) > 1:
        try:
            return iter(together(items))
        except Exception:  # the work on one of them fails; the others have results
            pass
    return map(work, items)


def unsendable_item(done: BatchResult) -> int:
    """The position of the first result, or else of the error, that cannot be pickled."""
    for position, result in done.results:
        try:
            pickle.dumps(result)
        except Exception:
            return position
    return done.results[-1][0] + 1 if done.results else 0


EXECUTORS = {
    "inline": "kibitz_lab.arena.executors.executor:Inline",
    "pool": "kibitz_lab.arena.executors.executor:Pool",
    "ray": "kibitz_lab.arena.executors.cluster:Cluster",
}
log = logging.getLogger(__name__)


class Executor(ABC):
    """Does work on items in any order, each at least once; yields each result exactly once."""

    @abstractmethod
    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        """The results as they are completed, each with its item's position; items are read as they are needed."""

    def results(
        self, work: Callable[[Item], Result], items: Iterable[Item], progress: Callable[[int], None] | None = None
    ) -> list[Result]:
        """The results in the order of their items; *progress* is called with how many were just completed."""
        found: dict[int, Result] = {}
        with closing(self.run_items(work, items)) as completed:
            for position, result in completed:
                found[position] = result
                if progress is not None:
                    progress(1)
        return [found[position] for position in sorted(found)]

    def close(self) -> None:  # noqa: B027 - an executor may have nothing to close
        """Stop the workers; the executor may not be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class Inline(Executor):
    """Does the work here, one item after another."""

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        batches = Batches(items)
        while batch := batches.next():
            start = time.perf_counter()
            for (position, _), result in zip(batch, results_of(work, [item for _, item in batch]), strict=True):
                yield position, result
            batches.adapt_size(len(batch), time.perf_counter() - start)


class ProcessExecutor(Executor):
    """Does the work in batches elsewhere; what a worker that died held is repeated item by item."""

    @abstractmethod
    def has_room(self) -> bool:
        """Whether another batch may be sent."""

    @abstractmethod
    def send(self, batch: Batch) -> None:
        """Send a batch to a worker."""

    @abstractmethod
    def answers(self) -> list[tuple[Batch, BatchResult | WorkerLost]]:
        """Wait for the next answers to batches, or losses of them; empty if none is in progress."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop all batches in progress."""

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        batches = Batches(items)
        again: deque[Batch] = deque()  # lost batches
        hopeless: ExecutionFailed | None = None  # raised when everything else is done

        def send_all() -> None:
            while self.has_room():
                batch = again.popleft() if again else Batch(work, batches.next())
                if not batch.items:
                    break
                self.send(batch)

        try:
            send_all()
            while answers := self.answers():
                for batch, answer in answers:
                    if isinstance(answer, WorkerLost):
                        log.warning("%s; its work is repeated item by item", answer)
                        try:
                            again.extend(batch.item_by_item(str(answer)))
                        except ExecutionFailed as error:
                            hopeless = hopeless or error
                send_all()  # workers go on while the results are used
                for _, answer in answers:
                    if isinstance(answer, BatchResult):
                        yield from answer.results
                        if answer.error is not None:
                            raise answer.error
                        batches.adapt_size(len(answer.results), answer.seconds)
        finally:
            self.cancel()
        if hopeless is not None:
            raise hopeless


def make_executor(name: str = "pool", **options: Any) -> Executor:
    """The executor called *name*: inline, pool (`workers`) or ray (`address`)."""
    if name not in EXECUTORS:
        raise UnknownName("executor", name, tuple(EXECUTORS))
    module, _, kind = EXECUTORS[name].partition(":")
    made = getattr(import_module(module), kind)
    unknown = [option for option in options if option not in constructor_parameters(made)]
    if unknown:
        raise BadSpec(f"{name} executor", f"it has no {' or '.join(unknown)}")
    executor = made(**options)
    assert isinstance(executor, Executor)
    return executor


class Pool(ProcessExecutor):
    """Worker processes on this machine, as many as it has cores unless *workers* says otherwise."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and not 1 <= workers <= 1024:
            raise BadSpec(f"workers={workers}", "must be a number from 1 to 1024")
        self.size = workers or cores()
        self.workers = Workers(import_most)
        self.idle: list[Worker] = []
        self.busy: dict[Worker, Batch] = {}
        self.false_starts = 0
        """Number of workers, one after another, that died before they were ready."""

    def has_room(self) -> bool:
        return len(self.busy) < self.size

    def send(self, batch: Batch) -> None:
        worker = self.idle.pop() if self.idle else self.workers.fork()
        worker.send(pickle.dumps(("run", do_batch, (kibitz.__version__, batch.dump()))))
        self.busy[worker] = batch

    def answers(self) -> list[tuple[Batch, BatchResult | WorkerLost]]:
        lines: dict[Any, Worker] = {worker.connection: worker for worker in self.busy}
        return [self.answer(lines[line]) for line in wait(list(lines))] if lines else []

    def answer(self, worker: Worker) -> tuple[Batch, BatchResult | WorkerLost]:
        """The answer of a worker that has sent one or has died."""
        batch = self.busy[worker]
        try:
            done: BatchResult | WorkerLost = worker.receive().load()
            self.idle.append(worker)
        except WorkerLost as lost:
            done = lost
        self.false_starts = 0 if worker.pid else self.false_starts + 1
        if self.false_starts >= LOSSES:
            raise ExecutionFailed(str(done))
        del self.busy[worker]
        return batch, done

    def cancel(self) -> None:
        for worker in self.busy:
            worker.kill()
        self.busy = {}

    def close(self) -> None:
        self.cancel()
        self.idle = []
        self.workers.close()


def import_most() -> None:
    """Import what most workers need, once for all."""
    from kibitz_lab.arena import series  # noqa: F401
