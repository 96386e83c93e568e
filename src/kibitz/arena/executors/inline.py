"""The simplest executor: this process, one item after another."""

import time
from collections.abc import Callable, Generator, Iterable

from kibitz.arena.executors.executor import Batches, Executor, Item, Result, results_of


class Inline(Executor):
    """Does the work here."""

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        batches = Batches(items)
        while batch := batches.next():
            start = time.perf_counter()
            for (position, _), result in zip(batch, results_of(work, [item for _, item in batch]), strict=True):
                yield position, result
            batches.adapt_size(len(batch), time.perf_counter() - start)
