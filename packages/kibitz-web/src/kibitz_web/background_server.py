"""The web app in a thread, for tests, benchmarks and notebooks that use it from the same process."""

import asyncio
import socket
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from fastapi import FastAPI

from kibitz_lab.store import Store
from kibitz_web.server.access.auth import LOCAL, Principal
from kibitz_web.server.access.connections import make_config
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.service import Service, service
from kibitz_web.visit import invitation_address, match_address
from kibitz_web.web_app import make_web_app

Found = TypeVar("Found")
OWNER = Principal(LOCAL, "local", "operator")
"""The principal of the process that runs the server."""


class BackgroundServer:
    """A running web app, used from outside its event loop: its address, its matches and its service."""

    def __init__(self, address: str, app: FastAPI, loop: asyncio.AbstractEventLoop) -> None:
        self.address, self.loop = address, loop
        self.service: Service = app.state.service

    def call(self, work: Coroutine[Any, Any, Found]) -> Found:
        """The result of *work*, which runs on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def open(self, setup: MatchSetup) -> LiveMatch:
        """Open a match; people take their seats with the links of `url`."""
        return self.call(self.service.lobby.open(setup, OWNER))

    def url(self, match: LiveMatch, player: int | None = None) -> str:
        """The page of a match; with *player*, the link with which a person takes that seat."""
        code = None if player is None else self.call(self.service.lobby.invitation(match, player))
        address = match_address(match.number) if code is None else invitation_address(match.number, code)
        return self.address + address


@contextmanager
def serving(folder: Path) -> Iterator[BackgroundServer]:
    """Serve on a free port of this machine until the end of the block. A process can do this only once."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    store = Store(str(folder / "kibitz.db"))
    app = make_web_app(service(store, folder / "matches"))
    server = uvicorn.Server(make_config(app, timeout_graceful_shutdown=1))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    while thread.is_alive() and not server.started:
        thread.join(0.05)
    try:
        yield BackgroundServer(f"http://127.0.0.1:{listening.getsockname()[1]}", app, loops[0])
    finally:
        server.should_exit = True
        thread.join(20)
        store.close()
