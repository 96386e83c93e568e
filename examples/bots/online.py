#!/usr/bin/env python3
"""A bot that plays any legal action on a server. It needs nothing but Python: copy it, and think in `choose`.

KIBITZ_TOKEN=… python3 examples/bots/online.py 127.0.0.1:8017 pawns   # or the number of a table instead of a game
"""

import base64
import json
import os
import random
import socket
import sys


def choose(legal: dict, rng: random.Random) -> str:
    """One of the legal actions, in the game's notation; any_legal.py says more."""
    if legal["actions"]:
        return rng.choice(legal["actions"])
    counts = {}
    for factor in legal["factors"]:
        counts[factor["name"]] = rng.choice(factor.get("values") or range(factor["least"], factor["most"] + 1))
    words = " ".join(f"{count} {name}" for name, count in counts.items() if count)
    return f"{legal['verb']} {words or 'nothing'}".strip()


def send(line: socket.socket, data: bytes, kind: int = 1) -> None:
    """Send one WebSocket frame; kind 1 is text. The mask of 4 zeros that every client needs changes nothing."""
    size = bytes([128 + len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    line.sendall(bytes([128 + kind]) + size + bytes(4) + data)


def main(address: str, where: str) -> None:
    host, port = address.rsplit(":", 1)
    line, rng = socket.create_connection((host, int(port))), random.Random()
    key = base64.b64encode(os.urandom(16)).decode()
    asked = ("GET /api/play HTTP/1.1", f"Host: {address}", "Upgrade: websocket", "Connection: Upgrade")
    line.sendall("\r\n".join([*asked, f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "\r\n"]).encode())
    stream = line.makefile("rb")
    while stream.readline().strip():  # the server's answer ends with an empty line; then come frames
        pass
    table = {"table": int(where)} if where.isdecimal() else {"game": where}
    login = {"type": "login", "name": "online.py", "token": os.environ.get("KIBITZ_TOKEN", ""), **table}
    send(line, json.dumps(login).encode())
    while head := stream.read(2):
        kind, size = head[0] % 16, head[1]
        data = stream.read(size if size < 126 else int.from_bytes(stream.read(2 if size == 126 else 8), "big"))
        if kind in (8, 9):  # a close is answered by a close, or the server waits for it, and a ping by a pong
            send(line, data, {8: 8, 9: 10}[kind])
        message = json.loads(data) if kind == 1 else {"type": ""}
        if message["type"] == "act":
            action = choose(message["legal"], rng)
            send(line, json.dumps({"type": "action", "seq": message["seq"], "action": action}).encode())
        elif message["type"] in ("end", "error"):
            print(data.decode())


main(*sys.argv[1:])
