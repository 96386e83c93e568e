"""`kibitz serve`: the web app on this machine."""

import socket
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import DatabaseOption
from kibitz.cli.screen import console
from kibitz.core.errors import MissingPackage, Unwritable
from kibitz.core.files import make_folder

HOST = "127.0.0.1"
PORT = 8017
KEPT = Path("matches")


def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Another if it is taken.")] = PORT,
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where matches are kept.")] = Path(
        "matches"
    ),
    db: DatabaseOption = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Show it in a browser, if there is one.")] = False,
    attended: Annotated[
        bool, typer.Option("--attended", help="End when nobody is there: at once without a terminal.")
    ] = False,
) -> None:
    """Play, watch and replay in a browser; Ctrl-C ends it.

    Examples:

      kibitz serve

      kibitz serve --port 9000 --folder ~/matches --open
    """
    if find_spec("nicegui") is None:
        raise MissingPackage("nicegui", "web")
    make_folder(folder)
    alone = attended and not sys.stdin.isatty()
    with listener(port) as listening:
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        console.print(f"kibitz is at {address}; matches are kept in {folder}; Ctrl-C ends it", markup=False)
        if open_browser and not alone:
            webbrowser.open(address)
        run(listening, folder, db, alone=alone)


def listener(port: int) -> socket.socket:
    """A socket on *port* of this machine alone, or on a free one where it is taken."""
    for number in (port, 0):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, number))
        except OSError:
            made.close()
        else:
            return made
    raise Unwritable(f"{HOST}:{port}", "no port is free")


def run(listening: socket.socket, folder: Path, db: str | None, *, alone: bool) -> None:
    """Serve until somebody ends it; *alone*, begin, and end when all has begun."""
    import uvicorn

    from kibitz.web.app import make_app

    server = uvicorn.Server(uvicorn.Config(make_app(folder, db), log_level="warning", timeout_graceful_shutdown=2))

    async def end() -> None:
        server.should_exit = True

    if alone:
        server.config.callback_notify, server.config.timeout_notify = end, 0
    with suppress(KeyboardInterrupt):  # that is how one ends it
        server.run(sockets=[listening])
    console.print("kibitz: stopped", markup=False)
