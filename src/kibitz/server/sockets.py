"""Sockets: bots play and spectators watch over WebSocket, in the same messages as over pipes."""

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from kibitz.core.errors import KibitzError, Refused, printable
from kibitz.remote import messages
from kibitz.server.compute import RunInlineIfFast
from kibitz.server.guard import Bucket
from kibitz.server.participants import Participant
from kibitz.server.policy import allowed_spec
from kibitz.server.service import Service
from kibitz.server.tables import Table

log = logging.getLogger(__name__)
GREETING = 10.0
"""Seconds within which a socket must log in."""
NORMAL, POLICY = 1000, 1008
Wanted = TypeVar("Wanted")


class SeatConnection:
    """A bot in a match, and its current socket. The seat may belong to another participant later."""

    def __init__(self, table: Table, guest: Participant) -> None:
        self.table, self.guest, self.resume = table, guest, secrets.token_urlsafe(24)
        self.socket: WebSocket | None = None

    @property
    def player(self) -> int | None:
        """The bot's seat; None once it has given its seat up."""
        return self.table.seat_of(self.guest)


class BotSockets:
    """Serves the sockets of bots and spectators."""

    def __init__(self, service: Service) -> None:
        self.service, self.limits = service, service.lobby.limits
        self.places: dict[str, SeatConnection] = {}
        """Connections by their resume token."""

    async def play(self, socket: WebSocket) -> None:
        """Serve one bot in one match, until the match or the connection ends."""
        await socket.accept()
        try:
            login = await self.first_message(socket, messages.Login)
            place = await self.find_seat(login)
        except (KibitzError, ValueError, TimeoutError) as error:
            await self.close_socket(socket, str(error) or f"no login within {GREETING:g} s")
            return
        except WebSocketDisconnect:
            return
        before, place.socket = place.socket, socket
        if before is not None:
            await self.close_socket(before, "another connection has taken over this seat")
        try:
            await first_of(self.listen(socket, place), self.tell(socket, place, login.heard))
        finally:
            if place.socket is socket:
                self.vacate_seat(place)
        await self.close_socket(socket)

    def vacate_seat(self, place: SeatConnection) -> None:
        """Handle a lost socket: before the match the seat becomes free, during it the bot may reconnect."""
        place.socket = None
        if place.table.status == "open":
            place.table.leave(place.guest)
        if place.table.status != "playing" or place.player is None:
            self.places.pop(place.resume, None)

    async def watch(self, socket: WebSocket) -> None:
        """Serve one spectator, who sees public information only."""
        await socket.accept()
        try:
            wanted = await self.first_message(socket, messages.Watch)
            await self.service.caller(wanted.token)
            table = self.service.lobby.find(wanted.table)
        except (KibitzError, ValueError, TimeoutError) as error:
            await self.close_socket(socket, str(error) or f"no login within {GREETING:g} s")
            return
        except WebSocketDisconnect:
            return
        await first_of(self.until_gone(socket), self.show(socket, table, wanted.since))
        await self.close_socket(socket)

    async def first_message(self, socket: WebSocket, kind: type[Wanted]) -> Wanted:
        """The first message, which must be of the given kind."""
        said = messages.read_call(await asyncio.wait_for(self.next_message(socket), GREETING))
        if not isinstance(said, kind):
            raise Refused(f"the first message must be a {kind.__name__.lower()}")
        return said

    async def next_message(self, socket: WebSocket) -> bytes:
        """The next message, text or bytes; raises Refused if it is too long."""
        message = await socket.receive()
        if message["type"] != "websocket.receive":
            raise WebSocketDisconnect(message.get("code", NORMAL))
        said: bytes = message.get("bytes") or (message.get("text") or "").encode(errors="surrogatepass")
        if len(said) > self.limits.message:
            raise Refused(f"a message has at most {self.limits.message:,} bytes")
        return said

    async def find_seat(self, login: messages.Login) -> SeatConnection:
        """The seat of a bot: the one it had before, or the one it asks for."""
        if login.resume:
            found = self.places.get(login.resume)
            if found is None or found.player is None:
                raise Refused("no running match has this resume token")
            return found
        caller = await self.service.caller(login.token, printable(login.name)[:80])
        guest, lobby = Participant(caller.name), self.service.lobby
        if login.table is not None:
            table = lobby.find(login.table)
            table.sit(guest, login.seat)
        elif login.game:
            table, _ = lobby.seek(guest, allowed_spec(login.game))
        else:
            raise Refused("name a table or a game")
        live = lobby.tables
        self.places = {resume: place for resume, place in self.places.items() if place.table.number in live}
        place = SeatConnection(table, guest)
        self.places[place.resume] = place
        return place

    async def tell(self, socket: WebSocket, place: SeatConnection, heard: int) -> None:
        """Send a bot everything that its player may know, from the request after *heard* on."""
        table, guest, player = place.table, place.guest, place.player
        if player is None:
            return
        updates = RunInlineIfFast(self.service.lobby.compute)
        await self.send(socket, messages.Welcome(guest.name, table.number, player, place.resume))
        begun, told = False, None
        async for ending in table.news():
            dialogue = guest.dialogue
            assert dialogue is not None, "the first message says that the match begins"
            if not begun:
                begun = True
                await self.send(socket, dialogue.begin)
            if guest.request is not None and guest.request is not told:
                since = heard if told is None else None
                told = guest.request
                act = await updates.run(guest.message, since)
                if act is not None:
                    await self.send(socket, act)
            if ending is not None:
                await self.send(socket, dialogue.end(ending.returns, heard if told is None else None))

    async def show(self, socket: WebSocket, table: Table, since: int | None) -> None:
        """Send a spectator all public information."""
        async for update in table.updates(None, since):
            event = None if update.transition is None else messages.event_message(update.transition)
            returns = None if update.ending is None else list(update.ending.returns)
            await self.send(
                socket, messages.Moment(update.ply, messages.shown_view(update.view, table.game), event, returns)
            )
            if returns is not None:
                return

    async def listen(self, socket: WebSocket, place: SeatConnection) -> None:
        """Receive a bot's messages. An invalid one counts as its answer; too many of them close the connection.

        So does leaving the seat before the match begins.
        """
        bucket = Bucket(self.limits.rate, self.limits.burst)
        while place.player is not None:
            try:
                said = await self.next_message(socket)
                if not bucket.take():
                    raise Refused("too many messages")
            except Refused as refusal:
                place.guest.fail(str(refusal))
                await self.send(socket, messages.Trouble(str(refusal)))
                return
            except WebSocketDisconnect:
                return
            try:
                self.take(place, messages.read_call(said))
            except ValueError as error:  # IllegalAction is one
                place.guest.fail(printable(str(error))[:500])
                await self.send(socket, messages.Trouble(printable(str(error))[:500]))

    def take(self, place: SeatConnection, said: messages.Call) -> None:
        """Handle a bot's message. Late answers are dropped."""
        guest = place.guest
        if isinstance(said, messages.Resign):
            place.table.leave(guest)
        elif isinstance(said, messages.Action) and guest.dialogue is not None and said.seq == guest.dialogue.asked:
            guest.choose(said.action)

    async def until_gone(self, socket: WebSocket) -> None:
        """Wait until a spectator disconnects."""
        bucket = Bucket(self.limits.rate, self.limits.burst)
        with suppress(WebSocketDisconnect, Refused):
            while bucket.take():
                await self.next_message(socket)

    async def send(self, socket: WebSocket, message: messages.Message) -> None:
        """Send one message."""
        await socket.send_text(messages.encode_message(message).decode().rstrip("\n"))

    async def close_socket(self, socket: WebSocket, why: str = "") -> None:
        """Close a socket, with the reason if there is an error."""
        with suppress(WebSocketDisconnect, RuntimeError):  # it is gone already
            if why:
                await self.send(socket, messages.Trouble(printable(why)[:500]))
            if socket.application_state is not WebSocketState.DISCONNECTED:
                await socket.close(POLICY if why else NORMAL)


async def first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Run several coroutines until one of them ends; then cancel the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for found in await asyncio.gather(*tasks, return_exceptions=True):
            gone = (asyncio.CancelledError, WebSocketDisconnect, RuntimeError)  # RuntimeError: it is closed
            if isinstance(found, BaseException) and not isinstance(found, gone):
                log.error("an internal error closed a socket", exc_info=found)
