"""The guard behind a proxy: whose request it is, which names and paths it answers to, and what a response carries."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from kibitz.core.errors import Refused
from kibitz_web.server.access.cookies import COOKIE, set_session
from kibitz_web.server.access.guard import Guard, Limits
from kibitz_web.server.access.site import (
    LOOPBACK_PROXIES,
    PublicAddress,
    Site,
    TrustedProxies,
    read_address,
    read_proxies,
)

PUBLIC = "https://play.example/class"
SECRET = "s" * 32
OURS = {"cookie": f"{COOKIE}={SECRET}"}


async def echo(request: Request) -> Response:
    scope = request.scope
    names = [name.decode() for name, _ in scope["headers"]]
    told = {key: scope[key] for key in ("client", "scheme", "root_path", "path")}
    return JSONResponse(told | {"url": str(request.url_for("echo")), "headers": names})


async def sign_in(request: Request) -> Response:
    response = Response()
    set_session(response, SECRET)
    return response


async def socket_echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_json({key: socket.scope[key] for key in ("scheme", "root_path", "path")})
    await socket.close()


def client(
    public: str = "", proxies: TrustedProxies | None = None, peer: str = "127.0.0.1", **limits: Any
) -> TestClient:
    """A client of a small application behind the guard, who connects from *peer*."""
    inner = Starlette(routes=[Route("/echo", echo, name="inner")])
    routes = [
        Route("/echo", echo, methods=["GET", "POST"], name="echo"),
        Route("/sign-in", sign_in),
        WebSocketRoute("/socket", socket_echo),
        Mount("/mounted", inner),
    ]
    address = read_address(public) if public else None
    site = Site(public=address, proxies=proxies or (LOOPBACK_PROXIES if public else TrustedProxies()))
    guard = Guard(Starlette(routes=routes), Limits(**limits), site)
    base = "http://play.example" if public else "http://localhost"
    return TestClient(guard, base, client=(peer, 5000), follow_redirects=False)


def told_client(tester: TestClient, forwarded: str, path: str = "/class/echo") -> str:
    answer = tester.get(path, headers={"x-forwarded-for": forwarded})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["client"][0])


def test_a_clients_own_word_about_its_address_is_ignored() -> None:
    assert told_client(client(), "9.9.9.9", "/echo") == "127.0.0.1"
    assert told_client(client(PUBLIC, peer="8.8.8.8"), "9.9.9.9") == "8.8.8.8"


def test_of_a_trusted_proxy_the_last_address_that_is_no_proxy_counts() -> None:
    near = client(PUBLIC)
    assert told_client(near, "1.1.1.1, 2.2.2.2") == "2.2.2.2"
    assert told_client(near, "1.1.1.1, 2.2.2.2, 127.0.0.1") == "2.2.2.2"
    assert told_client(near, "::ffff:2.2.2.2") == "2.2.2.2"
    assert told_client(near, "2.2.2.2:4711") == "2.2.2.2"
    assert told_client(near, "[2001:db8::1]:4711") == "2001:db8::1"
    for nonsense in ("", "unknown", "1.1.1.1, x" + "y" * 5000, ","):
        assert told_client(near, nonsense) == "127.0.0.1"
    far = client(PUBLIC, read_proxies(["10.0.0.0/8", "192.168.1.1"]), peer="10.1.2.3")
    assert told_client(far, "3.3.3.3, 4.4.4.4, 10.9.9.9, 192.168.1.1") == "4.4.4.4"
    assert told_client(client(PUBLIC, read_proxies(["10.0.0.0/8"])), "9.9.9.9") == "127.0.0.1"


def test_rate_limits_follow_no_spoofed_address() -> None:
    for tester, path in (
        (client(rate=0.0, burst=5.0), "/echo"),
        (client(PUBLIC, peer="8.8.8.8", rate=0.0, burst=5.0), "/class/echo"),
    ):
        answers = [tester.get(path, headers={"x-forwarded-for": f"9.9.9.{n}"}).status_code for n in range(7)]
        assert answers == [200] * 5 + [429] * 2


def test_clients_of_a_trusted_proxy_have_rates_of_their_own() -> None:
    tester = client(PUBLIC, rate=0.0, burst=2.0)
    answers = [
        tester.get("/class/echo", headers={"x-forwarded-for": f"6.6.6.6, 9.9.9.{n}"}).status_code
        for n in (1, 1, 1, 2, 2, 2)
    ]
    assert answers == [200, 200, 429] * 2


def test_a_client_with_many_addresses_has_one_rate() -> None:
    tester = client(PUBLIC, rate=0.0, burst=2.0)
    answers = [tester.get("/class/echo", headers={"x-forwarded-for": f"2001:db8::{n}"}).status_code for n in (1, 2, 3)]
    assert answers == [200, 200, 429]


def test_nothing_behind_the_guard_sees_what_a_proxy_may_say() -> None:
    forwarded = {"x-forwarded-for": "9.9.9.9", "x-forwarded-prefix": "/evil", "x-forwarded-proto": "gopher",
                 "x-forwarded-host": "evil.example", "forwarded": "for=9.9.9.9"}  # fmt: skip
    for tester, path in ((client(), "/echo"), (client(PUBLIC), "/class/echo")):
        told = tester.get(path, headers=forwarded).json()
        assert not [name for name in told["headers"] if "forwarded" in name]
        assert "evil" not in told["url"]


def test_a_public_server_lives_under_its_base_path() -> None:
    tester = client(PUBLIC)
    told = tester.get("/class/echo", headers={"x-forwarded-for": "9.9.9.9"}).json()
    assert (told["scheme"], told["root_path"], told["path"]) == ("https", "/class", "/class/echo")
    assert told["url"] == "https://play.example/class/echo"
    assert tester.get("/class/mounted/echo").status_code == 200
    assert tester.get("/class").status_code == 308
    assert tester.get("/class").headers["location"] == "/class/"
    for outside in ("/echo", "/classes/echo", "/", "//class/echo"):
        assert tester.get(outside).status_code == 404, outside
    with tester.websocket_connect("ws://play.example/class/socket") as socket:
        assert socket.receive_json() == {"scheme": "wss", "root_path": "/class", "path": "/class/socket"}
    with pytest.raises(WebSocketDisconnect), tester.websocket_connect("ws://play.example/socket"):
        pass


def test_a_public_server_answers_to_its_own_name_only() -> None:
    tester = client(PUBLIC, peer="8.8.8.8")
    for host, status in {
        "play.example": 200, "PLAY.example:443": 200, "evil.example": 400, "play.example:444": 400, "localhost": 400,
        "127.0.0.1:8017": 400, "play.example@evil.example": 400, "play.example:x": 400, "[": 400, "": 400,
    }.items():  # fmt: skip
        assert tester.get("/class/echo", headers={"host": host}).status_code == status, host


def test_programs_beside_the_server_may_use_its_local_name() -> None:
    local = {"host": "127.0.0.1:8017"}
    told = client(PUBLIC).get("/class/echo", headers=local)
    assert told.json()["scheme"] == "http"
    assert client(PUBLIC).get("/class/echo", headers=local | {"x-forwarded-for": "9.9.9.9"}).status_code == 400


@pytest.mark.parametrize(
    ("public", "path", "own", "others"),
    [
        ("", "/echo", "http://localhost", ("https://localhost", "http://localhost:81", "http://evil.example", "null")),
        (
            PUBLIC,
            "/class/echo",
            "https://play.example",
            ("http://play.example", "https://play.example:444", "null", ""),
        ),
    ],
)
def test_pages_of_other_sites_may_not_call(public: str, path: str, own: str, others: tuple[str, ...]) -> None:
    tester = client(public)
    assert tester.post(path, headers={"origin": own, **OURS}).status_code == 200
    assert tester.get(path, headers={"origin": own}).status_code == 200
    assert tester.post(path).status_code == 200, "a program has no session"
    assert tester.post(path, headers=OURS).status_code == 403
    assert tester.post(path, headers={"sec-fetch-site": "same-origin", **OURS}).status_code == 200
    assert tester.post(path, headers={"sec-fetch-site": "same-site", **OURS}).status_code == 403
    assert tester.get(path, headers={"sec-fetch-site": "cross-site", **OURS}).status_code == 200, "a link"
    for origin in others:
        assert tester.get(path, headers={"origin": origin}).status_code == 403, origin
        assert tester.post(path, headers={"origin": origin, **OURS}).status_code == 403, origin


def test_sockets_of_other_sites_are_closed() -> None:
    tester = client(PUBLIC)
    for headers in ({"origin": "https://evil.example"}, {"origin": "http://play.example", **OURS}, OURS):
        with (
            pytest.raises(WebSocketDisconnect),
            tester.websocket_connect("ws://play.example/class/socket", headers=headers),
        ):
            pass
    for headers in ({}, {"origin": "https://play.example", **OURS}):
        with tester.websocket_connect("ws://play.example/class/socket", headers=headers) as socket:
            socket.receive_json()


def test_the_session_cookie_is_for_this_server_only() -> None:
    sent = client(PUBLIC).get("/class/sign-in").headers["set-cookie"]
    assert sent.startswith(f"{COOKIE}={SECRET}; ")
    assert sent.lower().endswith("; httponly; max-age=7776000; samesite=lax; path=/class; secure")
    sent = client().get("/sign-in").headers["set-cookie"]
    assert sent.endswith("; Path=/")


def test_responses_tell_other_sites_nothing() -> None:
    for answer in (client().get("/echo"), client(PUBLIC).get("/class/nowhere"), client(PUBLIC).get("/class/echo")):
        assert answer.headers["referrer-policy"] == "strict-origin", "addresses may carry a key"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.long
def test_files_of_pages_count_little() -> None:
    tester = client(rate=0.0, burst=10.0)
    answers = {tester.get("/kibitz-static/kibitz.js").status_code for _ in range(100)}
    assert answers == {404}, "a class that opens its first page at once loads thousands of files"
    assert [tester.get("/echo").status_code for _ in range(10)].count(429) > 0


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://play.example", PublicAddress("https", "play.example", "")),
        ("https://Play.Example:443/", PublicAddress("https", "play.example", "")),
        ("http://play.example:8080/a/b/", PublicAddress("http", "play.example:8080", "/a/b")),
        ("https://[2001:db8::1]/x", PublicAddress("https", "[2001:db8::1]", "/x")),
    ],
)
def test_public_addresses_are_read(text: str, address: PublicAddress) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text",
    ["play.example", "ftp://play.example", "https://", "https://ann@play.example", "https://play.example/?a", "https://x:y",
     "https://play.example/a b", "https://play.example/../a", "https://play.example//a", "https://play.example/a;b", "https://[/"],
)  # fmt: skip
def test_bad_public_addresses_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="--public"):
        read_address(text)


def test_bad_proxies_are_refused() -> None:
    for text in ("proxy.example", "10.0.0.0/99", "", "10.0.0.1/8"):
        with pytest.raises(Refused, match="--trust-proxy"):
            read_proxies([text])


def test_the_guard_remembers_a_bounded_number_of_clients() -> None:
    async def nothing(*given: Any) -> None: ...

    guard = Guard(nothing, Limits(), Site())

    async def call(n: int) -> None:
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
        await guard(
            scope | {"client": (f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", 1), "scheme": "http"}, nothing, nothing
        )

    async def crowd() -> None:
        for n in range(10_100):
            await call(n)

    asyncio.run(crowd())
    assert len(guard.buckets) == 10_000
