"""Places for the areas of boards that come without any, from which area is beside which."""

from collections import deque
from functools import lru_cache

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.landing import WorldKey

LANDMARKS = 60
"""Areas are placed by their distances to so many others."""
PUSHES = 80
"""How often areas that overlap are pushed apart."""
WIDE, HIGH = 4.0, 3.0
"""The room an area takes."""
Points = NDArray[np.float64]


def with_places(world: World) -> World:
    """The board itself if all its areas have places, else with places for all."""
    if all(area.place is not None for area in world.areas if not area.closed):
        return world
    return _lay_out(WorldKey(world))


@lru_cache(maxsize=8)
def _lay_out(key: WorldKey) -> World:
    world = key.world
    points = np.zeros((len(world.areas), 2))
    below = 0.0
    for part in sorted(connected_parts(world), key=len, reverse=True):
        laid = push_apart(embed(world, part))
        laid -= laid.min(axis=0)
        points[part] = laid + np.array([0.6, 0.6 + below])
        below += laid[:, 1].max() + 1.2 if len(part) > 1 else 0.0
    alone = [area for area in range(len(world.areas)) if not world.areas[area].neighbours]
    across = max(1, int(points[:, 0].max()))
    for number, area in enumerate(alone):  # boxes that no way leads to stand in rows below the map
        points[area] = 0.6 + number % across, 0.6 + below + number // across
    areas = tuple(
        replace(area, place=(round(float(x) * WIDE, 2), round(float(y) * HIGH, 2)))
        for area, (x, y) in zip(world.areas, points, strict=True)
    )
    return replace(world, areas=areas)


def connected_parts(world: World) -> list[list[int]]:
    """The areas in groups between which no way leads."""
    left, found = set(range(len(world.areas))), []
    while left:
        reached = _distances(world, min(left))
        found.append(sorted(reached))
        left -= reached.keys()
    return found


def _distances(world: World, start: int) -> dict[int, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        place = waiting.popleft()
        for to in world.areas[place].neighbours:
            if to not in found:
                found[to] = found[place] + 1
                waiting.append(to)
    return found


def embed(world: World, part: list[int]) -> Points:
    """Points whose distances are about those of the areas: landmark scaling (de Silva and Tenenbaum 2004)."""
    if len(part) < 3:
        return np.asarray(np.arange(len(part), dtype=float)[:, None] * np.array([1.0, 0.0]))
    marks = part[:: max(1, len(part) // LANDMARKS)][:LANDMARKS]
    rows = [_distances(world, mark) for mark in marks]
    squares = np.array([[row[area] for area in part] for row in rows], dtype=float) ** 2
    between = squares[:, [part.index(mark) for mark in marks]]
    centred = between - between.mean(axis=0) - between.mean(axis=1)[:, None] + between.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    largest = np.argsort(values)[::-1][:2]
    axes = vectors[:, largest] / np.sqrt(np.maximum(values[largest], 1e-9))
    return np.asarray(-0.5 * (squares - between.mean(axis=1)[:, None]).T @ axes)


def push_apart(points: Points) -> Points:
    """The points with at least about 1 between any two of them."""
    count = len(points)
    angle = np.arange(count) * 2.4  # those on one spot part in different directions
    points = points + 1e-3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    for _ in range(PUSHES):
        order = np.argsort(points[:, 0], kind="stable")
        moved, most = np.zeros_like(points), 0.0
        for step in range(1, min(count, 40)):  # neighbours in x are enough to look at
            one, other = order[:-step], order[step:]
            apart = points[other] - points[one]
            far = np.sqrt((apart**2).sum(axis=1)) + 1e-9
            push = np.maximum(0.0, 1.0 - far) * 0.4
            most = max(most, float(push.max(initial=0.0)))
            shift = apart / far[:, None] * push[:, None]
            np.add.at(moved, other, shift)
            np.subtract.at(moved, one, shift)
        points = points + np.clip(moved, -0.5, 0.5)
        if most < 0.02:
            break
    return points
