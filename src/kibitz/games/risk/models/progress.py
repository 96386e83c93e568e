"""How far every player has come with every mission, by the board alone, whatever led there."""

import numpy as np
from numpy.typing import NDArray

from kibitz.games.risk.models.arrays import Floats, Ints, MapArrays

STANDING = (
    *("least share", "mean share", "armies in named", "least armies in named", "least strength", "mean strength"),
    *("free", "size", "least share squared", "strongest elsewhere", "share of named", "missing", "nearly there"),
    *("armies in the way", "counts territories", "territories by asked", "against a player", "weakness of victim"),
)
NEARLY = 4.0
"""With so few missing territories a mission is nearly done."""


def progress_features(atlas: MapArrays, owners: Ints, armies: Ints, players: int) -> Floats:
    """The features of all players and missions."""
    own = owners == np.arange(players)[:, None]
    shares = own @ atlas.within.T / atlas.size
    mine = (own * armies) @ atlas.within.T
    strength = mine / np.maximum(1.0, atlas.within @ armies)
    in_all = np.maximum(1.0, mine.sum(axis=1))[:, None]
    count = np.maximum(1.0, atlas.named.sum(axis=1))
    continental = atlas.named.any(axis=1)
    free = (atlas.free > 0.0).astype(np.float64)

    named, unnamed = atlas.named > 0.0, atlas.named == 0.0
    others = np.where(unnamed, shares[:, None], 0.0).max(axis=2)
    least = _least(named, shares)
    least_of_all = np.where(free > 0.0, np.minimum(least, others), least) * continental
    missing = missing_continents(atlas, own)
    in_the_way = (atlas.within @ armies - mine) @ atlas.named.T
    held, asked = own.sum(axis=1)[:, None], np.where(atlas.asked > 0.0, atlas.asked, np.inf)
    against = atlas.victim >= 0
    left = np.where(against, own.sum(axis=1)[np.where(against, np.minimum(atlas.victim, players - 1), 0)], 0.0)

    found = np.empty((players, atlas.missions, len(STANDING)))
    columns = (
        least_of_all,
        (shares @ atlas.named.T + free * others) / (count + free),
        mine @ atlas.named.T / in_all,
        _least(named, mine) / in_all * continental,
        _least(named, strength) * continental,
        strength @ atlas.named.T / count,
        free,
        atlas.named @ atlas.size / 12.0 - continental,
        least_of_all**2,
        np.where(unnamed, mine[:, None], 0.0).max(axis=2) / in_all * continental,
        shares @ atlas.named.T / count,
        missing / 10.0,
        np.minimum(missing, NEARLY) / NEARLY,
        np.log1p(in_the_way) / 3.0,
        atlas.asked > 0.0,
        np.minimum(1.0, held / asked),
        against,
        against / (1.0 + left),
    )
    for number, values in enumerate(columns):
        found[:, :, number] = values
    return found


def missing_continents(atlas: MapArrays, own: NDArray[np.bool_]) -> Floats:
    """The territories that each player lacks of the continents of each mission, the nearest for free slots."""
    left = (atlas.size - own @ atlas.within.T)[:, None]
    nearest = np.where(atlas.named == 0.0, left, np.inf).min(axis=2)
    missing = (atlas.named * left).sum(axis=2) + np.where(atlas.free > 0.0, nearest, 0.0)
    return np.where(atlas.named.any(axis=1), missing, 0.0)


def _least(named: NDArray[np.bool_], values: Floats) -> Floats:
    """The least of each player's values over the continents of each mission; 0 where none is named."""
    least = np.where(named, values[:, None], np.inf).min(axis=2)
    return np.where(np.isfinite(least), least, 0.0)
