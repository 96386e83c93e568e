"""What boards are drawn with: figures, squares, cards and chips, and maps.

A figure fills a cell around (0, 0). Paths without a colour take those of the piece.

Maps are drawn from a few numbers per place: cells grow around points until they meet. A place is given by discs that
make up its land. Neighbours share a border, a strip of sea separates the others, and a lane across the water joins
neighbours that do not meet on land.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import dist
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kibitz.core.drawing import AnyShape, Arrow, Art, Circle, Label, Path, Piece, Rect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Field: TypeAlias = NDArray[np.float64]

BOW = 0.5523
"""How far the handles of a curve reach that makes a quarter of a circle of radius 1."""
Corner: TypeAlias = tuple[float, float]


def disc(x: float, y: float, across: float, down: float | None = None) -> str:
    """A circle, or an ellipse, by its middle and its radii."""
    down = across if down is None else down
    bow_x, bow_y = BOW * across, BOW * down
    return path_data(
        *("M", x - across, y, "C", x - across, y - bow_y, x - bow_x, y - down, x, y - down),
        *("C", x + bow_x, y - down, x + across, y - bow_y, x + across, y),
        *("C", x + across, y + bow_y, x + bow_x, y + down, x, y + down),
        *("C", x - bow_x, y + down, x - across, y + bow_y, x - across, y, "Z"),
    )


def box(x: float, y: float, width: float, height: float, corner: float = 0.0) -> str:
    """A rectangle by its upper left corner, with round corners of a radius."""
    if not corner:
        return outline((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    right, bottom, rest = x + width, y + height, corner * (1 - BOW)
    return path_data(
        *("M", x + corner, y, "L", right - corner, y, "C", right - rest, y, right, y + rest, right, y + corner),
        *("L", right, bottom - corner, "C", right, bottom - rest, right - rest, bottom, right - corner, bottom),
        *("L", x + corner, bottom, "C", x + rest, bottom, x, bottom - rest, x, bottom - corner),
        *("L", x, y + corner, "C", x, y + rest, x + rest, y, x + corner, y, "Z"),
    )


def outline(*corners: Corner) -> str:
    """A polygon."""
    (x, y), *others = corners
    return path_data("M", x, y, *(part for corner in others for part in ("L", *corner)), "Z")


def path_data(*parts: str | float) -> str:
    """Path data from letters and numbers."""
    return " ".join(part if isinstance(part, str) else f"{part:.3g}" for part in parts)


WHITE, SKIN = "#ffffff", "#f4d3b0"

PAWN = Art(
    "pawn",
    (
        Path("M -0.1 -0.08 C -0.09 0.06 -0.13 0.16 -0.25 0.27 L 0.25 0.27 C 0.13 0.16 0.09 0.06 0.1 -0.08 Z"),
        Path(box(-0.3, 0.25, 0.6, 0.13, 0.05)),
        Path(box(-0.17, -0.13, 0.34, 0.08, 0.04)),
        Path(disc(0.0, -0.26, 0.16)),
        Path(disc(-0.05, -0.31, 0.05), "#ffffff80", "none"),
    ),
)
CHIP = Art(
    "chip",
    (
        Path(disc(0.0, 0.0, 0.44)),
        *(
            Path(box(x - 0.06, y - 0.06, 0.12, 0.12, 0.03), WHITE, "none")
            for x, y in ((0.36, 0.0), (-0.36, 0.0), (0.0, 0.36), (0.0, -0.36))
        ),
        Path(disc(0.0, 0.0, 0.27)),
    ),
)
PERSON = Art(
    "person",
    (
        Path("M -0.32 0.42 C -0.34 0.12 -0.2 0.0 0.0 0.0 C 0.2 0.0 0.34 0.12 0.32 0.42 Z"),
        Path(disc(0.0, -0.2, 0.19), SKIN),
    ),
)
TANK = Art(
    "tank",
    (
        Path(box(0.05, -0.19, 0.43, 0.08, 0.02)),
        Path(outline((-0.2, -0.02), (-0.14, -0.27), (0.12, -0.27), (0.18, -0.02))),
        Path(outline((-0.44, 0.12), (-0.36, -0.04), (0.36, -0.04), (0.44, 0.12))),
        Path(box(-0.46, 0.1, 0.92, 0.24, 0.12), "#4a4a4a"),
        *(Path(disc(x, 0.22, 0.07), "#c9c9c9", "none") for x in (-0.3, -0.1, 0.1, 0.3)),
    ),
)
DIE = Art("die", (Path(box(-0.42, -0.42, 0.84, 0.84, 0.14)),))
"""A die that has not fallen yet."""
_HEXAGON = outline((-0.46, 0.0), (-0.24, -0.4), (0.24, -0.4), (0.46, 0.0), (0.24, 0.4), (-0.24, 0.4))
_SHIELD = "M -0.4 -0.4 L 0.4 -0.4 L 0.4 0.1 C 0.4 0.3 0.15 0.42 0 0.48 C -0.15 0.42 -0.4 0.3 -0.4 0.1 Z"
_DROP = (
    "M 0 -0.5 C 0.12 -0.3 0.42 -0.15 0.42 0.1 C 0.42 0.34 0.22 0.46 0 0.46 "
    "C -0.22 0.46 -0.42 0.34 -0.42 0.1 C -0.42 -0.15 -0.12 -0.3 0 -0.5 Z"
)
TOKENS = (
    Art("token", (Path(disc(0.0, 0.0, 0.44)),)),
    Art("token-square", (Path(box(-0.4, -0.4, 0.8, 0.8, 0.08)),)),
    Art("token-diamond", (Path(outline((0.0, -0.54), (0.54, 0.0), (0.0, 0.54), (-0.54, 0.0))),)),
    Art("token-hexagon", (Path(_HEXAGON),)),
    Art("token-shield", (Path(_SHIELD),)),
    Art("token-drop", (Path(_DROP),)),
)
"""A shape for each player, so that colours are not all that tells them apart."""


def token(player: int) -> Art:
    """The shape of a player's tokens."""
    return TOKENS[player % len(TOKENS)]


Square = tuple[int, int]
"""File and rank, each from 0."""
FILES = "abcdefgh"


def number(square: Square) -> int:
    """The number of a square: 0 is a1, 7 is h1, 63 is h8.

    >>> number((7, 0)), coordinates(63), name((2, 1)), parse_square("c2")
    (7, (7, 7), 'c2', (2, 1))
    """
    return 8 * square[1] + square[0]


def coordinates(number: int) -> Square:
    """The square of a number."""
    return number % 8, number // 8


def word_of(squares: Iterable[Square]) -> int:
    """Squares as the bits of a word."""
    return sum(1 << number(square) for square in squares)


def squares_of(word: int) -> frozenset[Square]:
    """The squares whose bits are set in a word."""
    return frozenset(coordinates(place) for place in range(64) if word >> place & 1)


def name(square: Square) -> str:
    """A square in chess notation."""
    return f"{FILES[square[0]]}{square[1] + 1}"


def parse_square(text: str) -> Square:
    """The square called *text*."""
    return FILES.index(text[0]), int(text[1]) - 1


CARD_WIDTH, CARD_HEIGHT = 1.4, 2.0
PAPER, PRINT = "#fffdf7", "#1d1d1d"
"""The colours of a card, by day and by night."""
HIGHEST = 8
"""Chips drawn on one stack; a number says how many there are."""


def card(name: str, x: float, y: float, face: str, *, title: str, frame: str = "faint") -> Iterator[AnyShape]:
    """A playing card by its upper left corner; an empty *face* is its back."""
    symbol, fill, ink = f"[{face or '?'}]", PAPER if face else "player0", PRINT if face else PAPER
    middle_x, middle_y = x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2
    yield Rect(
        id=name, x=x, y=y, width=CARD_WIDTH, height=CARD_HEIGHT, corner=0.16, fill=fill, stroke=frame, thickness=0.07,
        title=title, symbol=symbol,
    )  # fmt: skip
    if not face:
        yield Rect(
            id=f"{name}-back", x=x + 0.18, y=y + 0.18, width=CARD_WIDTH - 0.36, height=CARD_HEIGHT - 0.36,
            corner=0.08, stroke=PAPER, thickness=0.05,
        )  # fmt: skip
    size = 1.0 if len(face) < 2 else 0.8
    yield Label(id=f"{name}-face", x=middle_x, y=middle_y, text=face or "?", size=size, fill=ink, symbol=" ", bold=True)
    if face:
        for end, away in (("corner", -1), ("foot", 1)):
            at_x, at_y = middle_x + away * (CARD_WIDTH / 2 - 0.25), middle_y + away * (CARD_HEIGHT / 2 - 0.28)
            yield Label(id=f"{name}-{end}", x=at_x, y=at_y, text=face, size=0.36, fill=ink, symbol=" ", bold=True)


def chip_stack(name: str, x: float, y: float, count: int, *, fill: str, title: str) -> Iterator[AnyShape]:
    """A stack of chips by the middle of its lowest one, and how many they are."""
    for number in range(min(count, HIGHEST)):
        yield Piece(
            id=f"{name}-{number}", x=x, y=y - 0.13 * number, art=CHIP, size=0.8, fill=fill, stroke="ink", title=title
        )
    if count:
        yield Label(id=f"{name}-count", x=x + 0.75, y=y - 0.1, text=f"×{count}", size=0.4)


def counter(
    name: str,
    x: float,
    y: float,
    art: Art,
    count: int,
    *,
    fill: str,
    title: str,
    symbol: str = "",
    size: float = 0.9,
    group: str = "",
) -> Iterator[AnyShape]:
    """A figure, with how many of them it stands for if there are several."""
    yield Piece(id=name, x=x, y=y, art=art, size=size, fill=fill, stroke="ink", thickness=0.035, title=title,
                symbol=symbol, group=group)  # fmt: skip
    if count > 1:
        at_x, at_y = x + 0.36 * size, y + 0.34 * size
        yield Circle(id=f"{name}-badge", x=at_x, y=at_y, radius=0.24 * size, fill=PAPER, stroke="ink", thickness=0.03)
        yield Label(id=f"{name}-count", x=at_x, y=at_y, text=str(count), size=0.34 * size, fill=PRINT, symbol=" ",
                    bold=True)  # fmt: skip


Point: TypeAlias = tuple[float, float]
Disc: TypeAlias = tuple[float, float, float]
"""x, y and radius."""
Side: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
STEP = 0.25
"""The grid step, in cells of the drawing."""
STRAIT = 0.35
"""The smallest width of the water between land that is not joined."""
REACH = 0.62
"""The radius of land known only by its middle, as a share of the usual distance between neighbours."""
FAR = 0.8
"""Neighbours farther apart than this share of the map's width meet around its back."""
EDGES = {  # of a grid square: the sides that the shore crosses, by which corners are land
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((2, 0),), 10: ((0, 1), (2, 3)), 11: ((2, 1),), 12: ((1, 3),), 13: ((1, 0),), 14: ((0, 3),),
}  # fmt: skip
SIDES = (((0, 0), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (1, 0)), ((1, 0), (0, 0)))
"""The corners that each side of a square joins, as (row, column)."""


class Cells(msgspec.Struct, frozen=True):
    """The outline of every place, and the neighbours between which there is water."""

    outlines: tuple[tuple[Point, ...], ...]
    lanes: tuple[tuple[int, int], ...]


@lru_cache(maxsize=32)
def grow_cells(land: tuple[tuple[Disc, ...], ...], ways: tuple[tuple[int, ...], ...]) -> Cells:
    """The cells of places by their land and their neighbours."""
    import numpy as np

    discs = [disc for each in land for disc in each]
    left, top = (min(disc[axis] - disc[2] for disc in discs) - STEP for axis in (0, 1))
    right, bottom = (max(disc[axis] + disc[2] for disc in discs) + 2 * STEP for axis in (0, 1))
    x, y = np.meshgrid(np.arange(left, right, STEP), np.arange(top, bottom, STEP))
    shore = np.array([np.min([np.hypot(x - cx, y - cy) - r for cx, cy, r in each], axis=0) for each in land])
    joined = {(one, to) for one, each in enumerate(ways) for to in each}
    joined |= {(to, one) for one, to in joined}
    outlines = tuple(_outline(shore, place, joined, left, top) for place in range(len(land)))
    lanes = tuple(pair for pair in sorted(joined) if pair[0] < pair[1] and not _meet(shore, pair, joined))
    return Cells(outlines, lanes)


def _window(shore: "Field", place: int) -> tuple[slice, slice]:
    """The part of the grid that holds the land of *place*."""
    import numpy as np

    rows, columns = (np.flatnonzero((shore[place] < 0.0).any(axis=axis)) for axis in (1, 0))
    return slice(rows[0] - 1, rows[-1] + 2), slice(columns[0] - 1, columns[-1] + 2)


def _inside(shore: "Field", place: int, joined: set[tuple[int, int]], window: tuple[slice, slice]) -> "Field":
    """How far inside the cell of *place* each point of the *window* lies; negative outside."""
    import numpy as np

    own = shore[place][window]
    inside: Field = -own
    for other, distance in enumerate(shore[:, *window]):
        if other != place and distance.min() < STRAIT:
            strait = 0.0 if (place, other) in joined else STRAIT
            inside = np.minimum(inside, (distance - own - strait) / 2)
    return inside


def _meet(shore: "Field", pair: tuple[int, int], joined: set[tuple[int, int]]) -> bool:
    """Whether two cells have a piece of border in common: points that are on the edge of both."""
    import numpy as np

    window = _window(shore, pair[0])
    outside = np.maximum(*(-_inside(shore, place, joined, window) for place in pair))
    return int(np.count_nonzero(outside < STEP / 2)) >= 2


def _outline(shore: "Field", place: int, joined: set[tuple[int, int]], left: float, top: float) -> tuple[Point, ...]:
    """The longest shore of the cell of *place*, by marching squares."""
    import numpy as np

    window = _window(shore, place)
    left, top = left + window[1].start * STEP, top + window[0].start * STEP
    field = _inside(shore, place, joined, window)
    land = field > 0.0
    corners = land[:-1, :-1] * 1 + land[:-1, 1:] * 2 + land[1:, 1:] * 4 + land[1:, :-1] * 8
    following: dict[Side, Side] = {}
    for row, column in zip(*map(np.ndarray.tolist, np.nonzero((corners > 0) & (corners < 15))), strict=True):
        for start, end in EDGES[int(corners[row, column])]:
            following[_side(row, column, start)] = _side(row, column, end)
    longest: list[Side] = max(_loops(following), key=len, default=[])
    points = (_crossing(field, side) for side in longest)
    return tuple((round(left + x * STEP, 2), round(top + y * STEP, 2)) for x, y in points)


def _side(row: int, column: int, number: int) -> Side:
    """One side of a grid square, by the two corners it joins."""
    one, other = sorted((row + down, column + across) for down, across in SIDES[number])
    return one, other


def _crossing(field: "Field", side: Side) -> Point:
    """The point where the shore crosses a side, in grid steps."""
    (row, column), (to_row, to_column) = side
    here, there = float(field[row, column]), float(field[to_row, to_column])
    share = here / (here - there)
    return column + share * (to_column - column), row + share * (to_row - row)


def _loops(following: Mapping[Side, Side]) -> Iterator[list[Side]]:
    """The closed lines that the pieces form."""
    rest = dict(following)
    while rest:
        here = next(iter(rest))
        loop = []
        while here in rest:
            loop.append(here)
            here = rest.pop(here)
        yield loop


def around(places: Sequence[Point], ways: Sequence[Sequence[int]]) -> tuple[tuple[Disc, ...], ...]:
    """Land for places known only by their middle: discs that reach most neighbours and stay on the sheet."""
    lengths = sorted(dist(places[one], places[to]) for one, each in enumerate(ways) for to in each)
    reach = REACH * lengths[len(lengths) // 2] if lengths else 1.0
    radius = max(1.0, min(reach, *map(min, places)) - STEP / 2)
    return tuple(((x, y, radius),) for x, y in places)


def lane_shapes(lanes: Sequence[tuple[int, int]], places: Sequence[Point], width: float) -> Iterator[Arrow]:
    """Lines across the water; a lane that is shorter around the back of the map leaves it on both sides."""
    for one, other in lanes:
        (x, y), (to_x, to_y) = sorted((places[one], places[other]))
        if to_x - x <= FAR * width:
            yield _lane(f"lane-{one}-{other}", (x, y), (to_x, to_y))
        else:
            middle = (y + to_y) / 2
            yield _lane(f"lane-{one}-{other}-west", (x, y), (0.0, middle))
            yield _lane(f"lane-{one}-{other}-east", (to_x, to_y), (width, middle))


def _lane(name: str, start: Point, end: Point) -> Arrow:
    x, y = start
    return Arrow(id=name, x=x, y=y, to_x=end[0], to_y=end[1], head=False, stroke="faint", thickness=0.08)
