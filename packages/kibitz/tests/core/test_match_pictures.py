"""What every front door shows, whatever the game."""

import pytest

from kibitz.core.drawing import text
from kibitz.core.match import Event
from kibitz.core.match.play import playing
from kibitz.core.pictures.match_pictures import deeds, drawn_after
from kibitz.core.registry import make_game


def last_event(game: str, agents: list[str], seed: int = 3) -> Event:
    events = [moment.event for moment in playing(game, agents, seed=seed) if moment.event is not None]
    return events[-1]


@pytest.mark.needs("lab")
def test_the_last_move_is_marked_and_told() -> None:
    spec = "breakthrough(rows=3, columns=2)"
    game, event = make_game(spec), last_event(spec, ["breakthrough.runner"] * 2)
    assert drawn_after(game, event).shapes[-1].id == "last-0"
    assert [deed.player for deed in deeds(event, game)] == list(event.movers)


def test_every_seat_is_shown_its_own_view() -> None:
    """Cards of others stay hidden whoever looks first."""
    game, event = make_game("kuhn(players=2)"), last_event("kuhn(players=2)", ["rock", "rock"])
    pictures = [text(drawn_after(game, event, seat, all_seen=False)) for seat in (0, 1, None)]
    assert len({*pictures}) == 3
