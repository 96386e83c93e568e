"""A class on a server behind nginx: bots in pairs, people by protocol and in real browsers, while the server is killed.

    report = asyncio.run(run_class(server, idle, Lesson(seconds=60, kill_every=30)))

`report` says how many matches were opened and lost, how long answers took, and how the server's memory grew.
"""

import asyncio
import gc
import json
import os
import random
import re
import shutil
import threading
import time
import uuid
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from browser import FLAGS
from proxied import ProxiedServer

AWAY = (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, httpx2.HTTPError)
"""What a client sees when the server is gone."""
TIRED = 8.0
"""Seconds after which a person loads a page again that offers nothing."""
GRACE = 90.0
"""Seconds that matches may go on when the lesson is over; one whose bot was killed ends by its clock."""


GIVES_WAY = 5
"""How nice the class is to the servers."""


class Lesson(msgspec.Struct, frozen=True):
    """How long, how many, how often."""

    seconds: float = 60.0
    kill_every: float = 30.0
    bots: int = 200
    people: int = 27
    browsers: int = 3
    killed: float = 0.1
    """The share of bots that are killed in mid-match."""
    thinking: tuple[float, float] = (0.5, 1.0)
    game: str = "dilemma(rounds=12)"
    settling: float = 5.0
    """Seconds after a start of the server in which all come back at once; answers are counted apart."""

    def kill_times(self) -> list[float]:
        """When the server is killed, in seconds; not in the last ten, so that all come back."""
        times = [number * self.kill_every - 5.0 for number in range(1, int(self.seconds / self.kill_every) + 1)]
        return [each for each in times if each < self.seconds - 10.0]


class Report(msgspec.Struct):
    """What came of it."""

    opened: set[int] = set()
    lost: set[int] = set()
    finished: int = 0
    kills: int = 0
    reconnections: int = 0
    answers: list[float] = []
    """Seconds from a move's last word to the next question."""
    crowded_answers: list[float] = []
    """Those while everybody came back."""
    single_answers: list[float] = []
    """Those of the only pair on another server, at the same time."""
    memory: list[tuple[float, int, int]] = []
    """Of the last server: seconds since its start, kB, and how many matches were opened until then."""
    presses: list[int] = []
    """Moves of each browser, and below those after the last kill."""
    late_presses: list[int] = []
    page_messages: int = 0
    page_bytes: int = 0
    errors: list[str] = []

    def words(self) -> str:
        """The report in one line."""
        slow, single = percentile(self.answers), percentile(self.single_answers)
        return (
            f"{len(self.opened)} matches, {len(self.lost)} lost, {self.finished} finished; {self.kills} kills, "
            f"{self.reconnections} reconnections; p99 {slow:.1f} ms of {len(self.answers)} answers, crowded "
            f"{percentile(self.crowded_answers):.1f}, single {single:.1f}; {self.growth():.2f} kB a match; browsers "
            f"pressed {self.presses}, after the last kill {self.late_presses}; {self.page_messages} messages to pages; "
            f"{len(self.errors)} errors {self.errors[:3]}"
        )

    def growth(self, warm: float = 60.0) -> float:
        """kB that the last server grew by a match, once as many pages were left as are kept at a time."""
        found = [each for each in self.memory if each[0] >= warm]
        if len(found) < 2 or found[-1][2] == found[0][2]:
            return 0.0
        return (found[-1][1] - found[0][1]) / (found[-1][2] - found[0][2])


def percentile(seconds: list[float], share: float = 0.99) -> float:
    """In milliseconds."""
    return 1000.0 * sorted(seconds)[int(share * len(seconds))] if seconds else 0.0


class Pair:
    """Two bots in one match, and when each said its last word."""

    def __init__(self) -> None:
        self.said: dict[int, list[float]] = {}


class Class:
    """All clients of one lesson."""

    def __init__(self, server: ProxiedServer, lesson: Lesson, starter: ThreadPoolExecutor | None = None) -> None:
        self.server, self.lesson, self.report = server, lesson, Report()
        self.starter = starter
        """A thread that gives way to nobody, and so do servers that it starts."""
        self.rng = random.Random(1)
        self.http = httpx2.AsyncClient(
            base_url=server.public, verify=server.trust, timeout=30, limits=httpx2.Limits(max_connections=40)
        )
        self.sockets = server.public.replace("https", "wss")
        self.started = time.monotonic()
        """When the server was last started; infinite while it is down."""
        self.up = asyncio.Event()
        self.up.set()
        self.over = False

    # Talking to the server

    async def call(self, path: str, token: str, **body: Any) -> Any:
        """The answer of the API, as soon as the server is there."""
        while True:
            await self.up.wait()
            headers = {"authorization": f"Bearer {token}"}
            with suppress(*AWAY):
                if body:
                    answer = await self.http.post(f"/api/{path}", headers=headers, json=body)
                else:
                    answer = await self.http.get(f"/api/{path}", headers=headers)
                if answer.status_code < 300:
                    return answer.json()
                if answer.status_code not in (502, 503, 504, 429):
                    raise AssertionError(f"{path}: {answer.status_code} {answer.text}")
            await asyncio.sleep(0.2)

    async def open_match(self, token: str, *seats: str | None) -> int:
        """Open a match; what the server has confirmed may not be lost."""
        found = await self.call("matches", token, game=self.lesson.game, seats=list(seats), move_time=3.0)
        self.report.opened.add(found["number"])
        return int(found["number"])

    async def play(self, token: str, number: int, seat: int, pair: Pair | None = None, doomed: bool = False) -> str:
        """Play one match to its end, again and again over a new connection if one breaks; the `resume` text."""
        resume, heard = "", 0
        while True:
            await self.up.wait()
            login = {"token": token, "resume": resume, "heard": heard} if resume else {
                "token": token, "table": number, "seat": seat}  # fmt: skip
            with suppress(*AWAY):
                async with connect(f"{self.sockets}/api/play", ssl=self.server.trust, compression=None) as socket:
                    await socket.send(json.dumps({"type": "login", **login}))
                    async for text in socket:
                        now, message = time.perf_counter(), json.loads(text)
                        if message["type"] == "welcome":
                            resume = message["resume"] or resume
                            self.report.reconnections += bool(heard)
                        elif message["type"] == "act":
                            heard = message["seq"]
                            self.note_answer(pair, heard, now)
                            if doomed and heard > 6:
                                return resume
                            await self.answer(socket, message, pair)
                        elif message["type"] == "end":
                            return resume
                        elif message["type"] == "error":
                            return resume  # it has ended, or the seat is lost; whether the match is, is counted later
            await asyncio.sleep(0.1 + 0.4 * self.rng.random())

    async def answer(self, socket: ClientConnection, act: dict[str, Any], pair: Pair | None) -> None:
        """Think, and say something legal."""
        await asyncio.sleep(self.rng.uniform(*self.lesson.thinking))
        action = self.rng.choice(act["legal"]["actions"])
        await socket.send(json.dumps({"type": "action", "seq": act["seq"], "action": action}))
        if pair is not None:
            pair.said.setdefault(act["seq"], []).append(time.perf_counter())

    def note_answer(self, pair: Pair | None, seq: int, now: float) -> None:
        """Count how long the server took from the last word of the last move, if it was there all the time."""
        said = [] if pair is None else pair.said.get(seq - 1, [])
        up = time.monotonic() - self.started
        if len(said) == 2 and now - max(said) < up:
            (self.report.answers if up > self.lesson.settling else self.report.crowded_answers).append(now - max(said))

    # Who is there

    async def pair_of_bots(self, tokens: tuple[str, str], doomed: bool) -> None:
        """Two bots that play one match after the other; a doomed one is killed in its second match."""
        await asyncio.sleep(3.0 * self.rng.random())
        dies = 2 if doomed else 0
        while not self.over:
            number, pair, dies = await self.open_match(tokens[0], None, None), Pair(), dies - 1
            bots = [
                self.play(token, number, seat, pair, doomed=dies == 0 and seat == 0)
                for seat, token in enumerate(tokens)
            ]
            await asyncio.gather(*bots)
            if dies == 0:
                return

    async def person(self, link: str) -> None:
        """Somebody who signs in, plays against a program, and looks at the page of the match meanwhile."""
        await asyncio.sleep(3.0 * self.rng.random())
        session = await self.sign_in(link)
        while not self.over:
            number = await self.open_match(session, None, "random")
            page = asyncio.create_task(self.look(f"/match/{number}", session))
            await self.play(session, number, 0)
            page.cancel()
            await asyncio.gather(page, return_exceptions=True)

    async def sign_in(self, link: str) -> str:
        """The secret of a person's session."""
        while True:
            await self.up.wait()
            with suppress(*AWAY):
                origin = self.server.public.rsplit("/", 1)[0]
                answer = await self.http.post(link, headers={"origin": origin})
                self.http.cookies.clear()  # many people share this client
                if answer.status_code == 303:
                    return str(re.search("kibitz_session=([^;]*)", answer.headers["set-cookie"])[1])  # type: ignore[index]
            await asyncio.sleep(0.2)

    async def look(self, path: str, session: str) -> None:
        """Hold a page open as a browser does: its text once, then its socket."""
        cookie = {"cookie": f"kibitz_session={session}"}
        while True:
            await self.up.wait()
            with suppress(*AWAY):
                answer = await self.http.get(path, headers=cookie)
                found = re.search(r"client_id['\"]: ?['\"]([\w-]+)", answer.text)
                if answer.status_code == 200 and found is not None:
                    await self.read_page(found[1], cookie)
            await asyncio.sleep(0.5)

    async def read_page(self, client: str, cookie: dict[str, str]) -> None:
        """Read what a page is sent, in the protocol of its script (Engine.IO 4)."""
        document, tab = uuid.uuid4(), uuid.uuid4()
        wish = f"client_id={client}&next_message_id=0&implicit_handshake=true&document_id={document}&tab_id={tab}"
        address = f"{self.sockets}/_nicegui_ws/socket.io/?{wish}&old_tab_id=null&EIO=4&transport=websocket"
        origin: Any = self.server.public.rsplit("/", 1)[0]
        async with connect(address, ssl=self.server.trust, additional_headers=cookie, origin=origin) as socket:
            await socket.send("40")
            async for text in socket:
                if text == "2":
                    await socket.send("3")
                else:
                    self.report.page_messages += 1
                    self.report.page_bytes += len(text)

    # What happens to the server

    async def kill_server(self) -> None:
        """Kill the server now and then, and start it again."""
        begun = time.monotonic()
        for moment in self.lesson.kill_times():
            await asyncio.sleep(begun + moment - time.monotonic())
            self.started = float("inf")
            self.up.clear()
            await asyncio.to_thread(self.server.kill)
            self.report.kills += 1
            self.report.memory.clear()
            await asyncio.get_running_loop().run_in_executor(self.starter, self.server.start)
            self.started = time.monotonic()
            self.up.set()

    async def watch_memory(self) -> None:
        """Note the server's memory once a second."""
        while True:
            await asyncio.sleep(1.0)
            process = self.server.process
            if self.up.is_set() and process is not None:
                with suppress(OSError):
                    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
                    self.report.memory.append((time.monotonic() - self.started, 4 * pages, len(self.report.opened)))

    async def lost_matches(self) -> set[int]:
        """Matches that the server has confirmed and that are neither stored nor running now."""
        known: set[int] = {each["number"] for each in await self.call("matches", self.server.operator)}
        after, more = 0, [0]
        stored: set[int] = set()
        while more:
            found = await self.call(f"records?after={after}&limit=1000", self.server.operator)
            more = [each["number"] for each in found]
            stored |= set(more)
            after = max(more, default=0)
        self.report.finished = len(stored)
        return self.report.opened - stored - known


@contextmanager
def giving_way() -> Iterator[None]:
    """Let this process and the browsers it starts give way to servers: a class sits at machines of its own."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(before, GIVES_WAY))
    try:
        yield
    finally:
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, before)


async def run_class(server: ProxiedServer, idle: ProxiedServer, lesson: Lesson) -> Report:
    """Let a class play on *server*, and a single pair on *idle* meanwhile: what else the machine does slows both."""
    with ThreadPoolExecutor(1) as starter:
        starter.submit(os.getpid).result()  # so that its thread is there before this one gives way
        with giving_way():
            return await play_lesson(server, idle, lesson, starter)


async def play_lesson(
    server: ProxiedServer, idle: ProxiedServer, lesson: Lesson, starter: ThreadPoolExecutor
) -> Report:
    """What comes of the lesson."""
    made = Class(server, lesson, starter)
    report = made.report
    tokens = server.make_tokens([f"bot{n}" for n in range(lesson.bots)])
    links = server.make_links([f"person{n}" for n in range(lesson.people + lesson.browsers)])
    doomed = set(made.rng.sample(range(lesson.bots // 2), int(lesson.killed * lesson.bots)))
    gc.collect()
    gc.freeze()  # the pauses of our own collector would be taken for the server's
    async with made.http:
        made.started = time.monotonic()
        alone = asyncio.create_task(single_answers(idle, lesson))
        pairs = list(zip(tokens[::2], tokens[1::2], strict=True))
        clients: list[Coroutine[Any, Any, None]] = [
            *(made.pair_of_bots(pair, n in doomed) for n, pair in enumerate(pairs)),
            *(made.person(link) for link in links[lesson.browsers :]),
        ]
        browsers = Browsers(made, links[: lesson.browsers])
        running = [asyncio.create_task(client) for client in clients]
        watching = asyncio.create_task(made.watch_memory())
        killing = asyncio.create_task(made.kill_server())
        browsers.start()
        await asyncio.sleep(lesson.seconds)
        made.over = True
        await killing
        await asyncio.to_thread(browsers.stop)
        _, late = await asyncio.wait(running, timeout=GRACE)
        watching.cancel()
        for task in [*late, watching]:
            task.cancel()
        found = await asyncio.gather(*running, return_exceptions=True)
        report.errors += [repr(each) for each in found if isinstance(each, BaseException)]
        report.single_answers = await alone
        await asyncio.sleep(1.0)  # the last matches are stored
        report.lost = await made.lost_matches()
    gc.unfreeze()
    return report


async def single_answers(server: ProxiedServer, lesson: Lesson) -> list[float]:
    """How long answers take when one pair is alone on a server."""
    quick = Class(server, msgspec.structs.replace(lesson, thinking=(0.02, 0.06), settling=0.0))
    tokens = server.make_tokens(["ann", "ben"])
    async with quick.http:
        end = time.monotonic() + lesson.seconds
        while time.monotonic() < end:
            number, pair = await quick.open_match(tokens[0], None, None), Pair()
            await asyncio.gather(*[quick.play(token, number, seat, pair) for seat, token in enumerate(tokens)])
    return quick.report.answers


class Browsers:
    """Real browsers in a thread of their own: people who sign in, start a game and press what is offered."""

    def __init__(self, made: Class, links: list[str]) -> None:
        self.made, self.links, self.ending = made, links, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def start(self) -> None:
        if self.links and shutil.which("chromium") is not None:
            self.thread.start()

    def stop(self) -> None:
        """End, but give every browser the time to make a move after the last kill."""
        until = time.monotonic() + GRACE
        while self.thread.is_alive() and not all(self.made.report.late_presses) and time.monotonic() < until:
            time.sleep(0.2)
        self.ending.set()
        if self.thread.is_alive():
            self.thread.join(60)

    def run(self) -> None:
        """Play until the end of the lesson."""
        try:
            self.play()
        except Exception as error:
            self.made.report.errors.append(f"browsers: {error!r}")

    def play(self) -> None:
        """Sign in, and press; who sees nothing happen for a while loads the page again."""
        from playwright.sync_api import Error, sync_playwright

        report = self.made.report
        report.presses, report.late_presses = [0] * len(self.links), [0] * len(self.links)
        with sync_playwright() as running:
            browser = running.chromium.launch(executable_path=self.launcher(), args=FLAGS)
            pages = [browser.new_context(ignore_https_errors=True).new_page() for _ in self.links]
            try:
                for page, link in zip(pages, self.links, strict=True):
                    page.set_default_timeout(30_000)
                    self.open_link(page, link)
                kills, moved = report.kills, [time.monotonic()] * len(pages)
                while not self.ending.wait(0.2):
                    if report.kills != kills:
                        kills, report.late_presses = report.kills, [0] * len(self.links)
                    for n, page in enumerate(pages):
                        pressed = self.press(page)
                        report.presses[n] += pressed
                        report.late_presses[n] += pressed
                        if pressed:
                            moved[n] = time.monotonic()
                        elif time.monotonic() > moved[n] + TIRED and self.made.up.is_set():
                            moved[n] = time.monotonic()
                            with suppress(Error):
                                page.reload(timeout=10_000)
            finally:
                if not all(report.late_presses):
                    shown = [(page.url, page.locator("body").inner_text()[:300]) for page in pages]
                    report.errors.append(f"browsers that did not play see {shown}")
                browser.close()

    def launcher(self) -> Path:
        """A script that starts a browser that cannot take back that it gives way; as root, it would."""
        chromium, without = shutil.which("chromium"), ""
        if os.geteuid() == 0 and shutil.which("setpriv") is not None:
            without = "setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "
        script = self.made.server.folder / "chromium.sh"
        script.write_text(f'#!/bin/sh\nexec {without}{chromium} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
        return script

    def open_link(self, page: Any, link: str) -> None:
        """Sign in, as soon as the server is there."""
        until = time.monotonic() + GRACE
        page.goto(link)
        while not page.get_by_role("button", name="Sign in").count() and time.monotonic() < until:
            time.sleep(0.5)
            page.goto(link)
        page.get_by_role("button", name="Sign in").click()

    def press(self, page: Any) -> bool:
        """Press something on a page; whether a move was made."""
        from playwright.sync_api import Error

        with suppress(Error):  # the page is loading, or the server is gone
            if "/match/" not in page.url and "/setup" not in page.url:
                page.goto(f"{self.made.server.public}/setup?game=dilemma", timeout=10_000)
            elif "/setup" in page.url:
                page.get_by_role("button", name="Start").click(timeout=1000)
            elif page.locator(".choice").count():
                page.locator(".choice").first.click(timeout=1000)
                return True
            elif page.get_by_role("button", name="Rematch").count():
                page.get_by_role("button", name="Rematch").click(timeout=1000)
            elif page.get_by_text("There is no match").count():
                page.goto(f"{self.made.server.public}/", timeout=10_000)
            if found := re.search(r"/match/(\d+)", page.url):
                self.made.report.opened.add(int(found[1]))
        return False
