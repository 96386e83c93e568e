#!/usr/bin/env python3
"""A client for kibitz in one file: it joins a match on a server, plays it, and reconnects if the line breaks.

It needs nothing but Python 3.10, and no kibitz. From a shell it plays any legal action:

    python3 kibitz_client.py http://127.0.0.1:8017 kuhn    # wherever somebody waits for this game, or wait for others
    python3 kibitz_client.py http://127.0.0.1:8017 7       # the match with this number
    KIBITZ_TOKEN=… python3 kibitz_client.py https://example.org/kibitz kuhn

Copy it, or import it and think in a function of your own:

    from kibitz_client import Client, Turn, any_legal

    def choose(turn: Turn) -> str:
        best = max(turn.board["deck"], key=turn.board["deck"].index)
        return "bet" if turn.secret["card"] == best else "pass"

    print(Client("http://127.0.0.1:8017", game="kuhn", choose=choose).play())
"""

import argparse
import base64
import hashlib
import json
import os
import random
import socket
import ssl
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

Message = dict[str, Any]
"""A message, as it was decoded from JSON; docs/reference/messages.json describes all of them."""
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""The constant of RFC 6455 that proves that a server speaks WebSocket."""
SILENCE = 45.0
"""Seconds without a word after which the client asks whether the server is still there."""


class Refused(Exception):
    """The server refuses to go on; the text says why."""


@dataclass
class Turn:
    """A request to choose, with all that the server has told."""

    begin: Message
    act: Message
    rng: random.Random

    @property
    def player(self) -> int:
        """Your number, from 0."""
        return int(self.begin["player"])

    @property
    def board(self) -> Any:
        """What never changes in this match: a map, a size, a number of rounds."""
        return self.begin.get("board")

    @property
    def fields(self) -> Any:
        """The position as you may see it, by name."""
        return self.act["view"].get("fields")

    @property
    def text(self) -> str:
        """The position as you may see it, for people."""
        return str(self.act["view"]["text"])

    @property
    def secret(self) -> Message:
        """What you know and others do not, such as a card or a mission."""
        found: Message = self.act.get("secret", {})
        return found

    @property
    def actions(self) -> list[str]:
        """Your legal actions; if there are too many to list, an empty list or some of them (see `any_legal`)."""
        return list(self.act["legal"]["actions"])


def any_legal(turn: Turn) -> str:
    """Any legal action, also if there are too many to list."""
    legal, rng = turn.act["legal"], turn.rng
    ranges = legal.get("ranges", [])
    if ranges and rng.randrange(len(legal["actions"]) + len(ranges)) < len(ranges):
        chosen = rng.choice(ranges)  # words with a number where the # is
        return str(chosen["words"]).replace("#", str(rng.randint(chosen["least"], chosen["most"])))
    if legal["actions"]:
        return str(rng.choice(legal["actions"]))
    words = [legal["verb"]]  # an action says how many of each thing, and leaves out what is 0
    for factor in legal["factors"]:
        count = rng.choice(factor.get("values") or range(factor["least"], factor["most"] + 1))
        words += [str(count), factor["name"]] if count else []
    return " ".join(words if len(words) > 1 else [*words, "nothing"]).strip()


def description(begin: Message) -> str:
    """What a `begin` says of the game, for people."""
    about = begin.get("about")
    if about is None:
        return f"You are player {begin['player']} of {begin['players']} in {begin['game']}."
    lines = [about["title"], "", about["goal"], "", about["rules"], "", f"Secret: {about['secret']}", "", "Players:"]
    lines += [f"  {words}{' (you)' if n == begin['player'] else ''}" for n, words in enumerate(about["players"])]
    lines += ["", "Actions:"]
    for action in about["actions"]:
        lines.append(f"  {action['form']}: {action['meaning']}, such as {', '.join(action['examples'])}")
    return "\n".join(lines)


class Line:
    """A WebSocket to a server, over plain TCP or TLS."""

    def __init__(self, address: str, path: str) -> None:
        """Connect; raises OSError if the server cannot be reached, Refused if it speaks something else."""
        parts = urlsplit(address if "//" in address else f"http://{address}")
        secure = parts.scheme in ("https", "wss")
        host, port = parts.hostname or "127.0.0.1", parts.port or (443 if secure else 80)
        self.inbox = b""
        self.socket = socket.create_connection((host, port), timeout=SILENCE)
        if secure:
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=host)
        key = base64.b64encode(os.urandom(16))
        head = [
            f"GET {parts.path.rstrip('/')}{path} HTTP/1.1",
            f"Host: {parts.netloc.rpartition('@')[2]}",
            *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
            f"Sec-WebSocket-Key: {key.decode()}",
        ]
        self.socket.sendall("\r\n".join([*head, "", ""]).encode())
        while b"\r\n\r\n" not in self.inbox:
            self.inbox += self.more()
        answer, _, self.inbox = self.inbox.partition(b"\r\n\r\n")
        status, *headers = answer.decode("latin-1").split("\r\n")
        proof = base64.b64encode(hashlib.sha1(key + ACCEPT).digest()).decode()
        if " 101 " not in f"{status} " or not any(header.endswith(proof) for header in headers):
            self.socket.close()
            raise (OSError if " 50" in status else Refused)(f"{address} answers {status!r}")

    def send(self, data: bytes, kind: int = TEXT) -> None:
        """Send one frame; clients mask what they send."""
        size = len(data)
        length = bytes([128 + size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        if size >= 1 << 16:
            length = b"\xff" + size.to_bytes(8, "big")
        mask = os.urandom(4)
        hidden = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self.socket.sendall(bytes([128 + kind]) + length + mask + hidden)

    def receive(self) -> str | None:
        """The next message; None when the server has closed the line. Raises OSError if the line is broken."""
        whole = b""
        while True:
            kind, last, data = self.frame()
            if kind == CLOSE:
                self.send(data[:2], CLOSE)
                return None
            if kind == PING:
                self.send(data, PONG)
            elif kind != PONG:
                whole += data
                if last:
                    return whole.decode()

    def frame(self) -> tuple[int, bool, bytes]:
        """One frame: its kind, whether it is the last of its message, and its data."""
        first, second = self.take(2)
        size = second & 127
        if size >= 126:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        return first & 15, bool(first & 128), self.take(size)

    def take(self, count: int) -> bytes:
        """So many bytes; a silent server is asked once whether it is still there."""
        while len(self.inbox) < count:
            try:
                self.inbox += self.more()
            except TimeoutError:
                self.send(b"", PING)
                self.inbox += self.more()
        found, self.inbox = self.inbox[:count], self.inbox[count:]
        return found

    def more(self) -> bytes:
        """What has arrived."""
        found = self.socket.recv(1 << 16)
        if not found:
            raise ConnectionError("the server has gone")
        return found

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


@dataclass
class Client:
    """A player in one match; `play` plays it to the end.

    Name a *game* or the number of a *match*, and a *seat* in it if that matters. *hear* gets every message, *patience*
    is how many seconds to try to reconnect.
    """

    address: str
    game: str = ""
    match: int | None = None
    seat: int | None = None
    name: str = "kibitz_client.py"
    token: str = ""
    choose: Callable[[Turn], str] = any_legal
    hear: Callable[[Message], None] = lambda message: None
    patience: float = 60.0
    resume: str = field(default="", init=False)
    """With this the server knows the player again after a broken line."""
    heard: int = field(default=0, init=False)
    """The number of the last request that arrived."""
    begin: Message = field(default_factory=dict, init=False)
    rng: random.Random = field(default_factory=random.Random, init=False)
    lost_at: float = field(default=0.0, init=False)
    """When the line broke; 0 while it works."""

    def play(self) -> list[float]:
        """Play the match; return what every player has earned. Raises Refused, or OSError if the server is gone."""
        while True:
            try:
                line = Line(self.address, "/api/play")
                try:
                    returns = self.play_on(line)
                finally:
                    line.close()
                if returns is not None:
                    return returns
                raise ConnectionError("the server has closed the line before the end of the match")
            except OSError:
                self.lost_at = self.lost_at or time.monotonic()
                seconds = time.monotonic() - self.lost_at
                if not self.resume or seconds > self.patience:
                    raise
                time.sleep(min(5.0, 0.1 + seconds))

    def play_on(self, line: Line) -> list[float] | None:
        """Log in and answer requests; return what every player has earned, or None if the server hung up before."""
        self.say(line, self.login())
        trouble = ""
        while (text := line.receive()) is not None:
            message: Message = json.loads(text)
            self.hear(message)
            kind = message["type"]
            if kind == "welcome":
                self.resume, self.lost_at = message["resume"], 0.0
            elif kind == "begin":
                if not self.begin:
                    self.rng = random.Random(message["seed"])  # the same seed, the same match
                self.begin = message
            elif kind == "act":
                self.heard, trouble = message["seq"], ""
                action = self.choose(Turn(self.begin, message, self.rng))
                self.say(line, {"type": "action", "seq": message["seq"], "action": action})
            elif kind == "end":
                return list(message["returns"])
            elif kind == "error":
                trouble = message["error"]
        if trouble:
            raise Refused(trouble)
        return None

    def login(self) -> Message:
        """The first message: who the player is, and which seat they want, or had."""
        login: Message = {"type": "login", "name": self.name}
        if self.token:
            login["token"] = self.token
        if self.resume:
            return {**login, "resume": self.resume, "heard": self.heard}
        if self.match is None:
            return {**login, "game": self.game}
        return {**login, "table": self.match, **({} if self.seat is None else {"seat": self.seat})}

    def say(self, line: Line, message: Message) -> None:
        """Send a message."""
        line.send(json.dumps(message).encode())


def main() -> int:
    """Play one match from the command line, and print what the game is and how it ended."""
    parser = argparse.ArgumentParser(description="Play a match on a kibitz server: any legal action.")
    parser.add_argument("address", help="of the server, such as http://127.0.0.1:8017")
    parser.add_argument("where", help="a game, such as kuhn, or the number of a match")
    parser.add_argument("--seat", type=int, help="the seat in the match, from 0")
    parser.add_argument("--name", default="kibitz_client.py", help="your name, on a server without tokens")
    parser.add_argument("--token", default=os.environ.get("KIBITZ_TOKEN", ""), help="else KIBITZ_TOKEN")
    options = parser.parse_args()

    def hear(message: Message) -> None:
        if message["type"] == "begin":
            print(description(message), flush=True)
        elif message["type"] == "error":
            print(message["error"], file=sys.stderr, flush=True)

    match = int(options.where) if options.where.isdecimal() else None
    game = "" if match is not None else options.where
    client = Client(options.address, game, match, options.seat, options.name, options.token, hear=hear)
    try:
        returns = client.play()
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"\nThe match is over. You are player {client.begin['player']}; all players earned {returns}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
