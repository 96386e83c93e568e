"""Many spectators of one match: each moment is encoded once, all see all of it, and none delays the others."""

import asyncio
import itertools
import json
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN
from websockets.uri import parse_uri

from kibitz.remote import messages
from kibitz.server.access.connections import FRAMES, text_frame
from kibitz.server.live import broadcast
from kibitz.server.live.broadcast import Broadcasts
from live_matches import live, sit, spectator

ROUNDS = 40


class Reader:
    """The socket of a spectator who takes frames; a *stuck* one never takes the second piece."""

    def __init__(self, *, frames: bool = True, stuck: bool = False) -> None:
        self.scope: dict[str, Any] = {"extensions": {FRAMES: {}} if frames else {}}
        self.heard: list[bytes] = []
        self.pieces, self.stuck = 0, stuck

    async def send(self, message: dict[str, Any]) -> None:
        self.pieces += 1
        if self.stuck and self.pieces > 1:
            await asyncio.Event().wait()
        self.heard += texts_of(message["frames"])

    async def send_text(self, text: str) -> None:
        self.heard.append(text.encode())


def texts_of(frames: bytes) -> list[bytes]:
    """What a client reads from some frames."""
    client = ClientProtocol(parse_uri("ws://localhost"), state=OPEN)
    client.receive_data(frames)
    found = client.events_received()
    assert all(isinstance(each, Frame) and each.opcode is Opcode.TEXT for each in found)
    return [bytes(each.data) for each in found if isinstance(each, Frame)]


async def watched_match(readers: list[Reader], late: Reader, *, rounds: int = ROUNDS) -> None:
    """A match between two who always cooperate, with spectators from the beginning and one who comes at the end."""
    match = live(f"dilemma(rounds={rounds})", [None, None])
    broadcasts = Broadcasts()
    watching = [
        asyncio.create_task(broadcasts.show(reader, spectator(match), None))  # type: ignore[arg-type]
        for reader in readers
    ]
    await asyncio.sleep(0)
    seats = [sit(match, "ann"), sit(match, "ben")]

    async def play(seat: Any) -> None:
        async for update in seat.updates(0):
            if update.request is not None:
                seat.choose("cooperate")

    await asyncio.gather(*map(play, seats))
    free = [task for task, reader in zip(watching, readers, strict=True) if not reader.stuck]
    await asyncio.wait_for(asyncio.gather(*free), 10)
    await broadcasts.show(late, spectator(match), 0)  # type: ignore[arg-type]
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    assert not broadcasts.running


def plies_of(reader: Reader) -> list[int]:
    return [json.loads(text)["ply"] for text in reader.heard]


def test_all_spectators_share_one_encoding_of_every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = itertools.count()
    encode = messages.shown_view
    monkeypatch.setattr(messages, "shown_view", lambda view, game=None: (next(encoded), encode(view, game))[1])
    readers = [Reader(frames=n > 0, stuck=n == 1) for n in range(40)]
    asyncio.run(watched_match(readers, late := Reader()))
    assert next(encoded) <= ROUNDS + 3, "not once for each of forty spectators"
    for reader in (readers[0], *readers[2:], late):
        assert sorted(set(plies_of(reader))) == list(range(ROUNDS + 1)), "nothing is missed"
        assert b'"returns":[' in reader.heard[-1]
        assert sum(b'"returns":[' in text for text in reader.heard) == 1
    assert max(reader.pieces for reader in readers) < ROUNDS, "moments in quick succession go out together"
    assert plies_of(readers[1]) == [0]


def test_few_moments_stay_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "KEPT", 8)
    monkeypatch.setattr(broadcast, "CHUNK", 3)
    asyncio.run(watched_match([Reader()], late := Reader(), rounds=20))
    assert plies_of(late) == list(range(21))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_texts_are_framed_as_clients_read_them(size: int) -> None:
    assert texts_of(text_frame(b"x" * size) + text_frame(b"y")) == [b"x" * size, b"y"]
