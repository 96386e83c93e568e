"""People in a real browser and programs on real sockets at the same tables, and nobody who sees too much there."""

import json
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from seating import take_seat
from websockets.sync.client import ClientConnection, connect

from kibitz.server.setup import MatchSetup

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.system

BOT = Path(__file__).parents[2] / "examples" / "bots" / "online.py"
KIBITZER = ("strategy_filter",)


def got(served: Any, path: str) -> Any:
    """What the REST interface answers."""
    with urllib.request.urlopen(f"{served.address}/api/{path}") as answer:
        return json.load(answer)


@contextmanager
def socket_to(served: Any, path: str, **first: Any) -> Iterator[ClientConnection]:
    """A socket on which *first* has been said."""
    with connect(f"ws://{served.address.removeprefix('http://')}/api/{path}", open_timeout=60) as socket:
        socket.send(json.dumps(first))
        yield socket


def test_a_person_in_a_browser_meets_a_bot_on_a_socket(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address)
    host = served.address.removeprefix("http://")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(BOT), host, "dilemma(rounds=2)"], stdout=subprocess.PIPE, text=True
    ) as bot:
        page.get_by_role("button", name="sit down in match").click()  # it appears by itself
        for done in (1, 2):
            page.locator(".choice").first.click()
            page.wait_for_selector(f".moves li:nth-child({done})")
        page.wait_for_selector("text=Over:")
        said, _ = bot.communicate(timeout=60)
    assert json.loads(said)["type"] == "end"
    number = int(re.findall(r"/match/(\d+)", page.url)[0])
    assert page.get_by_text("online.py").count() == 1
    (kept,) = [each for each in got(served, "records") if each["number"] == number]
    assert kept["names"] == ["online.py", "a person"]
    page.goto(f"{served.address}/records")
    page.locator(f'a[href="/replay/{number}"]').click()
    page.wait_for_selector("text=After 0 of 2 events")


def test_the_sample_bot_answers_a_close_so_that_no_server_waits_for_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        host = "{}:{}".format(*door.getsockname())
        with subprocess.Popen([sys.executable, "-I", "-S", str(BOT), host, "pawns"]) as bot:
            line, _ = door.accept()
            line.settimeout(30.0)
            with line, line.makefile("rb") as said:
                while said.readline().strip():
                    pass
                line.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"\x88\x02\x03\xe8")
                login = said.read(2)
                said.read(4 + login[1] % 128 if login[1] % 128 < 126 else 4 + int.from_bytes(said.read(2), "big"))
                assert said.read(8) == b"\x88\x82" + bytes(4) + b"\x03\xe8"
            assert bot.wait(60) == 0


def test_nobody_sees_hidden_cards_through_the_other_door(served: Any, new_page: Callable[..., Any]) -> None:
    """A person and a bot at one table, a spy with a browser and one with a socket beside it."""
    match = served.open(MatchSetup("kuhn(players=2)", (None, None), models=KIBITZER, public=(1,)))
    person, spy = new_page(), new_page()
    received: dict[Any, list[str]] = {person: [], spy: []}
    for page, texts in received.items():
        page.on("websocket", lambda line, texts=texts: line.on("framereceived", lambda each: texts.append(str(each))))
        page.on("response", lambda answer, texts=texts: texts.append(answer.text() if "/match/" in answer.url else ""))
    take_seat(person, served, match, 0)
    person.wait_for_selector("text=Waiting for players")
    spy.goto(served.url(match))
    spy.get_by_role("button", name="Sit down").wait_for()
    number = match.number
    with (
        socket_to(served, "play", type="login", name="bot", table=number) as bot,
        socket_to(served, "watch", type="watch", table=number, since=0) as watcher,
    ):
        heard = [bot.recv(timeout=60), bot.recv(timeout=60)]
        watched = [watcher.recv(timeout=60) for _ in range(3)]
        for page in received:
            page.wait_for_selector(".moves li:nth-child(2)")
            page.wait_for_function("() => document.querySelector('[role=meter]')")
        listed, view = got(served, f"matches/{number}"), got(served, f"matches/{number}/view")
        assert number not in [each["number"] for each in got(served, "records")]
        dealt = match.positions[2].state
        person.get_by_role("button", name="Resign").click()
        while json.loads(heard[-1])["type"] != "end":
            heard.append(bot.recv(timeout=60))
    shown = {page: set(re.findall(r"card of player (\d): (.)", "".join(texts))) for page, texts in received.items()}
    assert {card for _, card in shown[spy]} - {" "} == {"?"}
    assert {player for player, card in shown[person] if card not in "? "} == {"0"}
    assert view["text"] == str(dealt.view(None))
    assert json.loads(watched[2])["view"]["text"] == str(dealt.view(None))
    for event in json.loads(heard[2])["events"]:
        assert (event["actions"] == [None]) == (event["ply"] == 0), "the bot is told of its own card alone"
    outside = "".join([*heard[:-1], *watched, json.dumps([listed, view])])
    assert str(match.options.seed) not in "".join([outside, *received[person], *received[spy]])
    assert match.seats[0].key not in outside
