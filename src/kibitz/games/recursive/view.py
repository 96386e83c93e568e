"""One way to draw all these games: a board of squares, pieces on it, words beside it, a button per choice below."""

from collections.abc import Iterator

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.buttons import button_rows
from kibitz.games.recursive import boards
from kibitz.games.recursive.rules import State

MARGIN = 1.0
"""Cells left of the board, above it and below it."""
MOST_BUTTONS = 14
"""With more choices than this, the player types the move."""


def draw(state: core.State) -> drawing.Drawing:
    """The board of the position, and what each player may choose."""
    assert isinstance(state, State)
    board = boards.board(state.game, state.position)
    rows = button_rows(state.game, state, board.rows + 2 * MARGIN, MOST_BUTTONS)
    shapes = (*_squares(board), *_pieces(board), *_words(board), *rows.shapes)
    width = max(board.columns + MARGIN, rows.width)
    height = board.rows + (2 * MARGIN if rows.height else MARGIN) + rows.height
    return drawing.Drawing(width, height, shapes, rows.inputs, str(state))


def _squares(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for square in drawing.board_squares(board.columns, board.rows, x=MARGIN, y=MARGIN):
        mark = board.marks.get((round(square.x - MARGIN), round(square.y - MARGIN)))
        if mark is None:
            yield square
        else:
            yield drawing.Rect(
                id=square.id, x=square.x, y=square.y, fill=mark.fill, symbol=mark.symbol, title=mark.title
            )


def _pieces(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for piece in board.pieces:
        x, y = piece.x + MARGIN, piece.y + MARGIN
        yield drawing.Circle(
            id=piece.id,
            x=x,
            y=y,
            radius=piece.radius,
            fill=f"player{piece.player}",
            stroke="mark" if piece.marked else "none",
            title=piece.title,
        )
        if piece.north:
            yield drawing.Arrow(id=f"{piece.id}-heading", x=x, y=y - 0.3, to_x=x, to_y=y - 0.95, stroke="ink")
        yield drawing.Label(id=f"{piece.id}-text", x=x, y=y, text=piece.text, fill="#ffffff")


def _words(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for number, (x, y, text) in enumerate(board.words):
        yield drawing.Label(id=f"word-{number}", x=x + MARGIN, y=y + MARGIN, text=text)
