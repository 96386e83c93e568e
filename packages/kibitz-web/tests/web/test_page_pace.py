"""A page is changed a few times a second, however fast a match is played, and not at all while nobody looks at it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nicegui import ui

from paired_worlds import Channel, Template, World, pages_of_worlds
from seat_machine import send_action

ROUNDS = 20


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A server with a match of two programs."""
    (tmp_path / "world").mkdir()
    with pages_of_worlds():
        made = World(0, tmp_path / "world", Template(tmp_path / "template"))
        made.request("ann", "POST", "/api/matches", {"game": f"dilemma(rounds={ROUNDS + 5})", "seats": [None, None]})
        yield made
        made.end()


def play_rounds(world: World, page: Channel) -> list[str]:
    """Let both programs play twenty rounds in a fifth of a second; what the page was told meanwhile."""
    assert page.client is not None
    with page.client:
        next(each for each in page.client.elements.values() if isinstance(each, ui.toggle)).set_value(0.0)
    bots = [
        world.connect(who, "/api/play", {"type": "login", "token": world.credentials[who], "table": 1})
        for who in ("ann", "ben")
    ]
    world.settle()
    page.news()
    for _ in range(ROUNDS):
        for bot in bots:
            send_action(world, bot, 0, "cooperate")
        world.loop.run_for(0.01)
    assert len(world.lobby.matches[1].events) == ROUNDS
    return page.news()


def test_a_fast_match_is_shown_in_few_messages(world: World) -> None:
    page = world.visit("pat", 1)
    told = play_rounds(world, page)
    assert 1 <= len(told) <= 4
    world.settle()
    told += page.news()
    assert "".join(told).count("cooperate") >= 2 * ROUNDS, "every move is in the list"


def test_nothing_is_drawn_for_a_page_that_lost_its_connection(world: World) -> None:
    page = world.visit("pat", 1)
    assert page.client is not None
    page.client.tab_id = None  # as NiceGUI notes that a browser is gone
    assert play_rounds(world, page) == []
    assert not page.client.outbox.messages, "nothing waits to be sent"
    page.client.tab_id = "back"
    world.loop.run_for(1.0)
    assert "".join(page.news()).count("cooperate") >= 2 * ROUNDS
