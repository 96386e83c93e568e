"""Who calls: principals, their roles, and what each role may do. Pages, sockets and REST all ask here."""

import secrets
from collections.abc import Callable, Iterable

import msgspec

from kibitz.core.errors import Refused
from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts, Role, hash_of
from kibitz_web.server.access.guard import Bucket, Limits
from kibitz_web.server.live.storage import StoreWriter
from kibitz_web.server.workers.compute import Compute

PERSON = "a person"
"""The name of a person on a server without accounts."""
LOCAL = "this machine"
"""The id of every program on a server without accounts; it has a space, so that it is the name of no account."""
MAY_PLAY: tuple[Role, ...] = ("operator", "host", "player")
MAY_HOST: tuple[Role, ...] = ("operator", "host")


class Unauthorized(Refused):
    """The caller is not signed in and has no valid token."""


class Forbidden(Refused):
    """The caller's role does not allow this."""


class TooManyRequests(Refused):
    """The caller asks too often."""


class Principal(msgspec.Struct, frozen=True):
    """Somebody who uses the server: a person signed in by a link, a program with a token, or a user of this machine."""

    id: str
    """What seats and matches belong to: an account's name, or on a server without accounts one browser."""
    name: str
    role: Role
    person: bool = False

    def check_may_play(self) -> None:
        """Raise Forbidden if they may only watch."""
        if self.role not in MAY_PLAY:
            raise Forbidden("a spectator may only watch")

    def check_may_host(self) -> None:
        """Raise Forbidden unless they are a host or an operator."""
        if self.role not in MAY_HOST:
            raise Forbidden("only a host or an operator may do this")

    def check_operator(self) -> None:
        """Raise Forbidden unless they are an operator."""
        if self.role != "operator":
            raise Forbidden("only an operator may do this")


class Connection(msgspec.Struct, frozen=True, eq=False):
    """An open page or socket: revoking its principal closes it."""

    principal: Principal
    what: str
    """What it shows, for the operator."""
    close: Callable[[], None]
    session: str = ""
    """The hash of the session that a page was opened with; it closes when that ends."""


class Auth:
    """Finds the principal behind a secret. While no account was ever made, every caller is an operator."""

    def __init__(
        self,
        store: Store,
        compute: Compute,
        writer: StoreWriter,
        *,
        guarded: bool | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.accounts, self.compute, self.writer = Accounts(store), compute, writer
        self.guarded = self.accounts.any_ever() if guarded is None else guarded
        self.connections: set[Connection] = set()
        self.limits = limits or Limits()
        self.buckets: dict[str, Bucket] = {}
        """The rate of each person with an account, whatever address they come from."""

    async def principal(self, secret: str, name: str = "") -> Principal:
        """The principal with this token or session; *name* counts only on a server without accounts."""
        if not self.guarded:
            return Principal(LOCAL, name or "local", "operator")
        found = await self.compute.run_io(self.accounts.find, secret) if secret else None
        if found is None:
            raise Unauthorized("this server requires a token; its operator can make one: kibitz token NAME")
        return Principal(found.name, found.name, found.role, person=found.kind == "person")

    async def visitor(self, session: str) -> Principal:
        """The person in a browser with this session."""
        if not self.guarded:
            return Principal(f"browser {hash_of(session)[:16]}", PERSON, "operator", person=True)
        return await self.principal(session)

    def count_request(self, principal: Principal) -> None:
        """Count a request of a principal; raises TooManyRequests if there are too many."""
        if self.guarded and principal.role != "operator":
            bucket = self.buckets.setdefault(principal.id, Bucket(self.limits.rate_each, self.limits.burst_each))
            if not bucket.take():
                raise TooManyRequests("too many requests; slow down")

    async def sign_in(self, code: str) -> str:
        """The secret of a new session for a person with a sign-in link, which is used up."""
        return await self.writer.write(self.accounts.sign_in, code)

    async def sign_out(self, session: str) -> None:
        """End a session."""
        if self.guarded and session:
            await self.writer.write(self.accounts.end_session, session)
            for each in [each for each in self.connections if each.session == hash_of(session)]:
                each.close()

    def close_connections(self, name: str) -> None:
        """Close the pages and sockets of a principal."""
        for each in [each for each in self.connections if each.principal.id == name]:
            each.close()

    async def lost_accounts(self, seated: Iterable[Principal]) -> set[str]:
        """The principals with a page, a socket or a seat whose account is no longer valid, or may no longer play.

        The first account makes the server ask for credentials; then callers without one are lost, too. If a role has
        changed, the pages and sockets of its account are closed; their principal may open them again.
        """
        if not self.guarded and await self.compute.run_io(self.accounts.any_ever):
            self.guarded = True  # and never the other way: the first account may be made while the store is asked
        if not self.guarded:
            return set()
        roles = {account.name: account.role for account in await self.compute.run_io(self.accounts.all)}
        here = [each.principal for each in self.connections]
        for each in [each for each in self.connections if each.principal.role != roles.get(each.principal.id)]:
            each.close()
        idle = {each.id for each in seated if roles.get(each.id) not in MAY_PLAY}
        return ({each.id for each in here} - roles.keys()) | idle

    def connect(self, principal: Principal, what: str, close: Callable[[], None], session: str = "") -> Connection:
        """Note an open page or socket, to be closed if its principal is revoked or the session of a page ends."""
        made = Connection(principal, what, close, hash_of(session) if session else "")
        self.connections.add(made)
        return made

    def disconnect(self, connection: Connection) -> None:
        """Forget a page or socket that is closed."""
        self.connections.discard(connection)


def new_secret() -> str:
    """A text that cannot be guessed."""
    return secrets.token_urlsafe(24)
