"""Two servers in this process that differ only in what one player of each match hides, and all that anyone receives."""

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio.to_thread
import msgspec
from fastapi import FastAPI
from nicegui import Client, core, ui
from nicegui import json as page_json
from nicegui.slot import Slot
from starlette.websockets import WebSocket

from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts
from kibitz_web import web_app as web
from kibitz_web.server.access.cookies import COOKIE
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.api.sockets import BotSockets
from kibitz_web.server.api_app import make_api_app
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.service import Service
from kibitz_web.server.tournaments import Tournaments
from kibitz_web.server.workers.compute import Compute
from virtual_time import InlineExecutor, VirtualLoop

PROGRAMS, PEOPLE = ("ann", "ben", "cid"), ("pat", "quy")
ROLES = {"op": "operator", "eve": "spectator"}
EVERYBODY = (*PROGRAMS, *PEOPLE, *ROLES)
DEALS = {  # for each player who hides it: what chance deals in one world and in the other
    ("kuhn(players=2)", 0): (("deal Q", "deal K"), ("deal A", "deal K")),
    ("kuhn(players=2)", 1): (("deal K", "deal Q"), ("deal K", "deal A")),
}
HTTP, SEED = "http://localhost", 7
UNIQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
LIMITS = Limits(rate=1e9, burst=1e9, rate_each=1e9, burst_each=1e9)


class PairedLobby(Lobby):
    """A lobby in which chance deals what the pair of worlds prescribes, unless the seed was chosen."""

    world: "World"

    def make_match(self, setup: MatchSetup, number: int, owner: str, **past: Any) -> LiveMatch:
        match = super().make_match(setup, number, owner, **past)
        if setup.seed is None:
            dealt = DEALS.get((repr(match.game), hiding_player(number)))
            given = () if dealt is None else tuple((card,) for card in dealt[self.world.side])
            match.options = msgspec.structs.replace(match.options, seed=SEED, given=given)
        return match


def hiding_player(number: int) -> int:
    """The player of a match whose hidden state differs."""
    return number % 2


class Channel:
    """What one principal receives in one place: a socket, a page, or the answer to a request."""

    def __init__(self, who: str, what: str, match: int | None = None) -> None:
        self.who, self.what, self.match = who, what, match
        self.received: list[str] = []
        self.read = 0
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.open, self.ended = True, False
        """Whether it can be used, and whether its principal was revoked."""
        self.client: Client | None = None
        """The page in the browser."""

    def news(self) -> list[str]:
        """What was received since the last call."""
        found, self.read = self.received[self.read :], len(self.received)
        return found

    def say(self, **message: Any) -> None:
        """Send a message on a socket."""
        self.inbox.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    def last(self, kind: str) -> Any:
        """The last message of a kind."""
        found = [said for said in map(json.loads, self.received) if said["type"] == kind]
        return found[-1] if found else None


class World:
    """A server on a store of its own, which can be killed and started again."""

    def __init__(self, side: int, folder: Path, template: "Template") -> None:
        self.side, self.folder = side, folder
        shutil.copy(template.database, folder / "kept.db")
        self.credentials = dict(template.credentials)
        self.secrets: dict[str, list[str]] = {who: [secret] for who, secret in self.credentials.items()}
        """The secrets that each principal may know, in the order in which they got them."""
        self.channels: list[Channel] = []
        self.start()

    def start(self) -> None:
        """Start the server; it goes on with the matches of the last one."""
        self.loop, self.executor = VirtualLoop(), InlineExecutor()
        self.act()
        self.store = Store(str(self.folder / "kept.db"))
        compute = Compute(workers=0)
        compute.threads = compute.io_threads = self.executor  # type: ignore[assignment]
        self.lobby = PairedLobby(self.store, self.folder / "matches", compute=compute, limits=LIMITS)
        self.lobby.writer.thread = self.executor  # type: ignore[assignment]
        self.lobby.world = self
        self.service = Service(self.store, self.lobby, Tournaments(self.store, {}, workers=0), guarded=True)
        self.bots = BotSockets(self.service)
        self.act()
        self.loop.finish(self.service.start())

    def act(self) -> None:
        """Make this the world that pages show."""
        Pages.world, core.loop = self, self.loop
        if hasattr(self, "service"):
            Pages.rest = Pages.rest or make_api_app(self.service)
            Pages.rest.state.service = self.service

    def end(self, kill: bool = True) -> None:
        """End the server, at once or in good order."""
        self.act()
        if kill:
            self.executor.killed, self.lobby.closing = True, True
        for channel in self.channels:
            channel.open = False
            if channel.client is not None and not channel.client.is_deleted:
                channel.client.delete()
        if not kill:
            self.loop.finish(self.service.close())
        self.loop.end()
        self.store.close()

    def settle(self) -> None:
        """Let everything happen that happens soon."""
        self.act()
        self.loop.run_for(0.25)

    # Requests

    def request(self, who: str, method: str, path: str, body: Any = None, app: Any = None, **query: str) -> Channel:
        """The answer to a request; programs send their token, people their session."""
        self.act()
        channel = Channel(who, f"{method} {path}")
        headers = [(b"host", b"localhost"), (b"origin", HTTP.encode()), *self.credential_headers(who)]
        said = b"" if body is None else json.dumps(body).encode()
        if said:
            headers += [(b"content-type", b"application/json"), (b"content-length", str(len(said)).encode())]
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
            "scheme": "http", "query_string": urlencode(query).encode(), "headers": headers, "root_path": "",
            "client": ("127.0.0.1", 1), "server": ("localhost", 80), "asgi": {"version": "3.0"},
        }  # fmt: skip
        parts: list[bytes] = []
        sent = False

        async def receive() -> dict[str, Any]:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": said}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                channel.received.append(str(message["status"]))
            else:
                parts.append(message.get("body", b""))

        self.loop.finish((app or Pages.rest)(scope, receive, send))
        channel.received.append(b"".join(parts).decode())
        self.channels.append(channel)
        return channel

    def credential_headers(self, who: str) -> list[tuple[bytes, bytes]]:
        """The headers with which a principal is known."""
        secret = self.credentials[who]
        if who in PEOPLE:
            return [(b"cookie", f"{COOKIE}={secret}".encode())]
        return [(b"authorization", f"Bearer {secret}".encode())]

    def connect(self, who: str, path: str, first: dict[str, Any], match: int | None = None) -> Channel:
        """A socket on which *first* was sent."""
        self.act()
        channel = Channel(who, path, match)
        self.channels.append(channel)
        channel.inbox.put_nowait({"type": "websocket.connect"})
        channel.say(**first)
        scope = {
            "type": "websocket", "path": path, "raw_path": path.encode(), "scheme": "ws", "query_string": b"",
            "headers": [(b"host", b"localhost")], "root_path": "", "client": ("127.0.0.1", 1),
            "server": ("localhost", 80), "subprotocols": [], "asgi": {"version": "3.0"}, "http_version": "1.1",
        }  # fmt: skip

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "websocket.send":
                assert channel.open, f"{who} was sent a message on a closed socket"
                channel.received.append(message["text"])
            elif message["type"] == "websocket.close":
                channel.open = False

        async def serve() -> None:
            socket = WebSocket(scope, channel.inbox.get, send)
            await (self.bots.play if path == "/api/play" else self.bots.watch)(socket)
            channel.open = False

        self.loop.create_task(serve())
        self.settle()
        welcome = channel.last("welcome")
        if welcome is not None:
            channel.match = welcome["table"]
        return channel

    # Pages

    def visit(self, who: str, number: int, **query: str) -> Channel:
        """The page of a match in a browser, which stays open."""
        before = set(Client.instances)
        channel = self.request(who, "GET", f"/match/{number}", app=Pages.app, **query)
        channel.what, channel.match = "page", number
        (made,) = set(Client.instances) - before
        channel.client = client = Client.instances[made]
        Pages.channels[made] = channel
        self.loop.finish(client.handle_handshake(f"test-{made}", f"tab-{made}", None, f"document-{made}", None))
        self.settle()
        return channel

    def press(self, channel: Channel, words: str) -> bool:
        """Press the button of a page; whether it has one."""
        self.act()
        client = channel.client
        if client is None or client.is_deleted:
            return False
        for element in list(client.elements.values()):
            if isinstance(element, ui.button) and element.text == words:
                listener = next(iter(element._event_listeners))
                self.fire(client, element.id, listener, [])
                return True
        return False

    def press_move(self, channel: Channel, action: int) -> None:
        """Press a move on a page, whether it is offered or not: a changed script could."""
        self.act()
        client = channel.client
        if client is None or client.is_deleted:
            return
        for element in list(client.elements.values()):
            if element.props.get("aria-label") == "your moves":
                self.fire(client, element.id, next(iter(element._event_listeners)), [json.dumps(str(action))])

    def fire(self, client: Client, element: int, listener: str, arguments: list[str]) -> None:
        """Send an event of a browser."""

        async def send_event() -> None:
            client.handle_event({"id": element, "listener_id": listener, "args": arguments})

        self.loop.finish(send_event())
        self.settle()

    # What is compared

    def normal(self, text: str, who: str) -> str:
        """A text without what differs by chance: numbers of pages, and the secrets that its reader may know."""
        for index, secret in enumerate(self.secrets[who]):
            text = text.replace(secret, f"<secret {index}>")
        return UNIQUE.sub("<unique>", text)

    def grant(self, who: str, secret: str) -> None:
        """Note that a principal may know a secret."""
        if secret and secret not in self.secrets[who]:
            self.secrets[who].append(secret)


class Template:
    """A database with accounts for everybody, to be copied."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.database = folder / "kept.db"
        with Store(str(self.database)) as store:
            accounts = Accounts(store)
            self.credentials = {who: make_credential(accounts, who) for who in EVERYBODY}
            Lobby(store, folder / "matches").compute.close()


def make_credential(accounts: Accounts, who: str) -> str:
    """A token for a program, or a session for a person."""
    role: Any = ROLES.get(who, "player")
    return accounts.sign_in(accounts.invite(who, role)) if who in PEOPLE else accounts.make_token(who, role)


class Pages:
    """The pages, which a process has once; they show the world that acts."""

    world: World
    app: Any = None
    rest: Any = None
    """The REST interface of the world that acts; making one takes long."""
    channels: dict[str, Channel] = {}  # noqa: RUF012 - by the number of the page

    def __getattr__(self, name: str) -> Any:
        return getattr(Pages.world.service, name)

    @property
    def compute(self) -> Any:
        return CurrentCompute()


class CurrentCompute:
    """The compute of the world that acts."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Pages.world.lobby.compute, name)


async def receive_update(kind: str, data: Any, room: str = "") -> None:
    """Take what is sent to a page."""
    channel = Pages.channels.get(room)
    if channel is not None:
        channel.received.append(json.dumps([kind, json.loads(ui_json(data))], sort_keys=True))


async def run_inline(work: Any, *given: Any, **_: Any) -> Any:
    """Do without a thread: a virtual clock would not wait for it."""
    return work(*given)


def ui_json(data: Any) -> str:
    """Data as pages get it."""
    return page_json.dumps(data)


class OwnStacks(dict[int, Any]):
    """NiceGUI's stacks of the pages that are being built, kept by this thread alone.

    A server in another thread drops now and then what belongs to no task of its own loop.
    """

    def __init__(self, stacks: dict[int, Any]) -> None:
        super().__init__(stacks)
        self.thread = threading.get_ident()

    def __delitem__(self, task: int) -> None:
        if threading.get_ident() == self.thread:
            super().__delitem__(task)


@contextmanager
def pages_of_worlds() -> Iterator[None]:
    """Serve the pages of worlds; afterwards the pages of this process are as before."""
    router, client = core.app.router, Client
    kept = (list(router.routes), core.app.middleware_stack, list(core.app.user_middleware), core.loop, core.sio.emit)
    in_thread = anyio.to_thread.run_sync
    heads = client.shared_head_html, client.shared_body_html
    core.app.middleware_stack, Slot.stacks = None, OwnStacks(Slot.stacks)
    try:
        Pages.app = FastAPI()
        web.add_pages(Pages.app, Pages())  # type: ignore[arg-type]
        core.sio.emit, anyio.to_thread.run_sync = receive_update, run_inline
        yield
    finally:
        anyio.to_thread.run_sync = in_thread
        router.routes[:], core.app.middleware_stack, core.app.user_middleware[:], core.loop, core.sio.emit = kept
        client.shared_head_html, client.shared_body_html = heads
        Slot.stacks = dict(Slot.stacks)
