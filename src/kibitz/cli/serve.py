"""`kibitz serve`: the web app on this machine, or the server that programs play through."""

import os
import socket
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

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
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where matches are kept.")] = KEPT,
    open_browser: Annotated[bool, typer.Option("--open", help="Show it in a browser, if there is one.")] = False,
    attended: Annotated[
        bool, typer.Option("--attended", help="End when nobody is there: at once without a terminal.")
    ] = False,
    api: Annotated[bool, typer.Option("--api", help="Let programs play: REST and sockets under /api.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="H", help="Who may call; elsewhere tokens are needed.")] = HOST,
    agents: Annotated[
        Path | None, typer.Option("--agents", metavar="FILE", help="An agent file: names that callers may use.")
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Play, watch and replay in a browser; with --api, let programs play. Ctrl-C ends it.

    Examples:

      kibitz serve

      kibitz serve --port 9000 --folder ~/matches --open

      kibitz token ann && kibitz serve --api --host 0.0.0.0
    """
    if api or host != HOST:
        serve_api(host, port, folder, agents, db)
        return
    if find_spec("nicegui") is None:
        raise MissingPackage("nicegui", "web")
    from kibitz.web.app import make_app

    make_folder(folder)
    alone = attended and not sys.stdin.isatty()
    with listener(port) as listening:
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        console.print(f"kibitz is at {address}; matches are kept in {folder}; Ctrl-C ends it", markup=False)
        if open_browser and not alone:
            webbrowser.open(address)
        run(listening, make_app(folder, db), alone=alone)


def serve_api(host: str, port: int, folder: Path, agents: Path | None, db: str | None) -> None:
    """Serve programs, with a database and tokens, until somebody ends it."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise MissingPackage("fastapi", "server")
    from kibitz.arena.definitions import read_agents
    from kibitz.server.app import make_app
    from kibitz.server.gate import LOOPBACK
    from kibitz.server.service import service
    from kibitz.store import Store

    named = read_agents(agents) if agents else {}
    with Store(lasting(db)) as store:
        made = service(store, folder.resolve(), host=host, agents=named)
        app = make_app(made, hosts=LOOPBACK if host in LOOPBACK else None)
        if host in LOOPBACK and not made.guarded and find_spec("nicegui") is not None:
            from kibitz.web.app import add_pages
            from kibitz.web.house import House

            add_pages(app, House(folder.resolve(), db))  # the pages ask for no token, and so are for this machine
        with listener(port, host) as listening:
            where = f"http://{host}:{listening.getsockname()[1]}/api/docs"
            who = "tokens are asked for" if made.guarded else "whoever reaches it is its operator"
            console.print(f"kibitz is at {where}; {who}; Ctrl-C ends it", markup=False)
            os.chdir(folder)  # a name in a request that is no preset then names nothing
            run(listening, app, alone=False)


def lasting(db: str | None) -> str:
    """The database that is meant, whatever folder we go to."""
    from kibitz.store.connection import database_url

    url = database_url(db)
    here = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return str(Path(str(url.database)).resolve()) if here else url.render_as_string(hide_password=False)


def listener(port: int, host: str = HOST) -> socket.socket:
    """A socket on *port* of this machine, or on a free one where it is taken; without more, for this machine alone."""
    for number in (port, 0):
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, number))
            made.listen()  # whoever reads the address may call at once
        except OSError:
            made.close()
        else:
            return made
    raise Unwritable(f"{host}:{port}", "no port is free, or that is no address of this machine")


def run(listening: socket.socket, app: Any, *, alone: bool) -> None:
    """Serve until somebody ends it; *alone*, begin, and end when all has begun."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, ws_max_size=1 << 20))

    async def end() -> None:
        server.should_exit = True

    if alone:
        server.config.callback_notify, server.config.timeout_notify = end, 0
    with suppress(KeyboardInterrupt):  # that is how one ends it
        server.run(sockets=[listening])
    console.print("kibitz: stopped", markup=False)
