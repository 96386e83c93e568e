"""What those who run a server look at: health and readiness; and what it answers under unknown addresses."""

import resource
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event

House = Any


@pytest.mark.long
def test_anyone_may_ask_for_health_and_readiness(house: House) -> None:
    with house.client("ann") as client:
        strange = {"authorization": "Bearer nonsense"}
        assert client.get("/api/health", headers=strange).json()["status"] == "ok"
        answer = client.get("/api/ready", headers=strange)
        assert (answer.status_code, answer.json()) == (200, {"ready": True, "problems": []})


def test_a_server_whose_database_takes_no_changes_is_not_ready_until_it_does(open_house: Callable[..., House]) -> None:
    house = open_house(wait=0.1)
    with house.client("op") as client:
        other = sqlite3.connect(str(house.store.url.database), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert client.post("/api/tokens", json={"name": "cat"}).status_code == 503
        answer = client.get("/api/ready")
        assert (answer.status_code, answer.json()["problems"]) == (503, ["the database takes no changes"])
        other.execute("COMMIT")
        other.close()
        assert client.post("/api/tokens", json={"name": "cat"}).status_code == 201
        assert client.get("/api/ready").status_code == 200


def test_a_server_with_a_full_disk_opens_no_match(new_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match, before = {"game": "pennies", "seats": ["random", "random"]}, resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr("kibitz_web.server.live.archive.ROOM", 1 << 26)
    with new_house.client("op") as client:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 25, before[1]))  # less than that, more than others write
        try:
            assert client.post("/api/matches", json=match).status_code == 503
            assert client.get("/api/ready").json()["problems"] == ["the disk takes no files of matches"]
            assert client.get("/api/matches").json() == []
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert client.post("/api/matches", json=match).status_code == 201
        assert client.get("/api/ready").status_code == 200


def test_a_full_database_loses_no_match_that_was_acknowledged(new_house: House) -> None:
    match, answers = {"game": "pennies", "seats": [None, None]}, []
    with new_house.client("op") as client:
        event.listen(new_house.store.engine, "checkout", lambda raw, *rest: raw.execute("PRAGMA max_page_count = 1"))
        while not answers or (answers[-1].status_code == 201 and len(answers) < 300):
            answers.append(client.post("/api/matches", json=match))
        assert answers[-1].status_code == 503
        opened = [answer.json()["number"] for answer in answers[:-1]]
        assert [row.number for row in new_house.lobby.live.all()] == opened


@pytest.mark.parametrize("path", ["nothing", "", "matches/1/nothing", "games/kuhn/agents/x", "%2e%2e/matches"])
def test_an_unknown_address_under_api_is_answered_in_json(house: House, path: str) -> None:
    with house.client("ann") as client:
        for method in ("get", "post", "delete", "patch"):
            answer = getattr(client, method)(f"/api/{path}")
            assert answer.status_code == 404, answer.text
            assert "error" in answer.json()


def test_a_method_that_an_address_does_not_take_is_told_so(house: House) -> None:
    with house.client("ann") as client:
        answer = client.patch("/api/games")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
        assert "error" in answer.json()
