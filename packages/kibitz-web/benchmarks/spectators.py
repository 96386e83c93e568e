"""What 300 spectators cost a match: its time with them over its time without them, on one server in one run.

The spectators are plain sockets in another process, which read and drop what they are sent, so that the server's work
for them is what is measured.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from kibitz_lab.testing.benchmark import Bench, module_of

SPECTATORS = int(os.environ.get("KIBITZ_BENCH_SPECTATORS", "300"))
GAME, PLIES = "breakthrough", 40
HELLO = (
    "GET /api/watch HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def measure(bench: Bench) -> None:
    with module_of("remote").served() as address:
        for _ in range(3):  # the first matches load the game
            match_seconds(address, 0)
        ratios = []
        for _ in range(bench.runs):
            alone = match_seconds(address, 0)
            watched = match_seconds(address, SPECTATORS)
            ratios.append(watched / alone)
    bench.figure("watched_match", ratios, f"x its time alone, {SPECTATORS} spectators, {PLIES} plies", most=2.0)


def call(address: str, path: str, **body: Any) -> Any:
    """The answer of the API; a POST if there is a body."""
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"http://{address}/api/{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def match_seconds(address: str, spectators: int) -> float:
    """Seconds that a match of two bots takes, as its players see it."""
    number = call(address, "matches", game=GAME, seats=[None, None], max_plies=PLIES)["number"]
    command = [sys.executable, str(Path(__file__).resolve()), address, str(number), str(spectators)]
    crowd = subprocess.Popen(command, stdout=subprocess.PIPE, text=True) if spectators else None
    if crowd is not None and crowd.stdout is not None:
        assert crowd.stdout.readline() == "ready\n"
    seconds = asyncio.run(play(address, number))
    if crowd is not None and crowd.stdout is not None:
        seen = json.loads(crowd.stdout.readline())
        crowd.wait(60)
        crowd.stdout.close()
        plies = call(address, f"matches/{number}")["plies"]
        assert min(seen) > plies, f"spectators of {plies} plies missed something: {sorted(set(seen))}"
    return seconds


async def play(address: str, number: int) -> float:
    """Seconds from the beginning of a match between two bots to its end."""
    return max(await asyncio.gather(bot(address, number, "ann"), bot(address, number, "ben")))


async def bot(address: str, number: int, name: str) -> float:
    """Play the first action to the end."""
    from websockets.asyncio.client import connect

    start = 0.0
    async with connect(f"ws://{address}/api/play", compression=None) as made:
        await made.send(json.dumps({"type": "login", "name": name, "table": number}))
        async for text in made:
            message = json.loads(text)
            if message["type"] == "begin":
                start = time.perf_counter()
            elif message["type"] == "act":
                actions = message["legal"]["actions"]
                action = actions[message["seq"] * 7 % len(actions)]
                await made.send(json.dumps({"type": "action", "seq": message["seq"], "action": action}))
            elif message["type"] == "end":
                break
    return time.perf_counter() - start


def watch(address: str, number: int, spectators: int) -> None:
    """Watch a match many times over, in this process; print how many moments each spectator was sent."""
    import selectors

    host, port = address.rsplit(":", 1)
    wish = json.dumps({"type": "watch", "table": number, "since": 0}).encode()
    frame = bytes([0x81, 0x80 | len(wish), 0, 0, 0, 0]) + wish
    chosen, texts = selectors.DefaultSelector(), [bytearray() for _ in range(spectators)]
    for n in range(spectators):
        made = socket.create_connection((host, int(port)), timeout=60)
        made.sendall(HELLO.format(address=address).encode())
        assert b"101" in made.recv(1 << 16)
        made.sendall(frame)
        made.setblocking(False)
        chosen.register(made, selectors.EVENT_READ, n)
    time.sleep(0.5)  # the server reads the last wishes
    print("ready", flush=True)
    while chosen.get_map():
        for key, _ in chosen.select(60):
            found = key.fileobj.recv(1 << 18)  # type: ignore[union-attr]
            texts[key.data] += found
            if not found or b'"returns":[' in texts[key.data][-len(found) - 20 :]:
                chosen.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
    print(json.dumps([text.count(b'"type":"moment"') for text in texts]), flush=True)


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
