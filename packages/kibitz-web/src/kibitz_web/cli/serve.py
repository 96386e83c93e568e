"""`kibitz serve`: one server for people (in a browser) and programs (by REST and sockets)."""

import gc
import os
import socket
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from kibitz.cli.console import console, warn
from kibitz.cli.options import Command, Network, Positive
from kibitz.core.errors import Unwritable
from kibitz.core.files import make_folder
from kibitz.remote.command_lines import allow_network
from kibitz.remote.confinement import Sandbox
from kibitz.remote.program_agent import operator_programs
from kibitz_lab.arena.tournament import read_agents
from kibitz_lab.cli.options import MATCHES, Database, MatchFolder
from kibitz_lab.store import Store
from kibitz_lab.store.claims import own_database
from kibitz_lab.store.schema import database_url
from kibitz_lab.store.server_folder import lock_folder, private_files
from kibitz_web.server.access.site import LOOPBACK, LOOPBACK_PROXIES, Site, TrustedProxies, read_address, read_proxies

if TYPE_CHECKING:
    from fastapi import FastAPI

    from kibitz_web.server.service import Service

HOST = "127.0.0.1"
HOUR = 3600
"""Seconds of computing for one match."""
GARBAGE = 5000, 10, 20
"""New objects after which garbage is collected, and after how many times also older objects are looked at.

By Python's own numbers that takes a twelfth of the server's time. All pages are older ones: looking at them stops it.
"""
SWITCHING = 0.0002
"""Seconds for which a thread may hold the interpreter while the event loop wants it; building a page asks 80 times."""


class ServeCommand(Command, frozen=True):
    """Play, watch and replay in a browser, and let programs join. Ctrl-C stops the server.

    Examples:
      kibitz serve
      kibitz serve --port 9000 --folder ~/matches --open
      kibitz token ann && kibitz serve --api --host 0.0.0.0
      kibitz serve --public https://play.example/kibitz
    """

    port: Annotated[int, Meta(ge=0, le=65535)] = 8017
    """If it is in use, a free one is chosen."""
    folder: MatchFolder = MATCHES
    open_browser: Annotated[bool, "--open"] = False
    """Open a browser, if there is one."""
    attended: bool = False
    """Exit after start-up when there is no terminal."""
    api: bool = False
    """Serve programs first: REST and sockets under /api."""
    host: Annotated[str, "H"] = HOST
    """Address to listen on; other than loopback requires tokens."""
    public: Annotated[str | None, "URL"] = None
    """Where people reach it, behind a proxy with TLS; requires tokens."""
    trust_proxy: tuple[Annotated[str, "ADDRESS"], ...] = ()
    """A proxy whose X-Forwarded-For counts, or a network of them; default with --public: this machine."""
    agents: Path | None = None
    """An agent file: names that clients may use."""
    allow_unconfined: bool = False
    """Run programs of FILE that cannot be confined, with your rights."""
    network: Network = ()
    match_seconds: Annotated[Positive, "S"] = HOUR
    """Seconds of computing per match of a person."""
    log: Annotated[str | None, "FILE"] = None
    """Log requests and errors as JSON; - is the standard error."""
    db: Database = None

    def execute(self) -> None:
        api = self.api or self.host != HOST
        from kibitz_web.server.live.archive import server_run
        from kibitz_web.server.live.storage import SERVING_WAIT
        from kibitz_web.server.service import check_host

        site = site_of(self.host, self.public, self.trust_proxy)
        url = lasting(self.db)
        check_host(self.host if site.public is None else str(site.public), url)
        required = not self.allow_unconfined
        agents = operators_agents(self.agents, [self.folder, url], required=required) if self.agents else {}
        allow_network(self.network)
        with (
            private_files(),
            lock_folder(match_folder(self.folder)),
            Store(url, wait=SERVING_WAIT) as store,
            Store(url) as patient,
            own_database((store, patient), server_run(store).run, self.folder.resolve()) as claim,
            listener(self.port, self.host) as listening,
        ):
            made = self.service(store, agents, patient)
            made.claim = claim
            made.lobby.compute.start()
            self.serve(made, site, listening, api=api)
            claim.check()

    def service(self, store: Store, agents: dict[str, str], patient: Store) -> "Service":
        """The service that plays the matches."""
        from kibitz_web.server.operations.logs import write_log
        from kibitz_web.server.service import service
        from kibitz_web.server.workers import Budget

        if self.log is not None:
            write_log(self.log)
        budget = Budget(match_seconds=self.match_seconds)
        return service(store, self.folder.resolve(), agents=agents, tournament_store=patient, budget=budget)

    def serve(self, made: "Service", site: Site, listening: socket.socket, *, api: bool) -> None:
        """Say where the server is, and serve until stopped."""
        app, alone = application(made, self.host, site, pages_wanted=not api), self.attended and not sys.stdin.isatty()
        address = f"http://{self.host}:{listening.getsockname()[1]}{site.base}/{'api/docs' if api else ''}"
        who = "clients need tokens" if made.auth.guarded else "every client is an operator"
        how = who if api else f"matches are stored in {made.store.url.database}"
        console.print(f"kibitz is at {address}; {how}; Ctrl-C stops it", markup=False)
        if self.open_browser and not alone:
            webbrowser.open(address)
        os.chdir(self.folder)  # so that a file name in a request names no file
        run(listening, app, alone=alone, logged=self.log is not None)


def site_of(host: str, public: str | None, proxies: Sequence[str]) -> Site:
    """How clients reach a server that listens on *host*."""
    hosts = LOOPBACK if host in LOOPBACK else None
    if public is None:
        return Site(hosts, proxies=read_proxies(proxies) if proxies else TrustedProxies())
    return Site(hosts, read_address(public), read_proxies(proxies) if proxies else LOOPBACK_PROXIES)


def operators_agents(path: Path, data: list[Path | str], *, required: bool) -> dict[str, str]:
    """The agents of an agent file, whose programs see neither it nor the server's *data*."""
    hidden = tuple(Path(each).resolve() for each in (path, *data) if "://" not in str(each))
    return operator_programs(read_agents(path), Sandbox(Path.cwd(), hidden=hidden, required=required))


def match_folder(folder: Path) -> Path:
    """The folder of the matches, which exists; warns if others may read it."""
    make_folder(folder)
    if folder.stat().st_mode & 0o077:
        warn(f"other users of this machine may read {folder}; to stop that: chmod 700 {folder}")
    return folder


def application(made: "Service", host: str, site: Site, *, pages_wanted: bool) -> "FastAPI":
    """The application: the API always; the pages if they are wanted, and on this machine without accounts."""
    from kibitz_web.server.api_app import make_api_app

    if pages_wanted or (host in LOOPBACK and not made.auth.guarded):
        from kibitz_web.web_app import make_web_app

        return make_web_app(made, site)
    return make_api_app(made, site)


def lasting(db: str | None) -> str:
    """The database as an absolute name, which stays valid in another working folder."""
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

    from kibitz_web.server.access.connections import make_config

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
