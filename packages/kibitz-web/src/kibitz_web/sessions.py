"""Signing in: every browser has a session, and on a server with accounts a link ties it to a person."""

from html import escape
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import MutableHeaders

from kibitz.core.errors import KibitzError
from kibitz_web.server.access.auth import Auth, new_secret
from kibitz_web.server.access.cookies import COOKIE, clear_session, session_secret, set_session
from kibitz_web.server.api.routes import service_of
from kibitz_web.server.live.storage import public_words

router = APIRouter(include_in_schema=False)
SIGNED_OUT = (
    "You are not signed in. Open the link that you were invited with; the operator of this server can send one."
)


class AnonymousSessions:
    """ASGI middleware: without accounts, every new browser gets a session, so that its seats are its own."""

    def __init__(self, app: Any, auth: Auth) -> None:
        self.app, self.auth = app, auth

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        asks_page = scope["type"] == "http" and scope["method"] == "GET" and not scope["path"].startswith("/api")
        if not asks_page or self.auth.guarded or session_secret(scope):
            await self.app(scope, receive, send)
            return
        secret = new_secret()
        scope["headers"] = [*scope["headers"], (b"cookie", f"{COOKIE}={secret}".encode())]
        given = Response()
        set_session(given, secret)

        async def send_with_session(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", given.headers["set-cookie"])
            await send(message)

        await self.app(scope, receive, send_with_session)


def plain_page(title: str, body: str) -> str:
    """A small page that needs no script."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · kibitz</title>'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="strict-origin">'
        "<style>html{color-scheme:light dark}body{font:1.1rem system-ui;max-width:32rem;margin:4rem auto;padding:1rem}"
        "a{color:inherit}button{font:inherit;padding:.5rem 1.2rem}</style></head>"
        f"<body><h1>kibitz</h1>{body}</body></html>"
    )


@router.get("/join/{code}", response_class=HTMLResponse)
async def join(code: str) -> str:
    """The page of a sign-in link. Opening it does not use the link up, because link previews open it too."""
    return plain_page(
        "Sign in", '<p>You were invited to play.</p><form method="post"><button autofocus>Sign in</button></form>'
    )


@router.post("/join/{code}")
async def sign_in(code: str, request: Request) -> Response:
    """Use a sign-in link up, and give the browser its session."""
    try:
        secret = await service_of(request).auth.sign_in(code)
    except KibitzError as error:
        return HTMLResponse(plain_page("Sign in", f"<p>{escape(public_words(error))}.</p>"), 403)
    answer = RedirectResponse(request.scope.get("root_path", "") + "/", 303)
    set_session(answer, secret)
    return answer


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    await service_of(request).auth.sign_out(session_secret(request.scope))
    answer = HTMLResponse(plain_page("Signed out", "<p>You are signed out.</p>"))
    clear_session(answer)
    return answer
