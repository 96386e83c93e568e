"""Where thinking is done, so that the loop that serves everybody never waits for it.

What costs CPU belongs into workers; threads of this process wait for them, and keep the books of matches.
"""

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from kibitz import core
from kibitz.core.registry import make_agent
from kibitz.remote.process import Process
from kibitz.server.worker_agents import lodger
from kibitz.server.workers import Channel, Workers

Given = ParamSpec("Given")
Found = TypeVar("Found")
SHORT = 0.002
"""Seconds of work that the loop that serves everybody can spare; to hand it over costs about a tenth of that."""


class Compute:
    """Makes the agents that sit at tables, and runs what takes time: thinking, and the book-keeping of matches.

    Agents live in so many *workers*; with 0, they think in threads of this process.
    """

    def __init__(self, thinkers: int = 64, clerks: int = 4, workers: int = 0) -> None:
        self.thinkers = ThreadPoolExecutor(thinkers, "thinker")
        self.clerks = ThreadPoolExecutor(clerks, "clerk")
        self.workers = Workers(workers) if workers else None

    def start(self) -> None:
        """Have the workers ready before somebody waits for them."""
        if self.workers is not None:
            self.workers.start()

    def agent(self, spec: str, game: str) -> core.Agent:
        """The agent a spec names, where it is to think: a program has a process of its own already."""
        made = make_agent(spec, game)
        stays = self.workers is None or made.interactive or isinstance(made, Process)
        return made if stays or self.workers is None else lodger(made, self.workers)

    async def compute(self, work: Callable[..., Found], *given: object) -> Found:
        """The answer of *work*, which needs nothing that it is not given, in a worker if there are any."""
        if self.workers is None:
            return await self.think(work, *given)
        return await self.think(self.workers.run_work, work, *given)

    async def room(self, make: Callable[..., object], *given: object) -> Channel | None:
        """A room in a worker for what *make* makes; None where there are no workers."""
        if self.workers is None:
            return None
        room = self.workers.room()
        await self.think(room.settle, make, *given)
        return room

    async def think(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The answer of *work* that may take its time."""
        return await asyncio.get_running_loop().run_in_executor(self.thinkers, lambda: work(*given, **named))

    async def keep_books(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The answer of *work* that is short, whatever others think about."""
        return await asyncio.get_running_loop().run_in_executor(self.clerks, lambda: work(*given, **named))

    def close(self) -> None:
        """Let nobody begin to think any more."""
        for threads in (self.thinkers, self.clerks):
            threads.shutdown(wait=False, cancel_futures=True)
        if self.workers is not None:
            self.workers.close()


class RunInlineIfFast:
    """Does the book-keeping of one table: at once where it was short the last time, else off the loop."""

    def __init__(self, minds: Compute) -> None:
        self.minds, self.seconds = minds, math.inf

    async def do(self, work: Callable[..., Found], *given: object) -> Found:
        """The answer of *work*."""
        if self.seconds < SHORT:
            return self.time_work(work, *given)
        return await self.minds.keep_books(self.time_work, work, *given)

    def time_work(self, work: Callable[..., Found], *given: object) -> Found:
        """The answer of *work*, while a watch is on it: the CPU's, for a busy machine makes no work long."""
        start = time.thread_time()
        found = work(*given)
        self.seconds = time.thread_time() - start
        return found
