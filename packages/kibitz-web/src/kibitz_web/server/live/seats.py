"""Rights to see a live match and to play in it: only the seat of a principal gives views and takes moves."""

import hmac
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kibitz.core.match import Request
from kibitz_lab.store.accounts import hash_of
from kibitz_web.server.access.auth import Principal, new_secret
from kibitz_web.server.live.participants import Participant
from kibitz_web.server.live.updates import Update, read_updates

if TYPE_CHECKING:
    from kibitz_web.server.live.matches import LiveMatch


class Viewer:
    """A principal's right to see a match, as a spectator: public information only. Revoking ends it at once."""

    def __init__(self, match: "LiveMatch", principal: Principal) -> None:
        self.match, self.principal, self.revoked = match, principal, False

    @property
    def player(self) -> int | None:
        """Whose view they see; None is the public one."""
        return None

    @property
    def request(self) -> Request | None:
        """Their own open request."""
        return None

    def updates(self, since: int | None = None) -> AsyncIterator[Update]:
        """News of the match, from event *since* or from now, until it ends or the right is revoked."""
        return read_updates(self.match, self, since)

    def revoke(self) -> None:
        """End this right."""
        self.revoked = True
        self.match.change()


class Spectator(Viewer):
    """The right to watch."""


class Seat(Viewer):
    """The right to play for *player*: a key that cannot be guessed, and that works only for its principal."""

    def __init__(
        self, match: "LiveMatch", principal: Principal, player: int, participant: Participant, key_hash: str = ""
    ) -> None:
        super().__init__(match, principal)
        self.number, self.participant = player, participant
        self.key = "" if key_hash else new_secret()
        """The secret; unknown after a restart of the server, which stores only its hash."""
        self.key_hash = key_hash or hash_of(self.key)

    @property
    def player(self) -> int | None:
        return None if self.revoked else self.number

    @property
    def request(self) -> Request | None:
        return None if self.revoked else self.participant.request

    @property
    def resume(self) -> str:
        """The text with which its holder can reconnect."""
        return f"{self.match.number}.{self.key}" if self.key else ""

    def fits(self, key: str, principal: Principal) -> bool:
        """Whether this is its key, in the hands of its holder."""
        return not self.revoked and self.principal.id == principal.id and self.has_key(key)

    def has_key(self, key: str) -> bool:
        """Whether *key* is its key."""
        return hmac.compare_digest(self.key_hash, hash_of(key))

    def choose(self, action: int | str) -> bool:
        """Answer the open request, by number or in notation; whether there was one. May raise IllegalAction."""
        return not self.revoked and self.participant.choose(action)

    def fail(self, why: str) -> bool:
        """Answer the open request with an error; whether there was one."""
        return not self.revoked and self.participant.fail(why)

    def leave(self) -> None:
        """Give the seat up: before the match begins it becomes open again, afterwards this is resigning."""
        if not self.revoked:
            self.match.leave(self)

    def revoke(self) -> None:
        self.leave()
        super().revoke()
