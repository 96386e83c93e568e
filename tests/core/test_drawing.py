"""Drawings: the same shapes as SVG and as text."""

import re
from xml.etree import ElementTree

from msgspec.structs import replace

from kibitz.core import drawing
from kibitz.core.abilities import ability
from kibitz.core.drawing import (
    Arrow,
    Circle,
    Click,
    Counters,
    Drawing,
    FromTo,
    Label,
    Patch,
    Piece,
    Polygon,
)
from kibitz.core.drawing.art import PAWN, TANK
from kibitz.core.registry import make_game

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


def test_a_wide_drawing_is_narrowed_and_no_label_covers_another() -> None:
    names = [Label(id=f"name-{number}", x=5.0 + 4 * number, y=0.5, text=name) for number, name in enumerate("ABC")]
    labels = [Label(id=f"long-{place}", x=place, y=1.5, text=f"{place}-territory") for place in (5, 9, 13)]
    wide = Drawing(40, 2, (*names, *labels))
    assert max(map(len, drawing.text(wide).splitlines())) > 40
    first, second = drawing.text(wide, most=40).splitlines()
    assert first.split() == ["A", "B", "C"]
    assert [word[0] for word in second.split()] == ["5", "9", "1"]
    assert len(second) <= 40
    assert drawing.text(BOARD, most=40) == drawing.text(BOARD)


def test_only_what_changed_is_repainted() -> None:
    moved = Circle(id="pawn", x=2.5, y=0.5, fill="player0", symbol="b", title="black pawn <b2>")
    after = Drawing(3, 2, tuple(moved if shape.id == "pawn" else shape for shape in BOARD.shapes))
    assert after.patches(BOARD) == [Patch("pawn", attributes={"cx": "2.5"})]
    assert BOARD.patches(BOARD) == []


def test_patches_make_one_picture_of_another() -> None:
    """What a page does with patches, on lists of elements."""
    game = make_game("pawns")
    draw, state = ability("pawns", "DRAWING"), game.new_initial_state()
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


def test_every_colour_has_one_for_the_night() -> None:
    assert drawing.DARK.keys() == drawing.PALETTE.keys()
    assert f'svg [fill="{drawing.PALETTE["ink"]}"]{{fill:{drawing.DARK["ink"]}}}' in drawing.dark_style("svg")
    assert len({*drawing.PALETTE.values()}) == len(drawing.PALETTE)


def test_a_card_is_drawn_only_for_who_may_see_it() -> None:
    state = make_game("kuhn").new_initial_state()
    for _ in range(3):
        state.apply_action(state.chance_outcomes()[-1][0])
    draw = ability("kuhn", "DRAWING")
    assert re.findall(r"\[.\]", drawing.text(draw(state.view(0)))) == ["[A]", "[?]", "[?]"]
    assert draw(state.view(0)).note_for(0).secret == "Your card is the ace."
    assert [draw(state.view(0)).note_for(player).secret for player in (1, 2)] == ["", ""]
    assert ">A<" not in drawing.svg(draw(state.view(None)))


def test_a_figure_is_drawn_moved_and_changed() -> None:
    pawn = Piece(id="pawn", x=1.0, y=1.0, art=PAWN, fill="player0", symbol="p", title="a pawn")
    moved, other = replace(pawn, x=2.0), replace(pawn, art=TANK)
    before, *after = (Drawing(3, 2, (shape,)) for shape in (pawn, moved, other))
    assert after[0].patches(before) == [Patch("pawn", attributes={"transform": "translate(2 1) scale(1)"})]
    assert [patch.svg for patch in after[1].patches(before)] == [drawing.svg_shape(other)]
    assert drawing.text(before).split() == ["p"]
