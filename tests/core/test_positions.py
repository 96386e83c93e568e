"""What every front door shows, whatever the game."""

import pytest

from kibitz.core.drawing import Click, text
from kibitz.core.drawing.positions import deeds, drawn_after, own_drawing, text_drawing
from kibitz.core.match import Event
from kibitz.core.match.play import playing
from kibitz.core.registry import entries, make_game


def last_event(game: str, agents: list[str], seed: int = 3) -> Event:
    events = [moment.event for moment in playing(game, agents, seed=seed) if moment.event is not None]
    return events[-1]


def test_a_game_without_a_drawing_has_words_and_buttons() -> None:
    game = make_game("dilemma(rounds=2)")
    picture = text_drawing(game, game.new_initial_state())
    assert "[cooperate]" in text(picture)
    assert "round 0 of 2" in text(picture)
    assert {each.player for each in picture.inputs if isinstance(each, Click)} == {0, 1}


@pytest.mark.parametrize("name", entries("game"))
def test_every_game_draws_itself(name: str) -> None:
    assert own_drawing(make_game(name)) is not None


def test_the_last_move_is_marked_and_told() -> None:
    game, event = make_game("pennies(lead=1)"), last_event("pennies(lead=1)", ["heads", "heads"])
    assert [shape.id for shape in drawn_after(game, event).shapes][-2:] == ["last-0", "last-1"]
    assert [deed.words for deed in deeds(event, game)] == ["heads", "heads"]


def test_every_seat_is_shown_its_own_view() -> None:
    """Cards of others stay hidden whoever looks first."""
    game, event = make_game("kuhn(players=2)"), last_event("kuhn(players=2)", ["rock", "rock"])
    pictures = [text(drawn_after(game, event, seat, all_seen=False)) for seat in (0, 1, None)]
    assert len({*pictures}) == 3
