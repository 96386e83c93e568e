"""The map: territories in the colours of their owners, their armies, and what the mover may click."""

from collections import defaultdict

from kibitz import core
from kibitz.core import drawing
from kibitz.games.risk import phases
from kibitz.games.risk.board import Board
from kibitz.games.risk.phases import AMOUNTS, TERRITORY, ends
from kibitz.games.risk.rules import State

COLUMNS, ROWS = 40.0, 21.0
"""The room the territories are laid out in, in cells."""
MARGIN = 2.0
LETTERS = 9
"""So many of a name's are drawn."""
MOST_AMOUNTS = 60
"""Of more amounts than these, only some can be chosen by hand."""


def draw(state: core.State) -> drawing.Drawing:
    """Territories where the map has them, and below whose turn it is."""
    assert isinstance(state, State)
    places = places_of(state.board)
    shapes: list[drawing.AnyShape] = [
        _way(one, other, places[one], places[other])
        for one, ways in enumerate(state.board.neighbours)
        for other in ways
        if one < other or one not in state.board.neighbours[other]
    ]
    for number, (place, owner, standing) in enumerate(zip(places, state.owners, state.standings(), strict=True)):
        shapes += _territory(state.board, number, place, owner, standing)
    inputs, buttons = _inputs(state)
    size = COLUMNS + 2 * MARGIN, ROWS + 2 * MARGIN
    return drawing.Drawing(*size, (*shapes, *buttons), inputs, state.headline())


def places_of(board: Board) -> list[tuple[float, float]]:
    """Where the territories are drawn, the whole map put into the room there is."""
    spread = []
    for axis, room in ((0, COLUMNS), (1, ROWS)):
        values = [territory.place[axis] for territory in board.territories]
        scale = room / max(1, max(values) - min(values))
        spread.append([MARGIN + (value - min(values)) * scale for value in values])
    return list(zip(*spread, strict=True))


def _territory(
    board: Board, number: int, place: tuple[float, float], owner: int, standing: str
) -> list[drawing.AnyShape]:
    """A disc in the owner's colour with its armies, and the name above it."""
    here, (x, y) = board.territories[number], place
    colour = f"player{owner}" if owner >= 0 else "faint"
    title = f"{here.name}, {board.continents[here.continent].name}: {standing}"
    disc = drawing.Circle(id=f"territory-{number}", x=x, y=y, radius=0.7, fill="board", stroke=colour, title=title)
    name = drawing.Label(id=f"name-{number}", x=x, y=y - 1.0, text=here.name[:LETTERS].strip(), fill=colour, size=0.45)
    armies = drawing.Label(id=f"armies-{number}", x=x, y=y, text=standing, fill=colour, size=0.7)
    return [disc, name, armies]


def _way(one: int, other: int, start: tuple[float, float], end: tuple[float, float]) -> drawing.Arrow:
    """A line between neighbours."""
    x, y = start
    return drawing.Arrow(id=f"way-{one}-{other}", x=x, y=y, to_x=end[0], to_y=end[1], head=False, stroke="faint")


def _inputs(state: State) -> tuple[tuple[drawing.Input, ...], list[drawing.AnyShape]]:
    """Territories are clicked, or one, another and an amount; whatever else there is gets a button."""
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
    buttons = [_button(state, number, action) for number, action in enumerate(others)]
    inputs += [drawing.Click(button.id, action) for button, action in zip(buttons, others, strict=True)]
    return tuple(inputs), buttons


def _offer(amounts: dict[int, int], amount: int, action: int) -> None:
    if len(amounts) < MOST_AMOUNTS:
        amounts[amount] = action


def _button(state: State, number: int, action: int) -> drawing.AnyShape:
    """Words to click on, in a row below the map."""
    words = state.action_to_string(state.current_player(), action)
    x = MARGIN + 2.0 + 5.0 * (number % 8)
    y = ROWS + MARGIN + 1.5 + number // 8
    return drawing.Label(id=f"choice-{number}", x=x, y=y, text=words, fill="ink", size=0.5)
