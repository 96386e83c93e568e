"""Turns: so many pieces of work at once for each person."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from kibitz_web.server.workers.turns import Budget, Turns


class Stage:
    """Work that goes on until it is ended."""

    def __init__(self) -> None:
        self.turns = Turns(2, Budget())
        self.begun: list[str] = []
        self.done: dict[str, asyncio.Event] = {}

    def begin(self, name: str, payer: str) -> asyncio.Task[None]:
        """Begin work for a person."""
        self.done[name] = asyncio.Event()

        async def work() -> None:
            async with self.turns.turn(payer, None):
                self.begun.append(name)
                await self.done[name].wait()

        return asyncio.create_task(work())

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(20):
            await asyncio.sleep(0)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20.0))


def test_the_work_of_one_person_waits_for_itself_and_for_nobody_else() -> None:
    async def played() -> None:
        stage = Stage()
        for name, payer in (("a1", "ann"), ("a2", "ann"), ("a3", "ann"), ("b1", "ben")):
            stage.begin(name, payer)
        await stage.settle()
        assert stage.begun == ["a1", "a2", "b1"]
        stage.done["a2"].set()
        await stage.settle()
        assert stage.begun[-1] == "a3"

    run(played())
