"""An event loop with a clock of its own, and an executor without threads: a server then does the same each time."""

import asyncio
import math
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

Found = TypeVar("Found")


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock stands still while there is work, and jumps to the next timer when there is none."""

    def __init__(self) -> None:
        self.now = 1000.0
        super().__init__()

    def time(self) -> float:
        return self.now

    def finish(self, work: Coroutine[Any, Any, Found], seconds: float = 20.0) -> Found:
        """The result of *work*, which takes at most so many seconds of this clock."""
        task = self.create_task(work)
        self.run_for(seconds, task.done)
        if not task.done():
            task.cancel()
            self.run_for(0.0)
            raise AssertionError(f"no answer within {seconds:g} s")
        return task.result()

    def run_for(self, seconds: float, is_done: Callable[[], bool] = lambda: False) -> None:
        """Run until there is nothing to do within *seconds*, or *is_done*."""
        self.run_until_complete(self._run_for(seconds, is_done))

    async def _run_for(self, seconds: float, is_done: Callable[[], bool]) -> None:
        until = self.now + seconds
        while not is_done():
            if self._ready:  # type: ignore[attr-defined]
                await asyncio.sleep(0)
                continue
            timers = self._scheduled  # type: ignore[attr-defined]
            due = min((timer.when() for timer in timers if not timer.cancelled()), default=math.inf)
            if due > until:
                self.now = until
                return
            self.now = max(self.now, due)
            await asyncio.sleep(0)

    def end(self) -> None:
        """Cancel everything, and close the loop."""
        for _ in range(10):
            tasks = asyncio.all_tasks(self)
            for task in tasks:
                task.cancel()
            if not tasks:
                break
            self.run_for(2.0, lambda: len(asyncio.all_tasks(self)) <= 1)  # the one is this
        self.close()


class InlineExecutor(Executor):
    """Runs work at once, in the thread that submits it; once *killed*, work is never done."""

    def __init__(self) -> None:
        self.killed = False

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        if not self.killed:
            try:
                future.set_result(work(*given, **named))
            except Exception as error:
                future.set_exception(error)
        return future
