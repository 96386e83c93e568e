"""The parts of a server in one object: its lobby, its tournaments, and the authentication of callers."""

from pathlib import Path

from kibitz.arena.executors.pool import cores
from kibitz.core.errors import Refused
from kibitz.server.compute import Compute
from kibitz.server.guard import LOOPBACK
from kibitz.server.jobs import Jobs
from kibitz.server.lobby import Lobby
from kibitz.store import Store
from kibitz.store.accounts import Account, Accounts


class Unauthorized(Refused):
    """The caller has no valid token."""


class Forbidden(Refused):
    """The caller's role does not allow this."""


class Service:
    """Answers requests. If the store has never held an account, every caller is an operator."""

    def __init__(self, store: Store, lobby: Lobby, controller: Jobs, *, guarded: bool | None = None) -> None:
        self.store, self.lobby, self.controller = store, lobby, controller
        self.accounts = Accounts(store)
        self.guarded = self.accounts.any_ever() if guarded is None else guarded

    async def caller(self, token: str, name: str = "") -> Account:
        """The caller's account; raises Unauthorized if they are unknown."""
        if not self.guarded:
            return Account(name or "local", "operator", "person")
        found = await self.lobby.compute.run_io(self.accounts.find, token) if token else None
        if found is None:
            raise Unauthorized("this server requires a token; its operator can make one: kibitz token NAME")
        return found

    async def operator(self, token: str) -> Account:
        """The caller's account, if they are an operator; raises Unauthorized or Forbidden."""
        return operator_only(await self.caller(token))

    async def close(self) -> None:
        """Stop all matches and tournaments."""
        await self.controller.close()
        await self.lobby.close()


def operator_only(caller: Account) -> Account:
    """The caller, if they are an operator; raises Forbidden."""
    if caller.role != "operator":
        raise Forbidden("only an operator may do this")
    return caller


def service(
    store: Store,
    folder: Path,
    *,
    agents: dict[str, str] | None = None,
    workers: int | None = None,
) -> Service:
    """A service on a store. Agents run in *workers* processes, by default one per core."""
    compute = Compute(workers=cores() if workers is None else workers)
    return Service(store, Lobby(store, folder, compute=compute, agents=agents), Jobs(store, agents, workers=workers))


def check_host(host: str, url: str) -> None:
    """Raise Refused if the server would listen to other machines without requiring tokens."""
    if host not in LOOPBACK:
        with Store(url, make=False) as store:
            if not Accounts(store).any_ever():
                why = "can be reached from other machines: make a token first with: kibitz token NAME --operator"
                raise Refused(f"{host} {why}")
