"""A database that another program has locked: reading goes on, and what is finished meanwhile is stored afterwards."""

import sqlite3
import threading
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
    house = open_house(wait=2.0)
    with house.client("op") as client, locked(house) as unlock:
        for _ in range(MATCHES):
            match = {"game": "dilemma(rounds=2)", "seats": ["grim", "pavlov"]}
            assert client.post("/api/matches", json=match).status_code == 201
        numbers = [each["number"] for each in client.get("/api/matches").json()]
        for number in numbers:
            house.over(client, number)
        slowest = 0.0
        for path in ("me", "records", "matches", "tokens", "tournaments") * 3:
            start = time.monotonic()
            assert client.get(f"/api/{path}").status_code == 200
            slowest = max(slowest, time.monotonic() - start)
        assert slowest < 1.8, "who reads does not wait for writers"
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
        assert time.monotonic() - start < 10.0
        unlock()
    with open_house().client("op") as client:  # the match was in its file
        assert [each["number"] for each in client.get("/api/records").json()] == [1]


def test_a_revoked_token_is_refused_at_once_and_others_are_not_looked_up_again(new_house: House) -> None:
    with new_house.client("ann") as client:
        assert client.get("/api/me").status_code == 200
        lookups = count_lookups(new_house)
        assert [client.get("/api/me").status_code for _ in range(5)] == [200] * 5
        assert lookups() == 0
        with new_house.client("op") as operator:
            assert operator.delete("/api/tokens/ann").status_code == 204
        assert client.get("/api/me").status_code == 401


def count_lookups(house: House) -> Callable[[], int]:
    """Count the queries that the store is asked from now on."""
    asked, read = [], house.store.read

    def count_read(ask: Any) -> Any:
        asked.append(1)
        return read(ask)

    house.store.read = count_read
    return lambda: len(asked)


def test_a_token_that_is_revoked_while_it_is_looked_up_is_not_remembered(new_house: House) -> None:
    accounts, read = new_house.service.auth.accounts, new_house.store.read
    reading, revoked = threading.Event(), threading.Event()

    def slow_read(ask: Any) -> Any:
        found = read(ask)
        reading.set()
        revoked.wait(10)
        return found

    new_house.store.read = slow_read
    looking = threading.Thread(target=accounts.find, args=(new_house.tokens["ann"],))
    looking.start()
    reading.wait(10)
    new_house.store.read = read
    accounts.revoke("ann")
    revoked.set()
    looking.join()
    assert accounts.find(new_house.tokens["ann"]) is None


def test_numbers_of_withdrawn_matches_are_not_given_again(open_house: Callable[..., House]) -> None:
    with open_house().client("op") as client:
        for _ in range(3):
            number = client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"]
            client.delete(f"/api/matches/{number}")
        assert number == 3
    with open_house().client("op") as client:
        assert client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"] == 4
