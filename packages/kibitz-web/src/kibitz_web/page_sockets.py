"""The sockets of pages: only messages that our own pages send pass, from the browser that the page was made for.

A page's buttons work as long as the visitor may still do what they could when it was made. A revoked operator's browser
need not obey when it is told to leave the page; here its messages end.
"""

import logging
import traceback
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs

import msgspec
from nicegui import Client

from kibitz_web.page_frame import close_page
from kibitz_web.server.access.auth import Auth, Principal, Unauthorized
from kibitz_web.server.access.cookies import session_secret
from kibitz_web.server.access.guard import Bucket, refuse

log = logging.getLogger(__name__)
PATH = "/_nicegui_ws"
RATE, BURST = 100.0, 400.0
"""Messages a second from one page, and at once."""
LONGEST = 1 << 16
"""Characters of a message."""
POLICY = 1008
TRANSPORT = ("1", "2", "2probe", "3", "3probe", "5", "6")
"""Messages of the transport: close, ping, pong, upgrade, nothing."""
TRANSPORTS = ("4", "websocket")
"""The version of Engine.IO, and the way that its messages travel."""
NEEDED = {"client_id", "tab_id", "document_id"}
"""What the address of a socket must name."""
CONNECT, DISCONNECT, MESSAGE = "40", "41", "42"
READER = "handle_event"
"""NiceGUI's function that hands what the browser says to an element, which trusts it."""
LOG = "log"
"""The script's own log, which we do not want in ours."""


class Handshake(msgspec.Struct):
    """The first words of a page that the browser had loaded before it was wanted."""

    client_id: str
    tab_id: str
    document_id: str
    next_message_id: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 0
    old_tab_id: str | None = None


class ElementEvent(msgspec.Struct):
    """Something that happened to an element."""

    client_id: str
    id: int
    listener_id: str
    args: list[str | None] = []


class ScriptResult(msgspec.Struct):
    """What a call of the page's script returned."""

    client_id: str
    request_id: str


class Received(msgspec.Struct):
    """The page has received everything before this message."""

    client_id: str
    next_message_id: int


KINDS: dict[str, type[Handshake | ElementEvent | ScriptResult | Received]] = {
    "handshake": Handshake,
    "event": ElementEvent,
    "javascript_response": ScriptResult,
    "ack": Received,
}


class PageErrors(logging.Filter):
    """Turns the traceback of a value that a browser sent and NiceGUI's element cannot read into one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        frames = [] if error is None else traceback.extract_tb(error.__traceback__)
        ours = any("kibitz" in Path(frame.filename).parts for frame in frames)
        if READER in [frame.name for frame in frames] and not ours:
            words = f"a page sent a value that its element cannot read: {type(error).__name__}"
            record.msg, record.args = words, ()
            record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
        return True


class Hostile(Exception):
    """A message that no page of ours sends."""


class PageSockets:
    """ASGI middleware in front of NiceGUI's sockets. *visitors* are the principals for whom pages were made."""

    def __init__(self, app: Any, auth: Auth, visitors: dict[str, Principal]) -> None:
        self.app, self.auth, self.visitors = app, auth, visitors

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] not in ("http", "websocket") or not path.startswith(PATH):
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await refuse(send, 400, "pages are served over WebSocket only")
        elif not is_own_page(scope):
            await receive()
            await send({"type": "websocket.close", "code": POLICY, "reason": "no such page"})
        else:
            await self.app(scope, PageMessages(self, scope, receive), send)


class PageMessages:
    """Receives the messages of one page; the first wrong one ends the socket."""

    def __init__(self, sockets: PageSockets, scope: Any, receive: Any) -> None:
        self.sockets, self.receive = sockets, receive
        self.client, self.session = page_of(scope), session_secret(scope)
        self.bucket = Bucket(RATE, BURST)

    async def __call__(self) -> Any:
        while True:
            message = await self.receive()
            if message["type"] != "websocket.receive":
                return message
            try:
                if await self.passes(message.get("text")):
                    return message
            except Hostile as error:
                log.warning("a page's socket was closed: %s", error)
                return {"type": "websocket.disconnect", "code": POLICY}

    async def passes(self, text: str | None) -> bool:
        """Whether NiceGUI should hear a message; raises Hostile if it should hear no more of them."""
        if not self.bucket.take():
            raise Hostile("too many messages")
        if text is None or len(text) > LONGEST:
            raise Hostile("a message is binary or too long")
        if text in TRANSPORT or text in (CONNECT, f"{CONNECT}{{}}", DISCONNECT):
            return True
        if not text.startswith(MESSAGE):
            raise Hostile("a message is none of a page")
        name, said = read_event(text.removeprefix(MESSAGE))
        if name == LOG:
            return False
        if name not in KINDS:
            raise Hostile("an event is unknown")
        try:
            event = msgspec.convert(said, KINDS[name])
        except msgspec.ValidationError as error:
            raise Hostile(f"{name}: {error}") from None
        if event.client_id != self.client:
            raise Hostile("an event is for another page")
        if isinstance(event, ElementEvent):
            return can_happen(event) and await self.may_happen()
        return True

    async def may_happen(self) -> bool:
        """Whether the visitor is who they were when the page was made, and may do the same; if not, the page closes."""
        made_for = self.sockets.visitors.get(self.client)
        try:
            now = await self.sockets.auth.visitor(self.session)
        except Unauthorized:
            now = None
        if made_for is not None and made_for != now and self.client in Client.instances:
            close_page(Client.instances[self.client])
        return made_for is not None and made_for == now


def page_of(scope: Any) -> str:
    """The page that a socket is for."""
    found = parse_qs(str(scope["query_string"], "latin-1")).get("client_id", [""])
    return found[0]


def is_own_page(scope: Any) -> bool:
    """Whether a socket comes from the browser to which its page was sent, with all that NiceGUI needs to know."""
    query = {name: found[0] for name, found in parse_qs(scope["query_string"].decode("latin-1")).items()}
    page = Client.instances.get(query.get("client_id", ""))
    next_message = query.get("next_message_id", "0")
    complete = query.keys() >= NEEDED and (query.get("EIO"), query.get("transport")) == TRANSPORTS
    counted = next_message.isascii() and next_message.isdecimal() and len(next_message) < 10
    if page is None:  # NiceGUI tells the browser to load it again
        return complete and counted
    return complete and counted and session_secret(page.request.scope) == session_secret(scope)


def read_event(text: str) -> tuple[str, Any]:
    """The name and the content of an event, which may have a number in front; raises Hostile."""
    try:
        name, said = msgspec.json.decode(text.lstrip("0123456789"), type=tuple[str, Any])
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        raise Hostile("an event is no name with its content") from None
    return name, said


def can_happen(event: ElementEvent) -> bool:
    """Whether the page still has the element that an event is for, and the event says what it must."""
    page = Client.instances.get(event.client_id)
    element = None if page is None else page.elements.get(event.id)
    if element is None or event.listener_id not in element._event_listeners:
        return False  # it was removed while the event was on its way
    try:
        for each in event.args:
            if each is not None:
                msgspec.json.decode(each)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        raise Hostile("an event's argument is no JSON") from None
    return True
