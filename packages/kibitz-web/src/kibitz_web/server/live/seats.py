"""Rights to see a live match and to play in it, and what their holders learn, event by event."""

import hmac
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from kibitz import core
from kibitz.core.match import Request
from kibitz.core.records import Ending
from kibitz_lab.store.accounts import hash_of
from kibitz_web.server.access.auth import Principal, new_secret
from kibitz_web.server.live.participants import Participant

if TYPE_CHECKING:
    from kibitz_web.server.live.matches import LiveMatch


class Update(msgspec.Struct, frozen=True):
    """News for a viewer: an event, a request to choose, or the state of the match."""

    ply: int
    """Number of events so far."""
    view: core.State
    transition: core.Transition | None = None
    """The new event, if there is one."""
    request: Request | None = None
    """The viewer's own open request."""
    used: tuple[float, ...] = ()
    """Seconds that each player has used, as far as that is public."""
    ending: Ending | None = None


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

    async def updates(self, since: int | None = None) -> AsyncIterator[Update]:
        """News of the match, from event *since* or from now, until it ends or the right is revoked.

        A slow reader misses nothing and delays no one else.
        """
        since = 0 if since is None and not self.match.positions else since
        if not await self.match.wait_for_start() or self.revoked:
            return
        ply = len(self.match.events) if since is None else max(0, min(since, len(self.match.events)))
        update = make_update(self.match, self, ply)
        yield update
        while not self.revoked:
            changed = self.match.changed
            if ply < len(self.match.events):
                ply += 1
                update = make_update(self.match, self, ply, happened=True)
                yield update
                continue
            request = self.request
            if request is not None and request is not update.request and request.ply == ply:
                update = make_update(self.match, self, ply)
                yield update
            elif not self.match.live:
                yield make_update(self.match, self, ply)
                return
            elif changed is self.match.changed:
                await changed.wait()

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
        known = not self.revoked and self.principal.id == principal.id
        return known and hmac.compare_digest(self.key_hash, hash_of(key))

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


def make_update(match: "LiveMatch", viewer: Viewer, ply: int, happened: bool = False) -> Update:
    """What a viewer may see after *ply* events."""
    assert match.match is not None, "there are no updates before the match begins"
    player, request = viewer.player, viewer.request
    observer = ("update", -1 if player is None else player)
    transition = match.events[ply - 1].transition(player, observer) if happened else None
    return Update(
        ply,
        match.positions[ply].view(player, observer),
        transition,
        request if request is not None and request.ply == ply else None,
        tuple(match.match.used),
        match.match.record.ending if ply == len(match.events) else None,
    )
