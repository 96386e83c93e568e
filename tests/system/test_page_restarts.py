"""A browser at a server that is killed and started again: a page comes back by itself, a closed one by Resume."""

from pathlib import Path
from typing import Any

import pytest

from browser import PATIENCE, browser  # noqa: F401
from running_server import running_server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.system, pytest.mark.long]


ROUNDS = 20
"""Of the game that is played."""


@pytest.mark.parametrize("restarts", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_no_restart_loses_a_game_or_a_seat(browser: Any, tmp_path: Path, restarts: int) -> None:  # noqa: F811
    with running_server(tmp_path, accounts=False) as server:
        server.options = ("--port", server.address.rpartition(":")[2])
        context = browser.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{server.address}/setup?game=dilemma")
        page.get_by_role("button", name="Start").click()
        for moves in range(restarts):
            page.wait_for_selector("text=Your move")
            page.locator(".choice").nth(moves % 2).click()
            page.wait_for_function("count => document.querySelectorAll('.moves li').length == count", arg=moves + 1)
            page.evaluate("() => { window.killed = true }")
            if closed := moves % 2 == 1 and moves + 1 < ROUNDS:  # a game that is over is not resumed
                page.close()
            server.kill()
            server.start()
            if closed:
                page = context.new_page()
                page.set_default_timeout(PATIENCE)
                page.goto(server.address)
                page.get_by_role("link", name="Resume").click()
            page.wait_for_function("() => !window.killed")
            page.wait_for_function("count => document.querySelectorAll('.moves li').length == count", arg=moves + 1)
        if restarts < ROUNDS:
            page.wait_for_selector("text=Your move")
        page.close()
