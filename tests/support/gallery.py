"""Pictures of every page and game at the width of a phone and of a desk, and what axe-core finds on them.

`make gallery` writes them to the folder `gallery`. The tests look at the same pages.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kibitz.core.match.play import play
from kibitz.core.registry import entries, fits, house_agents, make_game, spec_of
from kibitz_web.background_server import BackgroundServer, serving
from kibitz_web.server.live.seats import Seat
from kibitz_web.server.live.setup import MatchSetup

PATIENCE = 60.0
"""Seconds that an agent may think."""
WIDTHS = (390, 1280)
SERIOUS = ("serious", "critical")
SOON = {"axis": 2, "risk": 40}
"""Events before the picture of a game, if not a third of a match of at most a hundred."""
PAGES = {
    "home": "/",
    "setup": "/setup",
    "records": "/records",
    "tournaments": "/tournaments",
    "admin": "/admin",
    "missing": "/match/999999",
}
"""The pages that need no match."""


class ShownMatch(msgspec.Struct, frozen=True):
    """A match that is played to its midst before its picture is taken."""

    setup: MatchSetup
    choices: tuple[str, ...]
    """What the person chooses until then."""


def games_shown(names: Sequence[str] = ()) -> Iterator[tuple[str, ShownMatch]]:
    """For each game a match that waits for a person in its midst."""
    for name in names or entries("game"):
        game = make_game(name)
        agent = next((each for each in house_agents(spec_of(game).name) if fits("agent", each, game)), "random")
        record = play(name, [agent] * game.players, seed=5, max_plies=100)
        own = [entry.ply for entry in record.entries if entry.player in (0, -2)] or [0]
        wanted = SOON.get(name, len(record.entries) // 3)
        until = next((ply for ply in own if ply >= wanted), own[-1])
        choices = tuple(entry.actions[0] for entry in record.entries[:until] if entry.player in (0, -2))
        seats = (None, *[agent] * (game.players - 1))
        yield name, ShownMatch(MatchSetup(name, seats, seed=5, models=("strategy_filter",)), choices)


def seat_address(served: BackgroundServer, page: Any, shown: ShownMatch) -> str:
    """The address of the seat of the person in a browser, in a new match that is played to its midst."""
    from kibitz_web.server.access.cookies import COOKIE
    from kibitz_web.visit import match_address

    match = served.open(shown.setup)
    (session,) = [each["value"] for each in page.context.cookies(served.address) if each["name"] == COOKIE]
    visitor = served.call(served.service.auth.visitor(session))
    seat = served.call(served.service.lobby.sit_host(match, visitor))
    for choice in shown.choices:
        wait_for_turn(seat)
        if seat.request is not None:
            served.call(choose(seat, choice))
    wait_for_turn(seat)
    return match_address(match.number, seat)


def wait_for_turn(seat: Seat) -> None:
    """Wait until it is the person's turn, or the match is over."""
    until = time.monotonic() + PATIENCE
    while seat.request is None and seat.match.live and time.monotonic() < until:
        time.sleep(0.02)


async def choose(seat: Seat, choice: str) -> None:
    """Make a choice of the person, and wait until it is carried out."""
    asked = seat.request
    seat.choose(choice)
    while seat.request is asked and seat.match.live:
        await asyncio.sleep(0.01)


def finished_record(served: BackgroundServer) -> str:
    """The number of a finished match."""
    match = served.open(MatchSetup("dilemma(rounds=8)", ("grim", "defector"), models=("strategy_filter",), seed=5))
    while match.live:
        time.sleep(0.05)
    time.sleep(1.0)
    return str(match.number)


def serious_violations(page: Any) -> list[str]:
    """What axe-core finds serious on the page that is shown."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['help']} ({len(each['nodes'])}, e.g. {each['nodes'][0]['html'][:120]})"
        for each in found
        if each["impact"] in SERIOUS
    ]


def visit(page: Any, address: str) -> None:
    """Go to a page, and wait until it shows what it has to show."""
    page.goto(address)
    page.wait_for_selector("h1")
    page.wait_for_timeout(1500)


def take_pictures(folder: Path, names: Sequence[str], *, dark: bool = False) -> dict[str, list[str]]:
    """Write the pictures; return the serious violations of each page that has any."""
    from playwright.sync_api import sync_playwright

    from browser import FLAGS

    folder.mkdir(parents=True, exist_ok=True)
    wrong: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as kept, serving(Path(kept)) as served, sync_playwright() as running:
        browser = running.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        record = finished_record(served)
        addresses = {**PAGES, "debrief": f"/replay/{record}"} if not names else {}
        setups = dict(games_shown(names))
        for width in WIDTHS:
            scheme: Any = "dark" if dark else "light"
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(served.address)
            shown = {**addresses, **{f"game-{name}": seat_address(served, page, setups[name]) for name in setups}}
            for name, address in shown.items():
                visit(page, served.address + address)
                page.screenshot(path=folder / f"{name}-{width}{'-dark' if dark else ''}.png", full_page=True)
                if found := serious_violations(page):
                    wrong[f"{name}-{width}"] = found
                print(f"{name} {width}: {len(found)} serious")
            context.close()
        browser.close()
    (folder / "axe.json").write_text(json.dumps(wrong, indent=1))
    return wrong


def take_match_picture(path: Path, game: str = "pawns") -> None:
    """The picture of the README: a match that waits for a person, with what the kibitzer says; at most 160 colours."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from browser import FLAGS

    ((_, shown),) = games_shown([game])
    with tempfile.TemporaryDirectory() as kept, serving(Path(kept)) as served, sync_playwright() as running:
        browser = running.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 940}, color_scheme="light")
        page.goto(served.address)
        visit(page, served.address + seat_address(served, page, shown))
        page.screenshot(path=path)
        browser.close()
    Image.open(path).convert("RGB").quantize(160).save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="gallery", type=Path)
    parser.add_argument("--dark", action="store_true", help="by night")
    parser.add_argument("--game", action="append", default=[], help="only this game; may be repeated")
    parser.add_argument("--match-picture", metavar="FILE", type=Path, help="only the picture of the README")
    given = parser.parse_args()
    if given.match_picture:
        take_match_picture(given.match_picture)
        raise SystemExit
    found = take_pictures(given.folder, given.game, dark=given.dark)
    print(f"The pictures are in {given.folder}; {len(found)} pages have serious violations of accessibility.")
