"""One way to draw all these games: a board of squares, figures on it, words beside it; and maps of their states."""

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import StateMap
from kibitz.core.pictures.figures import PRINT, counter
from kibitz_solve.games import boards
from kibitz_solve.games.art import CARD
from kibitz_solve.games.bear_brawl import BEAR, HERO, BearBrawl
from kibitz_solve.games.pursuit import Pursuit
from kibitz_solve.games.rules import State
from kibitz_solve.games.soccer import COLUMNS, ROWS, Soccer

MARGIN, EDGE = 1.0, 0.3
"""Cells beside the board and above it, and below it."""
LARGE, LARGER = 15, 2.0
"""On boards with so many columns figures are drawn so much larger."""


def draw(state: core.State) -> drawing.Drawing:
    """The board of the position."""
    assert isinstance(state, State)
    board = boards.board(state.game, state.position)
    shapes = (*_squares(board), *_pieces(board), *_words(board))
    clicks = tuple(_clicks(state, board))
    players = range(state.game.players)
    pressed = {click.player for click in clicks}
    notes = tuple(drawing.PlayerNote(player, _prompt(state, player, board=player in pressed)) for player in players)
    return drawing.Drawing(board.columns + 2 * MARGIN, board.rows + MARGIN + EDGE, shapes, clicks, str(state), notes)


def _clicks(state: State, board: boards.Board) -> Iterator[drawing.Click]:
    """The shapes that stand for the choices of the players to move."""
    for player in state.game.movers(state):
        legal = state.legal_actions(player)
        shapes = board.presses[player].items() if player < len(board.presses) else ()
        yield from (drawing.Click(shape, action, player) for action, shape in shapes if action in legal)


def _prompt(state: State, player: int, *, board: bool) -> str:
    """What a player may choose, on the board or below it, and whether the other chooses at the same time."""
    if player not in state.game.movers(state):
        return ""
    others = "both choose at the same time" if len(state.game.movers(state)) > 1 else "the other waits"
    name = state.game.player_name(player)
    who = "" if name == f"player {player}" else f"You play {name}. "
    return f"{who}{'Tap what is marked' if board else 'Choose below'}; {others}."


def _squares(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for square in drawing.board_squares(board.columns, board.rows, x=MARGIN, y=MARGIN):
        place = round(square.x - MARGIN), round(square.y - MARGIN)
        mark = board.marks.get(place, boards.Mark(square.fill, square.symbol))
        title = ", ".join(filter(None, (_square_name(board, *place), mark.title)))
        yield replace(square, fill=mark.fill, symbol=mark.symbol, title=title)


def _square_name(board: boards.Board, column: int, row: int) -> str:
    """A square as the game counts, from left to right and upwards; nothing where squares have no names."""
    if board.origin is None:
        return ""
    x, y = column - board.origin[0], board.origin[1] - row
    return f"{board.kind} {x}" if board.rows == 1 else f"{board.kind} ({x}, {y})"


def _pieces(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for piece in board.pieces:
        x, y, ink = piece.x + MARGIN, piece.y + MARGIN, drawing.ink_of(piece.player)
        if piece.art is not None:
            yield from _figure(piece, x, y, piece.radius * (LARGER if board.columns > LARGE else 1.0))
            continue
        edge = "mark" if piece.marked else "none"
        yield drawing.Circle(
            id=piece.id, x=x, y=y, radius=piece.radius, fill=ink, stroke=edge, thickness=0.08, title=piece.title
        )
        yield drawing.Label(id=f"{piece.id}-text", x=x, y=y, text=piece.text, fill="#ffffff", bold=True)


def _figure(piece: boards.Piece, x: float, y: float, radius: float) -> Iterator[drawing.AnyShape]:
    """A figure with its number, on a ring if it is marked."""
    assert piece.art is not None
    if piece.marked:
        yield drawing.Circle(id=f"{piece.id}-ring", x=x, y=y, radius=1.3 * radius, fill="mark")
    if piece.north:
        yield drawing.Arrow(id=f"{piece.id}-heading", x=x, y=y - radius, to_x=x, to_y=y - radius - 0.6, stroke="ink")
    yield from counter(
        piece.id,
        x,
        y,
        piece.art,
        1,
        fill=drawing.ink_of(piece.player),
        title=piece.title,
        symbol=piece.text,
        size=2.4 * radius,
    )
    if piece.art == CARD:
        name = f"{piece.id}-text"
        yield drawing.Label(id=name, x=x, y=y, text=piece.text, size=0.4, fill=PRINT, symbol=" ", bold=True)
    elif piece.text.isdecimal():
        at_x, at_y = x + 0.8 * radius, y + 0.8 * radius
        yield drawing.Circle(
            id=f"{piece.id}-badge", x=at_x, y=at_y, radius=0.18, fill="#ffffff", stroke="ink", thickness=0.03
        )
        name = f"{piece.id}-text"
        yield drawing.Label(id=name, x=at_x, y=at_y, text=piece.text, size=0.26, fill=PRINT, symbol=" ", bold=True)
    elif piece.text == "x":
        yield drawing.Label(id=f"{piece.id}-text", x=x, y=y, text="✕", size=0.8, fill="#c00000", symbol=" ", bold=True)


def _words(board: boards.Board) -> Iterator[drawing.AnyShape]:
    for number, (x, y, text) in enumerate(board.words):
        yield drawing.Label(id=f"word-{number}", x=x + MARGIN, y=y + MARGIN, text=text)


WAYS = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}
STEERING = {"F": (0, 1), "R": (1, 0), "L": (-1, 0)}
WALKING = {"L": (-1, 0), "R": (1, 0), "D": (0, -1), "U": (0, 1)}
CLIMBING = {"L": (0, -1), "R": (0, 1)}
"""The arrows for left and right of a player whose place is counted upwards."""


def pursuit(game: Pursuit, state: core.State) -> StateMap:
    """Where the pursuer stands, seen by the evader."""
    assert isinstance(state, State)
    span = range(-game.radius, game.radius + 1)
    mover = state.position[2:]
    cells = {(x, y): State(game, (x, y, *mover)) for x, y in product(span, span)}
    return StateMap(cells, f"{game.seats[0]}'s x", f"{game.seats[0]}'s y", (STEERING, WAYS))


def bear_brawl(game: BearBrawl, state: core.State) -> StateMap:
    """On a line the hero's place against the bear's; on a plane the first hero's place, all others where they are."""
    assert isinstance(state, State)
    span = range(-game.radius, game.radius + 1)
    hero = sum(game.counts)
    other = hero + 1 if game.dimensions == 2 else hero + game.heroes
    cells = {}
    for x, y in product(span, span):
        position = [*state.position]
        position[hero], position[other] = x, y
        cells[x, y] = State(game, tuple(position))
    if game.dimensions == 2:
        return StateMap(cells, "hero's x", "hero's y", (WALKING, WALKING))
    return StateMap(cells, f"{game.seats[HERO]}'s place", f"{game.seats[BEAR]}'s place", (WALKING, CLIMBING))


def soccer(game: Soccer, state: core.State) -> StateMap:
    """Maps the place of the player in the west; the other player stays in place."""
    assert isinstance(state, State)
    x, y = state.position[2:4]
    field = product(range(COLUMNS), range(ROWS))
    cells = {place: State(game, (*place, *state.position[2:])) for place in field if place != (x, y)}
    return StateMap(cells, f"{game.seats[0]}'s x", f"{game.seats[0]}'s y", (WAYS, WAYS))
