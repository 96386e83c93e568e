"""Draws games of OpenSpiel: a board where the text of a position is a grid, else its text; buttons for the choices."""

import re
from collections.abc import Sequence

import msgspec

from kibitz import core
from kibitz.bridges.openspiel.rules import BridgedState, OpenSpiel
from kibitz.bridges.openspiel.views import View
from kibitz.core import drawing
from kibitz.core.drawing.buttons import MOST_BUTTONS, button_rows
from kibitz.core.drawing.positions import LETTERS, text_drawing

EMPTY = ".-_·+ "
MEN = dict.fromkeys("xXbB@", 0) | dict.fromkeys("oOwW", 1)
"""The players that letters on boards usually stand for."""
PLACE = re.compile(r"([a-z])(\d{1,2})(?:[-x]?([a-z])(\d{1,2}))?\*?|[a-z]?\((\d+),(\d+)\)")


class Grid(msgspec.Struct, frozen=True):
    """A board in the text of a position: its rows, their labels, and the lines around them."""

    rows: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    others: tuple[str, ...]


def draw(state: core.State) -> drawing.Drawing:
    """The board or the text of a position, with inputs for the choices that the viewer knows of."""
    assert isinstance(state, (BridgedState, View))
    chooses = not isinstance(state, View) or state.current == state.viewer
    grid = find_grid(str(state))
    if grid is not None:
        return draw_grid(state.game, state, grid, chooses)
    if chooses:
        return text_drawing(state.game, state)
    lines = str(state).splitlines()
    return drawing.Drawing(max(map(drawing.button_width, lines)), len(lines), line_shapes(lines, 0), (), lines[0])


def line_shapes(lines: Sequence[str], y: float) -> tuple[drawing.Label, ...]:
    """Lines of text, one below the other."""
    return tuple(
        drawing.Label(id=f"line-{number}", x=len(line) / LETTERS / 2 + 0.5, y=y + number + 0.5, text=line)
        for number, line in enumerate(lines)
    )


def find_grid(text: str) -> Grid | None:
    """The board in a text: three or more lines that follow each other, of equally many single letters."""
    lines = text.splitlines()
    cells = [_cells(line) for line in lines]
    best: range | None = None
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or len(cells[end][1]) != len(cells[start][1]):
            if len(cells[start][1]) >= 3 and end - start >= 3 and (best is None or end - start > len(best)):
                best = range(start, end)
            start = end
    if best is None:
        return None
    others = tuple(line for number, line in enumerate(lines) if number not in best and line.strip())
    return Grid(tuple(cells[n][1] for n in best), tuple(cells[n][0] for n in best), others)


def _cells(line: str) -> tuple[str, tuple[str, ...]]:
    """The label and the cells of a line; no cells if it is no row of a board."""
    found = re.fullmatch(r"\s*(\d{1,2}(?=[^\d]))?(.*)", line)
    label, rest = (found[1] or "", found[2]) if found else ("", line)
    rest = rest.strip("| ")
    if "|" in rest:
        parts = [part.strip() or " " for part in rest.split("|")]
    elif " " in rest.strip():
        parts = rest.split()
    else:
        parts = list(rest.strip())
    return (label, tuple(parts)) if len(parts) >= 3 and all(len(part) == 1 for part in parts) else (label, ())


def draw_grid(game: OpenSpiel, state: core.State, grid: Grid, chooses: bool) -> drawing.Drawing:
    """Squares with their pieces, the other lines of the text below, and inputs on the squares where that is clear."""
    columns, rows = len(grid.rows[0]), len(grid.rows)
    shapes: list[drawing.AnyShape] = [
        msgspec.structs.replace(square, title=f"row {int(square.y) + 1}, column {int(square.x) + 1}")
        for square in drawing.board_squares(columns, rows)
    ]
    for y, row in enumerate(grid.rows):
        shapes += [piece(letter, x, y) for x, letter in enumerate(row) if letter not in EMPTY]
    shapes += line_shapes(grid.others, rows)
    height = rows + len(grid.others)
    width = max([float(columns), *map(drawing.button_width, grid.others)])
    inputs = board_inputs(game, state, grid) if chooses else []
    if inputs is not None:
        return drawing.Drawing(width, height, tuple(shapes), tuple(inputs))
    buttons = button_rows(game, state, height, MOST_BUTTONS)
    return drawing.Drawing(
        max(width, buttons.width), height + buttons.height, (*shapes, *buttons.shapes), buttons.inputs
    )


def piece(letter: str, x: int, y: int) -> drawing.AnyShape:
    """A disc for letters that stand for a player, else the letter itself."""
    name, title = f"piece-{x}-{y}", f"{letter} in row {y + 1}, column {x + 1}"
    if letter in MEN:
        fill = drawing.ink_of(MEN[letter])
        return drawing.Circle(id=name, x=x + 0.5, y=y + 0.5, fill=fill, symbol=letter, title=title)
    return drawing.Label(id=name, x=x + 0.5, y=y + 0.5, text=letter, size=0.6, title=title)


def board_inputs(game: OpenSpiel, state: core.State, grid: Grid) -> list[drawing.Input] | None:
    """A click, or a step from square to square, for each choice; None unless every choice names its squares."""
    found: list[drawing.Input] = []
    for player in game.movers(state):
        for action in state.legal_actions(player):
            places = named_squares(state.action_to_string(player, action), grid)
            if places is None:
                return None
            shapes = [shape_on(grid, x, y) for x, y in places]
            if len(shapes) == 1:
                found.append(drawing.Click(shapes[0], action, player))
            else:
                found.append(drawing.FromTo(shapes[0], shapes[1], {1: action}, player))
    steps = [each.shape if isinstance(each, drawing.Click) else (each.source, each.target) for each in found]  # type: ignore[union-attr]
    return found if len(set(steps)) == len(steps) else None


def named_squares(notation: str, grid: Grid) -> Sequence[tuple[int, int]] | None:
    """The squares (column, row) that a notation names: `a2b3`, `x(0,1)`; None if it names none on this board."""
    match = PLACE.fullmatch(notation)
    if match is None:
        return None
    if match[1] is None:
        row, column = (int(each) for each in match.groups()[4:] if each is not None)
        places = [(column, row)]
    else:
        ends = [(match[1], match[2])] + ([(match[3], match[4])] if match[3] else [])
        if not any(grid.labels):
            return None
        try:
            places = [(ord(letter) - ord("a"), grid.labels.index(number)) for letter, number in ends]
        except ValueError:
            return None
    inside = all(0 <= x < len(grid.rows[0]) and 0 <= y < len(grid.rows) for x, y in places)
    return places if inside else None


def shape_on(grid: Grid, x: int, y: int) -> str:
    """The uppermost shape on a square: what a person clicks on."""
    return f"square-{x}-{y}" if grid.rows[y][x] in EMPTY else f"piece-{x}-{y}"
