"""The table in a real browser: whole games by what is visible and labelled, secrets, trays, odds, lists, the end."""

import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from pressing import play_on
from seating import take_seat

from browser import PATIENCE
from kibitz_web.server.live.setup import MatchSetup

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.system, pytest.mark.long]

PHONE = {"viewport": {"width": 390, "height": 844}}
WHOLE = {
    "pawns(size=5)": "pawns.s4",
    "kuhn": "kuhn.rock",
    "risk(players=2, mode=domination, territories=23)": "risk.passive",
    "trails(max_rounds=2)": "trails.honest",
    "axis": "axis.greedy",
}
"""Games that are played from their first move to their end, and who plays against us; long ones in a short form."""


def sit_down(served: Any, page: Any, game: str, *others: str, seed: int = 5) -> Any:
    match = served.open(MatchSetup(game, (None, *others), models=(), seed=seed))
    take_seat(page, served, match, 0)
    page.wait_for_selector("text=Your move")
    return match


@pytest.mark.parametrize("game", WHOLE)
def test_a_whole_game_is_played_by_what_is_seen(served: Any, new_page: Callable[..., Any], game: str) -> None:
    page = new_page(**PHONE)
    others = [WHOLE[game]] * (2 if game == "kuhn" else 1)
    match = sit_down(served, page, game, *others)
    until, rng = time.monotonic() + PATIENCE / 1000, random.Random(5)
    while match.live and time.monotonic() < until:
        play_on(page, rng)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing scrolls sideways"
    assert match.status == "finished", match.failure
    page.wait_for_selector("text=Over: ")
    for gone in ("Hint", "Take back", "Resign"):
        assert not page.get_by_role("button", name=gone, exact=True).is_visible()
    assert page.locator(".choice, .picture [data-press]").count() == 0
    check_debrief(page, match)


def check_debrief(page: Any, match: Any) -> None:
    """At the end stand who won, what was true of everyone, the three moves that told most, and a rematch."""
    debrief = page.get_by_role("region", name="debrief")
    debrief.get_by_text("The truth").wait_for()
    words = debrief.inner_text()
    assert re.search("You (won|lost)|[Aa] draw", words.partition("\n")[0])
    truths = debrief.locator(".truths li").all_inner_texts()
    assert len(truths) == match.game.players
    assert all(re.search("strategy|mission|card|type|goal", truth) for truth in truths[1:]), truths
    chosen = {(event.ply, player) for event in match.events for player in event.movers if player >= 0}
    assert debrief.locator(".telling li").count() == min(3, len(chosen))
    debrief.get_by_role("button", name="Rematch").click()
    page.wait_for_url(re.compile(rf"/match/(?!{match.number}\b)\d+\?key="))
    page.wait_for_selector("text=Your move")


def test_title_goal_secret_and_prompt_are_in_sight(served: Any, new_page: Callable[..., Any]) -> None:
    page, spy = new_page(), new_page()
    match = sit_down(served, page, "kuhn", "kuhn.rock", "kuhn.rock")
    assert page.title() == "Kuhn poker · kibitz"
    assert page.get_by_role("heading", level=1).inner_text() == "Kuhn poker"
    assert page.locator(".goal").inner_text()
    assert page.evaluate("document.documentElement.lang") == "en-US"
    assert re.match("Your card is the (jack|queen|king|ace)", page.get_by_role("note").inner_text())
    assert "Bet a second chip" in page.locator(".status").inner_text()
    spy.goto(served.url(match))
    spy.wait_for_selector(".picture svg")
    spy.wait_for_selector("text=Waiting for")
    assert not spy.get_by_role("note").is_visible(), "who watches sees nobody's secret"


def test_chips_are_tapped_into_trays(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE)
    match = sit_down(served, page, "trails", "trails.honest")
    verdict = page.locator(".verdict-line")
    assert "You lack 3 gray" in verdict.inner_text()
    for number in range(1, 4):
        page.get_by_role("button", name="You get: add gray").click()
        page.wait_for_function(f"document.querySelectorAll('[data-tap=\"-for-gray\"]').length == {number}")
        page.get_by_role("button", name="You give: add yellow").click()
        page.wait_for_function(f"document.querySelectorAll('[data-tap=\"-yellow\"]').length == {number}")
    assert verdict.inner_text().startswith("This gets you to the goal")
    page.get_by_role("button", name="You give: take back yellow").first.click()
    page.wait_for_function("document.querySelectorAll('[data-tap=\"-yellow\"]').length == 2")
    page.get_by_role("button", name="Offer", exact=True).click()
    page.wait_for_selector(".moves li")
    words = match.events[0].before.state.action_to_string(0, match.events[0].actions[0])
    assert words == "offer 2 yellow for 3 gray"


def test_an_attack_shows_its_odds_is_dragged_or_chosen_in_the_list(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    match = sit_down(served, page, "axis", "axis.greedy")
    assert page.locator(".odds").all_text_contents() == ["14%"], "an infantry against a tank"
    west = page.locator(".picture [role=button]", has_text="West")
    assert "1 infantry against 1 tank in West: you win 14%" in west.get_attribute("aria-label")
    source, target = (page.locator(f".board [id='area-{area}']").bounding_box() for area in (0, 2))
    page.mouse.move(source["x"] + source["width"] / 2, source["y"] + source["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=4)
    page.mouse.up()
    page.wait_for_selector(".moves li")
    assert match.events[0].before.state.action_to_string(0, match.events[0].actions[0]) == "infantry South > West"


def test_a_player_who_resigns_is_asked(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    match = sit_down(served, page, "kuhn(players=2)", "kuhn.rock")
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Keep playing").click()
    page.wait_for_timeout(200)
    assert match.live
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Resign now").click()
    page.wait_for_selector("text=Over: you lost")
