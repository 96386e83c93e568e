"""All that a server is made of, in one place: its lobby, its controller, and who may come in."""

from pathlib import Path

from kibitz.arena.executors.pool import cores
from kibitz.core.errors import Refused
from kibitz.server.compute import Compute
from kibitz.server.guard import LOOPBACK
from kibitz.server.jobs import Jobs
from kibitz.server.lobby import Lobby
from kibitz.store import Store
from kibitz.store.tokens import Token, Tokens


class Unauthorized(Refused):
    """A caller whom the server does not know."""


class Forbidden(Refused):
    """What this caller may not do."""


class Service:
    """What answers requests. Without any token in the store, whoever reaches it is its operator."""

    def __init__(self, store: Store, lobby: Lobby, controller: Jobs, *, guarded: bool | None = None) -> None:
        self.store, self.lobby, self.controller = store, lobby, controller
        self.tokens = Tokens(store)
        self.guarded = bool(self.tokens.all()) if guarded is None else guarded

    async def caller(self, token: str, name: str = "") -> Token:
        """Who calls; raises Unauthorized where the token is nobody's."""
        if not self.guarded:
            return Token(name or "local", "operator")
        found = await self.lobby.minds.keep_books(self.tokens.find, token) if token else None
        if found is None:
            raise Unauthorized("a token is needed; an operator makes one: kibitz token NAME")
        return found

    async def operator(self, token: str) -> Token:
        """Who calls, if they are an operator; raises Unauthorized or Forbidden."""
        return operator_only(await self.caller(token))

    async def close(self) -> None:
        """Stop everything that goes on."""
        await self.controller.close()
        await self.lobby.close()


def operator_only(caller: Token) -> Token:
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
    """A server's parts on one store. Agents live in *workers*, one for each core if nothing is said."""
    minds = Compute(workers=cores() if workers is None else workers)
    return Service(store, Lobby(store, folder, minds=minds, agents=agents), Jobs(store, agents, workers=workers))


def check_host(host: str, url: str) -> None:
    """Raise Refused where a server could be reached from elsewhere and would let everybody in."""
    if host not in LOOPBACK:
        with Store(url, make=False) as store:
            if not Tokens(store).all():
                why = "can be reached from elsewhere: make a token first with: kibitz token NAME --operator"
                raise Refused(f"{host} {why}")
