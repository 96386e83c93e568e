"""What those who run a server look at: health, readiness, and a log entry for every request."""

import asyncio
import logging
import time
from itertools import takewhile
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel
from sqlalchemy import literal, select
from starlette.exceptions import HTTPException
from starlette.routing import Match

from kibitz import __version__
from kibitz.core.errors import StoreTrouble
from kibitz_lab.store import Store
from kibitz_web.server.api.routes import TROUBLES
from kibitz_web.server.service import Service

log = logging.getLogger(__name__)
PATIENCE = 2.0
"""Seconds within which the database must answer."""


class Health(BaseModel):
    """The server's process answers."""

    status: str
    version: str


class Readiness(BaseModel):
    """Whether the server can do its work, and what keeps it from that."""

    ready: bool
    problems: list[str]


def add_operations(app: FastAPI, service: Service) -> None:
    """Add health, readiness, the log of requests, and an answer for unknown addresses under /api."""
    router = APIRouter(prefix="/api", responses={status: TROUBLES[status] for status in (400, 413, 429)})

    @router.get("/health")
    async def health() -> Health:
        """Whether the server's process answers. Anyone may ask."""
        return Health(status="ok", version=__version__)

    @router.get("/ready", responses={503: {"model": Readiness, "description": "The server cannot do its work now."}})
    async def ready(response: Response) -> Readiness:
        """Whether the server can do its work: the database answers, and changes are stored. Anyone may ask."""
        found = await problems(service)
        response.status_code = 503 if found else 200
        return Readiness(ready=not found, problems=found)

    @app.api_route(REST, methods=METHODS, include_in_schema=False)
    async def unknown_address(request: Request) -> None:
        raise unknown(app, request)

    app.include_router(router)
    app.router.routes.sort(key=lambda each: getattr(each, "endpoint", None) is unknown_address)  # after all others
    app.add_middleware(RequestObserver)


REST = "/api/{rest:path}"
"""Addresses that nothing else answers."""
LONGEST_WORD = 12
"""Letters of an unknown address that are logged."""
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def unknown(app: FastAPI, request: Request) -> HTTPException:
    """The error for an address under /api that does not exist, or exists for other methods only."""
    known = list(takewhile(lambda route: getattr(route, "path", None) != REST, app.router.routes))
    scopes = {method: {**request.scope, "method": method} for method in METHODS}
    allowed = [method for method in METHODS if any(each.matches(scopes[method])[0] is Match.FULL for each in known)]
    if allowed:
        return HTTPException(405, "this address does not take this method", {"allow": ", ".join(allowed)})
    return HTTPException(404, "there is no such address; /api/docs lists them")


async def problems(service: Service) -> list[str]:
    """What keeps the server from its work, in words that anyone may read."""
    found = []
    try:
        await asyncio.wait_for(service.lobby.compute.run_io(ping, service.store), PATIENCE)
    except (StoreTrouble, TimeoutError):
        found.append("the database does not answer")
    try:
        await service.lobby.compute.run_io(service.lobby.archive.check_room)
    except StoreTrouble:
        found.append("the disk takes no files of matches")
    if service.lobby.writer.trouble:
        found.append("the database takes no changes")
    if service.lobby.writer.closing.is_set():
        found.append("the server is stopping")
    return found


def ping(store: Store) -> None:
    """Ask the database something."""
    store.read(lambda connection: connection.scalar(select(literal(1))))


class RequestObserver:
    """ASGI middleware that times and logs requests and sockets. Addresses are logged as their pattern."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        start, status, is_socket = time.perf_counter(), 0, scope["type"] == "websocket"
        method = scope.get("method", "SOCKET") if scope.get("method") in (*METHODS, None) else "OTHER"

        async def observe_send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send if is_socket else observe_send)
        finally:
            fields = {
                "method": method,
                "path": pattern(scope),
                "status": status or None,
                "client": (scope.get("client") or ("",))[0],
                "seconds": round(time.perf_counter() - start, 6),
            }
            log.info("socket closed" if is_socket else "request", extra={"fields": fields})


def pattern(scope: Any) -> str:
    """The pattern of an address, without the base path: what stands in its place may be a secret."""
    found = getattr(scope.get("route"), "path", None)
    if isinstance(found, str) and found != REST:
        return found
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    first, slash, _ = path.strip("/").partition("/")
    return f"/{first if len(first) <= LONGEST_WORD else '…'}{'/…' if slash else ''}"
