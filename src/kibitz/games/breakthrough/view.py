"""The board with player 0 at the bottom: click a piece, then where it goes."""

from msgspec.structs import replace

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.regions import FILES, PAWN, Square, name
from kibitz.games.breakthrough.rules import State, squares

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
