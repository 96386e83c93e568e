"""A page without a browser: its text, its elements, and its socket, on which anything may be said."""

import html
import json
import re
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CLIENT = re.compile(r"'client_id': '([\w-]+)'")
ELEMENTS = re.compile(r"parseElements\(String\.raw`(.*?)`\)", re.DOTALL)
SESSION = re.compile("kibitz_session=([^;]*)")
PATIENCE = 60.0
"""Seconds that a page is waited for."""


class Element:
    """An element of a page: its number, its properties, and its listeners by event."""

    def __init__(self, number: int, sent: dict[str, Any]) -> None:
        self.number, self.sent = number, sent
        self.listeners: list[tuple[str, str]] = [
            (each["type"], each["listener_id"]) for each in sent.get("events", ()) if "listener_id" in each
        ]

    @property
    def words(self) -> str:
        """What stands on it."""
        properties = self.sent.get("props", {})
        return str(properties.get("aria-label") or properties.get("label") or self.sent.get("text") or "")


def sign_in(address: str, link: str) -> str:
    """The secret of the session that a sign-in link gives."""
    answer = httpx2.post(f"{address}/join/{link.rpartition('/')[2].strip()}", headers={"origin": address})
    found = SESSION.search(answer.headers.get("set-cookie", ""))
    assert found is not None, answer.text
    return found[1]


def page_parts(text: str) -> tuple[str, list[Element]]:
    """The client id and the elements in the text of a page."""
    client, elements = CLIENT.search(text), ELEMENTS.search(text)
    assert client is not None, text[:300]
    assert elements is not None, text[:300]
    sent = json.loads(html.unescape(elements[1]))
    return client[1], [Element(int(number), each) for number, each in sent.items()]


class Page:
    """A page as somebody in control of the browser has it: nothing on it is disabled, and it never leaves."""

    def __init__(self, address: str, path: str, session: str = "") -> None:
        cookie = {"cookie": f"kibitz_session={session}"} if session else {}
        answer = httpx2.get(address + path, headers=cookie, timeout=30)
        assert answer.status_code == 200, answer.text[:300]
        self.text = answer.text
        self.client, elements = page_parts(answer.text)
        self.elements = {each.number: each for each in elements}
        ids = f"client_id={self.client}&document_id={uuid.uuid4()}&tab_id={uuid.uuid4()}&old_tab_id=null"
        where = f"{address.replace('http', 'ws', 1)}/_nicegui_ws/socket.io/?{ids}&next_message_id=0"
        origin: Any = address
        self.opened = ExitStack()
        wanted = f"{where}&implicit_handshake=true&EIO=4&transport=websocket"
        self.socket = self.opened.enter_context(connect(wanted, additional_headers=cookie, origin=origin))
        self.socket.send("40")
        self.closed = False

    def say(self, name: str, message: Any) -> None:
        """Send an event of socket.io."""
        self.socket.send("42" + json.dumps([name, message]))

    def fire(self, element: Element, kind: str, *arguments: Any) -> None:
        """Let something happen to an element."""
        listener = next(each for event, each in element.listeners if event == kind)
        sent = [None if each is None else json.dumps(each) for each in arguments]
        message = {"id": element.number, "client_id": self.client, "listener_id": listener, "args": sent}
        self.say("event", message)

    def find(self, words: str) -> Element:
        """The element that bears these words."""
        return next(each for each in self.elements.values() if each.words == words)

    def press(self, words: str) -> None:
        """Press a button."""
        self.fire(self.find(words), "click", {})

    def messages(self, seconds: float = 1.0) -> Iterator[Any]:
        """What the page is told, until nothing comes for a while or the socket closes."""
        while not self.closed:
            try:
                text = self.socket.recv(timeout=seconds)
            except TimeoutError:
                return
            except ConnectionClosed:
                self.closed = True
                return
            if text == "2":
                self.socket.send("3")
            elif isinstance(text, str) and text.startswith("42"):
                said = json.loads(text[2:])
                self.learn(said)
                yield said

    def learn(self, said: list[Any]) -> None:
        """Note the elements of an update."""
        if said[0] == "update" and isinstance(said[-1], dict):
            for number, sent in said[-1].items():
                if number.isdecimal() and isinstance(sent, dict):
                    self.elements[int(number)] = Element(int(number), sent)

    def told(self, seconds: float = 1.0) -> str:
        """All that the page is told, as text."""
        return json.dumps(list(self.messages(seconds)))

    def hear(self, words: str) -> None:
        """Wait until the page is told these words."""
        assert any(words in json.dumps(said) for said in self.messages(PATIENCE)), f"it is never told {words}"

    def close(self) -> None:
        """Leave."""
        self.opened.close()
