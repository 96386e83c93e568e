"""Connections that end: uvicorn's protocols with a time limit for everything that a client may leave half done.

uvicorn by itself waits for ever for the first byte, the rest of a request, and a client that does not read.
"""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec
import uvicorn

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as HttpProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEAD = 1 << 16
"""Bytes of the head of a request."""
FRAMES = "kibitz.frames"
"""The ASGI extension with which `websocket.send` takes ready frames, which are the same for many sockets."""
TOO_LATE, TOO_LONG = (408, "the request came too slowly"), (431, f"the head of a request has at most {HEAD:,} bytes")


class Timeouts(msgspec.Struct, frozen=True):
    """The patience of a server with its clients, in seconds."""

    request: float = 30.0
    """For a whole request, from the connection or its first byte to the end of its body."""
    idle: int = 40
    """Between requests of one connection; a proxy keeps its connections for less."""
    stalled: float = 30.0
    """For a client that reads nothing of what is sent."""
    ping: float = 20.0
    """Between pings of a socket, and for the answer to one."""


class Timers:
    """The timers of one connection by what they wait for; each runs once, unless it is stopped."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self.running = loop, dict[str, asyncio.TimerHandle]()

    def start(self, name: str, seconds: float, action: Any) -> None:
        """Start a timer, unless it is running."""
        if name not in self.running:
            self.running[name] = self.loop.call_later(seconds, action)

    def stop(self, *names: str) -> None:
        """Stop some timers, all if none is named."""
        for name in names or tuple(self.running):
            timer = self.running.pop(name, None)
            if timer is not None:
                timer.cancel()


def timed_http(timeouts: Timeouts) -> type[asyncio.Protocol]:
    """The HTTP protocol with time limits."""

    class TimedHttp(HttpProtocol):
        """Ends a connection whose request does not arrive, or whose response is not read."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.timers, self.head = Timers(self.loop), 0
            self.answering: Any = None
            self.watch_request()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.head = self.head + len(data) if self.lacks_head() else 0
            if self.head > HEAD:
                self.end(*TOO_LONG)
            self.watch_request()

        def lacks_head(self) -> bool:
            """Whether the next request has not begun, or its head is not complete."""
            cycle: Any = self.cycle
            return cycle is None or cycle.response_complete

        def watch_request(self) -> None:
            """Give a request that is not complete its time."""
            if self.transport.is_closing() or self.transport.get_protocol() is not self:  # it is a WebSocket now
                self.timers.stop("request")
            elif self.lacks_head() or self.cycle.more_body:
                self.timers.start("request", timeouts.request, lambda: self.end(*TOO_LATE))
            else:
                self.timers.stop("request")

        def _start_asgi_task(self, cycle: Any, app: Any) -> None:
            """Note the request that is answered now; uvicorn remembers only the last that was read."""
            self.answering = cycle
            super()._start_asgi_task(cycle, app)  # type: ignore[misc]

        def is_answering(self) -> bool:
            """Whether a request is being answered; what else the client sent waits, or was no request."""
            return self.answering is not None and not self.answering.response_complete

        def drop_requests(self) -> None:
            """Answer neither the present request nor those that wait: nobody reads it."""
            waiting = getattr(self, "pipeline", [])
            for cycle in [self.answering, *(each for each, _ in waiting)]:
                if cycle is not None and not cycle.response_complete:
                    cycle.disconnected = True
                    cycle.message_event.set()
            waiting.clear()

        def send_400_response(self, msg: str) -> None:
            """Refuse what is no request; the request before it is answered first, and then the connection closes."""
            if self.is_answering():
                getattr(self, "pipeline", []).clear()
                self.answering.keep_alive = False
            else:
                super().send_400_response(msg)

        def handle_websocket_upgrade(self, *event: Any) -> None:
            if self.is_answering():
                self.send_400_response("a WebSocket begins when all requests are answered")
            else:
                super().handle_websocket_upgrade(*event)

        def end(self, status: int, why: str) -> None:
            """Close the connection; a client that has begun a request is told why."""
            self.drop_requests()
            if self.head or not (self.lacks_head() or self.cycle.response_started):
                self.transport.write(
                    f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nconnection: close\r\n"
                    f'content-type: application/json\r\n\r\n{{"error": "{why}"}}'.encode()
                )
            self.transport.close()
            self.watch_closing()

        def timeout_keep_alive_handler(self) -> None:
            super().timeout_keep_alive_handler()
            self.watch_closing()

        def watch_closing(self) -> None:
            """Do not wait for ever to send the last bytes."""
            self.timers.start("closing", timeouts.stalled, self.transport.abort)

        def pause_writing(self) -> None:
            super().pause_writing()
            self.timers.start("reading", timeouts.stalled, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            self.timers.stop("reading")

        def connection_lost(self, exc: Exception | None) -> None:
            self.timers.stop()
            self.drop_requests()
            super().connection_lost(exc)

    return TimedHttp


def timed_websocket(timeouts: Timeouts) -> type[asyncio.Protocol]:
    """The WebSocket protocol with time limits. Pings find clients that are gone; this finds those that do not read."""

    class TimedWebSocket(WebSocketsSansIOProtocol):
        """Ends a connection whose client does not read, and reads nothing from it meanwhile."""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self.timers = Timers(self.loop)

        def handle_connect(self, event: Any) -> None:
            super().handle_connect(event)
            if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
                self.scope["extensions"][FRAMES] = {}

        async def send(self, message: Any) -> None:
            """Send a message, or frames in one piece."""
            if "frames" not in message:
                await super().send(message)
                return
            await self.writable.wait()
            if self.disconnected or self.close_sent or self.transport.is_closing():
                raise ClientDisconnected
            self.transport.write(message["frames"])

        def pause_writing(self) -> None:
            super().pause_writing()
            self.transport.pause_reading()  # its pings would be answered into the full buffer
            self.timers.start("reading", timeouts.stalled, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if not self.read_paused:
                self.transport.resume_reading()
            self.timers.stop("reading")

        def keepalive_timeout(self) -> None:
            super().keepalive_timeout()
            self.watch_closing()

        def on_task_complete(self, task: asyncio.Task[None]) -> None:
            super().on_task_complete(task)
            if not self.disconnected:
                self.watch_closing()

        def watch_closing(self) -> None:
            """Do not wait for ever to send the last bytes."""
            self.timers.start("closing", timeouts.stalled, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self.timers.stop()
            super().connection_lost(exc)

    return TimedWebSocket


def text_frame(text: bytes) -> bytes:
    """A text as a frame that a server sends (RFC 6455, section 5.2)."""
    size = len(text)
    if size < 126:
        return bytes([0x81, size]) + text
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + text
    return b"\x81\x7f" + size.to_bytes(8, "big") + text


def make_config(app: Any, timeouts: Timeouts = Timeouts(), **options: Any) -> uvicorn.Config:  # noqa: B008 - frozen
    """uvicorn's configuration of *app*. Headers of proxies are the guard's business alone."""
    return uvicorn.Config(
        app,
        http=timed_http(timeouts),
        ws=timed_websocket(timeouts),
        proxy_headers=False,
        server_header=False,
        log_level="warning",
        timeout_keep_alive=timeouts.idle,
        ws_ping_interval=timeouts.ping,
        ws_ping_timeout=timeouts.ping,
        ws_max_size=1 << 20,
        ws_per_message_deflate=False,  # compressing messages of a few hundred bytes takes longer than sending them
        **options,
    )
