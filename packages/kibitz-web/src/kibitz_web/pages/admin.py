"""The operator's page: who is here and what runs; stop it, invite, revoke."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from nicegui import ui

from kibitz.core.errors import Refused
from kibitz_lab.store.accounts import Account, Role
from kibitz_web.page_frame import button, errors_shown, heading, server_address
from kibitz_web.parts.entries import keep_in
from kibitz_web.visit import Visit, match_address

EVERY = 2.0
"""Seconds between refreshes."""
ROLES: tuple[Role, ...] = ("player", "host", "spectator", "operator")
Row = tuple[object, ...]


class AdminPage:
    """Lists accounts, connections, matches and tournaments of the server, each with a button that ends it."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.service = visit, visit.service
        self.name: Any = ""  # a browser may send anything
        self.role: Any = ROLES[0]
        self.accounts: list[Account] = []
        self.rows: list[Row] = []

    async def build(self) -> None:
        """Lay the page out, for an operator only."""
        self.visit.visitor.check_operator()
        heading("Admin", 1)
        heading("Invite")
        with ui.element("div").classes("row"):
            keep_in(self, "name", ui.input("name"))
            keep_in(self, "role", ui.select(list(ROLES))).props('aria-label="role"')
            button("Make a link", lambda: self.attempt(self.invite))
        self.link = ui.label("").props('role="status"').style("overflow-wrap: anywhere")
        self.tables()
        ui.timer(EVERY, self.refresh)

    async def refresh(self) -> None:
        """Show what has changed."""
        self.accounts = await self.service.compute.run_io(self.service.auth.accounts.all)
        rows: list[Row] = [
            *((each.name, each.role) for each in self.accounts),
            *((each.principal.name, each.what) for each in self.service.auth.connections),
            *((match.number, match.status, len(match.events)) for match in self.service.lobby.live_matches()),
            *((number,) for number in self.service.tournaments.tasks),
        ]
        if rows != self.rows:
            self.rows = rows
            self.tables.refresh()

    @ui.refreshable_method
    def tables(self) -> None:
        """The four lists."""
        heading("Who is here")
        here = sorted({(each.principal.name, each.principal.role, each.what) for each in self.service.auth.connections})
        for name, role, what in here:
            ui.label(f"{name} ({role}) {what}")
        heading("Computing")
        usage = self.service.compute.usage()
        ui.label(f"{usage['running']} computations on {usage['cores']} cores, {usage['waiting']} waiting")
        heading("Accounts")
        if not self.accounts:
            ui.label("None: every caller on this machine is an operator.").classes("quiet")
        for each in self.accounts:
            with ui.element("div").classes("row"):
                ui.label(f"{each.name}: {each.role}, a {each.kind}")
                button("Revoke", partial(self.attempt, partial(self.service.revoke, each.name)), f"revoke {each.name}")
        heading("Matches")
        for match in self.service.lobby.live_matches():
            with ui.element("div").classes("row"):
                ui.link(f"match {match.number}: {match.game!r}", match_address(match.number))
                ui.label(f"{match.status}, {len(match.events)} events, opened by {match.owner}").classes("quiet")
                button("Stop", partial(self.attempt, partial(self.stop, match.number)), f"stop match {match.number}")
        heading("Tournaments")
        for number in self.service.tournaments.tasks:
            with ui.element("div").classes("row"):
                ui.label(f"run {number}")
                stop = partial(self.service.tournaments.stop, number)
                button("Stop", partial(self.attempt, stop), f"stop run {number}")

    async def attempt(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something; show why if it fails."""
        with errors_shown():
            await work()
        await self.refresh()

    async def invite(self) -> None:
        """Make a sign-in link and show it. The first account must be an operator's: from then on everyone signs in."""
        if not self.service.auth.guarded:
            raise Refused("make your own account first, on the command line: kibitz invite NAME --role operator")
        if not isinstance(self.name, str) or self.role not in ROLES:
            raise Refused("give a name and one of the roles")
        code = await self.service.lobby.writer.write(self.service.auth.accounts.invite, self.name, self.role)
        self.link.set_text(f"The link of {self.name}, for one use: {server_address()}/join/{code}")

    async def stop(self, number: int) -> None:
        """Stop a match."""
        await self.service.stop_match(self.service.lobby.find(number), self.visit.visitor)
