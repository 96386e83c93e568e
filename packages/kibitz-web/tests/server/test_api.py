"""REST: what can be asked, by whom, and what is refused."""

import asyncio
import re
import time
from collections.abc import Callable
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from kibitz.cli.main import exit_code
from kibitz.core.records import record_from_bytes
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.workers.compute import ASKED

House = Any
"""The one of conftest."""
AGENTS_ONLY = {"game": "dilemma(rounds=3)", "seats": ["pavlov", "grim"], "seed": 4}


def kept(client: TestClient, number: int) -> Any:
    """A record, when it is in the store."""
    for _ in range(6000):
        answer = client.get(f"/api/records/{number}")
        if answer.status_code == 200:
            return answer.json()
        time.sleep(0.01)
    raise AssertionError("it was never kept")


def test_a_match_of_agents_is_played_and_kept(house: House) -> None:
    with house.client() as client:
        opened = client.post("/api/matches", json=AGENTS_ONLY)
        assert opened.status_code == 201
        number = opened.json()["number"]
        found = house.over(client, number)
        assert (found["status"], found["returns"], found["plies"]) == ("finished", [9.0, 9.0], 3)
        lines = kept(client, number)["lines"]
        assert [line["type"] for line in lines] == ["header", "event", "event", "event", "ending"]
        data = client.get(f"/api/records/{number}/file").content
        assert record_from_bytes(data).header.seed == 4
        names = {each["number"]: each["names"] for each in client.get("/api/records").json()}
        assert names[number] == ["dilemma.pavlov", "dilemma.grim"]
        assert client.get(f"/api/matches/{number}/view").json()["text"] == "round 3 of 3, points 9 : 9"


def test_a_game_is_explained_with_its_parameters(house: House) -> None:
    with house.client() as client:
        told = client.get("/api/games/kuhn(players=2)").json()
        assert (told["name"], told["spec"], told["players"]) == ("kuhn", "kuhn(players=2)", 2)
        assert told["board"]["deck"] == ["Q", "K", "A"]
        assert told["about"]["labels"]["A"] == "the ace"
        assert "rock" in told["about"]["strategies"]
        for name, status in (("nonesuch", 404), ("kuhn(players=99)", 422), ("risk(board='other.map')", 422)):
            answer = client.get(f"/api/games/{quote(name)}")
            assert answer.status_code == status, (name, answer.text)
            assert "\n" not in answer.json().get("error", "")
        assert client.get("/api/messages.json").json()["games"]["kuhn"]["view"] == {"$ref": "#/$defs/KuhnView"}


def test_the_matches_of_a_server_are_a_run_without_an_end(new_house: House, capsys: pytest.CaptureFixture[str]) -> None:
    with new_house.client() as client:
        kept(client, client.post("/api/matches", json=AGENTS_ONLY).json()["number"])
    database = ["--db", str(new_house.store.url.database)]
    said = []
    for command in (["runs"], ["runs", "1"], ["resume", "1"]):
        code = exit_code([*command, *database])
        said.append((code, " ".join("".join(capsys.readouterr()).split())))
    (listed, shown, resumed) = said
    assert listed[0] == shown[0] == 0
    assert re.search(r"1 tables of the server 1 \S+ \S+ open \(kibitz serve\)", listed[1]), listed[1]
    assert "run 1: tables of the server, 1 matches" in shown[1]
    assert resumed[0] == 2
    assert "resume it with: kibitz serve" in resumed[1]


def test_what_is_not_known_or_not_allowed_is_refused(house: House) -> None:
    with house.client("ann") as client:
        for wrong in ("", "Bearer guess", "Bearer ", "Basic YTpi"):
            assert client.get("/api/matches", headers={"authorization": wrong}).status_code == 401
        assert client.get("/api/docs", headers={"authorization": ""}).status_code == 200
        for method, path in (("get", "/api/tokens"), ("delete", "/api/tokens/ben"), ("delete", "/api/tournaments/1")):
            assert getattr(client, method)(path).status_code == 403
        assert client.post("/api/tournaments", json={"definition": "x"}).status_code == 403
        assert client.get("/api/matches/70000").status_code == 404
        assert client.get("/api/records/70000").status_code == 404
        assert client.get("/api/elsewhere").status_code == 404


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seats": ["cmd:/bin/sh", None]}, "cannot start a program"),
        ({"seats": ["process(command='/bin/sh')", None]}, "cannot start a program"),
        ({"seats": ["mcts(policy=process(command='x'))", None]}, "cannot start a program"),
        ({"game": "trails(board='/etc/passwd')"}, "not files"),
        ({"game": "risk(map='../secret.map')"}, "not files"),
        ({"game": "dilemma(rounds=1000000000)"}, "may not exceed"),
        ({"seats": ["human", None]}, "leave the seat open"),
        ({"seats": [None]}, "2 players"),
        ({"game": "nothing"}, "no game named"),
        ({"strikes": 0}, "body.strikes: expected a whole number of at least 1"),
        ({"move_time": "soon"}, "number"),
        ({"surprise": 1}, "body.surprise: there is no such key"),
        ({"seed": 3}, "knows the dice"),
    ],
)
def test_a_table_that_cannot_be_is_one_clear_line(house: House, change: dict[str, Any], words: str) -> None:
    before = list(house.lobby.matches)
    with house.client() as client:
        answer = client.post("/api/matches", json={"game": "dilemma(rounds=3)", "seats": [None, None], **change})
        assert answer.status_code in (404, 409, 422)
        assert words in answer.json()["error"]
        assert list(house.lobby.matches) == before


def test_a_player_cannot_stop_a_match_that_another_plays_in(house: House) -> None:
    with house.client() as client:
        number = client.post("/api/matches", json={"game": "pawns", "seats": [None, None]}).json()["number"]
        logins = [{"type": "login", "token": house.tokens[name], "table": number} for name in ("ann", "ben")]
        with client.websocket_connect("ws://localhost/api/play") as ann:
            ann.send_json(logins[0])
            ann.receive_json()
            with client.websocket_connect("ws://localhost/api/play") as ben:
                ben.send_json(logins[1])
                while ben.receive_json()["type"] != "begin":
                    pass
                assert client.delete(f"/api/matches/{number}").status_code == 403
                operator = {"authorization": f"Bearer {house.tokens['op']}"}
                assert client.delete(f"/api/matches/{number}", headers=operator).json()["status"] == "stopped"


def test_whoever_opened_a_table_may_clear_it_and_nobody_else(house: House) -> None:
    with house.client() as client:
        number = client.post("/api/matches", json={"game": "pawns", "seats": [None, None]}).json()["number"]
        other = {"authorization": f"Bearer {house.tokens['ben']}"}
        assert client.delete(f"/api/matches/{number}", headers=other).status_code == 403
        assert client.delete(f"/api/matches/{number}").json()["status"] == "stopped"


def test_nothing_of_an_unfinished_match_is_told_but_an_outsiders_view(house: House) -> None:
    with house.client() as client:
        wanted = {"game": "kuhn", "seats": [None, "rock", "rock"]}
        number = client.post("/api/matches", json=wanted).json()["number"]
        assert client.get(f"/api/matches/{number}/view").status_code == 409
        with client.websocket_connect("ws://localhost/api/play") as socket:
            socket.send_json({"type": "login", "token": house.tokens["ann"], "table": number})
            assert [socket.receive_json()["type"] for _ in range(3)] == ["welcome", "begin", "act"]
            for path in (f"/api/records/{number}", f"/api/records/{number}/file"):
                assert client.get(path).status_code == 404
            told = client.get(f"/api/matches/{number}").text + client.get("/api/matches").text
            assert str(house.lobby.find(number).options.seed) not in told
            seen = client.get(f"/api/matches/{number}/view").json()
            assert seen["key"][0] == [-1, -1, -1]
            socket.send_json({"type": "resign"})
            assert socket.receive_json()["type"] == "end"


@pytest.mark.long
def test_a_definition_starts_a_tournament_and_goes_on_where_it_was(new_house: House) -> None:
    with new_house.client("op") as client:
        text = 'game = "dilemma(rounds=5)"\nagents = ["pavlov", "grim", "house"]\nrepeats = 2'
        run = client.post("/api/tournaments", json={"definition": text, "name": "cup"}).json()
        assert run["planned"] == 12
        for _ in range(3000):
            told = client.get(f"/api/tournaments/{run['run']}").json()
            if told["state"] != "playing":
                break
            time.sleep(0.02)
        assert (told["state"], told["stored"], told["failure"]) == ("finished", 12, "")
        assert {row["name"] for row in told["games"][0]["rows"]} == {"pavlov", "grim", "house"}
        assert client.post("/api/tournaments", json={"definition": text}).json()["run"] == run["run"]
        assert [each["name"] for each in client.get("/api/tournaments").json()] == ["cup"]
        assert client.delete(f"/api/tournaments/{run['run']}").json()["stored"] == 12


@pytest.mark.parametrize(
    "definition",
    [
        'game = "dilemma"\nagents = "agents.toml"',
        'game = "dilemma"\nagents = ["cmd:/bin/sh", "grim"]',
        'game = "dilemma"\nagents = { a = { command = "/bin/sh" }, b = "grim" }',
        'game = "risk(map=\'/etc/passwd\')"\nagents = ["random", "random"]',
        'game = "dilemma"\nagents = ["grim", "pavlov"]\nmodels = ["plans(library=\'/etc/passwd\')"]',
        "= nonsense",
    ],
)
def test_a_definition_reaches_no_file_and_no_program(house: House, definition: str) -> None:
    with house.client("op") as client:
        assert client.post("/api/tournaments", json={"definition": definition}).status_code == 422
        assert client.get("/api/tournaments").json() == []


def test_tokens_come_and_go(house: House) -> None:
    with house.client("op") as client:
        made = client.post("/api/tokens", json={"name": "cat"}).json()
        assert client.post("/api/tokens", json={"name": "cat"}).status_code == 409
        mine = {"authorization": f"Bearer {made['token']}"}
        assert client.get("/api/me", headers=mine).json() == {"name": "cat", "role": "player", "guarded": True}
        listed = client.get("/api/tokens").text
        assert "cat" in listed
        assert made["token"] not in listed
        assert client.delete("/api/tokens/cat").status_code == 204
        assert client.get("/api/me", headers=mine).status_code == 401
        assert client.delete("/api/tokens/cat").status_code == 404


# The gate


def test_long_bodies_do_not_pass(house: House) -> None:
    with house.client() as client:
        assert client.post("/api/matches", content=b"x" * 2_000_000).status_code == 413
        chunks = (b"x" * 100_000 for _ in range(30))
        assert client.post("/api/matches", content=chunks).status_code in (400, 413, 422, 500)
        assert client.get("/api/me").status_code == 200


def test_too_many_requests_do_not_pass(open_house: Callable[..., House]) -> None:
    house = open_house(limits=Limits(rate=0.001, burst=5.0))
    with house.client() as client:
        assert [client.get("/api/me").status_code for _ in range(7)] == [200] * 5 + [429] * 2


def test_too_many_tables_are_refused(open_house: Callable[..., House]) -> None:
    house = open_house(limits=Limits(tables=2))
    with house.client() as client:
        wanted = {"game": "pawns", "seats": [None, None]}
        assert [client.post("/api/matches", json=wanted).status_code for _ in range(3)] == [201, 201, 409]


def test_the_manual_needs_nothing_from_elsewhere(house: House) -> None:
    with house.client() as client:
        page = client.get("/api/docs").text
        schema = client.get("/api/openapi.json").json()
        assert "http://" not in page
        assert "https://" not in page
        for path in schema["paths"]:
            assert path in page


def test_one_account_cannot_take_all_requests_from_one_address(open_house: Callable[..., House]) -> None:
    house = open_house(limits=Limits(rate_each=0.001, burst_each=5.0))
    with house.client("ann") as ann, house.client("ben") as ben, house.client("op") as operator:
        assert [ann.get("/api/me").status_code for _ in range(7)] == [200] * 5 + [429] * 2
        assert [each.get("/api/me").status_code for each in (ben, *[operator] * 7)] == [200] * 8


@pytest.mark.long
def test_a_game_that_is_tried_first_stalls_nobody(house: House) -> None:
    """What a request names is checked in a thread: `no_stall` fails this test if the event loop does it."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    game = "openspiel(game='mnk(m=4,n=4,k=3)')"
    with house.client() as client:
        assert client.get(f"/api/games/{quote(game)}").status_code == 200
        opened = client.post("/api/matches", json={"game": game, "seats": ["random", "random"]})
        assert opened.status_code == 201
        assert house.over(client, opened.json()["number"])["status"] == "finished"
        with client.websocket_connect("ws://localhost/api/play") as bot:
            bot.send_json({"type": "login", "token": house.tokens["ann"], "game": game.replace("4", "3")})
            assert bot.receive_json()["type"] == "welcome"


def test_who_asks_for_much_waits_alone(new_house: House) -> None:
    compute, freed, begun = new_house.lobby.compute, Event(), []

    def wait() -> None:
        begun.append(1)
        freed.wait(60)

    async def asked() -> int:
        slow = [asyncio.ensure_future(compute.run_for("ann", wait)) for _ in range(50)]
        found = await compute.run_for("ben", int, "7")
        assert len(begun) <= ASKED
        freed.set()
        await asyncio.gather(*slow)
        return found

    with new_house.client() as client:
        assert client.portal is not None
        assert client.portal.call(asked) == 7
        assert len(begun) == 50


@pytest.mark.parametrize("name", ["\0", "two\nlines"])
def test_a_tournament_has_a_printable_name(house: House, name: str) -> None:
    definition = 'games = ["dilemma"]\nagents = ["random", "grim"]'
    with house.client("op") as client:
        answer = client.post("/api/tournaments", json={"definition": definition, "name": name})
        assert (answer.status_code, answer.json()["error"][:9]) == (422, "body.name")
