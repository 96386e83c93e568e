"""The simplest executor: this process, one item after another."""

from collections.abc import Callable, Generator, Iterable

from kibitz.arena.executors.executor import Executor, Item, Result


class Inline(Executor):
    """Does the work here."""

    def run_items(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[tuple[int, Result], None, None]:
        for position, item in enumerate(items):
            yield position, work(item)
