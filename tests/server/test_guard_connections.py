"""Connections that are left half open, over real sockets: the server closes each of them after its time."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.sync.client import connect

from kibitz.server.access.connections import HEAD, Timeouts, make_config
from kibitz.server.api import sockets

SHORT = Timeouts(request=0.25, idle=1, stalled=0.25, ping=0.25)
PATIENCE = 10.0
POST = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
UPGRADE = (
    b"GET /flood HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


async def body(request: Request) -> Response:
    return Response(str(len(await request.body())))


async def large(request: Request) -> Response:
    return Response(b"x" * (1 << 24))


async def slow(request: Request) -> Response:
    await asyncio.sleep(0.5)
    return Response("done")


class Flood:
    """A socket on which the server sends as fast as it can, and how much it could send."""

    sent = 0
    over = threading.Event()

    async def __call__(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            while True:
                await socket.send_bytes(b"x" * 10_000)
                Flood.sent += 1
        except WebSocketDisconnect:
            self.over.set()


flood = Flood()


async def quiet(socket: WebSocket) -> None:
    await socket.accept()
    await socket.receive()


@pytest.fixture(scope="module")
def running() -> Iterator[uvicorn.Server]:
    routes = [
        Route("/body", body, methods=["GET", "POST"]),
        Route("/large", large),
        Route("/slow", slow),
        WebSocketRoute("/flood", flood.__call__),
        WebSocketRoute("/quiet", quiet),
    ]
    server = uvicorn.Server(make_config(Starlette(routes=routes), SHORT, port=0, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def dial(running: uvicorn.Server) -> Iterator[Callable[..., socket.socket]]:
    """Opens connections to the server."""
    opened: list[socket.socket] = []

    def made(said: bytes = b"") -> socket.socket:
        port = running.servers[0].sockets[0].getsockname()[1]
        opened.append(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
        opened[-1].sendall(said)
        return opened[-1]

    yield made
    for each in opened:
        each.close()


def heard(connection: socket.socket) -> bytes:
    """All that the server says until it closes the connection."""
    found = b""
    try:
        while more := connection.recv(1 << 16):
            found += more
    except ConnectionResetError:
        pass
    return found


def dribble(connection: socket.socket, text: bytes, pause: float = 0.05) -> bool:
    """Send a byte now and then; whether the server took all of them."""
    try:
        for n in range(len(text)):
            connection.sendall(text[n : n + 1])
            time.sleep(pause)
    except OSError:
        return False
    return True


def test_a_connection_that_says_nothing_is_closed(dial: Callable[..., socket.socket]) -> None:
    assert heard(dial()) == b""


def test_a_request_whose_head_dribbles_is_closed(dial: Callable[..., socket.socket]) -> None:
    connection = dial(b"GET /body HTTP/1.1\r\nHost: localhost\r\n")
    assert not dribble(connection, b"X-Slow: " + b"y" * 100)
    second = dial(b"GET /body HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(0.05)
    second.sendall(b"GET /bo")
    told = heard(second)
    assert told.startswith(b"HTTP/1.1 200"), "the first request of the connection was fine"
    assert b"408" in told, "the second was not"


def test_a_request_whose_body_dribbles_is_closed(dial: Callable[..., socket.socket]) -> None:
    assert heard(dial(POST + b"half")).startswith(b"HTTP/1.1 408")
    assert not dribble(dial(POST), b"z" * 99)


def test_a_head_without_end_is_closed(dial: Callable[..., socket.socket]) -> None:
    assert b" 431 " in heard(dial(b"GET /body HTTP/1.1\r\nX: " + b"y" * HEAD))


def test_a_client_that_takes_its_time_is_served(dial: Callable[..., socket.socket]) -> None:
    for said in (b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n", POST[:30]):
        connection = dial(said)
        time.sleep(0.05)
        connection.sendall(b"" if b"slow" in said else POST[30:] + b"z" * 100)
        assert b"HTTP/1.1 200" in connection.recv(1000)


def test_a_client_that_does_not_read_its_response_is_dropped(
    running: uvicorn.Server, dial: Callable[..., socket.socket]
) -> None:
    connection = dial()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_for(lambda: len(running.server_state.connections) > 0)
    wait_for(lambda: not running.server_state.connections)


def test_a_socket_that_does_not_read_is_dropped_and_what_waits_for_it_is_bounded(
    running: uvicorn.Server, dial: Callable[..., socket.socket]
) -> None:
    before, connection = Flood.sent, dial(UPGRADE)
    assert b"101 " in connection.recv(50)
    assert Flood.over.wait(PATIENCE)
    assert (Flood.sent - before) * 10_000 < 1 << 24, "the buffers of the kernel, and one of ours"
    wait_for(lambda: not running.server_state.connections)


def test_a_socket_that_answers_no_ping_is_closed(running: uvicorn.Server, dial: Callable[..., socket.socket]) -> None:
    heard(dial(UPGRADE.replace(b"flood", b"quiet")))
    wait_for(lambda: not running.server_state.connections)


def test_a_socket_that_never_logs_in_is_closed(
    running: uvicorn.Server, open_house: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "GREETING", 0.2)
    house = open_house()
    server = uvicorn.Server(make_config(house.app, port=0, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        for path in ("play", "watch"):
            with connect(f"ws://127.0.0.1:{port}/api/{path}") as bot:
                assert "no login within" in str(bot.recv(timeout=PATIENCE))
    finally:
        server.should_exit = True
        thread.join(20)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for what the server is about to do."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)


GET = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("last", [b"no request\r\n\r\n", UPGRADE], ids=["nonsense", "a socket"])
def test_requests_before_something_else_are_answered_or_dropped_without_an_error(
    dial: Callable[..., socket.socket], caplog: pytest.LogCaptureFixture, last: bytes
) -> None:
    answer = heard(dial(GET * 3 + last))
    assert answer.count(b"200 OK") == 1
    assert answer.endswith(b"done")
    assert "Traceback" not in caplog.text
