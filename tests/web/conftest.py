"""The web app in a thread of its own, and a real browser."""

import asyncio
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kibitz.web.house import House, Setup, Sitting

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
PATIENCE = 30_000
"""Milliseconds a page may take on a busy machine."""


class Served:
    """A running web app: its address, and its house, used from outside its loop."""

    def __init__(self, address: str, house: House, loop: asyncio.AbstractEventLoop) -> None:
        self.address, self.house, self.loop = address, house, loop

    def open(self, setup: Setup) -> Sitting:
        """A table in the house."""

        async def opened() -> Sitting:
            return self.house.open(setup)

        return asyncio.run_coroutine_threadsafe(opened(), self.loop).result(60)

    def url(self, sitting: Sitting, seat: int | None = None) -> str:
        """The page of a table, for whoever sits on a seat."""
        return self.address + sitting.address(seat)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    import uvicorn

    from kibitz.web.app import make_app

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = make_app(tmp_path_factory.mktemp("matches"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    while not server.started:
        thread.join(0.05)
    yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", app.state.house, loops[0])
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium here (on Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Makes pages that fail the test for any error of theirs, and for anything fetched from elsewhere."""
    contexts, wrong = [], []

    def made(**options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if "://127.0.0.1" in request.url else wrong.append(request.url))
        return page

    yield made
    for context in contexts:
        context.close()
    assert [each for each in wrong if not each.startswith(("data:", "blob:"))] == []
