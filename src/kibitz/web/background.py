"""The web app in a thread, for tests, benchmarks and notebooks that use it from the same process."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from kibitz.server.service import Service, service
from kibitz.store import Store
from kibitz.web.app import make_app
from kibitz.web.house import House, Setup, Sitting


class BackgroundServer:
    """A running web app, used from outside its event loop: its address, its matches and its service."""

    def __init__(self, address: str, house: House, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self.address, self.house, self.service, self.loop = address, house, service, loop

    def open(self, setup: Setup) -> Sitting:
        """Open a match."""

        async def open_sitting() -> Sitting:
            return self.house.open(setup)

        return asyncio.run_coroutine_threadsafe(open_sitting(), self.loop).result(60)

    def url(self, sitting: Sitting, seat: int | None = None) -> str:
        """The page of a match, for the person on a seat; uses up the invitation to it."""
        person = None if seat is None else sitting.table.guest(seat)
        invite = next((code for code, invited in sitting.invites.items() if invited is person), None)
        return self.address + sitting.address(person if invite is None else sitting.claim(invite))


@contextmanager
def serving(folder: Path) -> Iterator[BackgroundServer]:
    """Serve on a free port of this machine until the end of the block. A process can do this only once."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    store = Store(str(folder / "kibitz.db"))
    app = make_app(service(store, folder / "matches"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    while thread.is_alive() and not server.started:
        thread.join(0.05)
    try:
        yield BackgroundServer(
            f"http://127.0.0.1:{listening.getsockname()[1]}", app.state.house, app.state.service, loops[0]
        )
    finally:
        server.should_exit = True
        thread.join(20)
        store.close()
