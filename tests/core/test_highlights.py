"""The last move and the next one, over any drawing."""

from kibitz.core.drawing import Arrow, Circle, Click, Drawing, FromTo, Rect
from kibitz.core.drawing.highlights import with_last_move

SQUARES = tuple(Rect(id=f"square-{x}", x=float(x), y=0.0) for x in range(3))
BOARD = Drawing(3, 1, SQUARES, (Click("square-2", 5, 0), FromTo("square-0", "square-1", {1: 7, 2: 8})))


def test_the_last_move_on_squares_is_framed_where_it_began_and_ended() -> None:
    marked = with_last_move(BOARD, BOARD, [(0, 5), (1, 8), (1, 99)])
    frames = marked.shapes[3:]
    assert all(isinstance(frame, Rect) and frame.fill == "none" for frame in frames)
    assert [(frame.id, frame.centre()) for frame in frames] == [
        ("last-0", (2.5, 0.5)),
        ("last-1-from", (0.5, 0.5)),
        ("last-1", (1.5, 0.5)),
    ]


def test_the_last_move_between_other_shapes_is_an_arrow() -> None:
    places = tuple(Circle(id=f"place-{x}", x=float(x), y=0.0, radius=0.4) for x in (0, 3))
    board = Drawing(4, 1, places, (FromTo("place-0", "place-3", {1: 8}),))
    (arrow,) = with_last_move(board, board, [(0, 8)]).shapes[2:]
    assert isinstance(arrow, Arrow)
    assert 0 < arrow.x < arrow.to_x < 3
