"""The web app in a real browser: how soon a move is shown, how much is sent for it, how soon the first page is there.

A move is timed in the page, from the press to its line in the list, so that the way to the server counts as well.
"""

import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from kibitz_lab.testing.benchmark import Bench
from kibitz_web.background_server import BackgroundServer, serving
from kibitz_web.server.live.setup import MatchSetup

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
MOVES, PEOPLE, PATIENCE = 12, 20, 60_000
PLAY = """async ([moves, pause]) => {
  const times = [];
  const until = async (done) => { while (!done()) await new Promise((next) => setTimeout(next, 1)); };
  const find = (wanted) => document.querySelector(wanted);
  const open = () => find('.choice, .picture :is(rect, polygon)[data-press=""]') ?? find('.picture [data-press]');
  const moves_made = () => document.querySelectorAll('.moves li').length;
  const words = (each) => each.id + each.dataset.press;
  const offered = () => [...document.querySelectorAll('.picture [data-press]')].map(words).join();
  while (times.length < moves) {
    await new Promise((next) => setTimeout(next, pause * Math.random()));
    await until(open);
    const [made, shapes, start] = [moves_made(), offered(), performance.now()];
    open().dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await until(() => moves_made() > made || (performance.now() > start + 20 && offered() !== shapes));
    if (moves_made() > made) times.push(performance.now() - start);
  }
  return times;
}"""
"""Presses what is offered until so many moves are made; milliseconds from the last press to each move in the list."""
TWO = MatchSetup("dilemma(rounds=2000)", (None, "random"), ("strategy_filter",), seed=1)


def measure(bench: Bench) -> None:
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        bench.missing("move_shown", "chromium and playwright", "ms", "<= 50")
        return
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=FLAGS)
        bench.figure("first_page", [first_page(browser, served) for _ in range(bench.runs)], "s", most=1.5)
        bench.figure("move_shown", [shown(browser, served) for _ in range(bench.runs)], "ms", most=50.0)
        for name, setup in GAMES.items():
            bench.figure(f"bytes_a_move_{name}", [sent(browser, served, setup)], "bytes", most=2000.0)
        bench.figure("twenty_people", [crowd(browser, served)], "ms", most=100.0)
        browser.close()


GAMES = {
    "pawns": MatchSetup("pawns", (None, "pawns.s2"), ("strategy_filter",), seed=1),
    "breakthrough": MatchSetup("breakthrough", (None, "breakthrough.runner"), ("strategy_filter",), seed=1),
    "risk": MatchSetup("risk(players=3)", (None, "risk.passive", "risk.passive"), (), seed=1),
    "kuhn": MatchSetup("kuhn", (None, "kuhn.rock", "kuhn.solid"), ("strategy_filter",), seed=1),
}


def page_of(browser: Any, address: str) -> Any:
    """A page that is ready."""
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("button", name="Take the seat").click()
    page.wait_for_selector(".choice, .picture [data-press]")
    return page


def first_page(browser: Any, served: BackgroundServer) -> float:
    """Seconds until the form of the first page can be used, by somebody who has been there before."""
    page = browser.new_context().new_page()
    for _ in range(2):
        page.goto(served.address)
        page.wait_for_selector("text=Play now")
    seconds: float = page.evaluate("performance.now() / 1000")
    page.context.close()
    return seconds


def shown(browser: Any, served: BackgroundServer) -> float:
    """Milliseconds until a move is shown, the median of a few."""
    page = page_of(browser, served.url(served.open(TWO), 0))
    times: list[float] = page.evaluate(PLAY, [MOVES, 0])
    page.context.close()
    return median(times)


def sent(browser: Any, served: BackgroundServer, setup: MatchSetup) -> float:
    """Bytes that the server sends for an event, as the mean over a few moves of a person and the answers to them."""
    sitting = served.open(setup)
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    frames: list[int] = []
    page.on("websocket", lambda made: made.on("framereceived", lambda frame: frames.append(len(frame))))
    page.goto(served.url(sitting, 0))
    page.get_by_role("button", name="Take the seat").click()
    page.wait_for_selector("text=Your move")
    page.wait_for_timeout(1000)
    frames.clear()
    before = len(sitting.events)
    page.evaluate(PLAY, [1 if "kuhn" in setup.game else 4, 0])
    page.wait_for_timeout(1000)
    page.context.close()
    return sum(frames) / max(1, len(sitting.events) - before)


def crowd(browser: Any, served: BackgroundServer) -> float:
    """Milliseconds until a move is shown, the median of many people who play at once, a move a second each."""
    pages = [page_of(browser, served.url(served.open(TWO), 0)) for _ in range(PEOPLE)]
    for page in pages:
        page.evaluate(f"([...given]) => {{ window.times = ({PLAY})(given) }}", [MOVES, 2000])
    times = [time for page in pages for time in page.evaluate("window.times")]
    for page in pages:
        page.context.close()
    return median(times)
