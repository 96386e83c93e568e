"""A database that another program has locked: reading goes on, and what is finished meanwhile is stored afterwards."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kibitz.core.errors import StoreTrouble
from kibitz_web.server.live.setup import MatchSetup
from live_matches import lobby_in, player, run
from running_server import wait_until

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


@contextmanager
def seated(client: TestClient, matches: int) -> Iterator[list[Any]]:
    """Bots in matches that wait for their only move, each with the number of the request."""
    with ExitStack() as stack:
        bots = []
        for _ in range(matches):
            match = {"game": "dilemma(rounds=1)", "seats": [None, "pavlov"]}
            number = client.post("/api/matches", json=match).json()["number"]
            bot = stack.enter_context(client.websocket_connect("ws://localhost/api/play"))
            bot.send_json({"type": "login", "table": number, "token": client.headers["authorization"].split()[1]})
            while (act := bot.receive_json())["type"] != "act":
                pass
            bots.append((bot, act["seq"]))
        yield bots


def finish(bot: Any, seq: int) -> None:
    """Let a bot make its move, and hear of the end."""
    bot.send_json({"type": "action", "seq": seq, "action": "defect"})
    while bot.receive_json()["type"] != "end":
        pass


def test_a_locked_database_stops_no_match_and_loses_none(open_house: Callable[..., House]) -> None:
    house = open_house(wait=0.5)
    with house.client("op") as client, seated(client, MATCHES) as bots, locked(house) as unlock:
        for bot in bots:
            finish(*bot)
        for path in ("me", "records", "matches", "tokens", "tournaments"):
            assert client.get(f"/api/{path}").status_code == 200, "readers do not wait for the lock"
        assert client.get("/api/records").json() == []
        with house.client("ann") as other:  # a token that was not looked up before
            assert other.get("/api/me").json()["name"] == "ann"
        refused = client.post("/api/tokens", json={"name": "cat"})
        assert refused.status_code == 503
        assert refused.json()["error"].startswith("the database takes no changes now")
        assert house.lobby.writer.trouble, "they wait to be stored"
        unlock()
        end = time.monotonic() + 30.0
        while len(found := client.get("/api/records").json()) < MATCHES:
            assert time.monotonic() < end, f"{len(found)} of {MATCHES} are stored"
            time.sleep(0.05)
        assert not list(house.lobby.archive.folder.glob("*.krec"))


def test_what_cannot_be_stored_is_refused_and_leaves_nothing(open_house: Callable[..., House]) -> None:
    """Nothing that was acknowledged may be lost, nor a number be given twice, whenever the server ends."""
    house, match = open_house(wait=0.1), {"game": "pennies", "seats": [None, None]}
    with house.client("op") as client:
        number = client.post("/api/matches", json=match).json()["number"]
        login = {"type": "login", "table": number, "token": house.tokens["ann"]}
        with locked(house):
            assert client.post("/api/matches", json=match).status_code == 503
            assert client.post("/api/matches", json={**match, "seats": ["random", "random"]}).status_code == 503
            with client.websocket_connect("ws://localhost/api/play") as bot:
                bot.send_json(login)
                assert bot.receive_json()["error"].startswith("the database takes no changes now")
            assert client.delete(f"/api/matches/{number}").status_code == 503
            assert "database" in client.get("/api/ready").json()["problems"][0]
        [left] = client.get("/api/matches").json()
        assert (left["number"], left["status"], [seat["name"] for seat in left["seats"]]) == (
            number,
            "open",
            [None] * 2,
        )
    with open_house().client("op") as client:
        assert [each["number"] for each in client.get("/api/matches").json()] == [number]
        assert client.delete(f"/api/matches/{number}").status_code == 200
    with open_house().client("op") as client:
        assert client.get("/api/matches").json() == []


@pytest.mark.system
def test_a_server_refuses_while_postgresql_is_away_and_goes_on(
    open_house: Callable[..., House],
    postgres: "PostgresServer",  # noqa: F821
) -> None:
    house, match = open_house(database=postgres.new_database(), wait=0.5), {"game": "pennies", "seats": [None, None]}
    with house.client("op") as client:
        number = client.post("/api/matches", json=match).json()["number"]
        postgres.kill()
        try:
            assert client.post("/api/matches", json=match).status_code == 503
            assert client.delete(f"/api/matches/{number}").status_code == 503
        finally:
            postgres.start()
        wait_until(lambda: client.get("/api/ready").status_code == 200)
        wait_until(lambda: client.post("/api/matches", json=match).status_code == 201)
        opened = [each["number"] for each in client.get("/api/matches").json()]
        assert [row.number for row in house.lobby.live.all()] == opened


def test_an_invitation_that_could_not_be_used_stays(tmp_path: Path) -> None:
    async def tried() -> None:
        lobby = lobby_in(tmp_path, wait=0.1)
        match = await lobby.open(MatchSetup("pennies", (None, None)), player("host", person=True))
        await lobby.sit_host(match, player("host", person=True))
        code = str(await lobby.invitation(match, 1))
        other = sqlite3.connect(tmp_path / "kibitz.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreTrouble, match="locked"):
            await lobby.claim(match, code, player("ann", person=True))
        other.close()
        assert match.status == "open"
        await lobby.claim(match, code, player("ann", person=True))
        assert match.status == "playing"
        await lobby.close()

    run(tried())


def test_a_server_stops_also_while_its_database_is_locked(open_house: Callable[..., House]) -> None:
    house = open_house(wait=0.2)
    with ExitStack() as stack:
        with house.client("op") as client, seated(client, 1) as [bot]:
            unlock = stack.enter_context(locked(house))
            finish(*bot)
            start = time.monotonic()
        assert time.monotonic() - start < 60.0
        unlock()
    with open_house().client("op") as client:  # the match was in its file
        assert [each["number"] for each in client.get("/api/records").json()] == [1]


def test_a_tournament_goes_on_after_an_outage(
    open_house: Callable[..., House], caplog: pytest.LogCaptureFixture
) -> None:
    house = open_house(wait=0.1)
    definition = 'games = ["dilemma(rounds=50)"]\nagents = ["random", "grim"]\nrepeats = 20'
    with house.client("op") as client:
        with locked(house):
            assert client.post("/api/tournaments", json={"definition": definition}).status_code == 503
        run = client.post("/api/tournaments", json={"definition": definition}).json()["run"]
        with locked(house):
            wait_until(lambda: client.get(f"/api/tournaments/{run}").json()["failure"])
            found = client.get(f"/api/tournaments/{run}").json()
            assert found["state"] == "playing"
            assert found["failure"] == "the database takes no changes now, or does not answer; try again soon"
            assert "kept.db: database is locked" in caplog.text
        wait_until(lambda: client.get(f"/api/tournaments/{run}").json()["state"] == "finished")
        found = client.get(f"/api/tournaments/{run}").json()
        assert (found["stored"], found["failure"]) == (found["planned"], "")


def test_numbers_of_withdrawn_matches_are_not_given_again(open_house: Callable[..., House]) -> None:
    with open_house().client("op") as client:
        for _ in range(3):
            number = client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"]
            client.delete(f"/api/matches/{number}")
        assert number == 3
    with open_house().client("op") as client:
        assert client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"] == 4
