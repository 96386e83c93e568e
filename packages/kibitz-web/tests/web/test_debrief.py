"""The debrief in a real browser: the truth, three moves, a rematch; on the page of the match and on the record's."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from pressing import play_on
from seating import be_host

from kibitz_web.server.live.setup import MatchSetup

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.system


def test_a_match_ends_with_its_debrief_and_the_record_has_it_too(served: Any, new_page: Callable[..., Any]) -> None:
    setup = MatchSetup("kuhn(players=2)", (None, "kuhn.solid"), models=("strategy_filter",), seed=5)
    match = served.open(setup)
    page = new_page()
    be_host(page, served, match)
    rng = random.Random(5)
    while match.live:
        play_on(page, rng)
    debrief = page.get_by_role("region", name="debrief")
    debrief.get_by_text("The truth").wait_for()
    words = debrief.inner_text()
    assert re.search(r"You (won|lost)", words)
    assert "Solid — card: the " in words
    assert "strategy: solid (bets and calls with the better half of the deck)" in words
    assert "Participant" not in words
    assert debrief.locator(".telling li").count() == min(3, len([e for e in match.events if e.player >= 0]))
    assert re.search(r"\d+%\s+\d+% of your choices were its first guess", words.replace("\n", " "))
    page.goto(f"{served.address}/replay/{match.number}")
    record = page.get_by_role("region", name="debrief")
    record.get_by_text("The truth").wait_for()
    assert "Participant" not in page.locator("main").inner_text()
    with page.expect_download() as download:
        record.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"match-{match.number}.krec"
    record.get_by_role("button", name="Swap seats").click()
    page.wait_for_url(re.compile(r"/match/\d+\?key="))
    swapped = served.service.lobby.find(int(re.search(r"/match/(\d+)", page.url)[1]))
    assert [swapped.setup.seats[0], swapped.setup.seats[1]] == ["kuhn.solid", None]
    page.goto(f"{served.address}/match/{match.number}")
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(re.compile(rf"/match/(?!{match.number}\b)\d+\?key="))
    page.wait_for_selector("text=Your move")
