"""Maps drawn from a few numbers per place: cells grow around points until they meet.

A place is given by discs that make up its land. Neighbours share a border, a strip of sea separates the others, and a
lane across the water joins neighbours that do not meet on land.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import dist
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kibitz.core.drawing import Arrow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Field: TypeAlias = NDArray[np.float64]

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
