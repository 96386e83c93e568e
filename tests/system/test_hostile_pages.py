"""Pages in the hands of somebody who controls the browser: they never leave a page and press whatever was on it."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from kibitz_web.web_app import MOST_PAGES
from page_client import Page
from running_server import RunningServer, running_server, wait_until

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("hostile")) as running:
        yield running
        assert running.wrongs() == []


def invite_somebody(page: Page, name: str) -> None:
    """Use the operator's form."""
    page.fire(page.find("name"), "update:value", name)
    page.press("Make a link")


def test_the_pages_of_former_operators_do_nothing(server: RunningServer) -> None:
    names = ["revoked", "lowered", "signed-out"]
    for name in names:
        server.sign_in(name, "operator")
    pages = {name: server.page("/admin", name) for name in names}
    for name, page in pages.items():
        invite_somebody(page, f"before-{name}")
    before = {f"before-{name}" for name in names}
    wait_until(lambda: before <= {each.name for each in server.accounts.all()})
    server.accounts.revoke("revoked")
    server.accounts.invite("lowered", "spectator")
    headers = {"cookie": f"kibitz_session={server.sessions['signed-out']}", "origin": server.address}
    assert httpx2.post(f"{server.address}/sign-out", headers=headers).status_code == 200
    for page in pages.values():
        page.hear('"open"')  # the browser is sent away
    for name, page in pages.items():
        with suppress(ConnectionClosed):
            invite_somebody(page, f"after-{name}")
        assert f"after-{name}" not in page.told(0.2)
        page.close()
    known = {each.name for each in server.accounts.all()}
    assert not known & {f"after-{name}" for name in names}


def test_a_page_takes_no_events_from_another_browser(server: RunningServer) -> None:
    server.sign_in("vic", "operator")
    server.sign_in("eve", "player")
    theirs, mine = server.page("/admin", "vic"), server.page("/", "eve")
    theirs.told(0.1)
    list(mine.messages(0.5))  # the rest of their own page
    theirs.client, own = mine.client, theirs.client
    button = theirs.find("Make a link")
    mine.client = own
    mine.fire(button, "click", {})
    assert "a name has" not in theirs.told(0.3)
    assert list(mine.messages(0.3)) == []
    assert mine.closed
    for page in (theirs, mine):
        page.close()


@pytest.mark.parametrize("sent", ["nan", "inf", "-1e999", "1e308", [], {"a": 1}, "?"])
def test_no_number_that_is_entered_on_one_page_breaks_another(server: RunningServer, sent: object) -> None:
    server.sign_in("odd", "operator")
    page = server.page("/tournaments", "odd")
    for name in ("seed", "times each group meets"):
        page.fire(page.find(name), "update:modelValue", sent)
        page.fire(page.find(name), "blur")
    page.told(0.3)
    assert not page.closed
    page.close()
    cookie = {"cookie": f"kibitz_session={server.sessions['odd']}"}
    assert httpx2.get(server.address, headers=cookie, timeout=30).status_code == 200
    assert server.wrongs() == []


@pytest.mark.parametrize("missing", ["client_id", "tab_id", "document_id", "EIO", "transport"])
def test_a_socket_that_does_not_say_which_page_it_is_for_is_refused(server: RunningServer, missing: str) -> None:
    asked = {"client_id": "a", "tab_id": "b", "document_id": "c", "implicit_handshake": "true", "EIO": "4",
             "transport": "websocket"}  # fmt: skip
    words = "&".join(f"{name}={value}" for name, value in asked.items() if name != missing)
    headers = {"cookie": f"kibitz_session={server.sessions.get('plain') or server.sign_in('plain')}"}
    address = f"{server.address.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?{words}"
    with pytest.raises(InvalidStatus, match="403"), connect(address, additional_headers=headers, origin=server.address):
        pass


def test_an_operators_form_takes_no_name_that_is_no_text(server: RunningServer) -> None:
    server.sign_in("odd", "operator")
    page = server.page("/admin", "odd")
    page.fire(page.find("name"), "update:value", ["a", "list"])
    page.press("Make a link")
    page.hear("give a name")
    page.close()


@pytest.mark.parametrize("path", ["/replay/" + "9" * 30, "/replay/" + "9" * 5000, "/replay/9-" + "9" * 30,
                                  "/tournaments/" + "9" * 30, "/match/" + "9" * 30, "/match/-1"])  # fmt: skip
def test_numbers_that_no_database_holds_are_refused(server: RunningServer, path: str) -> None:
    session = server.sessions.get("plain") or server.sign_in("plain")
    answer = httpx2.get(server.address + path, headers={"cookie": f"kibitz_session={session}"})
    assert answer.status_code in (200, 404, 422)


def test_nobody_holds_more_pages_than_a_person_needs(server: RunningServer) -> None:
    server.sign_in("greedy")
    first, last = server.page("/records", "greedy"), None
    cookie = {"cookie": f"kibitz_session={server.sessions['greedy']}"}
    token = {"authorization": f"Bearer {server.token}"}
    setup = {"game": "dilemma(rounds=2)", "seats": [None, "tit_for_tat"]}
    number = httpx2.post(f"{server.address}/api/matches", headers=token, json=setup).json()["number"]
    with httpx2.Client(base_url=server.address, headers=cookie, timeout=30) as client:
        assert client.get(f"/match/{number}").status_code == 200, "its script never asks for more"
        for _ in range(MOST_PAGES):
            last = client.get("/records")
    assert last is not None
    assert last.status_code == 200
    first.hear('"open"')  # the oldest page is closed
    first.close()
    with connect(server.address.replace("http", "ws") + "/api/play") as bot:
        bot.send(json.dumps({"type": "login", "token": server.token, "table": number}))
        while (told := json.loads(bot.recv(timeout=10)))["type"] != "end":
            if told["type"] == "act":
                bot.send(json.dumps({"type": "action", "seq": told["seq"], "action": "cooperate"}))
    assert server.wrongs() == [], "a page that is gone shows nothing"


def test_the_lines_of_a_model_that_is_not_offered_are_not_drawn(server: RunningServer) -> None:
    server.sign_in("lines", "operator")
    wanted = {"game": "dilemma(rounds=5)", "seats": [None, "grim"]}
    headers = {"authorization": f"Bearer {server.token}"}
    number = httpx2.post(f"{server.address}/api/matches", json=wanted, headers=headers, timeout=60.0).json()["number"]
    page = server.page(f"/match/{number}", "lines")
    choice = page.find("about")
    (kind,) = (each for each, _ in choice.listeners if each.lower().startswith("update:"))
    for value in (None, {"value": 99}, {"value": None}):
        page.fire(choice, kind, value)
    page.told(0.5)
    page.close()
    assert server.wrongs() == []


def test_a_seat_is_taken_by_a_button_that_is_gone_meanwhile(server: RunningServer) -> None:
    """The list of matches is drawn again every second, and storing a seat may take longer."""
    server.sign_in("sitter", "player")
    headers = {"authorization": f"Bearer {server.token}"}
    wanted = {"game": "pawns", "seats": [None, "random"]}
    number = httpx2.post(f"{server.address}/api/matches", json=wanted, headers=headers, timeout=60.0).json()["number"]
    page = server.page("/", "sitter")
    with closing(sqlite3.connect(server.folder / "kept.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        page.press(f"Sit down: sit down in match {number}")
        time.sleep(1.6)
        other.execute("ROLLBACK")
    page.hear(f"/match/{number}?key=")  # the browser goes to the match
    page.close()
    assert server.wrongs() == []
