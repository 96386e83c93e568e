"""Draws the board: bases, pawns outside, and how many are still at home."""

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing.squares import FILES, Square, coordinates, name
from kibitz.games.pawns.rules import BASE, BLACK, WHITE, State


def draw(state: core.State) -> drawing.Drawing:
    """Rank 1 at the bottom; a base that counts as one square shows its pawns as a number."""
    assert isinstance(state, State)
    size = state.game.size
    shapes: list[drawing.AnyShape] = [_square(state, (x, y)) for y in reversed(range(size)) for x in range(size)]
    for place in range(size):
        shapes.append(drawing.Label(id=f"rank-{place + 1}", x=0.5, y=size - place - 0.5, text=str(place + 1)))
        shapes.append(drawing.Label(id=f"file-{FILES[place]}", x=place + 1.5, y=size + 0.5, text=FILES[place]))
    for player, letter in ((BLACK, "b"), (WHITE, "w")):
        title = state.game.player_name(player)
        for square in sorted(state.outside[player]):
            x, y = _place(state, square)
            shapes.append(
                drawing.Circle(
                    id=f"pawn-{name(square)}",
                    x=x + 0.5,
                    y=y + 0.5,
                    fill=f"player{player}",
                    symbol=letter,
                    title=f"{title} pawn on {name(square)}",
                )
            )
        if state.at_home[player]:
            x, y = _place(state, state.game.corner(player))
            shapes.append(
                drawing.Label(
                    id=f"home-{player}",
                    x=x + 0.5,
                    y=y + 0.5,
                    text=f"{state.at_home[player]}{letter}",
                    fill=f"player{player}",
                    title=f"{state.at_home[player]} {title} at home",
                )
            )
    caption = f"ply {state.ply}, {state.game.player_name(state.player)} to move"
    return drawing.Drawing(size + 1.0, size + 1.0, tuple(shapes), tuple(_inputs(state)), caption)


def _inputs(state: State) -> list[drawing.Input]:
    inputs: list[drawing.Input] = []
    for action in state.legal_actions():
        origin, target = divmod(action, 64)
        source = f"home-{state.player}" if origin == BASE else f"pawn-{name(coordinates(origin))}"
        inputs.append(drawing.FromTo(source, f"square-{name(coordinates(target))}", {1: action}))
    return inputs


def _square(state: State, square: Square) -> drawing.Rect:
    x, y = _place(state, square)
    player = next((p for p in (BLACK, WHITE) if state.game.distance(square, p) == 0), None)
    fill = "shade" if player is not None else "board"
    edge = f"player{player}" if player is not None else "faint"
    symbol = ":" if player is not None else "·"
    return drawing.Rect(
        id=f"square-{name(square)}", x=x, y=y, fill=fill, stroke=edge, symbol=symbol, title=name(square)
    )


def _place(state: State, square: Square) -> tuple[float, float]:
    """The upper left corner of a square in the picture, beside the column of rank numbers."""
    return square[0] + 1.0, float(state.game.size - 1 - square[1])
