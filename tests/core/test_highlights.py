"""The last move and the next one, over any drawing."""

from kibitz.core.drawing import Arrow, Click, Drawing, FromTo, Rect
from kibitz.core.drawing.highlights import input_of, with_expectations, with_last_move

SQUARES = tuple(Rect(id=f"square-{x}", x=float(x), y=0.0) for x in range(3))
BOARD = Drawing(3, 1, SQUARES, (Click("square-2", 5, 0), FromTo("square-0", "square-1", {1: 7, 2: 8})))


def test_an_action_is_found_by_whoever_may_do_it() -> None:
    assert input_of(BOARD, 0, 5) == BOARD.inputs[0]
    assert input_of(BOARD, 1, 5) is None
    assert input_of(BOARD, 1, 8) == BOARD.inputs[1]


def test_the_last_move_is_an_arrow_or_a_frame() -> None:
    marked = with_last_move(BOARD, BOARD, [(0, 5), (1, 8), (1, 99)])
    ring, arrow = marked.shapes[3:]
    assert isinstance(ring, Rect)
    assert ring.centre() == (2.5, 0.5)
    assert isinstance(arrow, Arrow)
    assert (arrow.x, arrow.to_x) == (0.5, 1.5)


def test_the_likelier_the_thicker() -> None:
    shapes = with_expectations(BOARD, 0, [(7, 0.75), (5, 0.25)]).shapes[3:]
    assert [shape.id for shape in shapes] == [
        "expected-0-0",
        "expected-0-0-share",
        "expected-0-1",
        "expected-0-1-share",
    ]
    assert shapes[0].thickness > shapes[2].thickness
    assert shapes[1].text == "75%"
