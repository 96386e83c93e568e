"""Runs agents and other slow work off the event loop, which must never wait for them.

Work that costs CPU goes to worker processes; threads of this process wait for them and update the matches.
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
"""Seconds of work that may run on the event loop; handing work to a thread costs about a tenth of that."""


class Compute:
    """Creates the agents of live matches, and runs slow work: their thinking and the updates of matches.

    Agents run in *workers* processes; with 0, in threads of this process.
    """

    def __init__(self, thinkers: int = 64, clerks: int = 4, workers: int = 0) -> None:
        self.thinkers = ThreadPoolExecutor(thinkers, "thinker")
        self.clerks = ThreadPoolExecutor(clerks, "clerk")
        self.workers = Workers(workers) if workers else None

    def start(self) -> None:
        """Start the workers before the first request needs them."""
        if self.workers is not None:
            self.workers.start()

    def agent(self, spec: str, game: str) -> core.Agent:
        """The agent that a spec names, in a worker; an external program has its own process already."""
        made = make_agent(spec, game)
        stays = self.workers is None or made.interactive or isinstance(made, Process)
        return made if stays or self.workers is None else lodger(made, self.workers)

    async def compute(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, run in a worker if there are any; *work* may use only its arguments."""
        if self.workers is None:
            return await self.think(work, *given)
        return await self.think(self.workers.run_work, work, *given)

    async def room(self, make: Callable[..., object], *given: object) -> Channel | None:
        """A channel to an object made by *make* in a worker; None if there are no workers."""
        if self.workers is None:
            return None
        room = self.workers.room()
        await self.think(room.settle, make, *given)
        return room

    async def think(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of *work* that may take long."""
        return await asyncio.get_running_loop().run_in_executor(self.thinkers, lambda: work(*given, **named))

    async def keep_books(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of short *work*, which never waits behind long work."""
        return await asyncio.get_running_loop().run_in_executor(self.clerks, lambda: work(*given, **named))

    def close(self) -> None:
        """Shut the pools down."""
        for threads in (self.thinkers, self.clerks):
            threads.shutdown(wait=False, cancel_futures=True)
        if self.workers is not None:
            self.workers.close()


class RunInlineIfFast:
    """Runs the updates of one match: inline if the last one was fast, otherwise off the loop."""

    def __init__(self, minds: Compute) -> None:
        self.minds, self.seconds = minds, math.inf

    async def do(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*."""
        if self.seconds < SHORT:
            return self.time_work(work, *given)
        return await self.minds.keep_books(self.time_work, work, *given)

    def time_work(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, whose CPU time is measured: a busy machine does not make work long."""
        start = time.thread_time()
        found = work(*given)
        self.seconds = time.thread_time() - start
        return found
