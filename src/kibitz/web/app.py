"""The pages and their addresses."""

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Query, Response
from fastapi.responses import FileResponse
from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.server.app import make_app as make_server
from kibitz.server.service import Service
from kibitz.studies import STUDIES
from kibitz.web import records_page
from kibitz.web.home import build as build_home
from kibitz.web.house import House
from kibitz.web.look import frame, keep_doing, serve_static
from kibitz.web.replay_page import ReplayPage
from kibitz.web.runs_pages import RunPage, StudiesPage, TournamentsPage
from kibitz.web.table_page import MatchPage

PATIENCE = 60.0
"""Seconds that a page may take to build, or may be disconnected and still reconnect."""


def add_pages(app: FastAPI, house: House, service: Service) -> None:
    """Add the pages to a FastAPI app; *service* says who may start tournaments and studies."""
    serve_static()

    @ui.page("/")
    def home() -> None:
        with frame("Play"):
            build_home(house)

    @ui.page("/records", response_timeout=PATIENCE)
    async def records() -> None:
        results = await house.compute.run_io(house.results)
        with frame("Records"):
            records_page.build(house, results)

    @ui.page("/tournaments")
    def tournaments() -> None:
        with frame("Tournaments"):
            TournamentsPage(house.runs, service).build()

    @ui.page("/tournaments/{number}")
    def run(number: int) -> None:
        with frame(f"Run {number}"):
            try:
                RunPage(house.runs, number).build()
            except KibitzError as error:
                ui.label(str(error))

    @ui.page("/studies")
    def studies() -> None:
        with frame("Studies"):
            StudiesPage(house.runs, service).build()

    @app.get("/studies/{name}/report")
    def report(name: str) -> Response:
        path = house.runs.report_folder(name) / "report.html" if name in STUDIES else Path()
        return FileResponse(path) if path.is_file() else Response("no report yet", 404)

    @ui.page("/table/{number}", response_timeout=PATIENCE)
    async def table(number: int, key: str = "", invite: str = "") -> None:
        with frame(f"Table {number}"):
            try:
                sitting = house.sitting(number)
            except KibitzError as error:
                ui.label(str(error))
                return
            page = MatchPage(house, sitting, sitting.keys.get(key), invite)
            page.build()
        await ui.context.client.connected()
        keep_doing(page.follow())

    @ui.page("/replay/{name}", response_timeout=PATIENCE)
    async def replay(name: str, ply: int = 0, model: Annotated[list[str], Query()] = []) -> None:  # noqa: B006
        with frame(f"Replay {name}"):
            try:
                page = ReplayPage(house, name, model, ply)
            except KibitzError as error:
                ui.label(str(error))
                return
            page.build()
        await ui.context.client.connected()
        keep_doing(page.load())

    ui.run_with(app, title="kibitz", dark=None, tailwind=False, reconnect_timeout=PATIENCE, show_welcome_message=False)


def make_app(service: Service) -> FastAPI:
    """The server's application with pages, for this machine only; the pages ask only operators for a token."""
    app = make_server(service)
    app.state.house = house = House(service.lobby)
    add_pages(app, house, service)
    return app
