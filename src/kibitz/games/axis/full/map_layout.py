"""Places for the areas of boards that come without any: by how many steps they are from the first one."""

from collections import Counter
from functools import lru_cache

from msgspec.structs import replace

from kibitz.games.axis.board import FAR
from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.landing import WorldKey

WIDE, HIGH = 4.0, 3.0
"""The room an area takes."""


def with_places(world: World) -> World:
    """The board itself if all its areas have places, else with places for all."""
    if all(area.place is not None for area in world.areas if not area.closed):
        return world
    return _lay_out(WorldKey(world))


@lru_cache(maxsize=8)
def _lay_out(key: WorldKey) -> World:
    """A column for each number of steps from the first area; what no way leads to comes last."""
    world, areas, rows = key.world, [], Counter[int]()
    distances = [far if far < FAR else -1 for far in world.air[0]]
    last = max(distances) + 1
    for area, far in zip(world.areas, distances, strict=True):
        column = far if far >= 0 else last
        areas.append(replace(area, place=((column + 0.6) * WIDE, (rows[column] + 0.6) * HIGH)))
        rows[column] += 1
    return replace(world, areas=tuple(areas))
