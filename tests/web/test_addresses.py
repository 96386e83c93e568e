"""Addresses of the API beside the pages."""

from typing import Any

import httpx2
import pytest
from nicegui import Client

pytestmark = pytest.mark.system


def test_pages_do_not_hide_unknown_addresses_under_api(served: Any) -> None:
    with httpx2.Client(base_url=served.address, timeout=60.0) as client:
        for path in ("/api/nothing", "/api/", "/api/matches/1/x"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
        assert client.get("/api/games").status_code == 200


def test_unknown_addresses_leave_nothing_behind(served: Any) -> None:
    """A crawler asks for thousands of them; NiceGUI's own answer is a page, which it keeps for a while."""
    with httpx2.Client(base_url=served.address, timeout=60.0) as client:
        before = set(Client.instances)
        for path in ("/nothing", "/match", "/records/1", "/index.php?x=<b>", "/static/../x", "/_nicegui/x"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
            assert "There is no such page" in answer.text
        assert set(Client.instances) <= before


def test_pages_of_what_does_not_exist_say_so_and_leave_nothing_behind(served: Any) -> None:
    with httpx2.Client(base_url=served.address, timeout=60.0) as client:
        before = set(Client.instances)
        for path in ("/match/999999", "/replay/999999", "/replay/none", "/tournaments/999999"):
            answer = client.get(path)
            assert (path, answer.status_code) == (path, 404)
            assert "There is no " in answer.text
            assert "To the start" in answer.text
        assert set(Client.instances) <= before
