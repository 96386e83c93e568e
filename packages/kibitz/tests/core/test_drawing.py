"""Drawings: the same shapes as SVG and as text."""

import re
from xml.etree import ElementTree

import pytest

from kibitz.core import drawing
from kibitz.core.drawing import (
    Arrow,
    Circle,
    Click,
    Counters,
    Drawing,
    FromTo,
    Label,
    Polygon,
)
from kibitz.core.registry import kit_of, make_game

BOARD = Drawing(
    3,
    2,
    (
        *drawing.board_squares(3, 2),
        Circle(id="pawn", x=1.5, y=0.5, fill="player0", symbol="b", title="black pawn <b2>"),
        Polygon(id="land", points=((0, 1), (1, 1), (0, 2)), fill="#123456"),
        Arrow(id="move", x=1.5, y=0.5, to_x=2.5, to_y=0.5, stroke="ink"),
        Label(id="words", x=2.5, y=1.5, text="a & b"),
    ),
    (Click("pawn", 4), FromTo("a", "b", {1: 7, 2: 8}), Counters({"x": (0, 3)}, (4,))),
    caption='the "board"',
)


def test_svg_is_well_formed_and_keeps_the_ids() -> None:
    root = ElementTree.fromstring(drawing.svg(BOARD))
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    assert ids == {shape.id for shape in BOARD.shapes} | {"head"}
    assert root.get("aria-label") == 'the "board"'
    titles = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert titles == ["black pawn <b2>"]


def test_text_puts_every_symbol_in_its_place() -> None:
    assert drawing.text(BOARD).split("\n") == [" ·  b  ·", " ·  ·a & b", 'the "board"']


@pytest.mark.needs("lab")
def test_patches_make_one_picture_of_another() -> None:
    """What a page does with patches, on lists of elements."""
    game = make_game("pawns")
    draw, state = kit_of("pawns").drawing, game.new_initial_state()
    before = draw(state)
    for action in (state.legal_actions()[0], 0, 0):
        state.apply_action(action if action in state.legal_actions() else state.legal_actions()[-1])
        after = draw(state)
        elements = {shape.id: drawing.svg_look(shape) for shape in before.shapes}
        fresh = {shape.id: drawing.svg_look(shape) for shape in after.shapes}
        for patch in after.patches(before):
            if patch.svg:
                assert patch.after in elements
                elements[patch.id] = fresh[patch.id]
                assert patch.svg == drawing.svg_shape(next(s for s in after.shapes if s.id == patch.id))
            elif patch.attributes:
                tag, look = elements[patch.id]
                elements[patch.id] = tag, {**look, **patch.attributes}
            else:
                del elements[patch.id]
        assert elements == fresh
        before = after


def test_a_card_is_drawn_only_for_who_may_see_it() -> None:
    state = make_game("kuhn").new_initial_state()
    for _ in range(3):
        state.apply_action(state.chance_outcomes()[-1][0])
    draw = kit_of("kuhn").drawing
    assert re.findall(r"\[.\]", drawing.text(draw(state.view(0)))) == ["[A]", "[?]", "[?]"]
    assert draw(state.view(0)).note_for(0).secret == "Your card is the ace."
    assert [draw(state.view(0)).note_for(player).secret for player in (1, 2)] == ["", ""]
    assert ">A<" not in drawing.svg(draw(state.view(None)))
