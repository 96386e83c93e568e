"""What each viewer of a live match learns, event by event."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from kibitz import core
from kibitz.core.match import Request
from kibitz.core.records import Ending

if TYPE_CHECKING:
    from kibitz_web.server.live.matches import LiveMatch
    from kibitz_web.server.live.seats import Viewer


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


async def read_updates(match: "LiveMatch", viewer: "Viewer", since: int | None = None) -> AsyncIterator[Update]:
    """Updates for a viewer, from event *since* or from now, until the match ends or their right is revoked.

    A slow reader misses nothing and delays no one else.
    """
    since = 0 if since is None and not match.positions else since
    if not await match.wait_for_start() or viewer.revoked:
        return
    ply = len(match.events) if since is None else max(0, min(since, len(match.events)))
    update = make_update(match, viewer, ply)
    yield update
    while not viewer.revoked:
        changed = match.changed
        if ply < len(match.events):
            ply += 1
            update = make_update(match, viewer, ply, happened=True)
            yield update
            continue
        request = viewer.request
        if request is not None and request is not update.request and request.ply == ply:
            update = make_update(match, viewer, ply)
            yield update
        elif not match.live:
            yield make_update(match, viewer, ply)
            return
        elif changed is match.changed:
            await changed.wait()


def make_update(match: "LiveMatch", viewer: "Viewer", ply: int, happened: bool = False) -> Update:
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
