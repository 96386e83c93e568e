"""Objects that stay in a worker process, such as the models that watch a match: every call finds them as they were."""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from kibitz.core.processes import Worker, WorkerLost
from kibitz_web.server.workers.calls import run_call, run_call_with_object
from kibitz_web.server.workers.turns import ThinkingStopped

if TYPE_CHECKING:
    from kibitz_web.server.workers.compute import Compute

Found = TypeVar("Found")


class Resident:
    """An object in a worker of its own. Calls are answered one by one, in their order."""

    def __init__(
        self,
        compute: "Compute",
        make: Callable[..., object],
        given: tuple[object, ...],
        payer: str,
        match: Hashable,
    ) -> None:
        self.compute, self.make, self.given, self.payer, self.match = compute, make, given, payer, match
        self.order = asyncio.Lock()
        self.worker: Worker | None = None
        self.local: Any = None
        """The object itself, where there are no workers."""
        self.failure: Exception | None = None
        """Why it answers no more."""

    async def call(self, work: Callable[..., Found], *given: object, limit: float | None = None) -> Found:
        """The result of *work* with the object; killed after *limit* seconds, or if you are cancelled."""
        if not self.compute.slots:
            return await self.compute.run_blocking(self.call_here, work, given)
        self.compute.bind()
        async with self.order:
            worker = self.worker or await self.load()
            self.check()
            async with self.compute.turns.turn(self.payer, self.match) as turn:
                turn.worker = worker
                with self.failing():
                    return await self.compute.ask(worker, worker.call, run_call_with_object, work, *given, limit=limit)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Note why it answers no more, if its worker is lost or stopped."""
        try:
            yield
        except (WorkerLost, ThinkingStopped) as error:
            self.failure = self.failure or error
            raise

    async def load(self) -> Worker:
        """The worker, with the object in it; one that is lost before it has the object is replaced once."""
        with suppress(WorkerLost):
            return await self.load_once()
        with self.failing():
            return await self.load_once()

    async def load_once(self) -> Worker:
        """A new worker, with the object in it."""
        self.check()
        async with self.compute.turns.turn(self.payer, self.match) as turn:
            turn.worker = self.worker = worker = await self.compute.fork(self.payer, self.match)
            try:
                self.check()
                await self.compute.ask(worker, worker.load, run_call, self.make, *self.given)
            except BaseException:
                worker.kill()
                self.worker = None
                raise
            return worker

    def call_blocking(self, work: Callable[..., Found], *given: object) -> Found:
        """The same for a thread, which waits."""
        return self.compute.submit(self.call(work, *given)).result()

    def call_here(self, work: Callable[..., Found], given: tuple[object, ...]) -> Found:
        """The result of *work* in this process."""
        if self.local is None:
            self.local = self.make(*self.given)
        return work(self.local, *given)

    def check(self) -> None:
        """Raise the failure, if there is one."""
        if self.failure is not None:
            self.kill_worker()
            raise self.failure

    def close(self, why: ThinkingStopped | None = None) -> None:
        """End the worker now; calls that wait raise *why*."""
        self.failure = self.failure or why or ThinkingStopped("the match is over")
        residents = self.compute.residents.get(self.match, set())
        residents.discard(self)
        if not residents:
            self.compute.residents.pop(self.match, None)
        self.kill_worker()

    def kill_worker(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.kill(self.failure)
