"""What spectators of a match are sent: every moment is encoded once, and new ones go to each of them in one piece.

Spectators wait a little so that the players need not: news is sent at most every 50 ms, and less often if that would
take the server a sixth of its time.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, NamedTuple

from starlette.websockets import WebSocket

from kibitz.remote import messages
from kibitz.server.access.connections import FRAMES, text_frame
from kibitz.server.live.updates import make_update

if TYPE_CHECKING:
    from kibitz.server.live.matches import LiveMatch
    from kibitz.server.live.seats import Viewer

PACE = 0.05
"""Seconds between news, at least."""
SHARE = 5.0
"""Seconds between news, at least, for each second that sending the last news took."""
LONGEST = 0.001
"""Seconds that sending to one spectator takes at most; the rest is waiting for them."""
CHUNK = 64
"""Moments that are sent in one piece."""
KEPT = 256
"""Moments of a match that stay encoded; a spectator who comes late has earlier ones encoded again."""


class Broadcast:
    """The public moments of one live match, for all its spectators."""

    def __init__(self, match: "LiveMatch") -> None:
        self.match, self.spectators = match, 0
        self.encoded: OrderedDict[tuple[int, bool, bool], EncodedMoment] = OrderedDict()
        self.news, self.sending = asyncio.Event(), 0.0
        self.announcing: asyncio.Task[None] | None = None

    async def announce(self, others: Sized) -> None:
        """Tell all spectators at once when there is news, until the match is over; *others* are broadcasts, too."""
        last = -PACE
        while True:
            changed, live = self.match.changed, self.match.live
            pause = max(PACE, SHARE * self.sending * len(others))
            self.sending = 0.0
            if live:
                await changed.wait()
                await asyncio.sleep(max(0.0, last + pause - time.monotonic()))
            last = time.monotonic()
            self.news.set()
            self.news = asyncio.Event()
            if not live:
                return

    async def send_moments(self, socket: WebSocket, viewer: "Viewer", since: int | None) -> None:
        """Send one spectator all moments from event *since* on, or from now, to the end."""
        events = self.match.events
        ply = len(events) if since is None else max(0, min(since, len(events)))
        moments = [self.moment(viewer, ply, happened=False)]
        while not viewer.revoked:
            news, live = self.news, self.match.live
            until = min(len(events), ply + CHUNK)
            moments += [self.moment(viewer, number, happened=True) for number in range(ply + 1, until + 1)]
            ply = until
            over = ply == len(events) and not live
            if over and not (moments and moments[-1].last):
                moments.append(self.moment(viewer, ply, happened=False))
            start = time.perf_counter()
            await send_moments(socket, moments)
            self.sending += min(time.perf_counter() - start, LONGEST)
            if over or (moments[-1:] and moments[-1].last):
                return
            moments = []
            if ply == len(events) and news is self.news:
                await news.wait()

    def moment(self, viewer: "Viewer", ply: int, *, happened: bool) -> "EncodedMoment":
        """The moment after *ply* events, with the last of them if it has just *happened*; it is encoded once."""
        ending = self.match.record.ending if ply == len(self.match.events) else None
        key = (ply, happened, ending is not None)
        found = self.encoded.get(key)
        if found is None:
            update = make_update(self.match, viewer, ply, happened)
            event = None if update.transition is None else messages.event_message(update.transition)
            returns = None if ending is None else list(ending.returns)
            message = messages.Moment(ply, messages.shown_view(update.view, self.match.game), event, returns)
            text = messages.encode_message(message).rstrip(b"\n")
            found = self.encoded[key] = EncodedMoment(text, text_frame(text), ending is not None)
            if len(self.encoded) > KEPT:
                self.encoded.popitem(last=False)
        return found


class EncodedMoment(NamedTuple):
    """A moment as it is sent."""

    text: bytes
    frame: bytes
    """The same as a frame of a WebSocket."""
    last: bool
    """Whether it tells the ending."""


class Broadcasts:
    """The broadcasts of all matches that have spectators."""

    def __init__(self) -> None:
        self.running: dict[int, Broadcast] = {}

    async def show(self, socket: WebSocket, viewer: "Viewer", since: int | None) -> None:
        """Send one spectator all moments of a match from event *since* on, or from now, to the end."""
        match = viewer.match
        since = 0 if since is None and not match.positions else since
        if not await match.wait_for_start():
            return
        broadcast = self.running.setdefault(match.number, Broadcast(match))
        broadcast.spectators += 1
        if broadcast.announcing is None:
            broadcast.announcing = asyncio.get_running_loop().create_task(broadcast.announce(self.running))
        try:
            await broadcast.send_moments(socket, viewer, since)
        finally:
            broadcast.spectators -= 1
            if not broadcast.spectators:
                broadcast.announcing.cancel()
                del self.running[match.number]


async def send_moments(socket: WebSocket, moments: Sequence[EncodedMoment]) -> None:
    """Send moments, in one piece where the connection can."""
    if FRAMES in socket.scope.get("extensions", {}):
        if moments:
            await socket.send({"type": "websocket.send", "frames": b"".join([each.frame for each in moments])})
    else:
        for each in moments:
            await socket.send_text(each.text.decode())
