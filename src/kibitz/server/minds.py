"""Where thinking is done, so that the loop that serves everybody never waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from kibitz import core
from kibitz.core.registry import make_agent

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Minds:
    """Makes the agents that sit at tables, and runs what takes time: thinking, and the book-keeping of matches."""

    def __init__(self, thinkers: int = 64, clerks: int = 4) -> None:
        self.thinkers = ThreadPoolExecutor(thinkers, "thinker")
        self.clerks = ThreadPoolExecutor(clerks, "clerk")

    def agent(self, spec: str, game: str) -> core.Agent:
        """The agent a spec names."""
        return make_agent(spec, game)

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
