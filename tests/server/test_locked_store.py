"""A database that another program has locked: reading goes on, and what is finished meanwhile is stored afterwards."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytestmark = pytest.mark.long

House = Any
MATCHES = 8


@contextmanager
def locked(house: House) -> Iterator[Callable[[], None]]:
    """Hold the lock of a writer, as a long change of another program does, until the function is called."""
    other = sqlite3.connect(str(house.store.url.database), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield lambda: other.execute("COMMIT")
    finally:
        other.close()


def test_a_locked_database_stops_nobody_and_loses_no_match(open_house: Callable[..., House]) -> None:
    house = open_house(wait=0.5)
    with house.client("op") as client, locked(house) as unlock:
        for _ in range(MATCHES):
            match = {"game": "dilemma(rounds=2)", "seats": ["grim", "pavlov"]}
            assert client.post("/api/matches", json=match).status_code == 201
        numbers = [each["number"] for each in client.get("/api/matches").json()]
        for number in numbers:
            house.over(client, number)
        for path in ("me", "records", "matches", "tokens", "tournaments"):
            assert client.get(f"/api/{path}").status_code == 200, "readers do not wait for the lock"
        assert client.get("/api/records").json() == []
        with house.client("ann") as other:  # a token that was not looked up before
            assert other.get("/api/me").json()["name"] == "ann"
        refused = client.post("/api/tokens", json={"name": "cat"})
        assert refused.status_code == 503
        assert refused.json()["error"].startswith("the database takes no changes now")
        assert house.lobby.writer.waiting >= MATCHES, "they wait to be stored"
        unlock()
        end = time.monotonic() + 30.0
        while len(found := client.get("/api/records").json()) < MATCHES:
            assert time.monotonic() < end, f"{len(found)} of {MATCHES} are stored"
            time.sleep(0.05)
        assert not list(house.lobby.archive.folder.glob("*.krec"))


def test_a_server_stops_also_while_its_database_is_locked(open_house: Callable[..., House]) -> None:
    house = open_house(wait=0.2)
    with locked(house) as unlock:
        with house.client("op") as client:
            client.post("/api/matches", json={"game": "dilemma(rounds=2)", "seats": ["grim", "pavlov"]})
            house.over(client, 1)
            start = time.monotonic()
        assert time.monotonic() - start < 60.0
        unlock()
    with open_house().client("op") as client:  # the match was in its file
        assert [each["number"] for each in client.get("/api/records").json()] == [1]


def test_numbers_of_withdrawn_matches_are_not_given_again(open_house: Callable[..., House]) -> None:
    with open_house().client("op") as client:
        for _ in range(3):
            number = client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"]
            client.delete(f"/api/matches/{number}")
        assert number == 3
    with open_house().client("op") as client:
        assert client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"] == 4
