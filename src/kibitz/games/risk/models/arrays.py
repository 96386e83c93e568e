"""The map and the missions of a game as arrays, so that models compute all territories and missions at once.

Axes are always in this order: players, missions, continents, territories.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.games.risk.board import ANY, Board, Mission
from kibitz.games.risk.game import Risk

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FAR = 5
"""The largest distance; territories further away count as this far."""


class MapArrays(NamedTuple):
    """What never changes during a game."""

    continent: Ints
    """Of every territory."""
    within: Floats
    """1 where a territory lies in a continent: continents by territories."""
    size: Floats
    entry: Floats
    """1 for territories that can be attacked from outside their continent."""
    value: Floats
    """What a continent is worth: its bonus by how many territories must defend it."""
    borders: Floats
    """1 where armies may go from a territory to another."""
    steps: Floats
    """The steps from a territory to another, at most FAR."""
    named: Floats
    """1 where a mission names a continent: missions by continents."""
    free: Floats
    """How many more continents a mission asks for."""
    victim: Ints
    """The player a mission is against, or -1."""
    asked: Floats
    """Territories a mission asks for, where it asks for no player or continent."""
    armies: Floats
    """Armies on each of them."""

    @property
    def missions(self) -> int:
        """How many missions there are."""
        return len(self.named)


def arrays_of(game: Risk) -> MapArrays:
    """The arrays of a game; one without cards has a single mission that asks for nothing."""
    return _map_arrays(game.map, game.mission_deck or (Mission(),))


@lru_cache(maxsize=16)
def _map_arrays(board: Board, missions: tuple[Mission, ...]) -> MapArrays:
    count = len(board.territories)
    within = np.zeros((len(board.continents), count))
    borders, entry = np.zeros((count, count)), np.zeros(count)
    for number, members in enumerate(board.members):
        within[number, list(members)] = 1.0
        entry[list(board.entries[number])] = 1.0
    for place, near in enumerate(board.neighbours):
        borders[place, list(near)] = 1.0
    defended = np.array([1.0 + len(entries) for entries in board.entries])
    named = np.zeros((len(missions), len(board.continents)))
    for number, mission in enumerate(missions):
        named[number, list(mission.named_continents)] = 1.0
    counting = [each.destroy is None and not each.asks_continents for each in missions]
    return MapArrays(
        continent=np.array([territory.continent for territory in board.territories]),
        within=within,
        size=within.sum(axis=1),
        entry=entry,
        value=np.array([1.0 + continent.bonus for continent in board.continents]) / defended,
        borders=borders,
        steps=_steps(borders),
        named=named,
        free=np.array([float(each.continents.count(ANY)) for each in missions]),
        victim=np.array([-1 if each.destroy is None else each.destroy for each in missions]),
        asked=np.array([float(each.territories * counts) for each, counts in zip(missions, counting, strict=True)]),
        armies=np.array([float(each.armies * counts) for each, counts in zip(missions, counting, strict=True)]),
    )


def _steps(borders: Floats) -> Floats:
    """Steps between all territories."""
    reached = np.eye(len(borders))
    steps = np.where(reached > 0.0, 0.0, float(FAR))
    for distance in range(1, FAR):
        reached = np.minimum(1.0, reached + reached @ borders)
        steps = np.where((reached > 0.0) & (steps == FAR), distance, steps)
    return steps
