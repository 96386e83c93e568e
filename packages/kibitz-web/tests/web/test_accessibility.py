"""Axe-core finds nothing serious on any page."""

from collections.abc import Callable
from typing import Any

import pytest

from gallery import PAGES, finished_record, games_shown, seat_address, serious_violations, visit
from kibitz.core.registry import entries

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python")
pytestmark = [pytest.mark.system, pytest.mark.long]

BY_DAY: dict[str, Any] = {"color_scheme": "light"}
AT_NIGHT: dict[str, Any] = {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}}
SOME = ("debrief", "home", "setup")
"""Pages looked at by night unless tests marked `slow` run: colours are set once for all pages."""
PLAYED = ("pawns", "trails")


@pytest.mark.parametrize(
    ("look", "names"),
    [
        pytest.param(BY_DAY, (*PAGES, "debrief"), id="day"),
        pytest.param(AT_NIGHT, SOME, id="night"),
        pytest.param(AT_NIGHT, (*PAGES, "debrief"), id="whole-night", marks=pytest.mark.slow),
    ],
)
def test_every_page_can_be_used_by_everyone(
    served: Any, new_page: Callable[..., Any], look: dict[str, Any], names: tuple[str, ...]
) -> None:
    page, wrong = new_page(**look), {}
    addresses = {**PAGES, "debrief": f"/replay/{finished_record(served)}"}
    for name, address in ((name, addresses[name]) for name in names):
        visit(page, served.address + address)
        if found := serious_violations(page):
            wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize(
    "name", [name if name in PLAYED else pytest.param(name, marks=pytest.mark.slow) for name in entries("game")]
)
def test_every_game_can_be_played_by_everyone(served: Any, new_page: Callable[..., Any], name: str) -> None:
    page = new_page()
    page.goto(served.address)
    ((_, setup),) = games_shown([name])
    visit(page, served.address + seat_address(served, page, setup))
    page.wait_for_selector("text=Your move")
    assert serious_violations(page) == []
