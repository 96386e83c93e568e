"""The pages and their addresses."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from html import escape
from typing import Annotated

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from nicegui import Client, background_tasks, ui
from nicegui import app as nicegui_app
from starlette.middleware import Middleware

from kibitz.core.errors import KibitzError, Refused, StoreTrouble, UnknownName, printable
from kibitz.core.records import Record
from kibitz.core.registry import bridged_entries, entries, make_game
from kibitz_web import sessions
from kibitz_web.choices import Choices
from kibitz_web.page_frame import close_page, delete_page, errors_shown, frame, keep_doing, serve_static
from kibitz_web.page_sockets import PageErrors, PageSockets
from kibitz_web.pages import records as records_list
from kibitz_web.pages.admin import AdminPage
from kibitz_web.pages.home import HomePage
from kibitz_web.pages.match import MatchPage
from kibitz_web.pages.replay import ReplayPage
from kibitz_web.pages.runs import RunPage, TournamentsPage
from kibitz_web.parts.debrief import debrief_match
from kibitz_web.parts.game_cards import Gallery
from kibitz_web.parts.match_form import build_setup
from kibitz_web.server.access.auth import Principal, Unauthorized
from kibitz_web.server.access.cookies import session_secret
from kibitz_web.server.access.site import Site
from kibitz_web.server.api.routes import Caller, Number
from kibitz_web.server.api_app import make_api_app
from kibitz_web.server.live.seats import Viewer
from kibitz_web.server.service import Service
from kibitz_web.sessions import SIGNED_OUT
from kibitz_web.visit import Visit, own_seat

log = logging.getLogger(__name__)
PATIENCE = 60.0
"""Seconds that a page may take to build."""
RECONNECTING = 15.0
"""Seconds for which a page that was left or lost its connection is kept; later the browser loads it again."""

MOST_PAGES = 40
"""Open pages of one person."""
STRANGERS = ""
ELEMENTS = (
    *("button", "card", "dialog", "download", "echart", "element", "expansion", "header", "html", "input", "label"),
    *("linear_progress", "link", "navigate", "notification", "notify", "number", "page_title", "run_javascript"),
    *("select", "slider", "switch", "table", "textarea", "timer", "toggle"),
)
"""The elements and functions that pages use."""


class Pages:
    """Finds out who visits a page."""

    def __init__(self, service: Service) -> None:
        self.service, self.choices = service, Choices(service.compute)
        self.gallery = Gallery(self.choices)
        self.visitors: dict[str, Principal] = {}
        """For whom each open page was made."""
        self.open: dict[str, dict[str, Client]] = {}
        """The open pages of each principal, oldest first; those of all strangers together."""

    async def visit(self, request: Request, title: str) -> Visit | None:
        """The visit of a page; None, and a page that says how to sign in, if the visitor is unknown.

        A page closes when its visitor's account is revoked.
        """
        auth, client = self.service.auth, ui.context.client
        session = session_secret(request.scope)
        try:
            visitor = await auth.visitor(session)
            auth.count_request(visitor)
        except Refused as error:
            self.note_page(STRANGERS, client)
            with frame(title):
                ui.label(SIGNED_OUT if isinstance(error, Unauthorized) else str(error))
            return None
        connection = auth.connect(visitor, f"looks at: {title}", lambda: close_page(client), session)
        self.visitors[client.id] = visitor
        self.note_page(visitor.id, client)

        def forget() -> None:
            auth.disconnect(connection)
            self.visitors.pop(client.id, None)

        client.on_delete(forget)
        return Visit(self.service, visitor, self.choices, self.gallery)

    def note_page(self, holder: str, client: Client) -> None:
        """Note an open page; if somebody has too many, the oldest is closed: each takes up to a megabyte."""
        pages = self.open.setdefault(holder, {})
        pages[client.id] = client

        def forget() -> None:
            pages.pop(client.id, None)
            if not pages and self.open.get(holder) is pages:
                del self.open[holder]

        client.on_delete(forget)
        while len(pages) > MOST_PAGES:
            oldest = pages.pop(next(iter(pages)))
            if oldest.has_socket_connection:
                close_page(oldest)
            else:
                delete_page(oldest)


def add_pages(app: FastAPI, service: Service, base: str = "") -> Pages:
    """Add the pages to a FastAPI app; return who looks at them."""
    serve_static(base)
    for name in ELEMENTS:  # NiceGUI would import them on the event loop, when they are first used
        getattr(ui, name)
    pages = Pages(service)
    for add in (add_plain_pages, add_setup_page, add_run_page, add_match_page, add_replay_page):
        add(pages)
    add_thumbnails(app, pages)
    nicegui_app.add_exception_handler(404, unknown_page)
    ui.run_with(
        app,
        title="kibitz",
        dark=None,
        language="en-US",
        tailwind=False,
        reconnect_timeout=RECONNECTING,
        show_welcome_message=False,
    )
    return pages


def add_plain_pages(pages: Pages) -> None:
    """Add the pages without parameters: the first one, the lists of records and tournaments, and the operator's."""

    def add(path: str, title: str, build: Callable[[Visit], Awaitable[None]]) -> None:
        @ui.page(path, response_timeout=PATIENCE)
        async def page(request: Request) -> None:
            if visit := await pages.visit(request, title):
                with frame(title, visit.visitor), errors_shown(ui.label):
                    await build(visit)

    add("/", "Play", lambda visit: HomePage(visit).build())
    add("/records", "Records", records_list.build)
    add("/tournaments", "Tournaments", lambda visit: TournamentsPage(visit).build())
    add("/admin", "Admin", lambda visit: AdminPage(visit).build())


def add_setup_page(pages: Pages) -> None:
    """Add the form of a match."""

    @ui.page("/setup", response_timeout=PATIENCE)
    async def set_up(request: Request, game: str = "") -> Response | None:
        if visit := await pages.visit(request, "Set up a game"):
            if game and game not in entries("game") and game not in bridged_entries("game"):
                return answer_missing(request, f"There is no game {printable(game)[:40]}.")
            with frame("Set up a game", visit.visitor):
                await build_setup(visit, game)
        return None


def add_run_page(pages: Pages) -> None:
    """Add the page of a tournament."""
    service = pages.service

    @ui.page("/tournaments/{number}", response_timeout=PATIENCE)
    async def run(request: Request, number: Number) -> Response | None:
        if visit := await pages.visit(request, f"Run {number}"):
            try:
                found = await service.compute.run_io(service.store.run, number)
            except UnknownName:
                return answer_missing(request, f"There is no run {number}.")
            with frame(f"Run {number}", visit.visitor), errors_shown(ui.label):
                RunPage(visit, found).build()
        return None


def add_thumbnails(app: FastAPI, pages: Pages) -> None:
    """Add the pictures of the games, which are made when the server starts."""
    if not nicegui_app.is_started:  # it is where a process serves a second app: then the first page asks for them
        nicegui_app.on_startup(pages.choices.start)
        nicegui_app.on_startup(lambda: background_tasks.create(pages.gallery.make()))

    @app.get("/thumbnails/{name}.svg", include_in_schema=False)
    async def thumbnail(name: str, given: Caller) -> Response:
        picture = await pages.gallery.picture(name)
        if picture is None:
            return Response("no picture", 404)
        return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


def add_match_page(pages: Pages) -> None:
    """Add the page of a live match; one that ended long ago is a replay."""
    service = pages.service

    @ui.page("/match/{number}", response_timeout=PATIENCE)
    async def match(request: Request, number: Number, key: str = "", invite: str = "") -> Response | None:
        if visit := await pages.visit(request, f"Match {number}"):
            if number not in service.lobby.matches:
                dropped = service.lobby.finished.is_dropped(number)
                if dropped or await service.compute.run_io(service.lobby.archive.has, number):
                    return RedirectResponse(f"{request.scope.get('root_path', '')}/replay/{number}")
                return answer_missing(request, f"There is no match {number}.")
            page = None
            with frame(f"Match {number}", visit.visitor), errors_shown(ui.label):
                page, ended = await match_page(visit, number, key, invite), ui.element("div")
                await page.build()
            await ui.context.client.connected()
            if page is not None:
                keep_doing(follow_match(page, ended))
        return None


async def follow_match(page: MatchPage, ended: ui.element) -> None:
    """Show a match as it is played, and at its end the debrief."""
    await page.follow()
    match = page.match
    if match.status == "finished" and match.record.ending is not None:
        thoughts = [] if match.models is None else match.models.thoughts
        with ended:
            await debrief_match(page.visit, str(match.number), match.record, page.player, thoughts)


def add_replay_page(pages: Pages) -> None:
    """Add the page of a record, which may be looked at with other models."""
    service = pages.service

    @ui.page("/replay/{name}", response_timeout=PATIENCE)
    async def replay(
        request: Request,
        name: str,
        ply: int = 0,
        model: Annotated[list[str], Query()] = [],  # noqa: B006
    ) -> Response | None:
        if visit := await pages.visit(request, f"Replay {name}"):
            try:
                record = await service.compute.run_io(service.lobby.archive.record, name)
                await service.compute.run_blocking(check_game, record)
            except (UnknownName, Refused):
                return answer_missing(request, f"There is no record {name[:40]}.")
            except StoreTrouble:
                raise
            except KibitzError as error:
                log.warning("record %s cannot be shown: %s", name, error)
                words = f"Record {name[:40]} cannot be shown: it is damaged, or a file of its game is gone."
                return answer_missing(request, words, 410)
            page = None
            with frame(f"Replay {name}", visit.visitor), errors_shown(ui.label):
                page = ReplayPage(visit, name, record, model, ply)
                await page.build()
            await ui.context.client.connected()
            if page is not None:
                keep_doing(page.load())
        return None


def check_game(record: Record) -> None:
    """Raise a KibitzError if the game of a record cannot be made, such as one whose board is in a file that is gone."""
    make_game(record.header.game).new_initial_state()


async def unknown_page(request: Request, error: Exception) -> Response:
    """The answer to an address that is no page: plain text, because NiceGUI keeps a page for every one of its own."""
    return not_found(request, "There is no such page.")


def answer_missing(request: Request, words: str, status: int = 404) -> Response:
    """The answer of a page about something that does not exist; NiceGUI keeps nothing for it."""
    delete_page(ui.context.client)
    return not_found(request, words, status)


def not_found(request: Request, words: str, status: int = 404) -> Response:
    """The answer to an address of nothing, which leads back to the start."""
    home = escape(f"{request.scope.get('root_path', '')}/")
    body = f'<p>{escape(words)} <a href="{home}">To the start</a></p>'
    return HTMLResponse(sessions.plain_page("Not found", body), status)


async def match_page(visit: Visit, number: int, key: str, invite: str) -> MatchPage:
    """The page of a match: for the holder of a seat with their key, for everyone else as a spectator."""
    lobby, visitor = visit.service.lobby, visit.visitor
    match = await lobby.watched_match(number)
    viewer: Viewer | None = None
    if key:
        with suppress(Refused):  # a key of somebody else: they are a spectator
            viewer = match.seat(key, visitor)
    viewer = viewer or own_seat(match, visitor)  # back without the key: from Home, or after a restart
    if viewer is None:
        viewer = spectator = match.watch(visitor)
        ui.context.client.on_delete(lambda: match.spectators.discard(spectator))
    if match.host is not None and match.host.id == visitor.id:
        for player in list(match.invites):
            await lobby.invitation(match, player)
    return MatchPage(visit, match, viewer, invite)


def make_web_app(service: Service, site: Site = Site()) -> FastAPI:  # noqa: B008 - it is frozen
    """The server's application with pages."""
    app = make_api_app(service, site)
    app.include_router(sessions.router)
    pages = add_pages(app, service, site.base)
    logging.getLogger("nicegui").addFilter(PageErrors())
    app.user_middleware.append(Middleware(sessions.AnonymousSessions, auth=service.auth))  # behind the guard
    app.user_middleware.append(Middleware(PageSockets, auth=service.auth, visitors=pages.visitors))
    return app
