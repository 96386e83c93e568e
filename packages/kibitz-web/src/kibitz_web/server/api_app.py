"""The FastAPI application: REST and sockets over one service, behind the guard. The web app adds its pages to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from kibitz import __version__
from kibitz.core.errors import KibitzError, Refused, RunInUse, StoreTrouble, UnknownName
from kibitz_web.server.access.auth import Forbidden, TooManyRequests, Unauthorized
from kibitz_web.server.access.guard import Guard
from kibitz_web.server.access.site import Site
from kibitz_web.server.api.api_docs import manual
from kibitz_web.server.api.routes import router
from kibitz_web.server.api.sockets import BotSockets
from kibitz_web.server.live.storage import public_words
from kibitz_web.server.operations.monitoring import add_operations
from kibitz_web.server.service import Service

DESCRIPTION = """Games, matches, records, tournaments and tokens of a kibitz server.

Send a token as: Authorization: Bearer TOKEN. Bots play over a WebSocket at /api/play, and spectators watch at
/api/watch; /api/messages.json describes the messages."""

STATUS = {
    TooManyRequests: 429,
    Unauthorized: 401,
    Forbidden: 403,
    UnknownName: 404,
    Refused: 409,
    StoreTrouble: 503,
    RunInUse: 503,
}


def make_api_app(service: Service, site: Site = Site()) -> FastAPI:  # noqa: B008 - it is frozen
    """The application, for clients that reach it through *site*."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await service.close()

    app = FastAPI(
        title="kibitz",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # FastAPI would make it on the event loop
        servers=[{"url": site.base}] if site.base else None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.include_router(router)
    app.add_exception_handler(KibitzError, _error_response)
    app.add_exception_handler(RequestValidationError, _validation_response)
    app.add_exception_handler(HTTPException, _plain)
    bots = BotSockets(service)

    @app.get("/api/docs", response_class=HTMLResponse, include_in_schema=False)
    async def docs() -> str:
        return manual(await service.compute.run_blocking(app.openapi))

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi() -> JSONResponse:
        return JSONResponse(await service.compute.run_blocking(app.openapi))

    @app.websocket("/api/play")
    async def play(socket: WebSocket) -> None:
        await bots.play(socket)

    @app.websocket("/api/watch")
    async def watch(socket: WebSocket) -> None:
        await bots.watch(socket)

    app.add_middleware(Guard, limits=service.lobby.limits, site=site)
    add_operations(app, service)
    return app


async def _error_response(request: Request, error: Exception) -> JSONResponse:
    """A KibitzError as an HTTP response."""
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": public_words(error)}, status, headers)


async def _validation_response(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"error": f"{where}: {first['msg']}"}, 422)


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)
