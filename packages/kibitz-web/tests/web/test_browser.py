"""The web app in a real browser: games by clicks and keys, beliefs that move, reloads, two people, a spy, a replay."""

import random
import re
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from pressing import play_on
from seating import be_host, take_seat
from sqlalchemy import delete

from browser import PATIENCE
from kibitz.core.game import SIMULTANEOUS
from kibitz.core.match.play import play
from kibitz.core.registry import entries, house_agents, make_game, spec_of
from kibitz_lab.store import schema
from kibitz_web.server.live.setup import MatchSetup

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.system

KIBITZER = ("strategy_filter",)
NEEDS_OPENSPIEL = pytest.mark.skipif(find_spec("pyspiel") is None, reason="open_spiel is not installed")
ENDING = {"soccer": "soccer(draw=0.5)"}
"""Games whose usual form may go on for long, in one that ends soon."""
DRAWN_ALIKE = frozenset(
    """big-match duel guan inspection macwiggins oshi-zumo purgatory right-turn rps""".split()  # noqa: SIM905
)
"""Games whose pages are made by the drawing and the choices of other games of their folder, which are played here."""
ELSEWHERE = frozenset(
    {"axis", "bear-brawl", "goofspiel", "kuhn", "leduc", "pawns", "pennies", "repeated", "risk", "trails"}
)
"""Games that `test_table.py` plays whole by what is seen, and those whose choices are made as in such a game."""
NOT_HERE = DRAWN_ALIKE | ELSEWHERE
"""Games that are played here only where tests marked `slow` run."""
LAST = 3
"""So many choices before the end of a match a person takes a seat."""
BOARDS = (
    "connect_four",
    "breakthrough(rows=5,columns=4)",
    "checkers",
    "chess",
    "go(board_size=5)",
    "hex(board_size=4)",
)
OTHERS = (
    *("backgammon", "goofspiel(num_cards=4)", "kuhn_poker", "leduc_poker", "liars_dice", "matrix_rps"),
    *("othello", "tic_tac_toe"),
)
BRIDGED = [
    pytest.param(f"openspiel:{name}", marks=[NEEDS_OPENSPIEL, *([] if name == "connect_four" else [pytest.mark.slow])])
    for name in (*BOARDS, *OTHERS)
]
"""Games of OpenSpiel: boards and cards, open and hidden, in turn and at once."""


def near_the_end(name: str) -> tuple[MatchSetup, int]:
    """A table that goes on where a person in the place of somebody who lost has few choices left, and his seat."""
    game = ENDING.get(name, name)
    agent = next(iter(house_agents(spec_of(make_game(game)).name)), "random")
    record = play(game, [agent] * make_game(game).players, seed=5)
    assert record.ending is not None
    own = {
        player: [entry.ply for entry in record.entries if entry.player in (player, SIMULTANEOUS)]
        for player in range(len(record.header.agents))
    }
    seat = min((player for player in own if own[player]), key=lambda player: record.ending.returns[player])
    first = own[seat][-LAST:][0]
    seats = tuple(None if player == seat else agent for player in own)
    given = tuple(entry.actions for entry in record.entries[:first])
    return MatchSetup(game, seats, seed=5, given=given), seat


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) if name in NOT_HERE else name for name in entries("game")),
        *BRIDGED,
    ],
)
def test_a_game_is_played_to_its_end(served: Any, new_page: Callable[..., Any], name: str) -> None:
    setup, seat = near_the_end(name)
    match = served.open(setup)
    page = new_page()
    take_seat(page, served, match, seat)
    page.wait_for_selector(".picture svg")
    until, rng = time.monotonic() + PATIENCE / 1000, random.Random(5)
    while match.live and time.monotonic() < until:
        play_on(page, rng)
    assert match.status == "finished", match.failure
    page.wait_for_selector("text=Over:")
    assert page.locator(".moves li").count() == len(match.events) > len(setup.given)


def test_a_visitor_sets_up_a_game_and_beliefs_move(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address + "/setup")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("text=Your move")
    page.wait_for_selector("text=Nothing is known of you yet")
    page.get_by_text("type it instead").click()
    page.get_by_label("type a move").fill("base-c1")
    page.get_by_label("type a move").press("Enter")
    page.wait_for_selector(".moves li:nth-child(2)")
    page.wait_for_selector(".reading .sure")
    page.get_by_label("type a move").fill("nonsense")
    page.get_by_label("type a move").press("Enter")
    page.wait_for_selector("text=may not play")
    moves = page.locator(".moves li").count()
    page.reload()
    page.wait_for_selector("text=Your move")
    assert page.locator(".moves li").count() == moves, "a reload loses nothing"
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector("text=The adviser would play")
    page.get_by_role("button", name="Take back").click()
    page.wait_for_function(
        "() => document.querySelectorAll('.moves li').length == 0 && document.querySelector('.picture [data-press]')"
    )


def test_the_kibitzer_says_what_it_believes_how_sure_it_is_and_what_told_most(
    served: Any, new_page: Callable[..., Any]
) -> None:
    match = served.open(MatchSetup("dilemma(rounds=8)", ("dilemma.grim", "dilemma.defector"), models=KIBITZER, seed=5))
    page = new_page()
    page.goto(served.url(match))
    page.get_by_role("button", name="at once").click()
    page.wait_for_selector("text=after 8 choices")
    first, second = page.locator(".reading .claim").all_inner_texts()
    assert first.endswith("so far they would have done the same.")
    assert second == "Defector plays like defector."
    assert page.locator(".reading .meaning").all_inner_texts() == ["always defects"]
    assert page.locator(".told li.for").last.inner_text() == "For it: defect (1, 2 and 3)"
    assert not any("unknown" in words for words in page.locator(".reading").all_inner_texts())
    titles = [row.get_attribute("title") for row in page.locator(".belief").all()]
    assert "defector: always defects" in titles


def test_a_player_asks_what_a_move_would_tell(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("dilemma(rounds=8)", (None, "dilemma.grim"), models=KIBITZER, seed=5))
    page = new_page()
    take_seat(page, served, match, 0)
    page.wait_for_selector("text=Nothing is known of you yet")
    page.get_by_role("button", name="What if I").click()
    page.wait_for_selector(".tried li")
    assert page.locator(".tried li").all_inner_texts()[0].startswith("defect defector ")
    assert page.locator(".moves li").count() == 0, "nothing was played"
    page.get_by_role("button", name="What comes next?").click()
    page.wait_for_selector(".claim:has-text('play cooperate')")


def test_keys_are_enough_and_the_focus_stays_on_the_board(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(
        MatchSetup("breakthrough(rows=5, columns=4)", (None, "breakthrough.runner"), models=KIBITZER, seed=5)
    )
    page = new_page()
    take_seat(page, served, match, 0)
    page.wait_for_selector(".picture [data-press]")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hasAttribute('data-press')"):
            break
    first = page.evaluate("document.activeElement.id")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") != first
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".picture [aria-pressed=true]")  # the squares to go to have come from the server
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector(".moves li:nth-child(2)")
    page.wait_for_function("document.activeElement.hasAttribute('data-press')")


def test_two_people_play_each_other_and_choices_stay_hidden(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("dilemma(rounds=2)", (None, None), models=KIBITZER, seed=5))
    first, second, spy = new_page(), new_page(), new_page()
    be_host(first, served, match)
    invitation = first.get_by_role("link", name="the invitation for player 1").get_attribute("href")
    second.goto(served.address + invitation)
    second.get_by_role("button", name="Take the seat").click()
    second.wait_for_selector("text=Your move")
    assert second.get_by_role("link", name="invitation").count() == 0
    first.get_by_role("link", name="invitation").wait_for(state="hidden")
    spy.goto(served.address + invitation)
    spy.wait_for_selector("text=used or unknown")
    for page in (first, second, spy):
        page.wait_for_selector(".picture svg")
    first.locator(".choice").first.click()
    second.wait_for_timeout(400)
    assert second.locator(".moves li").count() == 0, "nobody learns of a choice before all have chosen"
    second.locator(".choice").last.click()
    for page in (first, second, spy):
        page.wait_for_selector(".moves li")
    assert spy.locator(".choice").count() == 0


def test_a_stranger_who_sits_down_gets_no_other_persons_seat(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("kuhn(players=3)", (None, None, None), public=(2,)))
    host, stranger = new_page(), new_page()
    be_host(host, served, match)
    host.get_by_role("link", name="the invitation for player 1").wait_for()
    stranger.goto(served.url(match))
    stranger.get_by_role("button", name="Sit down").click()
    stranger.wait_for_url(re.compile("key="))
    stranger.wait_for_selector("text=Waiting for players")
    assert stranger.locator("a[href*='invite=']").count() == 0
    secrets = [match.seats[0].key, *match.codes.values()]
    assert len(secrets) == 2
    page = stranger.content() + stranger.evaluate("fetch(location.href).then((answer) => answer.text())")
    assert not any(secret in page for secret in secrets)


def test_a_record_is_scrubbed_and_looked_at_with_another_model(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("dilemma(rounds=6)", ("dilemma.pavlov", "dilemma.grim"), models=KIBITZER, seed=5))
    page = new_page()
    page.goto(served.url(match))
    page.get_by_role("button", name="at once").click()
    page.wait_for_selector("text=Over:")
    page.goto(served.address + "/records")
    page.locator(f'a[href="replay/{match.number}"]').click()
    page.wait_for_selector("text=After 0 of 6 events")
    page.get_by_role("button", name="one forward").click()
    page.wait_for_selector("text=After 1 of 6 events")
    page.locator("[role=slider] [tabindex]").press("ArrowRight")
    page.wait_for_selector("text=After 2 of 6 events")
    page.get_by_role("button", name="to the end").click()
    page.wait_for_selector("text=After 6 of 6 events")
    page.goto(f"{served.address}/replay/{match.number}?ply=3&model=strategy_filter(drift=0.2)")
    page.wait_for_selector("text=After 3 of 6 events")
    page.wait_for_selector(".read-by:has-text('drift=0.2')")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == f"match-{match.number}.krec"


def test_a_record_is_played_on_from_its_middle(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("dilemma(rounds=4)", ("dilemma.pavlov", "dilemma.grim"), models=KIBITZER, seed=5))
    page = new_page()
    page.goto(served.url(match))
    page.get_by_role("button", name="at once").click()
    page.wait_for_selector("text=Over:")
    page.goto(f"{served.address}/replay/{match.number}?ply=3")
    page.wait_for_selector("text=After 3 of 4 events")
    page.get_by_role("button", name="Play from here").click()
    seat = page.get_by_role("dialog").get_by_label("player 0")
    seat.fill("a person")
    seat.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    page.wait_for_selector("text=Your move")
    assert page.locator(".moves li").count() == 3, "what was played before stays"
    page.locator(".choice").first.click()
    page.wait_for_selector("text=Over:")


def test_a_solution_is_shown_over_the_page(served: Any, new_page: Callable[..., Any]) -> None:
    match = served.open(MatchSetup("soccer(draw=0.5)", (None, "random"), models=(), seed=5))
    page = new_page()
    take_seat(page, served, match, 0)
    page.wait_for_selector("text=Your move")
    page.get_by_label("what perfect players would do here").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("In equilibrium west earns").wait_for()
    assert dialog.locator(".picture svg").count() == 3, "the board, and a map for each player"
    assert dialog.locator("line[id^=arrow]").count() > 10
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}])
def test_pages_fit_the_screen_by_day_and_by_night(served: Any, new_page: Callable[..., Any], look: Any) -> None:
    match = served.open(MatchSetup("risk(players=3)", (None, "risk.passive", "risk.passive"), models=(), seed=5))
    page = new_page(**look)
    take_seat(page, served, match, 0)
    for address in (served.address, page.url, served.address + "/records"):
        page.goto(address)
        page.wait_for_selector("main")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} is too wide"
    night = page.evaluate("document.body.classList.contains('body--dark')")
    assert night == (look.get("color_scheme") == "dark")


def test_a_tournament_is_begun_and_read(served: Any, new_page: Callable[..., Any]) -> None:
    page = new_page()
    page.goto(served.address + "/tournaments")
    page.get_by_label("times each group meets").fill("1")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(re.compile(r"/tournaments/\d+$"))
    page.wait_for_selector("text=72 of 72")
    page.wait_for_selector("td:has-text('dilemma.defector')")
    page.wait_for_selector(".picture svg")


def test_a_tournament_needs_the_rights_that_programs_need(served: Any, new_page: Callable[..., Any]) -> None:
    accounts, page, runs = served.service.auth.accounts, new_page(), len(served.service.tournaments.runs())
    served.service.auth.guarded = True
    try:
        page.goto(served.address + "/tournaments")
        page.wait_for_selector("text=You are not signed in")
        for role, words in (("player", "only an operator"), ("operator", "cannot start a program")):
            page.goto(f"{served.address}/join/{accounts.invite(role, role)}")
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(served.address + "/")
            page.goto(served.address + "/tournaments")
            page.get_by_label("agents").fill("cmd:touch here")
            page.get_by_label("agents").press("Enter")
            page.get_by_label("agents").press("Escape")
            page.get_by_role("button", name="Begin").press("Enter")
            page.wait_for_selector(f"text={words}")
        assert len(served.service.tournaments.runs()) == runs
        served.call(served.service.revoke("operator"))
        page.wait_for_selector("text=You are not signed in")
    finally:  # as if there had never been an account, for the other tests
        served.service.store.write_change(lambda connection: connection.execute(delete(schema.accounts)))
        served.service.auth.guarded = False
