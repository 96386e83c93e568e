"""The board with player 0 at the bottom: click a piece, then where it goes; all of it as named fields, too."""

from typing import Any

import msgspec
from msgspec.structs import replace

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import PAWN
from kibitz_lab.games.bitboards import FILES, Square, name, number
from kibitz_lab.games.breakthrough.rules import Breakthrough, State, squares

LEFT = 0.6
"""Cells left of the board."""


def draw(state: core.State) -> drawing.Drawing:
    """Squares, pieces, and a step per legal action."""
    assert isinstance(state, State)
    game, pieces = state.game, state.pieces
    shapes: list[drawing.AnyShape] = [
        replace(square, title=name((round(square.x - LEFT), game.rows - 1 - round(square.y))), corner=0.0)
        for square in drawing.board_squares(game.columns, game.rows, x=LEFT)
    ]
    shapes += [
        drawing.Label(id=f"rank-{y + 1}", x=0.3, y=game.rows - y - 0.5, text=str(y + 1), size=0.3)
        for y in range(game.rows)
    ]
    shapes += [
        drawing.Label(id=f"file-{letter}", x=x + LEFT + 0.5, y=game.rows + 0.3, text=letter, size=0.3)
        for x, letter in enumerate(FILES[: game.columns])
    ]
    for player in (0, 1):
        shapes += [
            drawing.Piece(
                id=f"piece-{name(square)}",
                x=square[0] + LEFT + 0.5,
                y=game.rows - square[1] - 0.5,
                art=PAWN,
                size=1.05,
                fill=("#fdfdfd", "#3b3b3b")[player],
                stroke="#111111",
                title=f"{game.player_name(player)} on {name(square)}",
                symbol=str(player),
            )
            for square in sorted(pieces[player])
        ]
    inputs = []
    for action in state.legal_actions():
        origin, target = squares(action, state.player)
        inputs.append(drawing.FromTo(shape_on(state, origin), shape_on(state, target), {1: action}))
    caption = str(state).splitlines()[-1]
    notes = tuple(_note(state, player) for player in (0, 1))
    return drawing.Drawing(game.columns + 0.7, game.rows + 0.6, tuple(shapes), tuple(inputs), caption, notes)


def _note(state: State, player: int) -> drawing.PlayerNote:
    far = state.game.rows if player == 0 else 1
    prompt = f"Bring a pawn to row {far}: tap a pawn, then a marked square; pawns capture diagonally."
    to_move = state.current_player() == player
    return drawing.PlayerNote(player, prompt if to_move else "", standing=f"{len(state.pieces[player])} pawns")


def shape_on(state: State, square: Square) -> str:
    """The uppermost shape on a square: what a person clicks on."""
    if square in state.pieces[0] | state.pieces[1]:
        return f"piece-{name(square)}"
    return f"square-{square[0]}-{state.game.rows - 1 - square[1]}"


class BreakthroughBoard(msgspec.Struct, frozen=True):
    """The size of the board: ranks from 1, files from a."""

    rows: int
    columns: int


class BreakthroughView(msgspec.Struct, frozen=True):
    """The squares of both players' pieces, who moves, and the winner (null while the game goes on)."""

    pieces: list[list[str]]
    player: int
    winner: int | None


def word_values(game: Breakthrough) -> dict[str, Any]:
    """What the words leave open."""
    row, middle = 2 if game.rows >= 6 else 1, game.rows // 2
    return {"deep_rows": row, "step": f"a{row}-a{row + 1}", "taking": f"a{middle}xb{middle + 1}"}


def board(game: Breakthrough) -> BreakthroughBoard:
    return BreakthroughBoard(game.rows, game.columns)


def view(state: State) -> BreakthroughView:
    pieces = [[name(square) for square in sorted(side, key=number)] for side in state.pieces]
    return BreakthroughView(pieces, state.player, state.winner)


FIELDS = Fields(board, view)
