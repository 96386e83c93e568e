"""Draws the map: territories in the colours of their owners, their armies, and what the mover may click."""

import tomllib
from collections import defaultdict
from functools import lru_cache

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import regions as cells
from kibitz.games.risk import phases
from kibitz.games.risk.board import Board
from kibitz.games.risk.maps import CLASSIC
from kibitz.games.risk.phases import AMOUNTS, TERRITORY, ends
from kibitz.games.risk.rules import State

COLUMNS, ROWS = 44.0, 25.0
"""The room the territories are laid out in, in cells."""
MARGIN = 2.0
LETTERS = 9
"""How many letters of a name's words are written where there is little room."""
MOST_AMOUNTS = 60
"""With more amounts than this, the player can click only some."""
SHORTER = {" Territory": "", "United States": "US", "Western": "West", "Eastern": "East", "Northern": "North"}


def draw(state: core.State) -> drawing.Drawing:
    """Territories where the map has them, and below whose turn it is."""
    assert isinstance(state, State)
    board = state.board
    land = land_of(board)
    places = [(discs[0][0], discs[0][1]) for discs in land]
    grown = cells.grow_cells(land, board.neighbours)
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="sea", x=0.0, y=0.0, width=COLUMNS, height=ROWS, fill="sea"),
        *cells.lane_shapes(grown.lanes, places, COLUMNS),
    ]
    standing = list(zip(state.owners, state.standings(), strict=True))
    shapes += [_land(board, number, outline, *standing[number]) for number, outline in enumerate(grown.outlines)]
    for number, place in enumerate(places):
        shapes += _armies(board, number, place, *standing[number])
    inputs, buttons = _inputs(state)
    return drawing.Drawing(COLUMNS, ROWS + 2.0, (*shapes, *buttons), inputs, state.headline())


@lru_cache(maxsize=16)
def land_of(board: Board) -> tuple[tuple[cells.Disc, ...], ...]:
    """The land of every territory: drawn by us for the classic map, else grown around the map's own coordinates."""
    drawn = tomllib.loads(CLASSIC.with_name("classic_land.toml").read_text())
    if all(territory.name in drawn for territory in board.territories):
        return tuple(tuple((x, y, r) for x, y, r in drawn[territory.name]) for territory in board.territories)
    return cells.around(places_of(board), board.neighbours)


def places_of(board: Board) -> list[tuple[float, float]]:
    """Where the map has its territories, all of it put into the room there is."""
    spread = []
    for axis, room in ((0, COLUMNS), (1, ROWS)):
        values = [territory.place[axis] for territory in board.territories]
        scale = (room - 2 * MARGIN) / max(1, max(values) - min(values))
        spread.append([MARGIN + (value - min(values)) * scale for value in values])
    return list(zip(*spread, strict=True))


def short(name: str) -> str:
    """A name with its long words cut."""
    for words, shorter in SHORTER.items():
        name = name.replace(words, shorter)
    return name


def _land(board: Board, number: int, outline: tuple[cells.Point, ...], owner: int, standing: str) -> drawing.Polygon:
    """The cell in the owner's colour, its border in that of the continent."""
    here = board.territories[number]
    continent = board.continents[here.continent]
    return drawing.Polygon(
        id=f"territory-{number}",
        points=outline,
        fill=f"land{owner}" if owner >= 0 else "land",
        stroke=continent.colour,
        thickness=0.1,
        title=f"{here.name}, {continent.name}: {standing}",
    )


def _armies(board: Board, number: int, place: tuple[float, float], owner: int, standing: str) -> list[drawing.AnyShape]:
    """The armies on a disc in the owner's colour, and the name above it."""
    colour, (x, y) = f"player{owner}" if owner >= 0 else "faint", place
    name = short(board.territories[number].name)
    return [
        drawing.Circle(id=f"disc-{number}", x=x, y=y + 0.2, radius=0.55, fill="board", stroke=colour, thickness=0.12),
        drawing.Label(id=f"name-{number}", x=x, y=y - 0.65, text=name, symbol=name[:LETTERS].strip(), size=0.42),
        drawing.Label(id=f"armies-{number}", x=x, y=y + 0.2, text=standing, size=0.5),
    ]


def _inputs(state: State) -> tuple[tuple[drawing.Input, ...], list[drawing.AnyShape]]:
    """Clicks on territories, or on one, another and an amount; every other action gets a button."""
    if state.current_player() < 0:
        return (), []
    legal, phase, count = state.legal_actions(), state.phase, len(state.owners)
    if phase in TERRITORY:
        return tuple(drawing.Click(f"territory-{action}", action) for action in legal), []
    ways: defaultdict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    others = []
    for action in legal:
        if phase == phases.PLACE:
            place, amount = divmod(action, AMOUNTS)
            _offer(ways[place, place], amount, action)
        elif phase in (phases.ATTACK, phases.FORTIFY) and action:
            way, amount = (action, 1) if phase == phases.ATTACK else divmod(action, AMOUNTS)
            _offer(ways[ends(way, count)], amount, action)
        else:
            others.append(action)
    inputs: list[drawing.Input] = [
        drawing.FromTo(f"territory-{one}", f"territory-{other}", actions) for (one, other), actions in ways.items()
    ]
    buttons: list[drawing.AnyShape] = []
    x = MARGIN
    for number, action in enumerate(others):
        words = state.action_to_string(state.current_player(), action)
        buttons += drawing.button(f"choice-{number}", words, x, ROWS + 0.5)
        inputs.append(drawing.Click(f"choice-{number}", action))
        x += drawing.button_width(words)
    return tuple(inputs), buttons


def _offer(amounts: dict[int, int], amount: int, action: int) -> None:
    if len(amounts) < MOST_AMOUNTS:
        amounts[amount] = action
