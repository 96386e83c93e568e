"""Tokens with which people and bots log in. The database holds only their hashes."""

import re
import secrets
from hashlib import sha256
from typing import Literal

import msgspec
from sqlalchemy import delete, select

from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz.store import schema
from kibitz.store.store import Store, now

Role = Literal["player", "operator"]
"""Operators may do everything; players play."""
NAME = re.compile(r"[A-Za-z0-9._-]{1,80}")
"""Allowed names of token owners: they occur in addresses, in records and on pages."""


class Token(msgspec.Struct, frozen=True):
    """The owner of a token, and their role."""

    name: str
    role: Role = "player"
    made: str = ""


def check_name(name: str) -> None:
    """Raise BadSpec if *name* cannot own a token."""
    if not NAME.fullmatch(name):
        raise BadSpec(name, "a name has up to 80 letters, digits, dots, dashes and underscores, and no spaces")


class Tokens:
    """The tokens in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def make(self, name: str, role: Role = "player") -> str:
        """A new token for *name*; it is returned once and not stored."""
        check_name(name)
        token = f"kibitz-{secrets.token_urlsafe(32)}"
        row = {"name": name, "hash": token_hash(token), "role": role, "made": now()}
        insert = self.store.insert(schema.tokens)
        if not self.store.write_change(lambda connection: connection.execute(insert.values(row)).rowcount):
            raise Refused(f"{name!r} has a token already; revoke it first")
        return token

    def find(self, token: str) -> Token | None:
        """The owner and role of a token; None if it is unknown."""
        table = schema.tokens.c
        query = select(table.name, table.role, table.made).where(table.hash == token_hash(token))
        found = self.store.read(lambda connection: connection.execute(query).first())
        return None if found is None else Token(*found)

    def all(self) -> list[Token]:
        """All tokens, by name."""
        table = schema.tokens.c
        query = select(table.name, table.role, table.made).order_by(table.name)
        return [Token(*row) for row in self.store.read(lambda connection: connection.execute(query).all())]

    def revoke(self, name: str) -> None:
        """Revoke the token of *name*."""
        query = delete(schema.tokens).where(schema.tokens.c.name == name)
        if not self.store.write_change(lambda connection: connection.execute(query).rowcount):
            raise UnknownName("token", name, [token.name for token in self.all()])


def token_hash(token: str) -> str:
    """The stored hash of a token, which is long and random, so that it needs no salt."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()
