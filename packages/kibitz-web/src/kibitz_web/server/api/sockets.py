"""Sockets: bots play and spectators watch over WebSocket, in the same messages as over pipes."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from kibitz.core.errors import KibitzError, Refused, printable
from kibitz.remote import messages
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.access.guard import Bucket
from kibitz_web.server.access.policy import allowed_spec
from kibitz_web.server.live.seats import Seat, Spectator
from kibitz_web.server.live.storage import public_words
from kibitz_web.server.service import Service
from kibitz_web.server.workers.compute import RunInlineIfFast

log = logging.getLogger(__name__)
GREETING = 10.0
"""Seconds within which a socket must log in."""
NORMAL, POLICY = 1000, 1008
REVOKED = "your access was revoked"
Wanted = TypeVar("Wanted")


class BotSockets:
    """Serves the sockets of bots and spectators."""

    def __init__(self, service: Service) -> None:
        self.service, self.lobby, self.limits = service, service.lobby, service.lobby.limits
        self.sockets: dict[Seat, WebSocket] = {}
        """The current socket of each seat that has one."""

    async def play(self, socket: WebSocket) -> None:
        """Serve one bot in one match, until the match or the connection ends."""
        await socket.accept()
        try:
            login = await self.first_message(socket, messages.Login)
            seat = await self.find_seat(login)
        except (KibitzError, ValueError, TimeoutError) as error:
            await self.close_socket(socket, public_words(error) or f"no login within {GREETING:g} s")
            return
        except WebSocketDisconnect:
            return
        before, self.sockets[seat] = self.sockets.get(seat), socket
        if before is not None:
            await self.close_socket(before, "another connection has taken over this seat")
        revoked = asyncio.Event()
        connection = self.service.auth.connect(seat.principal, f"plays in match {seat.match.number}", revoked.set)
        try:
            await first_of(self.listen(socket, seat), self.tell(socket, seat, login.heard), revoked.wait())
        finally:
            self.service.auth.disconnect(connection)
            if self.sockets.get(seat) is socket:
                del self.sockets[seat]
                if seat.match.status == "open":  # during the match the bot may reconnect
                    await self.lobby.leave(seat)
        await self.close_socket(socket, REVOKED if revoked.is_set() else "")

    async def watch(self, socket: WebSocket) -> None:
        """Serve one spectator, who sees public information only."""
        await socket.accept()
        try:
            wanted = await self.first_message(socket, messages.Watch)
            principal = await self.service.auth.principal(wanted.token)
            spectator = self.lobby.find(wanted.table).watch(principal)
        except (KibitzError, ValueError, TimeoutError) as error:
            await self.close_socket(socket, public_words(error) or f"no login within {GREETING:g} s")
            return
        except WebSocketDisconnect:
            return
        revoked = asyncio.Event()
        connection = self.service.auth.connect(principal, f"watches match {wanted.table}", revoked.set)
        try:
            await first_of(self.until_gone(socket), self.show(socket, spectator, wanted.since), revoked.wait())
        finally:
            self.service.auth.disconnect(connection)
            spectator.match.spectators.discard(spectator)
        await self.close_socket(socket, REVOKED if revoked.is_set() else "")

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

    async def find_seat(self, login: messages.Login) -> Seat:
        """The seat of a bot: the one it had before, or the one it asks for."""
        name = printable(login.name)[:80]
        principal = await self.service.auth.principal(login.token, name)
        if login.resume:
            return self.resumed_seat(login.resume, principal)
        if login.table is not None:
            return await self.lobby.sit(self.lobby.find(login.table), principal, login.seat)
        if login.game:
            game = await self.lobby.compute.run_for(principal.id, allowed_spec, login.game)
            return await self.lobby.seek(principal, game)
        raise Refused("name a table or a game")

    def resumed_seat(self, resume: str, principal: Principal) -> Seat:
        """The seat of a bot that reconnects; the same refusal whatever is wrong."""
        number, _, key = resume.partition(".")
        match = self.lobby.matches.get(int(number)) if number.isdecimal() and len(number) < 10 else None
        if match is None or not match.live:
            raise Refused("no running match has this resume token")
        try:
            return match.seat(key, principal)
        except Refused:
            raise Refused("no running match has this resume token") from None

    async def tell(self, socket: WebSocket, seat: Seat, heard: int) -> None:
        """Send a bot everything that its player may know, from the request after *heard* on."""
        match, participant = seat.match, seat.participant
        inline = RunInlineIfFast(self.lobby.compute)
        await self.send(socket, messages.Welcome(participant.name, match.number, seat.number, seat.resume))
        begun, sent = False, None
        async for ending in match.news():
            if seat.revoked:
                return
            dialogue = participant.dialogue
            assert dialogue is not None, "the first message says that the match begins"
            if not begun:
                begun = True
                await self.send(socket, dialogue.begin)
            if participant.request is not None and participant.request is not sent:
                since = heard if sent is None else None
                sent = participant.request
                act = await inline.run(participant.message, since)
                if act is not None:
                    await self.send(socket, act)
            if ending is not None:
                await self.send(socket, dialogue.end(ending.returns, heard if sent is None else None))

    async def listen(self, socket: WebSocket, seat: Seat) -> None:
        """Receive a bot's messages. An invalid one counts as its answer; too many of them close the connection.

        So does leaving the seat before the match begins.
        """
        bucket = Bucket(self.limits.rate, self.limits.burst)
        while not seat.revoked:
            try:
                said = await self.next_message(socket)
                if not bucket.take():
                    raise Refused("too many messages")
            except Refused as refusal:
                seat.fail(str(refusal))
                await self.send(socket, messages.Trouble(str(refusal)))
                return
            except WebSocketDisconnect:
                return
            try:
                await self.take(seat, messages.read_call(said))
            except ValueError as error:  # IllegalAction is one
                seat.fail(printable(str(error))[:500])
                await self.send(socket, messages.Trouble(printable(str(error))[:500]))

    async def take(self, seat: Seat, said: messages.Call) -> None:
        """Handle a bot's message. Late answers are dropped."""
        dialogue = seat.participant.dialogue
        if isinstance(said, messages.Resign):
            await self.lobby.leave(seat)
        elif isinstance(said, messages.Action) and dialogue is not None and said.seq == dialogue.asked:
            seat.choose(said.action)

    async def show(self, socket: WebSocket, spectator: Spectator, since: int | None) -> None:
        """Send a spectator all moments of a match from event *since* on, or from now, to the end."""
        inline = RunInlineIfFast(self.lobby.compute)
        async for update in spectator.updates(since):
            event = None if update.transition is None else messages.event_message(update.transition)
            returns = None if update.ending is None else list(update.ending.returns)
            view = await inline.run(messages.shown_view, update.view, spectator.match.game)
            await self.send(socket, messages.Moment(update.ply, view, event, returns))
            if returns is not None:
                return

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


async def first_of(*works: Coroutine[Any, Any, object]) -> None:
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
