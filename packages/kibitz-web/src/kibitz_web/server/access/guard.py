"""The guard that checks every request first: host, origin, size, rate and number of sockets.

Behind it a request has the client's true address, the public scheme and the base path, and no header of a proxy.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import msgspec

from kibitz_web.server.access.cookies import forgery, with_address
from kibitz_web.server.access.site import LOOPBACK, Site, host_name, parse_address, rate_key, same_host

__all__ = ["LOOPBACK", "Bucket", "Guard", "Limits"]

CALLERS = 10_000
"""Number of clients whose rates are remembered."""
FILES = ("/_nicegui/", "/kibitz-static/")
FILE_COST = 0.02
"""A page loads some twenty files, and a class behind one address opens thirty pages at once."""
FORWARDED = (b"forwarded", b"x-forwarded-", b"x-real-ip")
"""Headers of proxies, or their beginnings."""
SECURITY = [
    (b"referrer-policy", b"strict-origin"),  # an address may carry the key of a seat
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
]
Refusal = tuple[int, str]
"""The status and the message with which a request is refused."""


class Limits(msgspec.Struct, frozen=True):
    """How much of everything the clients of a server may use."""

    tables: int = 1000
    """Matches waiting or running at once."""
    tables_each: int = 300
    """Of these, matches that one client may have opened."""
    plies: int = 20_000
    body: int = 1 << 20
    """Bytes of a request."""
    message: int = 1 << 16
    """Bytes of a message on a socket."""
    sockets: int = 2000
    sockets_each: int = 1000
    rate: float = 200.0
    """Requests a second of one client, and messages a second on one socket."""
    burst: float = 400.0
    rate_each: float = 50.0
    """Requests a second of one account that is no operator's."""
    burst_each: float = 200.0
    tournaments: int = 4
    """At once."""
    kept: int = 500
    """Finished matches that are still listed; their records stay in the store."""
    kept_whole: int = 20
    """Of these, matches that can still be watched and looked at as live ones."""


class Bucket:
    """Lets *rate* requests pass a second, and up to *burst* at once."""

    __slots__ = ("burst", "last", "left", "rate")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.left, self.last = rate, burst, burst, time.monotonic()

    def take(self, cost: float = 1.0) -> bool:
        """Whether one more request may pass."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + (now - self.last) * self.rate)
        self.last = now
        if self.left < cost:
            return False
        self.left -= cost
        return True


class Guard:
    """ASGI middleware for a server that clients reach through *site*."""

    def __init__(self, app: Any, limits: Limits, site: Site = Site()) -> None:  # noqa: B008 - it is frozen
        self.app, self.limits, self.site = app, limits, site
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()
        self.sockets: dict[str, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        peer = (scope.get("client") or ("", 0))[0]
        caller = self.site.proxies.client_of(peer, headers.get("x-forwarded-for", "").split(","))
        is_public = self.site.public is not None and not is_beside(self.site, peer, headers)
        refusal = self.refusal(scope, headers, caller, is_public)
        scope = self.seen_scope(scope, caller, is_public)
        send = self.finish_responses(send)
        if scope["type"] == "websocket":
            await self.socket(scope, receive, send, rate_key(caller), refusal)
        elif refusal is not None:
            await refuse(send, *refusal)
        elif self.site.base and scope["path"] == self.site.base:
            await redirect(send, f"{self.site.base}/")
        else:
            await self.app(scope, LimitedBody(receive, self.limits.body), send)

    def refusal(self, scope: Any, headers: Mapping[str, str], caller: str, is_public: bool) -> Refusal | None:
        """The status and message with which a request is refused; None if it passes."""
        host, public = headers.get("host", ""), self.site.public
        if is_public and public is not None:
            known, own_origin = same_host(host, public), public.origin
        else:
            known = self.site.hosts is None or host_name(host) in self.site.hosts
            own_origin = f"{scope['scheme'].replace('ws', 'http')}://{host}"
        if not known:
            return 400, "unknown Host header"
        if headers.get("origin", own_origin) != own_origin:
            return 403, "requests from other sites are not allowed"
        forged = forgery(scope, own_origin)
        if forged is not None:
            return 403, forged
        path = scope["path"].removeprefix(self.site.base)
        if not self.bucket(rate_key(caller)).take(FILE_COST if path.startswith(FILES) else 1.0):
            return 429, "too many requests; slow down"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.limits.body:
            return 413, f"a request has at most {self.limits.body:,} bytes"
        if self.site.base and not f"{scope['path']}/".startswith(f"{self.site.base}/"):
            return 404, f"this server is at {public}"
        return None

    def seen_scope(self, scope: Any, caller: str, is_public: bool) -> Any:
        """The request as the application sees it, and the log before it."""
        scope["headers"] = [pair for pair in scope["headers"] if not pair[0].lower().startswith(FORWARDED)]
        scope["client"] = (caller, (scope.get("client") or ("", 0))[1])
        if self.site.public is not None:
            scope["root_path"] = self.site.base
            if is_public:
                secure = self.site.public.scheme == "https"
                plain = "http" if scope["type"] == "http" else "ws"
                scope["scheme"] = plain + "s" * secure
        return scope

    def finish_responses(self, send: Any) -> Any:
        """A way to send that completes the session cookie, and tells browsers what other sites may not see."""
        secure = self.site.public is not None and self.site.public.scheme == "https"

        async def send_finished(message: Any) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                headers = with_address(message.get("headers", ()), self.site.base, secure)
                message = {**message, "headers": [*headers, *SECURITY] if message["type"][0] == "h" else headers}
            await send(message)

        return send_finished

    def bucket(self, caller: str) -> Bucket:
        """The rate limit of one client."""
        found = self.buckets.pop(caller, None) or Bucket(self.limits.rate, self.limits.burst)
        self.buckets[caller] = found
        if len(self.buckets) > CALLERS:
            self.buckets.popitem(last=False)
        return found

    async def socket(self, scope: Any, receive: Any, send: Any, caller: str, refusal: Refusal | None) -> None:
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


def is_beside(site: Site, peer: str, headers: Mapping[str, str]) -> bool:
    """Whether a request comes straight from a program on the server's machine that uses the machine's local name."""
    address = parse_address(peer)
    local = address is not None and address.is_loopback and "x-forwarded-for" not in headers
    return local and host_name(headers.get("host", "")) in LOOPBACK


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


async def redirect(send: Any, path: str) -> None:
    """Send the client to another path of this server."""
    await send({"type": "http.response.start", "status": 308, "headers": [(b"location", path.encode())]})
    await send({"type": "http.response.body", "body": b""})
