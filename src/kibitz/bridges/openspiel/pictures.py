"""Draws games of OpenSpiel: a board where the text of a position is a grid, else its text; buttons for the choices."""

import re
from collections.abc import Sequence

import msgspec

from kibitz import core
from kibitz.bridges.openspiel.grids import Grid, find_grid
from kibitz.bridges.openspiel.rules import BridgedState, OpenSpiel
from kibitz.bridges.openspiel.texts import position_lines
from kibitz.bridges.openspiel.views import View
from kibitz.core import drawing
from kibitz.core.drawing.buttons import button_choices
from kibitz.core.drawing.positions import LETTERS

MEN = dict.fromkeys("xXbB@", 0) | dict.fromkeys("oOwW", 1)
"""The players that letters on boards usually stand for."""
DRAUGHTS = {"o": 0, "+": 1}
"""The same on boards with men that are a plus."""
SQUARES = re.compile(r"(?:[BW] )?([a-z])(\d{1,2})(?:[-x]?([a-z])(\d{1,2}))?\*?")
"""Squares by letter and number: `c3`, `B c3`, `a2b3*`, `a2-b3`."""
NUMBERS = re.compile(r"(?:[xoXO] (?:From|To|Shoot:?) |[a-z])?\((\d+), ?(\d+)\)")
"""A square by its row and column, from 0: `x(0,1)`."""
COLUMN = re.compile(r"[xo](\d+)")
"""A column in which a man falls down."""
MOST = 60
"""Most choices that have buttons."""


def draw(state: core.State) -> drawing.Drawing:
    """The board or the text of a position, with inputs for the choices that the viewer knows of."""
    assert isinstance(state, (BridgedState, View))
    chooses = not isinstance(state, View) or state.current == state.viewer
    grid = find_grid(str(state))
    if grid is not None:
        return draw_grid(state.game, state, grid, chooses)
    return with_buttons(state, (0.0, 0), (), position_lines(state), (), chooses)


def line_shapes(lines: Sequence[str], y: float) -> tuple[drawing.Label, ...]:
    """Lines of text, one below the other."""
    return tuple(
        drawing.Label(id=f"line-{number}", x=len(line) / LETTERS / 2 + 0.5, y=y + number + 0.5, text=line)
        for number, line in enumerate(lines)
    )


def with_buttons(
    state: BridgedState | View,
    size: tuple[float, int],
    shapes: Sequence[drawing.AnyShape],
    lines: Sequence[str],
    inputs: Sequence[drawing.Input],
    chooses: bool,
) -> drawing.Drawing:
    """A picture: what is drawn already, in so many cells, lines below it, and buttons for choices without an input."""
    width = max([size[0], *((len(line) + LETTERS) / LETTERS for line in lines)])
    height = size[1] + len(lines)
    shown, name = (*shapes, *line_shapes(lines, size[1])), lines[0] if lines else ""
    if not chooses:
        return drawing.Drawing(width, height, shown, tuple(inputs), name)
    done = {each.action for each in inputs if isinstance(each, drawing.Click)}
    done |= {each.actions[1] for each in inputs if isinstance(each, drawing.FromTo)}
    return drawing.Drawing(width, height, shown, (*inputs, *button_choices(state.game, state, MOST, done)), name)


def draw_grid(game: OpenSpiel, state: BridgedState | View, grid: Grid, chooses: bool) -> drawing.Drawing:
    """Squares with their pieces, the other lines of the text below, and inputs on the squares where that is clear."""
    columns, rows = len(grid.rows[0]), len(grid.rows)
    shapes: list[drawing.AnyShape] = [
        msgspec.structs.replace(square, title=square_title(grid, int(square.x), int(square.y)))
        for square in drawing.board_squares(columns, rows)
    ]
    men = DRAUGHTS if grid.empty == "." and any("+" in row for row in grid.rows) else MEN
    for y, row in enumerate(grid.rows):
        shapes += [piece(letter, x, y, men) for x, letter in enumerate(row) if not grid.is_empty(x, y)]
    inputs = board_inputs(game, state, grid) if chooses else ()
    return with_buttons(state, (columns, rows), shapes, position_lines(state, grid.others), inputs, chooses)


def square_title(grid: Grid, x: int, y: int) -> str:
    """The name of a square: `c3` on boards with labels."""
    return f"{grid.columns[x]}{grid.labels[y]}" if grid.columns and grid.labels[y] else f"row {y + 1}, column {x + 1}"


def piece(letter: str, x: int, y: int, men: dict[str, int]) -> drawing.AnyShape:
    """A disc for letters that stand for a player, else the letter itself."""
    name, title = f"piece-{x}-{y}", f"{letter} in row {y + 1}, column {x + 1}"
    if letter in men:
        fill = drawing.ink_of(men[letter])
        return drawing.Circle(id=name, x=x + 0.5, y=y + 0.5, fill=fill, symbol=letter, title=title)
    return drawing.Label(id=name, x=x + 0.5, y=y + 0.5, text=letter, size=0.6 / len(letter) ** 0.5, title=title)


def board_inputs(game: OpenSpiel, state: core.State, grid: Grid) -> list[drawing.Input]:
    """A click, or a step from square to square, for each choice whose squares are clear and not those of another."""
    found: dict[tuple[str, ...], list[drawing.Input]] = {}
    for player in game.movers(state):
        for action in state.legal_actions(player):
            places = named_squares(state.action_to_string(player, action), grid)
            if places is None:
                continue
            shapes = tuple(shape_on(grid, x, y) for x, y in places)
            if len(shapes) == 1:
                each: drawing.Input = drawing.Click(shapes[0], action, player)
            else:
                each = drawing.FromTo(shapes[0], shapes[1], {1: action}, player)
            found.setdefault(shapes, []).append(each)
    return [inputs[0] for inputs in found.values() if len(inputs) == 1]


def named_squares(notation: str, grid: Grid) -> Sequence[tuple[int, int]] | None:
    """The squares (column, row) that a notation names; None if it names none on this board."""
    match = SQUARES.fullmatch(notation)
    if match is not None:
        ends = [(match[1], match[2])] + ([(match[3], match[4])] if match[3] else [])
        places = [(ord(letter) - ord("a"), grid.row_of(number)) for letter, number in ends]
        if all(grid.holds(x, y) for x, y in places):
            return places
    match = NUMBERS.fullmatch(notation)
    if match is not None:
        row, column = int(match[1]), int(match[2])
        return [(column, row)] if grid.holds(column, row) else None
    match = COLUMN.fullmatch(notation)
    if match is not None and grid.holds(int(match[1]), 0):
        column = int(match[1])
        free = [y for y in range(len(grid.rows)) if grid.is_empty(column, y)]
        return [(column, free[-1])] if free else None
    return None


def shape_on(grid: Grid, x: int, y: int) -> str:
    """The uppermost shape on a square: what a person clicks on."""
    return f"square-{x}-{y}" if grid.is_empty(x, y) else f"piece-{x}-{y}"
