"""How the server uses its store, so that a slow database stops no match: changes wait in line, readers do not.

Changes are made one after another in a thread of their own. Those that may not be lost are repeated until they succeed.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kibitz.core.errors import RunInUse, StoreTrouble

log = logging.getLogger(__name__)
Found = TypeVar("Found")
SERVING_WAIT = 2.0
"""Seconds that a change waits for the lock of the database before it is refused or put off."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds before a change is tried again; each pause is twice the one before."""


class StoreWriter:
    """Makes changes in the store, one after another."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "store writer")
        self.turn = asyncio.Lock()
        self.closing = asyncio.Event()
        self.trouble = ""
        """Why the last change failed; empty if it succeeded."""

    async def write(self, change: Callable[..., Found], *given: object) -> Found:
        """Make a change; raises StoreTrouble if the database is locked or gone."""
        try:
            found = await asyncio.get_running_loop().run_in_executor(self.thread, lambda: change(*given))
        except StoreTrouble as error:
            self.trouble = str(error)
            raise
        self.trouble = ""
        return found

    async def write_until_done(self, change: Callable[..., Found], *given: object) -> Found:
        """Make a change, again and again until it succeeds; raises StoreTrouble only if the server stops meanwhile.

        Such changes are made in the order of the calls.
        """
        pause = FIRST_PAUSE
        async with self.turn:
            while True:
                try:
                    return await self.write(change, *given)
                except StoreTrouble as error:
                    if self.closing.is_set():
                        raise
                    log.warning("a change could not be stored, and is tried again in %g s: %s", pause, error)
                await self.pause(pause)
                pause = min(2.0 * pause, LONGEST_PAUSE)

    async def pause(self, seconds: float) -> None:
        """Wait, or less if the server stops."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return

    def close(self) -> None:
        """Let changes that fail from now on fail for good; the caller waits for them."""
        self.closing.set()


def public_words(error: Exception) -> str:
    """An error in words that any client may read; those of the database name files and processes of this machine."""
    if not isinstance(error, StoreTrouble | RunInUse):
        return str(error)
    log.warning("a request failed: %s", error)
    return "the database takes no changes now, or does not answer; try again soon"
