"""A server in this process, and clients for it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from event_loop import LoopWatch
from kibitz_lab.store import Store
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.api_app import make_api_app
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.service import Service
from kibitz_web.server.tournaments import Tournaments

HOST = "http://localhost"


@pytest.fixture(scope="session")
def loop_watch() -> LoopWatch:
    """Notes the stalls of all event loops."""
    watch = LoopWatch()
    watch.calibrate()
    return watch


@pytest.fixture(autouse=True)
def no_stall(loop_watch: LoopWatch) -> Iterator[None]:
    """Fail a test in which the event loop waits for something, or computes for long."""
    with loop_watch.checked():
        yield


class House:
    """A server on a store of its own, with tokens for an operator and two players."""

    def __init__(
        self, folder: Path, limits: Limits | None = None, database: str | None = None, wait: float = 30.0
    ) -> None:
        self.store = Store(database or str(folder / "kept.db"), wait=wait)
        self.lobby = Lobby(self.store, folder / "tables", agents={"house": "random"}, limits=limits)
        tournaments = Tournaments(self.store, {"house": "random"}, workers=0)
        self.service = Service(self.store, self.lobby, tournaments, guarded=True)
        for known in self.service.auth.accounts.all():
            self.service.auth.accounts.revoke(known.name)
        self.tokens = {name: self.service.auth.accounts.make_token(name) for name in ("ann", "ben")}
        self.tokens["op"] = self.service.auth.accounts.make_token("op", "operator")
        self.app = make_api_app(self.service)
        self.running: TestClient | None = None

    @contextmanager
    def client(self, name: str = "ann") -> Iterator[TestClient]:
        """A client who sends the token of *name*; the first one starts the server, and it ends with that one."""
        sent = {"authorization": f"Bearer {self.tokens[name]}"}
        made = TestClient(self.app, HOST, headers=sent, raise_server_exceptions=False)
        if self.running is not None:
            made.portal = self.running.portal
            yield made
            return
        with made:
            self.running = made
            yield made
        self.running = None

    @staticmethod
    def over(client: TestClient, number: int) -> Any:
        """A match, when it is over."""
        for _ in range(6000):
            found = client.get(f"/api/matches/{number}").json()
            if found["status"] not in ("open", "playing"):
                return found
            time.sleep(0.01)
        raise AssertionError("it never ended")


@pytest.fixture
def open_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Opens a server, again on what the last one left if it is called again."""
    opened: list[House] = []

    def made(**options: Any) -> House:
        opened.append(House(tmp_path, **options))
        return opened[-1]

    yield made
    for each in opened:
        each.lobby.compute.io_threads.shutdown()  # what is being read ends before its connection
        each.store.close()


@pytest.fixture
def new_house(open_house: Callable[..., House]) -> House:
    """A server that no other test has used."""
    return open_house()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A running server that the tests of a file share; its tables, records and runs are also those of others."""
    opened = House(tmp_path_factory.mktemp("house"), Limits(rate=1e6, burst=1e6, rate_each=1e6, burst_each=1e6))
    with opened.client():
        yield opened
    opened.store.close()


@pytest.fixture(scope="module")
def busy_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An operator of a server for many requests."""
    house = House(
        tmp_path_factory.mktemp("busy"), Limits(rate=1e6, burst=1e6, rate_each=1e6, burst_each=1e6, tables=5, plies=50)
    )
    with house.client("op") as client:
        yield client
    house.store.close()
