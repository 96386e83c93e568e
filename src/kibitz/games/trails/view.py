"""Draws a position: the board with its colours, where players stand, what each holds, and what is on the table."""

from math import prod

from kibitz import core
from kibitz.core import drawing
from kibitz.games.trails.chips import colour_letters, in_words
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
        x, y = col + 0.35 + 0.33 * (player % 2), row + 0.4 + 0.3 * (player // 2)
        name = state.game.player_name(player)
        shapes.append(
            drawing.Circle(id=f"player-{player}", x=x, y=y, radius=0.3, fill="#ffffff", stroke="#111111", title=name)
        )
        shapes.append(drawing.Label(id=f"icon-{player}", x=x, y=y, text=str(player), size=0.42, fill="#111111"))
        shapes += _chips(state, player)
    lines = _lines(state)
    for number, (line, shown) in enumerate(lines):
        x, y = board.cols + 7.5, number + 0.5
        words = line.strip() if shown else " "
        shapes.append(drawing.Label(id=f"line-{number}", x=x, y=y, text=words, symbol=line.ljust(42)))
    height = float(max(board.rows, len(lines)))
    caption = f"round {state.round}, {state.phase}; * is the goal, at {divmod(board.goal, board.cols)}"
    return drawing.Drawing(board.cols + 15.0, height, tuple(shapes), tuple(_inputs(state)), caption)


def _squares(state: State) -> list[drawing.AnyShape]:
    board = state.board
    letters = colour_letters(board.colours)
    squares: list[drawing.AnyShape] = []
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
    row, col = divmod(board.goal, board.cols)
    star = drawing.Label(id="goal", x=col + 0.75, y=row + 0.75, text="★", symbol=" ", size=0.5, fill="#111111")
    return [*squares, star]


def _chips(state: State, player: int) -> list[drawing.AnyShape]:
    """A disc for each colour the player holds, with how many and the colour's letter."""
    chips = state.chips[player] if player < len(state.chips) else None
    x, y = state.board.cols + 1.5, 2 * player + 0.5
    who = drawing.Label(id=f"holder-{player}", x=x, y=y, text=state.game.player_name(player))
    if chips is None:
        return [who, drawing.Label(id=f"hidden-{player}", x=x + 4.0, y=y, text="chips hidden")]
    shapes: list[drawing.AnyShape] = [who]
    letters = colour_letters(state.board.colours)
    for colour, count in enumerate(chips):
        name, at = state.board.colours[colour], x + 2.0 + 2.0 * colour
        chip = f"chips-{player}-{colour}"
        title = f"{state.game.player_name(player)} holds {count} {name}"
        paint = PAINT.get(name, name)
        shapes += [
            drawing.Circle(id=chip, x=at, y=y, radius=0.4, fill=paint, stroke="#111111", title=title),
            drawing.Label(id=f"{chip}-count", x=at + 0.8, y=y, text=f"{count}{letters[colour].lower()}"),
        ]
    return shapes


def _lines(state: State) -> list[tuple[str, bool]]:
    """What is written beside the board, and whether a picture needs it: there chips are discs."""
    held = [line for player in range(len(state.positions)) for line in _holding(state, player)]
    return [(line, number % 2 == 1) for number, line in enumerate(held)] + [
        (line, True) for line in _offer_lines(state)
    ]


def _holding(state: State, player: int) -> list[str]:
    """What a player holds and could reach with it, in two lines."""
    chips = state.chips[player] if player < len(state.chips) else None
    board, place, name = state.board, state.positions[player], state.game.player_name(player)
    if chips is None:
        return [f"{name}: chips hidden", ""]
    lacking = board.lacking(place, chips)
    lacks = "no way" if lacking is None else in_words(board.colours, lacking)
    return [
        f"{name}: {in_words(board.colours, chips)}",
        f"  best {board.best_use(place, chips)}, lacks {lacks}, still for {state.dormant[player]}",
    ]


def _offer_lines(state: State) -> list[str]:
    """What is on the table."""
    if state.offer is None or state.phase not in (ANSWER, EXCHANGE):
        return []
    agreed = "agreed" if state.phase == EXCHANGE else "offered"
    who = state.game.player_name(state.proposer)
    given, asked = (in_words(state.board.colours, side) for side in state.offer)
    return [f"{agreed}: {who} gives {given}", f"  for {asked}"]


def _inputs(state: State) -> list[drawing.Input]:
    """Counters for chips and clicks on squares, for every player who is to choose and whose chips are visible."""
    inputs: list[drawing.Input] = []
    for player in state.game.movers(state):
        if state.chips[player : player + 1] in ((), (None,)):
            continue
        legal = state.legal_actions(player)
        if state.phase == MOVEMENT:
            inputs += [drawing.Click(f"square-{state.target(player, step)}", step, player) for step in legal]
        elif (
            isinstance(legal, core.ProductActions)
            and legal[0] == 0
            and len(legal) == prod(map(len, legal.factors.values()))
        ):
            inputs.append(drawing.counters(legal.factors, legal.bases, player))
    return inputs
