"""The pages and where they are."""

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Query, Response
from fastapi.responses import FileResponse
from nicegui import app as nicegui_app
from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.server.gate import LOOPBACK, Gate
from kibitz.server.lobby import Limits
from kibitz.studies import STUDIES
from kibitz.web import records_page
from kibitz.web.home import build as build_home
from kibitz.web.house import House
from kibitz.web.look import frame, keep_doing, serve_static
from kibitz.web.replay_page import ReplayPage
from kibitz.web.runs import report_folder
from kibitz.web.runs_pages import RunPage, StudiesPage, TournamentsPage
from kibitz.web.table_page import TablePage

PATIENCE = 60.0
"""Seconds a page may be out of reach and still go on where it was."""


def add_pages(app: FastAPI, house: House) -> None:
    """Put the pages of *house* on a FastAPI app."""
    serve_static()

    @ui.page("/")
    def home() -> None:
        with frame("Play"):
            build_home(house)

    @ui.page("/records")
    def records() -> None:
        with frame("Records"):
            records_page.build(house)

    @ui.page("/tournaments")
    def tournaments() -> None:
        with frame("Tournaments"):
            TournamentsPage(house.runs).build()

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
            StudiesPage(house.runs).build()

    @app.get("/studies/{name}/report")
    def report(name: str) -> Response:
        path = report_folder(name) / "report.html" if name in STUDIES else Path()
        return FileResponse(path) if path.is_file() else Response("there is no report yet", 404)

    @ui.page("/table/{number}")
    async def table(number: int, key: str = "") -> None:
        with frame(f"Table {number}"):
            try:
                sitting = house.sitting(number)
            except KibitzError as error:
                ui.label(str(error))
                return
            page = TablePage(house, sitting, sitting.seat(key))
            page.build()
        await ui.context.client.connected()
        keep_doing(page.follow())

    @ui.page("/replay/{name}")
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

    nicegui_app.on_shutdown(house.minds.close)
    ui.run_with(app, title="kibitz", dark=None, tailwind=False, reconnect_timeout=PATIENCE, show_welcome_message=False)


def make_app(folder: Path, db: str | None = None) -> FastAPI:
    """The web app, which keeps matches in *folder* and runs in the database *db*; pages of other sites may not call."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.house = house = House(folder, db)
    add_pages(app, house)
    app.add_middleware(Gate, limits=Limits(), hosts=LOOPBACK)
    return app
