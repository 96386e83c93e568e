"""Live matches with and without a lobby, and players who sit in them."""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from kibitz_lab.store import Store
from kibitz_lab.store.schema import WAIT
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat, Spectator
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.workers.compute import Compute

Found = TypeVar("Found")


def live(game: str, seats: Sequence[str | None], *, public: Sequence[int] | None = None, **options: Any) -> LiveMatch:
    """A match whose empty seats anyone may take."""
    own = {name: options.pop(name) for name in ("compute", "path", "patience", "past", "clocks") if name in options}
    empty = [seat for seat, spec in enumerate(seats) if spec is None]
    setup = MatchSetup(game, tuple(seats), public=tuple(empty if public is None else public), **options)
    return LiveMatch(setup, **own)


def player(name: str, *, person: bool = False) -> Principal:
    """A player by name."""
    return Principal(name, name, "player", person=person)


def sit(match: LiveMatch, name: str, seat: int | None = None, *, person: bool = False) -> Seat:
    """Seat a player."""
    return match.sit(player(name, person=person), seat)


def spectator(match: LiveMatch) -> Spectator:
    """Somebody who watches."""
    return match.watch(player("spectator"))


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """What comes of *work*, in a thread of its own: a browser that tests share has a loop in the main one."""

    async def limited() -> Found:
        async with asyncio.timeout(60.0):
            return await work

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, limited()).result()


def lobby_in(folder: Path, workers: int = 0, wait: float = WAIT, **options: Any) -> Lobby:
    """A lobby with a store of its own."""
    store = Store(str(folder / "kibitz.db"), wait=wait)
    return Lobby(store, folder / "matches", compute=Compute(workers=workers), **options)


async def open_seated(lobby: Lobby, game: str, seats: Sequence[str | None], **options: Any) -> LiveMatch:
    """A match of the lobby in which people sit on all private seats: the host, and those they invited."""
    setup = MatchSetup(game, tuple(seats), **{"models": (), **options})
    match = await lobby.open(setup, player("host", person=True))
    await lobby.sit_host(match, player("host", person=True))
    for number in list(match.invites):
        code = await lobby.invitation(match, number)
        await lobby.claim(match, str(code), player(f"friend {number}", person=True))
    return match


async def choose(match: LiveMatch, number: int, actions: Sequence[int]) -> None:
    """Choose some actions on a seat, then look no further."""
    rest, seat = list(actions), match.seats[number]
    async for update in seat.updates(since=0):
        if update.request is not None and rest:
            seat.choose(rest.pop(0))
        elif not rest and (update.request is not None or update.ending is not None):
            return


async def finish_tasks(lobby: Lobby) -> None:
    """Wait until everything is stored, also what models believed."""
    await asyncio.gather(*(task for task in lobby.tasks if task is not lobby.clock_task))
