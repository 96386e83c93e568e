"""People in a real browser and programs on real sockets at the same tables, and nobody who sees too much there."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from seating import take_seat
from websockets.sync.client import ClientConnection, connect

from checkout import EXAMPLES
from child_process import child_process
from kibitz_web.server.live.setup import MatchSetup

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.system

BOT = EXAMPLES / "clients" / "kibitz_client.py"
KIBITZER = ("strategy_filter",)


def got(served: Any, path: str) -> Any:
    """What the REST interface answers."""
    with urllib.request.urlopen(f"{served.address}/api/{path}") as answer:
        return json.load(answer)


def stored(served: Any, number: int) -> list[Any]:
    """The record of a match, as soon as it is stored."""
    end = time.monotonic() + 60.0
    while not (found := [each for each in got(served, "records") if each["number"] == number]):
        assert time.monotonic() < end, "it is never stored"
        time.sleep(0.05)
    return found


def opened_by(served: Any, name: str) -> int:
    """The number of the open match in which this player waits."""
    end = time.monotonic() + 60.0
    while not (found := [each for each in got(served, "matches") if name in [seat["name"] for seat in each["seats"]]]):
        assert time.monotonic() < end, "it opens no match"
        time.sleep(0.05)
    return int(found[-1]["number"])


@contextmanager
def socket_to(served: Any, path: str, **first: Any) -> Iterator[ClientConnection]:
    """A socket on which *first* has been said."""
    with connect(f"ws://{served.address.removeprefix('http://')}/api/{path}", open_timeout=60) as socket:
        socket.send(json.dumps(first))
        yield socket


def test_a_person_in_a_browser_meets_a_bot_on_a_socket(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address)
    command = [sys.executable, "-I", "-S", str(BOT), served.address, "dilemma(rounds=2)"]
    with child_process(command, stdout=subprocess.PIPE) as bot:
        number = opened_by(served, BOT.name)
        page.get_by_role(
            "button", name=f"Sit down: sit down in match {number}", exact=True
        ).click()  # it appears by itself
        for done in (1, 2):
            page.locator(".choice").first.click()
            page.wait_for_selector(f".moves li:nth-child({done})")
        page.wait_for_selector("text=Over:")
        said, _ = bot.communicate(timeout=60)
    assert "The match is over. You are player 0" in said
    assert page.url.partition("?")[0].endswith(f"/match/{number}")
    assert page.get_by_text("kibitz_client.py").first.is_visible()
    (kept,) = stored(served, number)
    assert kept["names"] == ["kibitz_client.py", "a person"]
    page.goto(f"{served.address}/records")
    page.locator(f'a[href="replay/{number}"]').click()
    page.wait_for_selector("text=After 0 of 2 events")


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
            page.wait_for_selector(".readings > *", state="attached")
        listed, view = got(served, f"matches/{number}"), got(served, f"matches/{number}/view")
        assert number not in [each["number"] for each in got(served, "records")]
        dealt = match.positions[2].state
        person.get_by_role("button", name="Resign").click()
        person.get_by_role("button", name="Resign now").click()
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
