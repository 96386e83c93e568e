"""Where the fields of a board and a position are in their rows, for kernels that take rows as arrays."""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Struct, fixed_part, place
from kibitz_axis.full.position import AT_SEA, IN_AIR, ON_LAND, Position, Setting, Traits

__all__ = ["AT_SEA", "IN_AIR", "ON_LAND"]
Words = NDArray[np.int64]


def words_of(struct: type[Struct], names: str) -> tuple[int, ...]:
    """The words of a row that hold these fields, or where they begin if that differs from row to row."""
    layout = fixed_part(struct)
    known = layout.names or ()
    return tuple(place(layout, f"{name} at" if f"{name} at" in known else name) // 8 for name in names.split())


AREAS, POWERS, KINDS, SIDES, CITIES = words_of(Setting, "areas powers kind_count sides cities")
SEA, AIR, VALUE, CITY, CAPITALS = words_of(Setting, "sea air value city capitals")
SIDE, BY_LAND, BY_SEA, KIND_TABLE = words_of(Setting, "side by_land by_sea kinds")
OWNERS, FACTORIES = words_of(Position, "owners factories")
PRICE, ATTACK, DEFENCE, MOVE, DOMAIN, HITS = words_of(Traits, "price attack defence move domain hits")
SUPPORTS, SUPPORTED, GUN, ROOM, LOAD, FIGHTS = words_of(Traits, "supports supported gun room load fights")
TRAITS = fixed_part(Traits).itemsize // 8


@kernel("int64(int64[::1], int64, int64)")
def number_at(row: Words, field: int, place: int) -> int:
    """A number of a list."""
    return int(row[row[field] // 8 + place])


@kernel("int64(int64[::1], int64, int64)")
def trait(board: Words, kind: int, field: int) -> int:
    """What a kind of unit is or has."""
    return number_at(board, KIND_TABLE, kind * TRAITS + field)


@kernel("int64(int64[::1], int64, int64)")
def air_distance(board: Words, area: int, to: int) -> int:
    """How far areas are from each other through the air."""
    return number_at(board, AIR, area * board[AREAS] + to)


@kernel("int64(int64[::1], int64, int64)")
def first_neighbour(board: Words, borders: int, area: int) -> int:
    """Where the neighbours of an area begin, by land or by sea."""
    return number_at(board, borders, area)


@kernel("int64(int64[::1], int64, int64)")
def neighbour(board: Words, borders: int, number: int) -> int:
    """A neighbour by its number."""
    return number_at(board, borders, board[AREAS] + 1 + number)
