"""The session cookie: who can read it, where it is sent, and which requests with it are taken for a person's own."""

from typing import Any

import pytest

from kibitz_web.server.access.cookies import COOKIE, forgery, session_secret

SECRET = "s" * 32
ORIGIN = "https://play.example"


def scope(method: str = "GET", kind: str = "http", **headers: str) -> dict[str, Any]:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": kind, "headers": sent} | ({"method": method} if kind == "http" else {})


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (f"{COOKIE}={SECRET}", SECRET),
        (f"a=b; {COOKIE}={SECRET}; c=d", SECRET),
        (f"{COOKIE}={SECRET}; {COOKIE}={'t' * 32}", SECRET),
        (f"x{COOKIE}={SECRET}", ""),
        (f"{COOKIE}=short", ""),
        (f'{COOKIE}="{SECRET}"', ""),
        (f"{COOKIE}={SECRET}\u00e9", ""),
        ("", ""),
    ],
)
def test_the_secret_is_read_from_requests_and_sockets(header: str, found: str) -> None:
    for kind in ("http", "websocket"):
        assert session_secret(scope(kind=kind, cookie=header)) == found
    assert session_secret(scope()) == ""


def test_changes_with_a_session_must_come_from_our_own_pages() -> None:
    cookie = f"{COOKIE}={SECRET}"
    for method in ("POST", "PUT", "PATCH", "DELETE", "BREW"):
        assert forgery(scope(method), ORIGIN) is None, "without a session there is nothing to forge"
        assert forgery(scope(method, cookie=cookie, origin=ORIGIN), ORIGIN) is None
        assert forgery(scope(method, cookie=cookie, sec_fetch_site="same-origin"), ORIGIN) is None
        assert forgery(scope(method, cookie=cookie), ORIGIN)
        for site in ("cross-site", "same-site", "none"):
            assert forgery(scope(method, cookie=cookie, sec_fetch_site=site), ORIGIN)
        for origin in ("http://play.example", "https://evil.example", "null", f"{ORIGIN}:444", ""):
            assert forgery(scope(method, cookie=cookie, origin=origin, sec_fetch_site="same-origin"), ORIGIN)
    for method in ("GET", "HEAD", "OPTIONS"):
        assert forgery(scope(method, cookie=cookie), ORIGIN) is None
