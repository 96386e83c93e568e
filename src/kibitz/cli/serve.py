"""`kibitz serve`: one server for people (in a browser) and programs (by REST and sockets)."""

import gc
import os
import socket
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.console import console, warn
from kibitz.cli.options import MATCHES, DatabaseOption, MatchFolderOption, NetworkOption
from kibitz.core.errors import MissingPackage, Unwritable
from kibitz.core.files import lock_folder, make_folder, private_files

if TYPE_CHECKING:
    from fastapi import FastAPI

    from kibitz.server.access.site import Site
    from kibitz.server.service import Service

HOST = "127.0.0.1"
PORT = 8017
HOUR = 3600
"""Seconds of computing for one match."""
GARBAGE = 5000, 10, 20
"""New objects after which garbage is collected, and after how many times also older objects are looked at.

By Python's own numbers that takes a twelfth of the server's time. All pages are older ones: looking at them stops it.
"""
SWITCHING = 0.0002
"""Seconds for which a thread may hold the interpreter while the event loop wants it; building a page asks 80 times."""


def serve(
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="If it is in use, a free one is chosen.")
    ] = PORT,
    folder: MatchFolderOption = MATCHES,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser, if there is one.")] = False,
    attended: Annotated[
        bool, typer.Option("--attended", help="Exit after start-up when there is no terminal.")
    ] = False,
    api: Annotated[bool, typer.Option("--api", help="Serve programs first: REST and sockets under /api.")] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="H", help="Address to listen on; other than loopback requires tokens.")
    ] = HOST,
    public: Annotated[
        str | None,
        typer.Option(
            "--public", metavar="URL", help="Where people reach it, behind a proxy with TLS; requires tokens."
        ),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trust-proxy",
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded-For counts, or a network of them; default with --public: this machine.",
        ),
    ] = None,
    agents: Annotated[
        Path | None, typer.Option("--agents", metavar="FILE", help="An agent file: names that clients may use.")
    ] = None,
    allow_unconfined: Annotated[
        bool, typer.Option("--allow-unconfined", help="Run programs of FILE that cannot be confined, with your rights.")
    ] = False,
    network: NetworkOption = None,
    match_seconds: Annotated[
        int, typer.Option("--match-seconds", metavar="S", min=1, help="Seconds of computing per match of a person.")
    ] = HOUR,
    log: Annotated[
        str | None,
        typer.Option("--log", metavar="FILE", help="Log requests and errors as JSON; - is the standard error."),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Play, watch and replay in a browser, and let programs join. Ctrl-C stops the server.

    Examples:

      kibitz serve

      kibitz serve --port 9000 --folder ~/matches --open

      kibitz token ann && kibitz serve --api --host 0.0.0.0

      kibitz serve --public https://play.example/kibitz
    """
    api = api or host != HOST
    for package, extra in (("fastapi", "server"), ("uvicorn", "server"), ("nicegui", "web"))[: 2 if api else 3]:
        if find_spec(package) is None:
            raise MissingPackage(package, extra)
    from kibitz.remote.commands import allow_network
    from kibitz.server.live.archive import server_run
    from kibitz.server.live.storage import SERVING_WAIT
    from kibitz.server.operations.logs import write_log
    from kibitz.server.service import check_host, service
    from kibitz.server.workers import Budget
    from kibitz.store import Store
    from kibitz.store.claims import own_database

    site = site_of(host, public, trust_proxy)
    url, alone = lasting(db), attended and not sys.stdin.isatty()
    check_host(host if site.public is None else str(site.public), url)
    named = operators_agents(agents, [folder, url], required=not allow_unconfined) if agents else {}
    allow_network(network or ())
    with (
        private_files(),
        lock_folder(match_folder(folder)),
        Store(url, wait=SERVING_WAIT) as store,
        Store(url) as patient,
        own_database((store, patient), server_run(store).run, folder.resolve()) as claim,
        listener(port, host) as listening,
    ):
        if log is not None:
            write_log(log)
        budget = Budget(match_seconds=match_seconds)
        made = service(store, folder.resolve(), agents=named, tournaments=patient, budget=budget)
        made.claim = claim
        made.lobby.compute.start()
        app = application(made, host, site, pages_wanted=not api)
        address = f"http://{host}:{listening.getsockname()[1]}{site.base}/{'api/docs' if api else ''}"
        who = "clients need tokens" if made.auth.guarded else "every client is an operator"
        how = who if api else f"matches are stored in {store.url.database}"
        console.print(f"kibitz is at {address}; {how}; Ctrl-C stops it", markup=False)
        if open_browser and not alone:
            webbrowser.open(address)
        os.chdir(folder)  # so that a file name in a request names no file
        run(listening, app, alone=alone, logged=log is not None)
        claim.check()


def site_of(host: str, public: str | None, proxies: list[str] | None) -> "Site":
    """How clients reach a server that listens on *host*."""
    from kibitz.server.access.site import LOOPBACK, LOOPBACK_PROXIES, Site, TrustedProxies, read_address, read_proxies

    hosts = LOOPBACK if host in LOOPBACK else None
    if public is None:
        return Site(hosts, proxies=read_proxies(proxies) if proxies else TrustedProxies())
    return Site(hosts, read_address(public), read_proxies(proxies) if proxies else LOOPBACK_PROXIES)


def operators_agents(path: Path, data: list[Path | str], *, required: bool) -> dict[str, str]:
    """The agents of an agent file, whose programs see neither it nor the server's *data*."""
    from kibitz.arena.definitions import read_agents
    from kibitz.remote.confinement import Sandbox
    from kibitz.remote.process import operator_programs

    hidden = tuple(Path(each).resolve() for each in (path, *data) if "://" not in str(each))
    return operator_programs(read_agents(path), Sandbox(Path.cwd(), hidden=hidden, required=required))


def match_folder(folder: Path) -> Path:
    """The folder of the matches, which exists; warns if others may read it."""
    make_folder(folder)
    if folder.stat().st_mode & 0o077:
        warn(f"other users of this machine may read {folder}; to stop that: chmod 700 {folder}")
    return folder


def application(made: "Service", host: str, site: "Site", *, pages_wanted: bool) -> "FastAPI":
    """The application: the API always; the pages if they are wanted, and on this machine without accounts."""
    from kibitz.server.access.site import LOOPBACK
    from kibitz.server.app import make_app as make_server

    if pages_wanted or (host in LOOPBACK and not made.auth.guarded and find_spec("nicegui") is not None):
        from kibitz.web.app import make_app

        return make_app(made, site)
    return make_server(made, site)


def lasting(db: str | None) -> str:
    """The database as an absolute name, which stays valid in another working folder."""
    from kibitz.store.connection import database_url

    url = database_url(db)
    here = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return str(Path(str(url.database)).resolve()) if here else url.render_as_string(hide_password=False)


def listener(port: int, host: str = HOST) -> socket.socket:
    """A listening socket on *port*, or on a free port if it is in use; by default for this machine only."""
    for number in (port, 0):
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, number))
            made.listen()  # clients may connect as soon as the address is printed
        except OSError:
            made.close()
        else:
            return made
    raise Unwritable(f"{host}:{port}", "no port is free, or this machine has no such address")


def run(listening: socket.socket, app: Any, *, alone: bool, logged: bool = False) -> None:
    """Serve until stopped; with *alone*, exit after start-up, with *logged*, leave uvicorn's messages to our log."""
    import uvicorn

    from kibitz.server.access.connections import make_config

    logging = None if logged else uvicorn.config.LOGGING_CONFIG
    server = uvicorn.Server(make_config(app, timeout_graceful_shutdown=2, log_config=logging))

    def stop() -> None:
        server.should_exit = True

    async def end() -> None:
        stop()

    app.state.service.stop = stop
    if alone:
        server.config.callback_notify, server.config.timeout_notify = end, 0
    gc.collect()
    gc.freeze()  # loaded modules stay: collecting garbage among them would only add pauses
    gc.set_threshold(*GARBAGE)
    sys.setswitchinterval(SWITCHING)
    with suppress(KeyboardInterrupt):  # Ctrl-C is the normal way to stop
        server.run(sockets=[listening])
    console.print("kibitz: stopped", markup=False)
