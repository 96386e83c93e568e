"""Addresses of the API beside the pages."""

from pathlib import Path
from typing import Any

import httpx2
import pytest
from nicegui import Client

from kibitz_lab.arena.executors import make_executor
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import open_run
from kibitz_lab.arena.tournament import Tournament
from kibitz_trails.board_file import BOARDS

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
        for path in ("/match/999999", "/replay/999999", "/replay/none", "/tournaments/999999", "/setup?game=nonsense"):
            answer = client.get(path)
            assert (path, answer.status_code) == (path, 404)
            assert "There is no " in answer.text
            assert "To the start" in answer.text
        assert set(Client.instances) <= before


def test_a_record_whose_board_is_gone_says_so(served: Any, tmp_path: Path) -> None:
    board = tmp_path / "own.toml"
    board.write_bytes(next(iter(BOARDS.values())).read_bytes())
    wanted = Tournament(games=(f"trails(board={str(board)!r})",), agents={"a": "random", "b": "random"}, repeats=1)
    running = open_run(Plan.of(wanted), served.service.store)
    list(running.play_matches(make_executor("inline")))
    with httpx2.Client(base_url=served.address, timeout=60.0) as client:
        address = f"/replay/{running.run.run}-0"
        assert client.get(address).status_code == 200
        board.unlink()
        answer = client.get(address)
        assert (answer.status_code, str(tmp_path) in answer.text) == (410, False)
        assert f"Record {running.run.run}-0 cannot be shown" in answer.text
