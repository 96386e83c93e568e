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
from kibitz.server.worker_agents import in_worker
from kibitz.server.workers import Channel, Workers

Given = ParamSpec("Given")
Found = TypeVar("Found")
SHORT = 0.002
"""Seconds of work that may run on the event loop; handing work to a thread costs about a tenth of that."""


class Compute:
    """Creates the agents of live matches, and runs slow work: their thinking and the updates of matches.

    Agents run in *workers* processes; with 0, in threads of this process.
    """

    def __init__(self, threads: int = 64, io_threads: int = 4, workers: int = 0) -> None:
        self.threads = ThreadPoolExecutor(threads, "thread")
        self.io_threads = ThreadPoolExecutor(io_threads, "io")
        self.workers = Workers(workers) if workers else None

    def start(self) -> None:
        """Start the workers before the first request needs them."""
        if self.workers is not None:
            self.workers.start()

    def agent(self, spec: str, game: str) -> core.Agent:
        """The agent that a spec names, in a worker; an external program has its own process already."""
        made = make_agent(spec, game)
        stays = self.workers is None or made.interactive or isinstance(made, Process)
        return made if stays or self.workers is None else in_worker(made, self.workers)

    async def run_cpu(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, run in a worker if there are any; *work* may use only its arguments."""
        if self.workers is None:
            return await self.run_blocking(work, *given)
        return await self.run_blocking(self.workers.run_work, work, *given)

    async def open_channel(self, make: Callable[..., object], *given: object) -> Channel | None:
        """A channel to an object made by *make* in a worker; None if there are no workers."""
        if self.workers is None:
            return None
        channel = self.workers.open_channel()
        await self.run_blocking(channel.load, make, *given)
        return channel

    async def run_blocking(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of *work* that may take long."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, lambda: work(*given, **named))

    async def run_io(self, work: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """The result of short *work*, which never waits behind long work."""
        return await asyncio.get_running_loop().run_in_executor(self.io_threads, lambda: work(*given, **named))

    def close(self) -> None:
        """Shut the pools down."""
        for threads in (self.threads, self.io_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        if self.workers is not None:
            self.workers.close()


class RunInlineIfFast:
    """Runs the updates of one match: inline if the last one was fast, otherwise off the loop."""

    def __init__(self, compute: Compute) -> None:
        self.compute, self.seconds = compute, math.inf

    async def run(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*."""
        if self.seconds < SHORT:
            return self.time_work(work, *given)
        return await self.compute.run_io(self.time_work, work, *given)

    def time_work(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work*, whose CPU time is measured: a busy machine does not make work long."""
        start = time.thread_time()
        found = work(*given)
        self.seconds = time.thread_time() - start
        return found
