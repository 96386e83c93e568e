"""Draws the map: areas in the colours of their owners, units, and the moves of the unit that gets an order."""

from functools import lru_cache
from math import cos, pi, sin

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import regions as cells
from kibitz.games.axis.board import Board
from kibitz.games.axis.rules import State

WIDE, HIGH = 4.0, 3.0
"""The room an area takes, in cells."""
LETTERS = 11
"""How many characters of text fit into it."""
SHORTER = {
    " S.S.R.": "",
    " National Okrug": "",
    " Islands": " Is",
    " Island": " Is",
    "Western ": "W ",
    "Eastern ": "E ",
    "Central ": "C ",
    "Southern ": "S ",
    "United States": "USA",
    "United ": "Utd ",
    "Italian ": "It ",
    " Africa": " Afr",
    "Equatorial ": "Eq ",
    "French ": "Fr ",
    "Union of ": "",
}


def draw(state: core.State) -> drawing.Drawing:
    """Areas with a place of their own are there, others in a ring; sea zones are left out."""
    if not isinstance(state, State):
        from kibitz.games.axis.full.view import draw_world

        return draw_world(state)
    board = state.board
    places = places_of(board)
    drawn = scenery_of(board)
    width, height = (max(place[axis] for place in drawn.values()) for axis in (0, 1))
    grown = cells_of(board)
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="sea", x=0.0, y=0.0, width=width + WIDE * 0.6, height=height + HIGH * 0.75, fill="sea"),
        *cells.lane_shapes(grown.lanes, list(drawn.values()), width),
    ]
    shapes += [_land(state, area, outline) for area, outline in zip(drawn, grown.outlines, strict=True)]
    for area, (x, y) in drawn.items():
        shapes += _words(state, area, x, y)
    inputs, marks = _inputs(state, places)
    caption = str(state).splitlines()
    told = next(line for line in caption if line.startswith(("turn ", "over")))
    words = f"{board.name}: {told}{_prompt_text(state)}"
    return drawing.Drawing(width + WIDE * 0.6, height + HIGH * 0.75, (*shapes, *marks), inputs, words)


@lru_cache(maxsize=16)
def cells_of(board: Board) -> cells.Cells:
    """The outline of the whole picture."""
    drawn = scenery_of(board)
    numbers = {area: number for number, area in enumerate(drawn)}
    open_ways = tuple(tuple(numbers[to] for to in board.ways[area] if to in numbers) for area in drawn)
    ways = tuple(tuple(numbers[to] for to in board.areas[area].neighbours if to in numbers) for area in drawn)
    grown = cells.grow_cells(cells.around(tuple(drawn.values()), ways), ways)
    return cells.Cells(grown.outlines, tuple(pair for pair in grown.lanes if pair[1] in open_ways[pair[0]]))


def scenery_of(board: Board) -> dict[int, tuple[float, float]]:
    """The places of all drawn areas: those a land unit may stand in, and closed ones that have a place."""
    closed = {number: area.place for number, area in enumerate(board.areas) if area.closed and area.place is not None}
    return {**places_of(board), **closed}


def places_of(board: Board) -> dict[int, tuple[float, float]]:
    """The places of the areas that a land unit may stand in."""
    given = {area: place for area in board.land if (place := board.areas[area].place) is not None}
    if len(given) == len(board.land):
        return given
    radius = max(1.0, len(board.land) * WIDE / 5.0)
    return {
        area: (radius * (1.0 + sin(angle)) + WIDE / 2, radius * (1.0 - cos(angle)) * HIGH / WIDE + HIGH / 2)
        for number, area in enumerate(board.land)
        for angle in [2.0 * pi * number / len(board.land)]
    }


def army_letters(board: Board, area: int, state: State) -> str:
    """What stands in an area: the power's letter, then how many of what, `G3i2t`."""
    found = []
    for number, power in enumerate(board.powers):
        army = state.army(area, number)
        if army:
            counts = zip(army, board.units, strict=True)
            found.append(
                power.name[0].upper() + "".join(f"{n}{(*unit.also, unit.name[0])[0]}" for n, unit in counts if n)
            )
    return " ".join(found)


def short(name: str) -> str:
    """A name with its long words cut."""
    for words, shorter in SHORTER.items():
        name = name.replace(words, shorter)
    return name


def _land(state: State, area: int, outline: tuple[cells.Point, ...]) -> drawing.Polygon:
    """The cell of an area in its owner's colour."""
    board, owner, here = state.board, state.owners[area], state.board.areas[area]
    holder = board.powers[owner].name if owner is not None else "closed" if here.closed else "nobody"
    factory = ", factory" if here.factory else ""
    units = army_letters(board, area, state) or "empty"
    return drawing.Polygon(
        id=f"area-{area}",
        points=outline,
        fill=f"land{owner}" if owner is not None else "land",
        stroke="ink" if here.city or here.factory else "faint",
        thickness=0.1 if here.city or here.factory else 0.04,
        title=f"{here.name}, {holder}, worth {board.worth[area]}{factory}: {units}",
    )


def _words(state: State, area: int, x: float, y: float) -> list[drawing.AnyShape]:
    """The name of an area, and below what stands there."""
    here = state.board.areas[area]
    name = short(here.name)
    label = drawing.Label(id=f"name-{area}", x=x, y=y - 0.5, text=name, symbol=name[:LETTERS], size=0.42)
    if here.closed:
        return [label]
    units = army_letters(state.board, area, state) or "-"
    return [label, drawing.Label(id=f"army-{area}", x=x, y=y + 0.5, text=units, size=0.5)]


def _inputs(
    state: State, places: dict[int, tuple[float, float]]
) -> tuple[tuple[drawing.Input, ...], list[drawing.AnyShape]]:
    """From the unit's area to where it may go; a blitz is clicked at the area it takes on its way."""
    if state.current_player() < 0:
        return (), []
    areas = len(state.board.areas)
    origin = state.posts[len(state.orders)].area
    inputs: list[drawing.Input] = []
    marks: list[drawing.AnyShape] = []
    for action in state.legal_actions():
        via, to = divmod(action, areas)
        if not via:
            inputs.append(drawing.FromTo(f"area-{origin}", f"area-{to}", {1: action}))
            continue
        (x, y), (to_x, to_y) = places[via - 1], places[to]
        mark = f"blitz-{via - 1}-{to}"
        marks.append(drawing.Arrow(id=mark, x=x, y=y, to_x=to_x, to_y=to_y, stroke="mark", title="blitz"))
        inputs.append(drawing.Click(mark, action))
    return tuple(inputs), marks


def _prompt_text(state: State) -> str:
    """Which unit gets an order, or where a battle is fought."""
    if state.fights:
        return f"; battle for {state.board.areas[state.fights[0].area].name}"
    if state.current_player() < 0:
        return ""
    post = state.posts[len(state.orders)]
    return f"; {state.board.units[post.kind].name} in {state.board.areas[post.area].name}?"
