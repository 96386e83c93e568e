"""The parts of a server in one object: accounts, live matches, tournaments."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from kibitz.core.errors import KibitzError, Refused
from kibitz.core.processes import cores
from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts
from kibitz_lab.store.claims import Claim
from kibitz_web.server.access.auth import Auth, Principal
from kibitz_web.server.access.guard import LOOPBACK
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.tournaments import Tournaments
from kibitz_web.server.workers import Budget
from kibitz_web.server.workers.compute import Compute

log = logging.getLogger(__name__)
ACCOUNTS_PAUSE = 1.0
"""Seconds between looks at the accounts in the store."""


class Service:
    """A server without its transports: pages, sockets and REST call it."""

    def __init__(self, store: Store, lobby: Lobby, tournaments: Tournaments, *, guarded: bool | None = None) -> None:
        self.store, self.lobby, self.tournaments, self.compute = store, lobby, tournaments, lobby.compute
        self.auth = Auth(store, lobby.compute, lobby.writer, guarded=guarded, limits=lobby.limits)
        self.following: asyncio.Task[None] | None = None
        self.claim: Claim | None = None
        """The claim on the database, where there is one to lose."""
        self.stop: Callable[[], None] = lambda: None
        """Called when the database is lost to another process."""

    async def start(self) -> None:
        """Go on with the matches of the last server, and keep an eye on the accounts."""
        await self.lobby.restore()
        self.following = asyncio.get_running_loop().create_task(self.follow_accounts())

    async def follow_accounts(self) -> None:
        """End what was revoked by another process: the command line changes accounts while the server runs.

        If the database itself was taken, the server stops.
        """
        while True:
            await asyncio.sleep(ACCOUNTS_PAUSE)
            if self.claim is not None and self.claim.lost:
                log.error("another process has taken the database: the server stops")
                self.stop()
                return
            try:
                for name in await self.auth.lost_accounts(self.lobby.principals()):
                    await self.end_access(name)
            except KibitzError as error:  # the database is busy or away; the next look will do
                log.warning("accounts could not be read: %s", error)

    async def revoke(self, name: str) -> None:
        """Revoke an account: what it can log in with, its pages and sockets, and its seats, all at once."""
        await self.lobby.writer.write(self.auth.accounts.revoke, name)
        await self.end_access(name)

    async def end_access(self, name: str) -> None:
        """Close the pages and sockets of a principal, and end their seats."""
        self.auth.close_connections(name)
        await self.lobby.revoke(name)

    async def stop_match(self, match: LiveMatch, principal: Principal) -> None:
        """Stop a match, if the principal may: its owner may, but not when others play in it, who might be winning."""
        others = any(seat.principal.id != principal.id for seat in match.seats.values())
        if match.owner != principal.id or (match.status == "playing" and others):
            principal.check_may_host()
        await self.lobby.discard(match)

    async def close(self) -> None:
        """Stop all tournaments; matches go on when a server is started again."""
        if self.following is not None:
            self.following.cancel()
        await self.tournaments.close()
        await self.lobby.close()


def service(
    store: Store,
    folder: Path,
    *,
    agents: dict[str, str] | None = None,
    tournament_store: Store | None = None,
    budget: Budget | None = None,
) -> Service:
    """A service on a store. Agents run in a process per core, within the *budget* of people.

    Tournaments may be stored through another connection, which waits longer for other writers.
    """
    compute = Compute(workers=cores(), budget=budget)
    lobby = Lobby(store, folder, compute=compute, agents=agents)
    return Service(store, lobby, Tournaments(tournament_store or store, agents))


def check_host(host: str, url: str) -> None:
    """Raise Refused if the server would listen to other machines without requiring tokens."""
    if host not in LOOPBACK:
        with Store(url, make=False) as store:
            if not Accounts(store).any_ever():
                why = "can be reached from other machines: make a token first with: kibitz token NAME --operator"
                raise Refused(f"{host} {why}")
