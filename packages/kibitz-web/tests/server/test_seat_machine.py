"""Nobody learns what others hide, moves for others, or receives anything after they were revoked."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as choose_seed
from hypothesis.stateful import run_state_machine_as_test
from nicegui import ui

from kibitz.core.game import Game
from kibitz_lab.store.accounts import hash_of
from kibitz_web import web_app as web
from kibitz_web.pages.match import MatchPage
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.live import setup
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat
from kibitz_web.visit import match_address
from paired_worlds import Template, World, pages_of_worlds
from seat_machine import Hole, SeatMachine

MEMORY = Path("/dev/shm")


@pytest.fixture(scope="module", autouse=True)
def worlds() -> Iterator[None]:
    """Databases with accounts, to be copied; in memory, because thousands of them are written."""
    SeatMachine.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    SeatMachine.templates = [Template(SeatMachine.folder / f"template {side}") for side in (0, 1)]
    with pages_of_worlds():
        yield
    shutil.rmtree(SeatMachine.folder)


def run_machine(runs: int, steps: int, *, visits: int = 0, restarts: int = 0, seed: int = 0) -> int:
    """Run the machine so many times, each time with so many steps, visits of pages and restarts; return the steps."""

    class Machine(SeatMachine):
        most_visits, most_restarts = visits, restarts

    Machine.__name__ = SeatMachine.__name__
    choose_seed(seed)(Machine)
    chosen = settings(
        max_examples=runs,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    start = time.process_time()
    try:
        run_state_machine_as_test(Machine, settings=chosen)
    finally:
        seconds = time.process_time() - start
        rate = f"{Machine.steps / seconds:.0f} steps a second of CPU"
        print(f"{Machine.steps} steps, {Machine.restarts} restarts, {rate}")
    return Machine.steps


@pytest.fixture(autouse=True)
def no_stall() -> None:
    """These servers have no threads: all that they do is done on the event loop."""


@pytest.mark.long
def test_no_principal_sees_or_does_what_is_anothers() -> None:
    assert run_machine(11, 100, visits=2, restarts=1) >= 1000


PARTS = 20
"""Parts of the long run, each with a seed of its own; together they have 10^5 steps, and at most 200 restarts."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_principal_sees_or_does_what_is_anothers_in_long_runs(part: int) -> None:
    steps = run_machine(10, 100, visits=2, restarts=1, seed=1 + part)
    while steps < 100_000 / PARTS:  # Hypothesis ends some runs early
        steps += run_machine(20, 100, visits=2, seed=PARTS * steps + part)


def test_the_page_of_a_revoked_person_shows_nothing_and_takes_nothing(tmp_path: Path) -> None:
    world = World(0, tmp_path, SeatMachine.templates[0])
    world.request("ann", "POST", "/api/matches", {"game": "kuhn(players=2)", "seats": [None, None]})
    page = world.visit("pat", 1)
    world.request("op", "DELETE", "/api/tokens/pat")
    world.settle()
    assert '"path": "/"' in page.received[-1], "the browser is sent away"
    before = len(page.received)
    assert not world.press(page, "Sit down")
    for who in ("ann", "ben"):
        world.connect(who, "/api/play", {"type": "login", "token": world.credentials[who], "table": 1})
    world.loop.run_for(5.0)
    assert world.lobby.matches[1].status == "playing"
    assert page.received[before:] == []
    assert page.client is not None
    assert page.client.is_deleted
    world.end()


def keep_old_keys(monkeypatch: pytest.MonkeyPatch, *, of_anybody: bool) -> None:
    """Let a key open its seat also after its holder left it, for them or for anybody: for the next holder's cards."""
    take_seat, find_seat = LiveMatch.take_seat, LiveMatch.seat
    given: dict[tuple[LiveMatch, str], tuple[int, str]] = {}

    def take(self: LiveMatch, player: int, principal: Principal, name: str = "", key_hash: str = "") -> Seat:
        seat = take_seat(self, player, principal, name, key_hash)
        given[self, seat.key_hash] = player, principal.id
        return seat

    def find(self: LiveMatch, key: str, principal: Principal) -> Seat:
        player, who = given.get((self, hash_of(key)), (None, ""))
        if player in self.seats and (of_anybody or who == principal.id):
            return self.seats[player]
        return find_seat(self, key, principal)

    monkeypatch.setattr(LiveMatch, "take_seat", take)
    monkeypatch.setattr(LiveMatch, "seat", find)


def show_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every seated person links with the keys of all seats."""
    build_player = MatchPage.build_player

    def build(self: MatchPage, player: int) -> ui.label:
        if self.seat is not None and player in self.match.seats:
            ui.link("invite", match_address(self.match.number, self.match.seats[player]))
        return build_player(self, player)

    monkeypatch.setattr(MatchPage, "build_player", build)


def allow_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everybody choose the seed of a match with others."""
    check = setup.check_setup

    def check_less(found: setup.MatchSetup, game: Game) -> None:
        check(msgspec.structs.replace(found, seed=None), game)

    monkeypatch.setattr(setup, "check_setup", check_less)


def leave_pages_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a browser to leave the page when its visitor is revoked, and trust that it does."""
    monkeypatch.setattr(web, "close_page", lambda client: client.open("/"))


HOLES = {
    "an old key": (lambda patch: keep_old_keys(patch, of_anybody=False), "sees what others hide"),
    "the key of another": (lambda patch: keep_old_keys(patch, of_anybody=True), "sees what others hide|moved for"),
    "keys on pages": (show_all_keys, "sees what others hide"),
    "a chosen seed": (allow_seeds, "knows the cards"),
    "pages of the revoked": (leave_pages_open, "was revoked and still receives"),
}


@pytest.mark.slow
@pytest.mark.parametrize("hole", HOLES)
def test_the_machine_finds_a_hole(hole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_hole, words = HOLES[hole]
    make_hole(monkeypatch)
    with pytest.raises(Hole, match=words):
        run_machine(40, 100, visits=4)
