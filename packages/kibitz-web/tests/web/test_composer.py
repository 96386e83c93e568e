"""Moves put together from what is pressed."""

from typing import Any

import pytest
from nicegui.events import GenericEventArguments

from kibitz.core.drawing import Click, FromTo
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import entries, make_game
from kibitz_web.parts.board import event_text, event_texts
from kibitz_web.parts.move_input import Composer, limit_inputs


def test_from_and_to_make_an_action_and_where_to_begin_can_be_changed() -> None:
    composer = Composer([FromTo("a", "b", {1: 7}), FromTo("c", "b", {1: 8, 2: 9}), FromTo("d", "d", {1: 5, 2: 6})])
    assert composer.press("a") == {}
    assert set(composer.offered_shapes()) == {"a", "b", "c", "d"}
    assert composer.press("c") == {}
    assert composer.press("b") == {1: 8, 2: 9}
    assert composer.press("c") == {}
    assert composer.source == "", "pressed again, it is let go"
    assert composer.press("nothing") == {}
    assert composer.press("d") == {1: 5, 2: 6}, "what goes from itself to itself takes one press"


def test_where_all_ways_begin_alike_one_press_is_enough() -> None:
    assert Composer([FromTo("a", "b", {1: 7}), FromTo("a", "c", {1: 8})]).press("c") == {1: 8}


@pytest.mark.parametrize("name", entries("game"))
def test_every_game_can_be_begun_by_hand(name: str) -> None:
    """Wherever somebody chooses first, what is drawn and the buttons offer a legal action, and words any."""
    game = make_game(name)
    state = game.new_initial_state()
    while state.current_player() == -1:
        state.apply_action(state.chance_outcomes()[0][0])
    for player in game.movers(state):
        inputs = draw_position(game, state.view(player)).inputs_of(player)
        composer = Composer(inputs)
        pressed = [composer.press(shape) or composer.press(shape) for shape in composer.clicks]
        actions = [action for amounts in pressed for action in amounts.values()]
        actions += [a for ways in composer.targets.values() for amounts in ways.values() for a in amounts.values()]
        assert actions or composer.counters or len(state.legal_actions(player)) <= 30
        assert all(action in state.legal_actions(player) for action in actions)


def test_what_is_not_permitted_is_not_offered() -> None:
    inputs = [Click("a", 1), Click("b", 2), FromTo("c", "d", {1: 3, 2: 4}), FromTo("c", "e", {1: 5})]
    assert limit_inputs(inputs, {2, 4}) == [Click("b", 2), FromTo("c", "d", {2: 4})]


@pytest.mark.parametrize(("sent", "read"), [(["a", "b", "c"], ["a", "b"]), (["a"], ["a", ""]), ([], ["", ""]),
                                            ("a", ["a", ""]), (None, ["None", ""]), ([7], ["7", ""])])  # fmt: skip
def test_whatever_a_browser_sends_with_an_event_is_read_as_texts(sent: Any, read: list[str]) -> None:
    event = GenericEventArguments(sender=None, client=None, args=sent)  # type: ignore[arg-type]
    assert event_texts(event, 2) == read
    assert event_text(event) == read[0]
