"""What those who run a server look at: health, readiness, metrics; and what it answers under unknown addresses."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kibitz.server.access.site import LOOPBACK_PROXIES, Site, read_address
from kibitz.server.app import make_app
from kibitz.server.operations.metrics import BOUNDS, Histogram

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


def numbers_of(client: Any) -> dict[str, float]:
    """The metrics by name and labels."""
    text = client.get("/api/metrics").text
    rows = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in rows}


def test_metrics_count_what_happens_and_are_for_operators(house: House) -> None:
    with house.client("ann") as client, house.client("op") as operator:
        assert client.get("/api/metrics").status_code == 403
        assert client.get("/api/metrics", headers={"authorization": "Bearer x"}).status_code == 401
        before = numbers_of(operator)
        number = client.post("/api/matches", json={"game": "pennies", "seats": [None, "random"]}).json()["number"]
        # The client does not wait for the server to notice that it hangs up.
        with suppress(CancelledError), client.websocket_connect("ws://localhost/api/watch") as socket:
            socket.send_json({"type": "watch", "token": house.tokens["ben"], "table": number})
            client.get("/api/nothing")
            after = numbers_of(operator)
        assert after["kibitz_sockets"] == before["kibitz_sockets"] + 1
        assert after['kibitz_matches{status="open"}'] == before.get('kibitz_matches{status="open"}', 0) + 1
        assert after["kibitz_matches_opened_total"] == before["kibitz_matches_opened_total"] + 1
        name = 'kibitz_requests_total{method="GET",status="404"}'
        assert after[name] == before.get(name, 0) + 1
        api = "kibitz_request_seconds_{}"
        total = after[api.format('count{kind="api"}')]
        assert total == before[api.format('count{kind="api"}')] + 3
        buckets = [value for name, value in after.items() if name.startswith(api.format('bucket{kind="api"'))]
        assert buckets == sorted(buckets)
        assert buckets[-1] == total
        assert after["kibitz_cpu_seconds_total"] > 0.0
        assert after['kibitz_thinking{state="waiting"}'] == 0
        assert after["kibitz_memory_bytes"] > 1e7
        client.delete(f"/api/matches/{number}")
        assert numbers_of(operator)["kibitz_sockets"] == before["kibitz_sockets"]


def test_the_text_of_metrics_says_what_each_number_is(house: House) -> None:
    with house.client("op") as client:
        answer = client.get("/api/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    kinds = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE")}
    for line in lines:
        if not line.startswith("#"):
            name = line.partition("{")[0].partition(" ")[0]
            family = name if name in kinds else name.rpartition("_")[0]
            assert (kinds[family] == "counter") == name.endswith("_total"), line
            float(line.rpartition(" ")[2])


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


def test_a_histogram_counts_times_up_to_each_bound() -> None:
    histogram = Histogram()
    for seconds in (0.0005, 0.001, 0.0011, 4.0, 100.0):
        histogram.add(seconds)
    lines = list(histogram.lines("t", ()))
    assert lines[0] == 't_bucket{le="0.001"} 2'
    assert lines[1] == 't_bucket{le="0.002"} 3'
    assert lines[len(BOUNDS) - 1] == 't_bucket{le="5"} 4'
    assert lines[-3:] == ['t_bucket{le="+Inf"} 5', "t_sum 104.002600", "t_count 5"]


def test_a_base_path_changes_nothing_in_metrics_and_unknown_addresses(new_house: House) -> None:
    site = Site(public=read_address("https://play.example/kibitz"), proxies=LOOPBACK_PROXIES)
    app = make_app(new_house.service, site)
    sent = {"authorization": f"Bearer {new_house.tokens['op']}"}
    with TestClient(app, "https://play.example", headers=sent, client=("127.0.0.1", 5000)) as client:
        answer = client.get("/kibitz/api/nothing")
        assert (answer.status_code, answer.json()["error"][:8]) == (404, "there is")
        assert client.patch("/kibitz/api/games").status_code == 405
        text = client.get("/kibitz/api/metrics").text
    assert 'kibitz_request_seconds_count{kind="api"} 2' in text
    assert 'kind="page"' not in text
