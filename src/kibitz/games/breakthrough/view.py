"""The board with player 0 at the bottom: click a piece, then where it goes."""

from msgspec.structs import replace

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.squares import Square, name
from kibitz.games.breakthrough.rules import State, squares


def draw(state: core.State) -> drawing.Drawing:
    """Squares, pieces, and a step per legal action."""
    assert isinstance(state, State)
    game, pieces = state.game, state.pieces
    shapes: list[drawing.AnyShape] = [
        replace(square, title=name((int(square.x) - 1, game.rows - 1 - int(square.y))))
        for square in drawing.board_squares(game.columns, game.rows, x=1.0)
    ]
    shapes += [
        drawing.Label(id=f"rank-{y + 1}", x=0.5, y=game.rows - y - 0.5, text=str(y + 1)) for y in range(game.rows)
    ]
    shapes += [
        drawing.Label(id=f"file-{letter}", x=x + 1.5, y=game.rows + 0.5, text=letter)
        for x, letter in enumerate("abcdefgh"[: game.columns])
    ]
    for player in (0, 1):
        shapes += [
            drawing.Circle(
                id=f"piece-{name(square)}",
                x=square[0] + 1.5,
                y=game.rows - square[1] - 0.5,
                fill=f"player{player}",
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
    return drawing.Drawing(game.columns + 1.0, game.rows + 1.0, tuple(shapes), tuple(inputs), caption)


def shape_on(state: State, square: Square) -> str:
    """The uppermost shape on a square: what a person clicks on."""
    if square in state.pieces[0] | state.pieces[1]:
        return f"piece-{name(square)}"
    return f"square-{square[0]}-{state.game.rows - 1 - square[1]}"
