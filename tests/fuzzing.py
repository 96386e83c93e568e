"""A client that says everything to a running server except what it should: raw bytes, REST, sockets, pages.

    report = asyncio.run(Fuzzer(server, seed=1).run(3000))

What it says follows from the seed and from what the server answers. `report.wrongs` holds what the server's log says of
errors of its own, answers with a status of 500 or more, and answers that took too long.
"""

import asyncio
import json
import random
import re
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from page_client import Element, page_parts
from running_server import RunningServer

LONGEST = 5.0
"""Seconds within which a server that does nothing else answers."""
AT_ONCE = 24
GONE = (OSError, ConnectionClosed, InvalidHandshake, asyncio.IncompleteReadError, EOFError)
GAMES = [
    "pawns",
    "kuhn",
    "kuhn(players=2)",
    "dilemma(rounds=3)",
    "pennies(lead=1)",
    "nim",
    "risk(players=3)",
    "chequers",
]
AGENTS = [None, "random", "house", "alphabeta(depth=1)", "cmd:true", "human", "process('sh')", "tit_for_tat", "", "["]
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    2**31,
    2**63,
    2**64,
    -(2**63) - 1,
    10**30,
    0.5,
    -0.0,
    1e308,
    1e-320,
    "",
    "0",
    "1",
    "-1",
    "inf",
    "nan",
    "1e999",
    "null",
    "a" * 300,
    "\0",
    "\u202e",
    "é",
    "😀",
    "../../etc/passwd",
    "%00",
    "%s%n",
    "' OR 1=1",
    "<script>",
    "{}",
    "²",
    "٣",
    "1" * 5000,
    "kuhn(players=2)",
    "kuhn(players=99999)",
    "nim(heaps=[1000000])",
    "(" * 200,
    "[" * 200,
    [],
    [[]],
    [None],
    {},
    {"": None},
    {"value": 0},
    {"value": {"value": 1}},
    [1, 2, 3],
    ["a", {"b": []}],
    list(range(50)),
]
"""Values that programs do not expect."""
STATUS = re.compile(rb"(?:^|(?<=[^ ]))HTTP/1\.1 (\d{3}) [A-Z]")
"""The beginning of an answer among others."""
Conversation = Callable[["Fuzzer", random.Random], Awaitable[None]]


class Report(msgspec.Struct):
    """What came of it."""

    messages: Counter[str] = msgspec.field(default_factory=Counter)
    answers: Counter[str] = msgspec.field(default_factory=Counter)
    wrongs: list[str] = msgspec.field(default_factory=list)
    slowest: float = 0.0
    seconds: float = 0.0
    kills: int = 0

    def words(self) -> str:
        """The report in one line."""
        rate = self.messages.total() / max(self.seconds, 1e-9)
        return (
            f"{self.messages.total()} messages ({dict(self.messages)}) in {self.seconds:.0f} s, {rate:.0f} a second; "
            f"answers {dict(self.answers)}; slowest {self.slowest:.2f} s; {self.kills} kills; {len(self.wrongs)} wrong"
        )


def closing(request: bytes) -> bytes:
    """The request after whose answer the server closes the connection."""
    return request.replace(b"\r\n", b"\r\nconnection: close\r\n", 1)


# What is said


def mutate(value: Any, rng: random.Random, depth: int = 0) -> Any:
    """The value with something in it changed."""
    if depth == 0 and rng.random() < 0.05:
        return rng.choice(ODD)
    if isinstance(value, dict) and value and rng.random() < 0.9:
        changed, key = dict(value), rng.choice(list(value))
        roll = rng.random()
        if roll < 0.1:
            del changed[key]
        elif roll < 0.2:
            changed[str(rng.choice(ODD))] = rng.choice(ODD)
        else:
            changed[key] = mutate(value[key], rng, depth + 1)
        return changed
    if isinstance(value, list) and value and rng.random() < 0.8:
        changed_list, place = list(value), rng.randrange(len(value))
        if rng.random() < 0.2:
            return changed_list * rng.choice((0, 2, 20))
        changed_list[place] = mutate(value[place], rng, depth + 1)
        return changed_list
    if isinstance(value, str) and value and rng.random() < 0.4:
        return mutate_text(value, rng)
    return rng.choice(ODD)


def mutate_text(text: str, rng: random.Random) -> str:
    """The text with some signs changed, removed or repeated."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 1, 4, 30)))
        middle = rng.choice(
            ("", chr(rng.randrange(0x20, 0x250)), text[start:end] * 2, "\0", '"', "]", "}", "9", "\ud800")
        )
        text = text[:start] + middle + text[end:]
    return text


def said(value: Any, rng: random.Random) -> str | bytes:
    """A message: the value as JSON, mutated as a value or as text, or something else altogether."""
    roll = rng.random()
    if roll < 0.1:
        return rng.randbytes(rng.choice((0, 1, 10, 300)))
    if roll < 0.13:
        return "[" * rng.choice((10, 5000)) if rng.random() < 0.5 else "x" * rng.choice((66_000, 200_000))
    text = json.dumps(value if roll < 0.25 else mutate(value, rng))
    text = mutate_text(text, rng) if roll > 0.85 else text
    text = text.encode("utf-8", "replace").decode()
    return text.encode() if rng.random() < 0.05 else text


# How it is said


class Fuzzer:
    """Holds many conversations with a server, a few at once."""

    def __init__(self, server: RunningServer, seed: int = 0, at_once: int = AT_ONCE) -> None:
        self.server, self.seed, self.at_once, self.report = server, seed, at_once, Report()
        self.find_server()
        self.matches: list[int] = []
        self.seats: list[str] = []
        """Pages of matches in which the visitor plays."""
        self.resumes: list[str] = ["1.x"]
        self.pages: list[str] = [str(uuid.UUID(int=0))]
        self.late: list[tuple[bytes, bool]] = []
        """Requests whose answers took too long; they are sent again when the server has nothing else to do."""

    def find_server(self) -> None:
        """Note where the server is."""
        host, _, port = self.server.address.removeprefix("http://").partition(":")
        self.host, self.port = host, int(port)

    async def run(self, messages: int, kills: int = 0) -> Report:
        """Say so many messages; stop at the first thing that is wrong.

        Meanwhile the server is killed so many times; one that goes on with the same matches is told the rest.
        """
        start, self.number = time.monotonic(), 0
        for stage in range(kills + 1):
            if stage and not self.report.wrongs:
                self.server.kill()
                self.server.start()
                self.find_server()
                self.report.kills += 1
            await self.run_until(messages * (stage + 1) // (kills + 1))
            self.report.seconds = time.monotonic() - start
        return self.report

    async def run_until(self, messages: int) -> None:
        """Go on until so many messages are said, or something is wrong."""
        while self.report.messages.total() < messages and not self.report.wrongs:
            begin, until = self.number, self.number + 40
            workers = [self.work(until, messages) for _ in range(self.at_once)]
            await asyncio.gather(*workers)
            await self.sweep()
            found = [f"conversations {begin} to {self.number}: {wrong[-3000:]}" for wrong in self.server.wrongs()]
            self.report.wrongs += found

    async def work(self, until: int, messages: int) -> None:
        """Hold one conversation after the other."""
        while self.number < until and self.report.messages.total() < messages:
            self.number += 1
            number, rng = self.number, random.Random(f"{self.seed}-{self.number}")
            kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
            try:
                await asyncio.wait_for(kind(self, rng), 60)
            except GONE:
                pass  # the server may hang up on all of this
            except TimeoutError:
                self.report.wrongs.append(f"conversation {number}: {kind.__name__} took more than a minute")

    async def sweep(self) -> None:
        """Stop all matches, so that there is room for others, and check that the server answers soon."""
        for data, ends in self.late:
            await self.ask_raw(data, "again", ends=ends)
        self.late.clear()
        begin = time.monotonic()
        status, text = await self.ask(b"GET", "/api/matches", spoken="sweep")
        if status == 401:  # a button on a page has revoked the operator
            self.server.token = self.server.accounts.make_token(f"op-{self.number}", "operator")
            status, text = await self.ask(b"GET", "/api/matches", spoken="sweep")
        waited = time.monotonic() - begin
        self.report.slowest = max(self.report.slowest, waited)
        if waited > LONGEST or status != 200:
            self.report.wrongs.append(f"the lobby answered {status} after {waited:.1f} s: {text[:200]!r}")
            return
        live = [each["number"] for each in json.loads(text) if each["status"] in ("open", "playing")]
        for number in live[:-10]:
            await self.ask(b"DELETE", f"/api/matches/{number}", spoken="sweep")
        self.matches = [each["number"] for each in json.loads(text)][-30:]

    def headers(self, rng: random.Random | None = None) -> dict[str, str]:
        """Headers of a client with an address of its own, so that no limit but its own holds it."""
        address = "10." + ".".join(str((rng or random).randrange(256)) for _ in range(3))
        found = {"host": f"{self.host}:{self.port}", "x-forwarded-for": address}
        return found | ({"authorization": f"Bearer {self.server.token}"} if self.server.token else {})

    async def ask(
        self, method: bytes, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, *, spoken: str
    ) -> tuple[int, bytes]:
        """The status and the body of an answer; 0 if the server hangs up. An answer that is too late is wrong."""
        return await self.ask_raw(self.request(method, path, body, {**(headers or {}), "connection": "close"}), spoken)

    def request(
        self, method: bytes, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> bytes:
        """A request in bytes."""
        sent = {**self.headers(), **(headers or {})}
        if body is not None:
            sent |= {"content-length": str(len(body)), "content-type": "application/json"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        head = method + b" " + path.encode("utf-8", "replace") + b" HTTP/1.1\r\n" + lines.encode("utf-8", "replace")
        return head + b"\r\n" + (body or b"")

    async def ask_many(self, requests: list[bytes], spoken: str) -> None:
        """Send requests one after another on as few connections as the server allows.

        A request whose answer is wrong, or that hangs, is found by sending each by itself.
        """
        rest = list(requests)
        while rest:
            begin = time.monotonic()
            statuses = await self.exchange_many(rest)
            waited = time.monotonic() - begin
            self.report.slowest = max(self.report.slowest, waited / max(1, len(statuses)))
            if waited > LONGEST or any(status >= 500 and status != 503 for status in statuses):
                for data in rest:
                    await self.ask_raw(closing(data), spoken)
                return
            for status in statuses:
                self.report.answers[f"{status // 100}xx"] += 1
            if not statuses:  # the server hangs up on the first of them
                self.report.answers["none"] += 1
            done = max(1, len(statuses))
            self.report.messages[spoken] += done
            rest = rest[done:]

    async def exchange_many(self, requests: list[bytes]) -> list[int]:
        """The statuses of the answers on one connection, until the server closes it."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(b"".join([*requests[:-1], closing(requests[-1])]))
            with suppress(OSError):
                await writer.drain()
            answer = await asyncio.wait_for(reader.read(-1), 30)
        except (TimeoutError, OSError):
            return []
        finally:
            writer.close()
        return [int(found) for found in STATUS.findall(answer)]

    async def ask_raw(self, data: bytes, spoken: str, ends: bool = False) -> tuple[int, bytes]:
        """Send bytes, and wait for the answer that the server ends by closing; with *ends* it hears that no more come.

        Without that, it waits for the rest of what is no whole request.
        """
        self.report.messages[spoken] += 1
        begin = time.monotonic()
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(data)
            with suppress(OSError):
                await writer.drain()
                if ends:
                    writer.write_eof()
            answer = await asyncio.wait_for(reader.read(-1), 30)
        except TimeoutError:
            self.report.wrongs.append(f"no answer within 30 s to {data[:300]!r}")
            return 0, b""
        except OSError:
            answer = b""
        finally:
            writer.close()
        waited = time.monotonic() - begin
        self.report.slowest = max(self.report.slowest, waited)
        status = int(answer[9:12]) if answer[9:12].isdigit() else 0
        self.report.answers[f"{status // 100}xx" if status else "none"] += 1
        if waited > LONGEST and spoken != "again":
            self.late.append((data, ends))  # others may have kept the server busy
        elif waited > LONGEST:
            self.report.wrongs.append(f"{waited:.1f} s for {data[:300]!r}")
        if status >= 500 and status != 503:
            self.report.wrongs.append(f"{status} {answer[-300:]!r} for {data[:1000]!r}")
        return status, answer.partition(b"\r\n\r\n")[2]

    @asynccontextmanager
    async def socket(self, path: str, rng: random.Random, **headers: str) -> AsyncIterator[ClientConnection]:
        """An open socket."""
        sent = {name: value for name, value in {**self.headers(rng), **headers}.items() if name != "host"}
        address = f"ws://{self.host}:{self.port}{path}"
        async with connect(address, additional_headers=sent, compression=None, close_timeout=1, max_queue=None) as made:
            yield made

    async def say(self, socket: ClientConnection, message: str | bytes, spoken: str) -> None:
        """Send one message."""
        self.report.messages[spoken] += 1
        await socket.send(message)

    async def hear(self, socket: ClientConnection, seconds: float = 0.05) -> list[str]:
        """What the server says until it is silent."""
        heard = []
        with suppress(TimeoutError):
            while len(heard) < 100:
                text = await asyncio.wait_for(socket.recv(), seconds)
                heard.append(text if isinstance(text, str) else text.decode(errors="replace"))
        return heard

    async def check_alive(self, socket: ClientConnection, what: str) -> None:
        """Note as wrong that a socket that is open does not answer pings."""
        begin = time.monotonic()
        try:
            await asyncio.wait_for(await socket.ping(), 6 * LONGEST)  # others may keep the server busy
        except TimeoutError:
            self.report.wrongs.append(f"a socket did not answer after {what}")
        self.report.slowest = max(self.report.slowest, time.monotonic() - begin)

    async def open_match(self, rng: random.Random, *seats: str | None, game: str = "kuhn(players=2)") -> int:
        """The number of a new match; 0 if the server has no room."""
        body = {"game": game, "seats": list(seats), "move_time": rng.choice((0.05, 1.0, 30.0))}
        status, text = await self.ask(b"POST", "/api/matches", json.dumps(body).encode(), spoken="rest")
        return int(json.loads(text)["number"]) if status == 201 else 0


# Conversations


async def raw_bytes(fuzz: Fuzzer, rng: random.Random) -> None:
    """What is hardly HTTP."""
    for _ in range(20):
        head = f"GET /api/matches HTTP/1.1\r\nhost: {fuzz.host}:{fuzz.port}\r\nx-forwarded-for: {rng.choice(ODD)}\r\n"
        lines = [
            "content-length: " + rng.choice(("-1", "1" * 5000, "abc", "٣", "5")),
            "transfer-encoding: chunked",
            "upgrade: websocket",
            "connection: upgrade",
            "sec-websocket-key: x",
            "sec-websocket-version: 99",
            f"cookie: kibitz_session={rng.choice(ODD)}",
            f"host: {rng.choice(ODD)}",
            "origin: null",
            "expect: 100-continue",
            f"{rng.choice(ODD)}: {rng.choice(ODD)}",
        ]
        text = head + "".join(line[:9000] + "\r\n" for line in rng.sample(lines, rng.randrange(4))) + "\r\n"
        text = mutate_text(text, rng) if rng.random() < 0.6 else text
        data = rng.randbytes(rng.choice((1, 50, 2000))) if rng.random() < 0.2 else text.encode("utf-8", "replace")
        await fuzz.ask_raw(data, "raw", ends=True)


PATHS = [
    "/api/me",
    "/api/games",
    "/api/games/{}",
    "/api/games/{}/agents",
    "/api/matches",
    "/api/matches?status={}",
    "/api/matches/{}",
    "/api/matches/{}/view",
    "/api/records?after={}&limit={}",
    "/api/records/{}",
    "/api/records/{}/file",
    "/api/tournaments",
    "/api/tournaments/{}",
    "/api/tokens/{}",
    "/api/messages.json",
    "/api/health",
    "/api/ready",
    "/api/metrics",
    "/api/docs",
    "/api/openapi.json",
    "/api/{}",
    "/",
    "/records",
    "/tournaments",
    "/tournaments/{}",
    "/studies",
    "/studies/{}/report",
    "/match/{}",
    "/match/{}?key={}&invite={}",
    "/replay/{}",
    "/replay/{}?ply={}&model={}",
    "/admin",
    "/join/{}",
    "/sign-out",
    "/{}",
    "/kibitz-static/{}",
    "/_nicegui/{}",
    "/_nicegui/3.18.0/{}/{}",
    "/_nicegui/3.18.0/resources/{}/{}",
    "/_nicegui/3.18.0/libraries/{}",
    "/_nicegui/3.18.0/components/{}",
    "/_nicegui/3.18.0/esm/{}/{}",
    "/_nicegui_ws/{}",
    "/_nicegui/3.18.0/dynamic_resources/{}",
    "/_nicegui_ws/socket.io/?EIO=4&transport=polling&sid={}",
    "/_nicegui/client/{}/upload/{}",
]


async def rest(fuzz: Fuzzer, rng: random.Random) -> None:
    """Addresses with odd parts, and bodies that are nearly right; several at once on one connection."""
    for _ in range(4):
        requests = [odd_request(fuzz, rng) for _ in range(rng.choice((1, 8, 30)))]
        await fuzz.ask_many(requests, "rest")


def odd_request(fuzz: Fuzzer, rng: random.Random) -> bytes:
    """A request in bytes, nearly right."""
    if rng.random() < 0.4:
        return fuzz.request(rng.choice((b"POST", b"POST", b"PUT")), *body_of(fuzz, rng))
    path = rng.choice(PATHS)
    while "{}" in path:
        part = rng.choice((1, 2, 3, *fuzz.matches, "1-1", *GAMES)) if rng.random() < 0.5 else rng.choice(ODD)
        text = json.dumps(part) if isinstance(part, (list, dict)) else str(part)
        path = path.replace("{}", quoted(text, rng), 1)
    method = rng.choice((b"GET", b"GET", b"GET", b"DELETE", b"POST", b"HEAD", b"OPTIONS", b"PATCH", b"BREW"))
    session = next(iter(fuzz.server.sessions.values()), "s" * 32) if rng.random() < 0.9 else rng.choice(ODD)
    odd = {"cookie": f"kibitz_session={session}"} if not path.startswith("/api") else {}
    return fuzz.request(method, path[:60_000], None, quoted_headers(odd))


def quoted(text: str, rng: random.Random) -> str:
    """Part of an address, more or less escaped."""
    unsafe = set(' ?#%"\r\n') if rng.random() < 0.3 else set(' ?#%"/\r\n\0')
    signs = (
        f"%{byte:02x}" if chr(byte) in unsafe or byte > 126 else chr(byte) for byte in text.encode("utf-8", "replace")
    )
    return "".join(signs)


def quoted_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers without line ends."""
    return {name: value.replace("\0", "").replace("\n", "")[:4000] for name, value in headers.items()}


def body_of(fuzz: Fuzzer, rng: random.Random) -> tuple[str, bytes]:
    """An address, and a body for it."""
    players = rng.choice((1, 2, 2, 3))
    match = {
        "game": rng.choice(GAMES),
        "seats": [rng.choice(AGENTS) for _ in range(players)],
        "move_time": 0.5,
        "game_time": 3,
        "max_plies": 20,
        "strikes": 3,
        "opening": 0,
        "seed": 5,
    }
    tournament = {"definition": 'game = "pennies(lead=1)"\nagents = ["random", "random"]\nrepeats = 1\n', "name": "t"}
    path, value = rng.choice([("/api/matches", match), ("/api/matches", match), ("/api/tournaments", tournament)])
    if fuzz.server.token and rng.random() < 0.1:
        path, value = "/api/tokens", {"name": rng.choice(("x", "y z", "é")), "role": "player"}
    text = said(value, rng)
    return path, text if isinstance(text, bytes) else text.encode()


def login_of(fuzz: Fuzzer, rng: random.Random) -> dict[str, Any]:
    """A first message that may be right."""
    match = rng.choice(fuzz.matches or [1])
    what = rng.choice(
        (
            {"table": match},
            {"table": match, "seat": 0},
            {"game": rng.choice(GAMES)},
            {"resume": rng.choice(fuzz.resumes)},
        )
    )
    return {"type": "login", "name": "fuzz", "token": fuzz.server.token, "heard": rng.choice((0, 1, 99)), **what}


async def before_login(fuzz: Fuzzer, rng: random.Random) -> None:
    """First messages that are wrong, on both kinds of sockets."""
    for _ in range(8):
        watch = {"type": "watch", "token": fuzz.server.token, "table": rng.choice(fuzz.matches or [1]), "since": 0}
        path, first = rng.choice((("/api/play", login_of(fuzz, rng)), ("/api/watch", watch)))
        with suppress(*GONE):
            async with fuzz.socket(path, rng) as socket:
                for _ in range(rng.choice((1, 2, 5))):
                    await fuzz.say(socket, said(first, rng), "socket before login")
                await fuzz.hear(socket, 0.01)
                await fuzz.check_alive(socket, "its first messages")


async def bot(fuzz: Fuzzer, rng: random.Random) -> None:
    """A bot that plays in some state of a match, and says much that is wrong."""
    game, seats = rng.choice(
        (
            ("kuhn(players=2)", (None, "random")),
            ("pawns", (None, None)),
            ("dilemma(rounds=9)", (None, "random")),
            ("risk(players=3)", (None, "random", "random")),
            ("kuhn", (None, None, None)),
        )
    )
    number = await fuzz.open_match(rng, *seats, game=game)
    resume = ""
    for _ in range(rng.choice((1, 2))):
        seat = {"resume": resume, "heard": rng.choice((0, 1, 5, 2**40))} if resume else {"table": number}
        async with fuzz.socket("/api/play", rng) as socket:
            await fuzz.say(socket, json.dumps({"type": "login", "token": fuzz.server.token, **seat}), "bot")
            seq, action = 1, "bet"
            for turn in range(rng.choice((10, 60, 300))):
                for text in await fuzz.hear(socket, 0.002) if turn % 4 == 0 else ():
                    told = json.loads(text)
                    resume = told.get("resume") or resume
                    seq = told.get("seq", seq)
                    action = rng.choice((told.get("legal") or {}).get("actions") or [action])
                call = rng.choices(
                    [
                        {"type": "action", "seq": seq, "action": action},
                        {"type": "ready", "name": "x"},
                        {"type": "resign"},
                        login_of(fuzz, rng),
                        {"type": "watch", "table": number, "since": 0},
                    ],
                    [60, 10, 1, 5, 5],
                )[0]
                await fuzz.say(socket, json.dumps(call) if rng.random() < 0.3 else said(call, rng), "bot")
            await fuzz.check_alive(socket, "a bot's messages")
        fuzz.resumes = [*fuzz.resumes[-20:], resume]


async def spectator(fuzz: Fuzzer, rng: random.Random) -> None:
    """Somebody who watches, and talks."""
    number = rng.choice([*fuzz.matches, await fuzz.open_match(rng, "random", "random")])
    async with fuzz.socket("/api/watch", rng) as socket:
        watch = {"type": "watch", "token": fuzz.server.token, "table": number, "since": rng.choice((0, 0, -5, 2**62))}
        await fuzz.say(socket, json.dumps(watch), "spectator")
        for _ in range(rng.choice((5, 50, 350))):
            await fuzz.say(socket, said(watch, rng), "spectator")
        await fuzz.hear(socket, 0.02)
        await fuzz.check_alive(socket, "a spectator's messages")


async def page(fuzz: Fuzzer, rng: random.Random) -> None:
    """A page whose events are anything but what its script sends."""
    path = rng.choice(
        (
            "/",
            "/",
            f"/match/{rng.choice(fuzz.matches or [1])}",
            "/tournaments",
            "/studies",
            "/admin",
            "/records",
            "/replay/1",
        )
    )
    path = rng.choice(fuzz.seats) if fuzz.seats and rng.random() < 0.3 else path
    session = next(iter(fuzz.server.sessions.values()), "s" * 32)
    cookie = {"cookie": f"kibitz_session={session}", "authorization": ""}
    status, found = await fuzz.ask(b"GET", path, None, cookie, spoken="page")
    if status != 200:
        return
    client, elements = page_parts(found.decode(errors="replace"))
    if path in ("/studies", "/tournaments"):  # an operator's buttons here start hours of computing
        elements = [each for each in elements if each.sent.get("tag") != "q-btn"]
    fuzz.pages = [*fuzz.pages[-20:], client]
    query = {
        "client_id": client,
        "document_id": "d",
        "tab_id": str(rng.random()),
        "old_tab_id": "null",
        "next_message_id": "0",
        "implicit_handshake": "true",
        "EIO": "4",
        "transport": "websocket",
    }
    if rng.random() < 0.2:
        query[rng.choice(list(query))] = str(rng.choice(ODD))
    wanted = "&".join(f"{name}={quoted(each, rng)}" for name, each in query.items())
    origin = {"cookie": cookie["cookie"], "origin": fuzz.server.address}
    async with fuzz.socket(f"/_nicegui_ws/socket.io/?{wanted[:8000]}", rng, **origin) as socket:
        await fuzz.say(socket, "40" if rng.random() < 0.9 else str(rng.choice(ODD)), "page")
        for _ in range(rng.choice((2, 8, 20))):
            for text in await fuzz.hear(socket, 0.001):
                learn(fuzz, text, elements)
            for _ in range(rng.choice((1, 4, 16))):
                await fuzz.say(socket, page_message(fuzz, client, elements, rng), "page")
        await fuzz.check_alive(socket, f"events of {path}")


def learn(fuzz: Fuzzer, text: str, elements: list[Element]) -> None:
    """Note the new elements of a page, and the page of a match in which its visitor has a seat."""
    if text.startswith("42["):
        name, *rest = json.loads(text[2:])
        if name == "open" and "key=" in str(rest[0].get("path")):
            fuzz.seats = [*fuzz.seats[-20:], rest[0]["path"]]
        if name == "update":
            elements += [Element(int(number), sent) for number, sent in rest[0].items() if isinstance(sent, dict)]


def page_message(fuzz: Fuzzer, client: str, elements: list[Element], rng: random.Random) -> str | bytes:
    """A message on the socket of a page: mostly an event with odd arguments, now and then something else."""
    element = rng.choice([each for each in elements if each.listeners] or [Element(0, {})])
    listener = rng.choice(element.listeners or [("", str(uuid.UUID(int=0)))])[1]
    arguments = [json.dumps(rng.choice(ODD)) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    event = {"id": element.number, "client_id": client, "listener_id": listener, "args": arguments}
    roll = rng.random()
    if roll < 0.75:
        return "42" + json.dumps(["event", event])
    name, value = rng.choice(
        [
            ("event", event),
            ("ack", {"client_id": client, "next_message_id": 1}),
            ("handshake", {"client_id": rng.choice(fuzz.pages)}),
            ("javascript_response", {"client_id": client, "request_id": "r", "result": 1}),
            ("disconnect", {}),
            ("connect", {}),
            ("log", {"client_id": client, "level": "error", "message": "Traceback"}),
        ]
    )
    if roll < 0.9:
        return "42" + json.dumps([name, mutate(value, rng)]).encode("utf-8", "replace").decode()
    odd = (
        "41",
        "40",
        "40/x,",
        "43[]",
        "431[1]",
        "44",
        "45",
        '451-["event",{"_placeholder":true,"num":0}]',
        "46",
        "47",
        "0",
        "1",
        "2",
        "2probe",
        "3",
        "5",
        "6",
        "7",
        "b",
        "",
        "42",
        "42[]",
        '4299999["event",1]',
        '42["event"]',
        b"\x04abc",
        "4" + "2" * 500,
    )
    return (
        rng.choice(odd)
        if roll < 0.95
        else mutate_text("42" + json.dumps([name, value]), rng).encode("utf-8", "replace").decode()
    )


KINDS: dict[Conversation, float] = {raw_bytes: 1, rest: 3, before_login: 2, bot: 3, spectator: 2, page: 4}
"""Conversations, and how often each is held."""
