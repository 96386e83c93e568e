"""The session cookie of a person's browser, and the check that a request with it comes from our own pages.

The holder of the secret is the person: scripts of a page cannot read it, other sites cannot use it, and it travels only
over TLS where the server is public. `Guard` adds the attributes that depend on the server's address (`Path`, `Secure`).
"""

import re
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

COOKIE = "kibitz_session"
LIFETIME = 90 * 24 * 3600
"""Seconds that a browser keeps the cookie: a term. The server may forget the session earlier."""
SECRET = re.compile(r"[A-Za-z0-9_-]{16,200}")
READING = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""

Headers = Iterable[tuple[bytes, bytes]]


def session_secret(scope: Any) -> str:
    """The secret in the session cookie of a request or socket; empty if there is none.

    Browsers send the cookie of the longest path first, so the first one is ours.
    """
    for name, value in scope.get("headers", ()):
        if name.lower() == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                key, _, secret = pair.strip().partition("=")
                if key == COOKIE and SECRET.fullmatch(secret):
                    return str(secret)
    return ""


def set_session(response: Response, secret: str) -> None:
    """Give the browser that gets *response* a session."""
    if not SECRET.fullmatch(secret):
        raise ValueError("a session's secret has 16 to 200 letters, digits, - and _")
    response.set_cookie(COOKIE, secret, max_age=LIFETIME, path=None, httponly=True, samesite="lax")


def clear_session(response: Response) -> None:
    """Take the session from the browser that gets *response*."""
    response.set_cookie(COOKIE, "", max_age=0, path=None, httponly=True, samesite="lax")


def with_address(headers: Headers, base: str, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of a response with the session cookie limited to the path *base*, and to TLS if *secure*."""
    ending = f"; Path={base or '/'}{'; Secure' if secure else ''}".encode("latin-1")
    start = f"{COOKIE}=".encode()
    return [
        (name, value + ending if name.lower() == b"set-cookie" and value.startswith(start) else value)
        for name, value in headers
    ]


def forgery(scope: Any, own_origin: str) -> str | None:
    """Why a request or socket with a session may have been sent by another site; None if it was not.

    A browser sends the cookie by itself, but it also says where a request comes from, and a page cannot change that.
    Programs send a token instead of the cookie; they need not say it.
    """
    if not session_secret(scope) or (scope["type"] == "http" and scope["method"] in READING):
        return None
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    origin = headers.get(b"origin")
    if origin is None and scope["type"] == "http":
        return None if headers.get(b"sec-fetch-site") == "same-origin" else "a session needs an Origin header"
    return None if origin == own_origin else "requests from other sites are not allowed"
