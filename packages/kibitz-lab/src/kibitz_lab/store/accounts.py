"""Accounts of people and programs, and the secrets with which they log in. The database holds only hashes of these.

A program logs in with a token. A person signs in once with a link, and from then on is known by a session.
"""

import logging
import re
import secrets
import time
from hashlib import sha256
from typing import Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, func, literal, or_, select, update

from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz_lab.store import schema
from kibitz_lab.store.store import Store, now

log = logging.getLogger(__name__)
Role = Literal["operator", "host", "player", "spectator"]
"""Operators may do everything, hosts open matches for others, players play, spectators watch."""
Kind = Literal["person", "program"]
NAME = re.compile(r"[A-Za-z0-9._-]{1,80}")
"""Allowed names of accounts: they occur in addresses, in records and on pages."""
SESSION = 180 * 86400.0
"""Seconds after which a person has to sign in again."""


class Account(msgspec.Struct, frozen=True):
    """A person or a program that the server knows, and their role."""

    name: str
    role: Role = "player"
    kind: Kind = "program"
    made: str = ""


def check_name(name: str) -> None:
    """Raise BadSpec if *name* cannot be the name of an account."""
    if not NAME.fullmatch(name):
        raise BadSpec(name, "a name has up to 80 letters, digits, dots, dashes and underscores, and no spaces")


class Accounts:
    """The accounts in a store.

    Secrets are drawn before the change that stores them: the store repeats a change whose answer was lost, and the
    second time finds the secret there.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def make_token(self, name: str, role: Role = "player") -> str:
        """A new token for the program *name*; it is returned once and not stored. A revoked name is valid again."""
        check_name(name)
        token = f"kibitz-{secrets.token_urlsafe(32)}"

        def add_token(connection: Connection) -> None:
            if has_credential(connection, token):
                return
            self._set_account(connection, Account(name, role, "program"))
            tokens = schema.credentials.c
            found = select(tokens.hash).where(tokens.account == name, tokens.kind == "token")
            if connection.scalar(found) is not None:
                raise Refused(f"{name!r} has a token already; revoke it first")
            add_credential(connection, token, name, "token")

        self.store.write_change(add_token)
        log.info("token made", extra={"fields": {"account": name, "role": role}})
        return token

    def invite(self, name: str, role: Role = "player", expires: float | None = None) -> str:
        """The code of a link with which the person *name* signs in once, until *expires* (seconds since 1970).

        Earlier unused links of that person are void, and the role is changed to *role*.
        """
        check_name(name)
        code = secrets.token_urlsafe(24)

        def add_link(connection: Connection) -> None:
            if has_credential(connection, code):
                return
            self._set_account(connection, Account(name, role, "person"))
            connection.execute(delete(schema.credentials).where(_unused_link(), schema.credentials.c.account == name))
            add_credential(connection, code, name, "link", expires)

        self.store.write_change(add_link)
        return code

    def sign_in(self, code: str) -> str:
        """The secret of a new session for the person with this link, which is used up; raises Refused."""
        secret = secrets.token_urlsafe(32)

        def start_session(connection: Connection) -> bool:
            if has_credential(connection, secret):
                return True
            mine = and_(schema.credentials.c.hash == hash_of(code), _unused_link(), _not_expired())
            use = update(schema.credentials).where(mine).values(used=now()).returning(schema.credentials.c.account)
            name = connection.scalar(use)
            if name is not None:
                add_credential(connection, secret, name, "session", time.time() + SESSION)
            return name is not None

        if not self.store.write_change(start_session):
            raise Refused("this link is unknown, used or expired; ask the operator for another")
        return secret

    def end_session(self, secret: str) -> None:
        """End a session; an unknown one is no error."""
        mine = and_(schema.credentials.c.hash == hash_of(secret), schema.credentials.c.kind == "session")
        self.store.write_change(lambda connection: connection.execute(delete(schema.credentials).where(mine)))

    def find(self, secret: str) -> Account | None:
        """The account with this token or session; None if there is none, or it is revoked or expired."""
        account, credential = schema.accounts.c, schema.credentials.c
        mine = and_(credential.hash == hash_of(secret), credential.kind.in_(["token", "session"]), _not_expired())
        query = (
            select(account.name, account.role, account.kind, account.made)
            .join(schema.credentials, credential.account == account.name)
            .where(mine, account.revoked.is_(None))
        )
        found = self.store.read(lambda connection: connection.execute(query).first())
        return None if found is None else Account(*found)

    def all(self) -> list[Account]:
        """All accounts that are not revoked, by name."""
        table = schema.accounts.c
        query = select(table.name, table.role, table.kind, table.made).where(table.revoked.is_(None))
        rows = self.store.read(lambda connection: connection.execute(query.order_by(table.name)).all())
        return [Account(*row) for row in rows]

    def any_ever(self) -> bool:
        """Whether there is an account, revoked or not: from the first on, the server asks for credentials."""
        query = select(func.count()).select_from(schema.accounts)
        return bool(self.store.read(lambda connection: connection.scalar(query)))

    def revoke(self, name: str) -> None:
        """Revoke an account with all that it can log in with; raises UnknownName."""

        def revoke_account(connection: Connection) -> int:
            connection.execute(delete(schema.credentials).where(schema.credentials.c.account == name))
            return connection.execute(update(schema.accounts).where(_is_valid(name)).values(revoked=now())).rowcount

        if not self.store.write_change(revoke_account):
            raise self._unknown_name(name)
        log.info("account revoked", extra={"fields": {"account": name}})

    def _set_account(self, connection: Connection, account: Account) -> None:
        """Create or revive an account, or give it the role; raises Refused if it is of the other kind."""
        row = {"name": account.name, "role": account.role, "kind": account.kind, "made": now()}
        insert = self.store.insert(schema.accounts).values(row).returning(schema.accounts.c.name)
        if connection.scalar(insert) is not None:
            return
        found = connection.execute(select(schema.accounts).where(_is_valid(account.name))).first()
        change = update(schema.accounts).where(schema.accounts.c.name == account.name)
        if found is None:
            connection.execute(change.values(**row, revoked=None))
        elif found.kind != account.kind:
            raise Refused(f"{account.name!r} is the name of a {found.kind}; choose another")
        else:
            connection.execute(change.values(role=account.role))

    def _unknown_name(self, name: str) -> UnknownName:
        return UnknownName("account", name, [account.name for account in self.all()])


def add_credential(
    connection: Connection,
    secret: str,
    account: str,
    kind: Literal["token", "link", "session"],
    expires: float | None = None,
) -> None:
    """Store the hash of a secret."""
    row = {"hash": hash_of(secret), "account": account, "kind": kind, "made": now(), "expires": expires}
    connection.execute(schema.credentials.insert().values(row))


def has_credential(connection: Connection, secret: str) -> bool:
    """Whether a secret is stored: the change that stores it was made already."""
    query = select(schema.credentials.c.kind).where(schema.credentials.c.hash == hash_of(secret))
    return connection.scalar(query) is not None


def _is_valid(name: str) -> ColumnElement[bool]:
    return and_(schema.accounts.c.name == name, schema.accounts.c.revoked.is_(None))


def _unused_link() -> ColumnElement[bool]:
    return and_(schema.credentials.c.kind == "link", schema.credentials.c.used.is_(None))


def _not_expired() -> ColumnElement[bool]:
    expires = schema.credentials.c.expires
    return or_(expires.is_(None), expires > literal(time.time()))


def hash_of(secret: str) -> str:
    """The stored hash of a secret, which is long and random, so that it needs no salt."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()
