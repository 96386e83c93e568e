"""The board of each recursive game: its squares and pieces. Add a function here to draw a new one."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import ceil
from typing import Any

import msgspec

from kibitz.core.drawing import Art
from kibitz.core.pictures.figures import PERSON, TANK
from kibitz_solve.games import art
from kibitz_solve.games.bear_brawl import BearBrawl
from kibitz_solve.games.big_match import BigMatch
from kibitz_solve.games.duel import Duel
from kibitz_solve.games.goofspiel import Goofspiel, cards_in
from kibitz_solve.games.guan import DAMEI, XIAOMEI, Guan
from kibitz_solve.games.inspection import Inspection
from kibitz_solve.games.matrix import UNDECIDED, Matrix
from kibitz_solve.games.oshi_zumo import OshiZumo
from kibitz_solve.games.purgatory import Purgatory
from kibitz_solve.games.pursuit import Chauffeur, Pursuit
from kibitz_solve.games.rules import BEFORE, Position, Recursive, clip_value
from kibitz_solve.games.soccer import COLUMNS, GOAL_ROWS, ROWS, Soccer
from kibitz_solve.games.soccer import STEPS as SOCCER_STEPS

LETTERS = 3.5
"""How many letters of a name fit into a square."""
WIDEST = 12
"""How many squares to either side of the middle are drawn."""


class Mark(msgspec.Struct, frozen=True):
    """A square that looks different."""

    fill: str = "mark"
    symbol: str = "*"
    title: str = ""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A figure by its centre in squares from the upper left, with a short text; without *art* it is a disc.

    *north*: with an arrow upwards.
    """

    id: str
    x: float
    y: float
    text: str
    player: int
    title: str = ""
    radius: float = 0.38
    marked: bool = False
    north: bool = False
    art: Art | None = None


class Board(msgspec.Struct, frozen=True):
    """Squares, pieces on them and words beside them."""

    columns: int
    rows: int
    pieces: Sequence[Piece] = ()
    marks: Mapping[tuple[int, int], Mark] = {}
    words: Sequence[tuple[float, float, str]] = ()
    presses: Sequence[Mapping[int, str]] = ()
    """For each player the shape that stands for an action: a square to go to, a card to play."""
    origin: tuple[int, int] | None = None
    """The column and row of the square that the game counts from, if its squares have names."""
    kind: str = "square"
    """What a square is called."""


def square_id(column: int, row: int) -> str:
    """The shape of a square."""
    return f"square-{column}-{row}"


def board(game: Recursive, position: Position) -> Board:
    """The board of any of these games."""
    if position == BEFORE:
        return Board(1, 1, words=[(0.5, 0.5, "?")])
    drawn = next(BOARDS[kind] for kind in type(game).__mro__ if kind in BOARDS)
    return drawn(game, position)


def of_matrix(game: Matrix, position: Position) -> Board:
    chosen = None if position == UNDECIDED else (position[1], position[2])
    return table(game.rows, game.columns, [[f"{entry:g}" for entry in row] for row in game.payoffs], chosen)


def of_big_match(game: BigMatch, position: Position) -> Board:
    return table(*game.names, [["1!", "0!"], ["0", "1"]])


def table(
    rows: Sequence[str],
    columns: Sequence[str],
    entries: Sequence[Sequence[str]],
    chosen: tuple[int, int] | None = None,
) -> Board:
    """A matrix with its entries, two squares each, right of the names of its rows; the pair *chosen* is marked."""
    left = ceil(max(map(len, rows)) / LETTERS)
    words = [(left / 2 - 0.2, y + 0.5, name) for y, name in enumerate(rows)]
    words += [(left + 2.0 * x + 1.0, -0.5, name) for x, name in enumerate(columns)]
    words += [(left + 2.0 * x + 1.0, y + 0.5, entry) for y, row in enumerate(entries) for x, entry in enumerate(row)]
    looks = {(x, y): Mark("none", "") for y in range(len(rows)) for x in range(left)}
    for x, y in product(range(2 * len(columns)), range(len(rows))):
        looks[left + x, y] = Mark("shade" if (x // 2 + y) % 2 else "board", "")
    marked = {(left + 2 * chosen[1] + side, chosen[0]): Mark(symbol="") for side in (0, 1)} if chosen else {}
    return Board(left + 2 * len(columns), len(rows), marks=looks | marked, words=words)


def of_guan(game: Guan, position: Position) -> Board:
    sisters = [
        Piece(id="xiaomei", x=0.5, y=0.5, text="X", player=0, title="Xiaomei", marked=position == XIAOMEI, art=PERSON),
        Piece(id="damei", x=2.5, y=0.5, text="D", player=1, title="Damei", marked=position == DAMEI, art=PERSON),
    ]
    return Board(3, 1, sisters, {(0, 0): Mark("shade", " ", "hiding place")})


def of_purgatory(game: Purgatory, position: Position) -> Board:
    soul = Piece(id="soul", x=position[0] + 0.5, y=0.5, text="o", player=0, title="the soul", art=art.SOUL)
    ends = {(0, 0): Mark("ink", "x", "lost"), (game.levels + 1, 0): Mark("mark", "*", "won")}
    return Board(
        game.levels + 2, 1, [soul], ends, [(level + 0.5, -0.5, str(level)) for level in range(1, game.levels + 1)]
    )


def of_inspection(game: Inspection, position: Position) -> Board:
    now = game.periods - position[0]
    clock = Piece(
        id="clock", x=min(now, game.periods - 1) + 0.5, y=0.5, text=str(position[1]), player=0, title="inspections left"
    )
    return Board(game.periods, 1, [clock], {(period, 0): Mark("faint", "-", "past") for period in range(now)})


def of_goofspiel(game: Goofspiel, position: Position) -> Board:
    own, others, prizes, prize, ahead = position
    cards = [(2, card, 0) for card in cards_in(own)] + [(0, card, 1) for card in cards_in(others)]
    cards += [(1, card, 2) for card in cards_in(prizes)] + [(1, card, 4) for card in (prize,) if card]
    pieces = [
        Piece(
            id=f"card-{row}-{card}",
            x=card - 0.5,
            y=row + 0.5,
            text=str(card),
            player=player,
            title=("card of player 1: ", "prize: ", "card of player 0: ")[row] + str(card),
            marked=card == prize and row == 1,
            art=art.CARD,
        )
        for row, card, player in cards
    ]
    marks = {(prize - 1, 1): Mark()} if prize else {}
    words = [(-0.5, 0.5, "P1"), (-0.5, 1.5, "prize"), (-0.5, 2.5, "P0")]
    words.append((game.cards / 2, -0.5, f"player 0 {ahead:+d}"))
    presses = [{card: f"card-{row}-{card}" for card in cards_in(held)} for row, held in ((2, own), (0, others))]
    return Board(game.cards + game.head_start, 3, pieces, marks, words, presses)


def of_oshi_zumo(game: OshiZumo, position: Position) -> Board:
    coins, other_coins, place = position
    middle = game.size + 1
    wrestler = Piece(
        id="wrestler", x=place + middle + 0.5, y=0.5, text="o", player=2, title="the wrestler", art=art.WRESTLER
    )
    ends = {(0, 0): Mark("player1", "<"), (2 * middle, 0): Mark("player0", ">")}
    return Board(
        2 * middle + 1, 1, [wrestler], ends, [(0.5, -0.5, str(coins)), (2 * middle + 0.5, -0.5, str(other_coins))]
    )


def of_soccer(game: Soccer, position: Position) -> Board:
    goals = {
        (column, row): Mark(f"player{player}", "|", "goal")
        for column, player in ((0, 0), (COLUMNS + 1, 1))
        for row in GOAL_ROWS
    }
    posts = {(column, row): Mark("faint", " ", "out") for column in (0, COLUMNS + 1) for row in range(ROWS)}
    places = [position[0:2], position[2:4]] if len(position) > 1 else []
    pieces = [
        Piece(
            id=f"player{player}",
            x=x + 1.5,
            y=ROWS - y - 0.5,
            text="WE"[player] + ("o" if position[4] == player else ""),
            player=player,
            title=game.seats[player] + (", with the ball" if position[4] == player else ""),
            art=art.CARRIER if position[4] == player else art.PLAYER,
        )
        for player, (x, y) in enumerate(places)
    ]
    presses = [
        {
            action: square_id(x + dx + 1, ROWS - 1 - y - dy)
            for action, (dx, dy) in enumerate(SOCCER_STEPS)
            if 0 <= y + dy < ROWS
        }
        for x, y in places
    ]
    return Board(COLUMNS + 2, ROWS, pieces, posts | goals, presses=presses, origin=(1, ROWS - 1))


def of_duel(game: Duel, position: Position) -> Board:
    distance, *shells, alive, other_alive = position
    pieces = [
        Piece(
            id=f"tank-{player}",
            x=x,
            y=0.5,
            text=str(shells[player]) if up else "x",
            player=player,
            title=f"{name}: {shells[player]} shells" if up else f"{name}, destroyed",
            art=art.mirror(TANK) if player else TANK,
        )
        for player, (x, up, name) in enumerate(
            zip((0.5, distance + 1.5), (alive, other_alive), game.seats, strict=True)
        )
    ]
    return Board(game.distance + 2, 1, pieces)


def of_pursuit(game: Pursuit, position: Position) -> Board:
    middle = min(game.radius, WIDEST)
    x, y = (clip_value(coordinate, -middle, middle) for coordinate in position[:2])
    pursuer, evader = game.seats
    pieces = [
        Piece(id="evader", x=middle + 0.5, y=middle + 0.5, text=evader[0], player=1, title=evader, art=PERSON),
        Piece(
            id="pursuer",
            x=middle + x + 0.5,
            y=middle - y + 0.5,
            text=pursuer[0],
            player=0,
            title=pursuer,
            north=True,
            art=art.CAR if isinstance(game, Chauffeur) else PERSON,
        ),
    ]
    near = {(middle + dx, middle + dy): Mark("shade", ":") for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return Board(2 * middle + 1, 2 * middle + 1, pieces, near)


def of_bear_brawl(game: BearBrawl, position: Position) -> Board:
    middle = min(game.radius, WIDEST)
    flat = game.dimensions == 1

    def square(place: tuple[int, ...]) -> tuple[int, int]:
        column = clip_value(place[0], -middle, middle) + middle
        return column, 0 if flat else middle - clip_value(place[1], -middle, middle)

    pieces = [
        Piece(
            id=f"{name}-{number}",
            x=square(place)[0] + 0.3 + 0.4 * side,
            y=square(place)[1] + (0.5 if flat else 0.3 + 0.2 * number),
            text=str(points) if points else "x",
            player=side,
            title=f"{name}, {points} hit points",
            radius=0.32,
            art=art.FIGURES.get(name, art.HERO),
        )
        for side, name in enumerate(game.seats)
        for number, (points, place) in enumerate(
            zip(game.hit_points(position, side), game.places(position, side), strict=True)
        )
    ]
    powder = {square(cell): Mark("mark", "*", "powder") for cell in game.cells}
    words = [(column + 0.5, -0.5, str(column - middle)) for column in range(2 * middle + 1)]
    presses = []
    for side in (0, 1):
        places = game.places(position, side)
        steps = dict(enumerate(game.steps[:-1])) if len(places) == 1 else {}  # of several, each has its own step
        reached = {action: tuple(map(sum, zip(places[0], step, strict=True))) for action, step in steps.items()}
        presses.append(
            {
                action: square_id(*square(cell))
                for action, cell in reached.items()
                if all(abs(coordinate) <= middle for coordinate in cell)
            }
        )
    size = 2 * middle + 1
    return Board(size, 1 if flat else size, pieces, powder, words, presses, origin=(middle, middle))


BOARDS: dict[type, Callable[[Any, Position], Board]] = {
    Matrix: of_matrix,
    BigMatch: of_big_match,
    Guan: of_guan,
    Purgatory: of_purgatory,
    Inspection: of_inspection,
    Goofspiel: of_goofspiel,
    OshiZumo: of_oshi_zumo,
    Soccer: of_soccer,
    Duel: of_duel,
    Pursuit: of_pursuit,
    BearBrawl: of_bear_brawl,
}
"""How the position of each game is laid out."""
