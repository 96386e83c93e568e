"""Addresses of the API beside the pages."""

from typing import Any

import httpx2
import pytest

pytestmark = pytest.mark.system


def test_pages_do_not_hide_unknown_addresses_under_api(served: Any) -> None:
    with httpx2.Client(base_url=served.address, timeout=60.0) as client:
        for path in ("/api/nothing", "/api/", "/api/matches/1/x"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
        assert client.get("/nothing").headers["content-type"].startswith("text/html")
        assert client.get("/api/games").status_code == 200
