"""What every front door shows, whatever the game."""

from kibitz.core.drawing import ChoiceButton, Drawing, Label, text
from kibitz.core.drawing.buttons import button_choices
from kibitz.core.drawing.positions import deeds, drawn_after, text_drawing, with_names
from kibitz.core.match import Event
from kibitz.core.match.play import playing
from kibitz.core.registry import make_game


def last_event(game: str, agents: list[str], seed: int = 3) -> Event:
    events = [moment.event for moment in playing(game, agents, seed=seed) if moment.event is not None]
    return events[-1]


def test_a_game_without_a_drawing_has_words() -> None:
    """They stand there once: in the picture, and not in its caption again."""
    game = make_game("dilemma(rounds=2)")
    state = game.new_initial_state()
    assert text(text_drawing(game, state)).count(str(state)) == 1


def test_choices_that_nothing_stands_for_are_buttons() -> None:
    game = make_game("dilemma(rounds=2)")
    choices = button_choices(game, game.new_initial_state(), other=(0,))
    assert choices == (ChoiceButton("defect", 1, 0), ChoiceButton("defect", 1, 1))
    assert button_choices(game, game.new_initial_state(), most=1) == ()


def test_a_player_is_addressed_as_you() -> None:
    found = ("player 1", "player 1: 5", "player 10", "player 0 +1")
    labels = tuple(Label(id=words, x=0.0, y=0.0, text=words) for words in found)
    shown = with_names(Drawing(1, 1, labels), make_game("kuhn"), ["A very long name", "You", "Solid"])
    assert [shape.text for shape in shown.shapes] == ["You", "You: 5", "player 10", "A very long… +1"]


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
