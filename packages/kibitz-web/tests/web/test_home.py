"""The home page in a real browser: a game by one press, and the way back to it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from seating import be_host

from kibitz.core.registry import entries
from kibitz_web.server.live.setup import MatchSetup

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.system


def test_one_press_plays_a_game_and_home_leads_back_to_the_seat(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address)
    card = page.get_by_role("article").filter(has_text="Kuhn poker")
    assert "Win the pot" in card.inner_text()
    assert "3 players, 2 minutes" in card.inner_text()
    card.get_by_role("button", name="Play Kuhn poker now").click()
    page.wait_for_selector("text=Your move")
    number = re.search(r"/match/(\d+)", page.url)[1]
    page.goto(served.address)
    page.get_by_role("link", name="Resume").click()
    page.wait_for_selector("text=Your move")
    assert re.search(r"/match/(\d+)", page.url)[1] == number
    assert page.get_by_role("button", name="Resign").count() == 1, "the visitor is no spectator"


def test_every_game_has_a_card_with_a_picture(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address)
    page.get_by_text("more: duels, puzzles").click()
    names = page.locator("button[data-game]").evaluate_all("all => all.map(each => each.dataset.game)")
    assert set(entries("game")) <= set(names)
    for name in entries("game"):
        answer = page.request.get(f"{served.address}/thumbnails/{name}.svg")
        assert (name, answer.status) == (name, 200)
        assert answer.text().startswith("<svg")
    assert page.request.get(f"{served.address}/thumbnails/nothing.svg").status == 404


def test_a_seat_without_its_key_is_still_ones_own(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("dilemma(rounds=2)", (None, "dilemma.grim"), models=(), seed=5))
    own, other = new_page(), new_page()
    be_host(own, served, match)
    own.wait_for_selector("text=Your move")
    for page in (own, other):
        page.goto(served.url(match))
        page.wait_for_selector(".picture svg")
    own.locator(".choice").nth(1).wait_for()
    assert other.locator(".choice").count() == 0
