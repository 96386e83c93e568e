"""The guard that checks every request first: host, origin, size, rate and number of sockets."""

import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

import msgspec

from kibitz.server.limits import Limits

LOOPBACK = ("127.0.0.1", "localhost", "::1")
CALLERS = 10_000
"""Number of clients whose rates are remembered."""


class Bucket:
    """Lets *rate* requests pass a second, and up to *burst* at once."""

    __slots__ = ("burst", "last", "left", "rate")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.left, self.last = rate, burst, burst, time.monotonic()

    def take(self) -> bool:
        """Whether one more request may pass."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + (now - self.last) * self.rate)
        self.last = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class Guard:
    """ASGI middleware. *hosts* are the accepted Host headers; None accepts any."""

    def __init__(self, app: Any, limits: Limits, hosts: tuple[str, ...] | None = LOOPBACK) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()
        self.sockets: dict[str, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        caller = (scope.get("client") or ("", 0))[0]
        refusal = self.refusal(scope, caller)
        if scope["type"] == "websocket":
            await self.socket(scope, receive, send, caller, refusal)
        elif refusal is not None:
            await refuse(send, *refusal)
        else:
            await self.app(scope, LimitedBody(receive, self.limits.body), send)

    def refusal(self, scope: Any, caller: str) -> tuple[int, str] | None:
        """The status and message with which a request is refused; None if it passes."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if self.hosts is not None and urlsplit(f"//{host}").hostname not in self.hosts:
            return 400, "unknown Host header"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "requests from other sites are not allowed"
        if not self.bucket(caller).take():
            return 429, "too many requests; slow down"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.limits.body:
            return 413, f"a request has at most {self.limits.body:,} bytes"
        return None

    def bucket(self, caller: str) -> Bucket:
        """The rate limit of one client."""
        found = self.buckets.pop(caller, None) or Bucket(self.limits.rate, self.limits.burst)
        self.buckets[caller] = found
        if len(self.buckets) > CALLERS:
            self.buckets.popitem(last=False)
        return found

    async def socket(self, scope: Any, receive: Any, send: Any, caller: str, refusal: tuple[int, str] | None) -> None:
        """Let a socket pass, unless too many are open."""
        own, everybodys = self.sockets.get(caller, 0), sum(self.sockets.values())
        if refusal is not None or own >= self.limits.sockets_each or everybodys >= self.limits.sockets:
            await receive()
            await send(
                {"type": "websocket.close", "code": 1008, "reason": refusal[1] if refusal else "too many sockets"}
            )
            return
        self.sockets[caller] = own + 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets[caller] -= 1
            if not self.sockets[caller]:
                del self.sockets[caller]


class LimitedBody:
    """Receives the body of a request, and refuses one that is too long."""

    def __init__(self, receive: Any, most: int) -> None:
        self.receive, self.left = receive, most

    async def __call__(self) -> Any:
        message = await self.receive()
        self.left -= len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.left < 0 else message


async def refuse(send: Any, status: int, why: str) -> None:
    """Answer a request with an error."""
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": msgspec.json.encode({"error": why})})
