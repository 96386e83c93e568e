"""The map: areas in the colours of their owners, what stands there, and the ways of the unit that is asked."""

from math import cos, pi, sin

from kibitz import core
from kibitz.core import drawing
from kibitz.games.axis.board import Board
from kibitz.games.axis.rules import State

WIDE, HIGH = 4.0, 3.0
"""The room an area takes, in cells."""
LETTERS = 11
"""So many characters fit into it."""
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
    """Areas with a place of their own are there, others in a ring; sea zones and closed areas are left out."""
    assert isinstance(state, State)
    board = state.board
    places = places_of(board)
    shapes: list[drawing.AnyShape] = []
    for area, (x, y) in places.items():
        shapes += [_way(area, to, (x, y), places[to]) for to in board.ways[area] if to > area and to in places]
    for area, (x, y) in places.items():
        shapes += _area(state, area, x, y)
    width, height = (max(place[axis] for place in places.values()) for axis in (0, 1))
    inputs, marks = _inputs(state, places)
    caption = str(state).splitlines()
    told = next(line for line in caption if line.startswith(("turn ", "over")))
    return drawing.Drawing(width + WIDE / 2, height + HIGH / 2, (*shapes, *marks), inputs, told + _asked(state))


def places_of(board: Board) -> dict[int, tuple[float, float]]:
    """Where the areas are that a land unit may stand in."""
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
    """A name that fits."""
    for words, shorter in SHORTER.items():
        name = name.replace(words, shorter)
    return name[:LETTERS]


def _area(state: State, area: int, x: float, y: float) -> list[drawing.AnyShape]:
    """A box with the name and worth, and below what stands there."""
    board, owner = state.board, state.owners[area]
    here = board.areas[area]
    colour = f"player{owner}" if owner is not None else "faint"
    holder = board.powers[owner].name if owner is not None else "nobody"
    units = army_letters(board, area, state)
    factory = ", factory" if here.factory else ""
    title = f"{here.name}, {holder}, worth {board.worth[area]}{factory}: {units or 'empty'}"
    box = drawing.Rect(
        id=f"area-{area}",
        x=x - WIDE * 0.45,
        y=y - HIGH * 0.4,
        width=WIDE * 0.9,
        height=HIGH * 0.8,
        fill="board",
        stroke=colour,
        title=title,
    )
    name = drawing.Label(id=f"name-{area}", x=x, y=y - 0.5, text=short(here.name), fill=colour, size=0.45)
    army = drawing.Label(id=f"army-{area}", x=x, y=y + 0.5, text=units or "-", size=0.5)
    return [box, name, army]


def _way(one: int, other: int, start: tuple[float, float], end: tuple[float, float]) -> drawing.Arrow:
    """A line between neighbours."""
    x, y = start
    return drawing.Arrow(id=f"way-{one}-{other}", x=x, y=y, to_x=end[0], to_y=end[1], head=False, stroke="faint")


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


def _asked(state: State) -> str:
    """Which unit is asked, or where a battle is fought."""
    if state.fights:
        return f"; battle for {state.board.areas[state.fights[0].area].name}"
    if state.current_player() < 0:
        return ""
    post = state.posts[len(state.orders)]
    return f"; {state.board.units[post.kind].name} in {state.board.areas[post.area].name}?"
