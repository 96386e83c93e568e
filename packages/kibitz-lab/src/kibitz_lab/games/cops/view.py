"""Draws the graph, with the cops and the robber on it, and the orders given so far; all of it as named fields, too."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from math import cos, pi, sin

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import Art, Path
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import PERSON, WHITE, box, counter, disc, outline
from kibitz_lab.games.cops.graphs import Shape, ways
from kibitz_lab.games.cops.rules import COPS, NOWHERE, ROBBER, Cops, State

DARK = "#2b2b2b"
COP = Art(
    "cop",
    (
        *PERSON.paths,
        Path(outline((-0.26, -0.28), (-0.22, -0.42), (0.22, -0.42), (0.26, -0.28))),
        Path(box(-0.22, -0.3, 0.44, 0.06), DARK),
        Path(disc(0.0, -0.36, 0.04), "#f0e442", "none"),
    ),
)
ROBBER_ART = Art(
    "robber",
    (
        *PERSON.paths,
        Path(box(-0.19, -0.28, 0.38, 0.13, 0.05), DARK),
        *(Path(disc(x, -0.215, 0.03), WHITE, "none") for x in (-0.08, 0.08)),
        *(Path(box(-0.28, y, 0.56, 0.06), DARK, "none") for y in (0.14, 0.28)),
    ),
)


STEP = 2.0
"""Cells between neighbours in a row, a ring or a grid."""


def draw(state: core.State) -> drawing.Drawing:
    """Places and the ways between them; a click on a place sends the next unit there."""
    assert isinstance(state, State)
    places = coordinates(state.game.graph, state.game.size)
    width, height = (max(place[axis] for place in places) + 1.25 for axis in (0, 1))
    shapes = (*_ways(state, places), *_places(state, places), *_pieces(state, places), *_orders(state, places))
    notes = tuple(_note(state, player) for player in (COPS, ROBBER))
    return drawing.Drawing(width, height, shapes, tuple(_inputs(state)), str(state), notes)


def _note(state: State, player: int) -> drawing.PlayerNote:
    standing = f"turn {state.turn} of {state.game.turns}" if player == COPS else ""
    if state.current_player() != player:
        return drawing.PlayerNote(player, standing=standing)
    if player == ROBBER:
        prompt = "Choose where to begin." if state.robber == NOWHERE else "Run: tap a place beside yours, or stay."
    else:
        prompt = f"Order cop {len(state.orders) + 1} of {len(state.cops)}: tap where they go."
    return drawing.PlayerNote(player, prompt, standing=standing)


@lru_cache(maxsize=32)
def coordinates(shape: Shape, size: int) -> tuple[tuple[float, float], ...]:
    """Where every place of a graph is drawn."""
    if shape == "petersen":
        return (*_ring(5, 4.0, 4.0), *_ring(5, 2.0, 4.0))
    if shape == "cycle" and size > 2:
        radius = STEP / 2 / sin(pi / size)
        return tuple(_ring(size, radius, radius))
    columns = size
    rows = size if shape == "grid" else 1
    return tuple((1.0 + STEP * column, 1.0 + STEP * row) for row in range(rows) for column in range(columns))


def _ring(count: int, radius: float, middle: float) -> Iterator[tuple[float, float]]:
    """Places around a middle, the first at the top, a cell from the edge of the picture."""
    for number in range(count):
        angle = 2 * pi * number / count
        yield 1.0 + middle + radius * sin(angle), 1.0 + middle - radius * cos(angle)


def _ways(state: State, places: tuple[tuple[float, float], ...]) -> Iterator[drawing.AnyShape]:
    for one, near in enumerate(state.ways):
        for other in near:
            if one < other:
                (x, y), (to_x, to_y) = places[one], places[other]
                yield drawing.Arrow(
                    id=f"way-{one}-{other}", x=x, y=y, to_x=to_x, to_y=to_y, head=False, stroke="faint", thickness=0.06
                )


def _places(state: State, places: tuple[tuple[float, float], ...]) -> Iterator[drawing.AnyShape]:
    cops = Counter(state.cops)
    for place, (x, y) in enumerate(places):
        here = [f"{cops[place]} cops" if cops[place] > 1 else "a cop"] if cops[place] else []
        here += ["the robber"] if place == state.robber else []
        title = f"place {place}: {' and '.join(here)}" if here else f"place {place}"
        yield drawing.Circle(id=f"place-{place}", x=x, y=y, radius=0.55, fill="board", stroke="ink", title=title)
        yield drawing.Label(id=f"number-{place}", x=x + 0.6, y=y + 0.6, text=str(place), size=0.3)


def _pieces(state: State, places: tuple[tuple[float, float], ...]) -> Iterator[drawing.AnyShape]:
    """Cops left, the robber right, where they share a place."""
    for place, count in sorted(Counter(state.cops).items()):
        words = f"C{count}" if count > 1 else "C"
        yield from _piece(f"cops-{place}", places[place], words, COPS, count, -0.25 if place == state.robber else 0.0)
    if state.robber != NOWHERE:
        yield from _piece("robber", places[state.robber], "R", ROBBER, 1, 0.25 if state.is_caught() else 0.0)


def _piece(
    name: str, place: tuple[float, float], words: str, player: int, count: int, aside: float
) -> Iterator[drawing.AnyShape]:
    art, title = (COP, "cops" if count > 1 else "a cop") if player == COPS else (ROBBER_ART, "the robber")
    yield from counter(
        name, place[0] + aside, place[1], art, count, fill=drawing.ink_of(player), title=title, symbol=words, size=0.95
    )


def _orders(state: State, places: tuple[tuple[float, float], ...]) -> Iterator[drawing.AnyShape]:
    """The orders of the cops in this turn."""
    for number, (cop, order) in enumerate(zip(state.cops, state.orders, strict=False)):
        if cop != order:
            (x, y), (to_x, to_y) = places[cop], places[order]
            yield drawing.Arrow(
                id=f"order-{number}", x=x, y=y, to_x=to_x, to_y=to_y, stroke=drawing.ink_of(COPS), thickness=0.1
            )


def _inputs(state: State) -> Iterator[drawing.Input]:
    """A click where the robber may begin; then clicks from where a unit stands to where it goes."""
    begins = state.player == ROBBER and state.robber == NOWHERE
    for action in state.legal_actions():
        if begins:
            yield drawing.Click(f"place-{action}", action)
        else:
            source = state.robber if state.player == ROBBER else state.cops[len(state.orders)]
            yield drawing.FromTo(f"place-{source}", f"place-{action}", {1: action})


class CopsBoard(msgspec.Struct, frozen=True):
    """The neighbours of every place, by number from 0; how many cops there are, and how many turns they have."""

    neighbours: list[tuple[int, ...]]
    cops: int
    turns: int


class CopsView(msgspec.Struct, frozen=True):
    """Where the cops and the robber are (null: not chosen yet), who moves, and the turns that the cops have had.

    *orders*: the orders given to cops in this turn, each from one place to another; all are carried out together.
    """

    cops: list[int]
    robber: int | None
    player: int
    turn: int
    orders: list[tuple[int, int]]


def word_values(game: Cops) -> dict[str, int]:
    """What the words leave open."""
    return {"near": ways(game.graph, game.size)[0][0]}


def board(game: Cops) -> CopsBoard:
    return CopsBoard(list(ways(game.graph, game.size)), game.cops, game.turns)


def view(state: State) -> CopsView:
    orders = sorted(zip(state.cops, state.orders, strict=False))
    robber = None if state.robber == NOWHERE else state.robber
    return CopsView(list(state.cops), robber, state.player, state.turn, orders)


FIELDS = Fields(board, view)
