"""The interface of executors, and the division of items into batches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Self, TypeVar

from kibitz.core.errors import BadSpec, UnknownName
from kibitz.core.registry.specs import constructor_parameters

Item = TypeVar("Item")
Result = TypeVar("Result")

EXECUTORS = {
    "inline": "kibitz.arena.executors.inline:Inline",
    "pool": "kibitz.arena.executors.pool:Pool",
    "ray": "kibitz.arena.executors.cluster:Cluster",
}


def results_of(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The results of items, worked on at once if the work has a method `together` for that."""
    together: Callable[[Sequence[Item]], list[Result]] | None = getattr(work, "together", None)
    if together is not None and len(items) > 1:
        try:
            return iter(together(items))
        except Exception:  # the work on one of them fails; the others have results
            pass
    return map(work, items)


class Executor(ABC):
    """Does work on items in any order, each at least once; yields each result exactly once."""

    @abstractmethod
    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        """The results as they are completed, each with its item's position; items are read as they are needed."""

    def close(self) -> None:  # noqa: B027 - an executor may have nothing to close
        """Stop the workers; the executor may not be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


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


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """The results in the order of their items; one that comes early waits."""
    waiting: dict[int, Result] = {}
    due = 0
    for position, result in results:
        waiting[position] = result
        while due in waiting:
            yield waiting.pop(due)
            due += 1


class Batches:
    """Divides items into batches that take about *seconds*, judging by the last ones."""

    def __init__(self, items: Iterable[Item], *, seconds: float = 0.3, largest: int = 2000) -> None:
        self.items = enumerate(items)
        self.seconds, self.largest = seconds, largest
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
        fitting = int(self.seconds * count / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 4 * self.size, self.largest))
