"""The board with its colours, where everybody stands, what each of them holds, and what is on the table."""

from math import prod

from kibitz import core
from kibitz.core import drawing
from kibitz.games.trails.board_file import colour_letters
from kibitz.games.trails.chips import in_words
from kibitz.games.trails.state import ANSWER, EXCHANGE, MOVEMENT, State

PAINT = {
    "red": "#d73027", "green": "#1a9850", "purple": "#762a83", "yellow": "#fee08b", "gray": "#bababa",
    "blue": "#4575b4", "orange": "#f46d43", "white": "#ffffff", "black": "#4d4d4d",
}  # fmt: skip


def draw(state: core.State) -> drawing.Drawing:
    """Small letters are colours, numbers players, `*` is the goal; chips and talk are on the right."""
    assert isinstance(state, State)
    board = state.board
    shapes: list[drawing.AnyShape] = [*_squares(state)]
    for player, place in enumerate(state.positions):
        row, col = divmod(place, board.cols)
        x, y = col + 0.5 + 0.33 * (player % 2), row + 0.5 + 0.3 * (player // 2)
        title = state.game.player_name(player)
        shapes.append(drawing.Circle(id=f"player-{player}", x=x, y=y, radius=0.2, fill=f"player{player}", title=title))
        shapes.append(drawing.Label(id=f"icon-{player}", x=x, y=y, text=str(player), size=0.3))
    lines = _lines(state)
    for number, line in enumerate(lines):
        shapes.append(drawing.Label(id=f"line-{number}", x=board.cols + 7.5, y=number + 0.5, text=line.ljust(42)))
    height = float(max(board.rows, len(lines)))
    caption = f"round {state.round}, {state.phase}; * is the goal, at {divmod(board.goal, board.cols)}"
    return drawing.Drawing(board.cols + 15.0, height, tuple(shapes), tuple(_inputs(state)), caption)


def _squares(state: State) -> list[drawing.Rect]:
    board = state.board
    letters = colour_letters(board.colours)
    squares = []
    for place, colour in enumerate(board.grid):
        row, col = divmod(place, board.cols)
        name = board.colours[colour]
        symbol = f"{letters[colour].lower()}{'*' if place == board.goal else ' '} "
        squares.append(
            drawing.Rect(
                id=f"square-{place}",
                x=float(col),
                y=float(row),
                fill=PAINT.get(name, name),
                stroke="ink" if place == board.goal else "faint",
                title=f"{name} ({row}, {col})" + (", the goal" if place == board.goal else ""),
                symbol=symbol,
            )
        )
    return squares


def _lines(state: State) -> list[str]:
    """What each player holds and could reach with it, then what is said."""
    board, lines = state.board, []
    for player, place in enumerate(state.positions):
        chips = state.chips[player] if player < len(state.chips) else None
        name = state.game.player_name(player)
        if chips is None:
            lines += [f"{name}: chips hidden"]
            continue
        lacking = board.lacking(place, chips)
        lacks = "no way" if lacking is None else in_words(board.colours, lacking)
        lines += [f"{name}: {in_words(board.colours, chips)}"]
        lines += [f"  best {board.best_use(place, chips)}, lacks {lacks}, still for {state.dormant[player]}"]
    if state.offer is not None and state.phase in (ANSWER, EXCHANGE):
        agreed = "agreed" if state.phase == EXCHANGE else "offered"
        who = state.game.player_name(state.proposer)
        given, asked = (in_words(board.colours, side) for side in state.offer)
        lines += [f"{agreed}: {who} gives {given}", f"  for {asked}"]
    return lines


def _inputs(state: State) -> list[drawing.Input]:
    """Counters for chips, clicks on squares to move to, of everyone who is to choose and whose chips are seen."""
    inputs: list[drawing.Input] = []
    for player in state.game.movers(state):
        if state.chips[player : player + 1] in ((), (None,)):
            continue
        legal = state.legal_actions(player)
        if state.phase == MOVEMENT:
            inputs += [drawing.Click(f"square-{state.target(player, step)}", step) for step in legal]
        elif (
            isinstance(legal, core.ProductActions)
            and legal[0] == 0
            and len(legal) == prod(map(len, legal.factors.values()))
        ):
            inputs.append(drawing.counters(legal.factors, legal.bases))
    return inputs
