"""What tests of tables share: a house of their own, and people who choose."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from kibitz.server.compute import Compute
from kibitz.server.lobby import Lobby
from kibitz.store import Store
from kibitz.web.house import House, Sitting

Found = TypeVar("Found")


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """What comes of *work*, in a thread of its own: a browser that tests share has a loop in the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asyncio.wait_for(work, 60.0)).result()


def house_in(folder: Path, workers: int = 0) -> House:
    """A house with a store of its own."""
    return House(Lobby(Store(str(folder / "kibitz.db")), folder / "matches", compute=Compute(workers=workers)))


async def chosen(sitting: Sitting, seat: int, actions: list[int]) -> None:
    """Choose some actions on a seat, then look no further."""
    rest = list(actions)
    async for update in sitting.table.updates(seat, since=0):
        if update.request is not None and rest:
            sitting.table.guest(seat).choose(rest.pop(0))
        elif not rest and (update.request is not None or update.ending is not None):
            return
