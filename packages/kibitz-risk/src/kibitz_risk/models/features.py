"""What speaks for giving an order somewhere with each mission, and how far each player has come with it, as arrays.

Models compute all territories and missions at once. Axes are always in this order: players, missions, continents,
territories. The first features of orders are about the mission; those from FREE on are the same for all missions.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz_risk import phases
from kibitz_risk.board import ANY, Board, Mission
from kibitz_risk.campaigns.campaigner import NOWHERE, PLANNED, ExpectedOrders
from kibitz_risk.game import Risk, State

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


BY_CARD = (
    *("named", "named by share", "named entry", "distance", "near", "missing beside", "spare by share"),
    *("nearest to completion", "third", "named and completed", "named by superiority", "named by size"),
    *("third beside", "distance with third", "named and bordering", "broken though not named"),
    *("victim", "weak victim", "armies if territories count", "thin if territories count"),
)
BY_PLACE = (
    *("share", "armies", "odds or border", "completed or enemies", "broken", "value by share", "entry"),
    *("superiority", "best continent", "enemies beside", "again", "beside the last"),
)
CAMPAIGNS = {"campaign lightly": 3.0, "campaign": 20.0, "campaign fully": 120.0}
"""Whether a campaigner to whom its card is worth so much would give the order there (`campaigns.expected`)."""
ABOUT_MISSION = (*BY_CARD, *CAMPAIGNS)
ABOUT_PLACE = (*BY_PLACE, "campaign without a card")
FEATURES = ABOUT_MISSION + ABOUT_PLACE
FREE = len(ABOUT_MISSION)
BEGUN = 0.2
"""What is added to the share of a continent, so that one of which nothing is held still has some value."""


def order_features(atlas: MapArrays, kind: int, owners: Ints, armies: Ints, player: int, last: int) -> Floats:
    """The features of every mission and territory by the board alone: those BY_CARD, then those BY_PLACE.

    *last* is where the player's last order of this kind was, or -1.
    """
    own, at = owners == player, atlas.continent
    foes = ~own
    held = atlas.within @ own
    share = held / atlas.size
    superiority = np.log((atlas.within @ (own * armies) + 1.0) / (atlas.within @ (foes * armies) + 1.0))
    broken = held_by_others(atlas, owners, player)
    attacks = kind == phases.ATTACK

    named = atlas.named[:, at]
    free = atlas.free[:, None] > 0.0
    third = at == third_continents(atlas, share)[:, None]
    missing = named * foes
    missing_third = third * foes
    near = nearest_continents(atlas, share)[:, None]
    distance = steps_to(atlas, missing)
    completed = attacks * (atlas.size - held == 1.0)[at]
    enemies = atlas.borders @ foes
    bordering = enemies > 0.0
    log_armies = np.log1p(armies)
    victims = owners == np.where(atlas.victim == player, -2, atlas.victim)[:, None]
    at_victim = victims if attacks else victims @ atlas.borders.T > 0.0
    counting = territories_count(atlas, owners, player)[:, None]

    about_mission = (
        named,
        named * share[at],
        named * atlas.entry,
        distance / FAR,
        distance <= 1.0,
        missing @ atlas.borders.T / 3.0,
        (1.0 - named) * free * share[at] ** 2,
        at == near,
        third,
        named * completed,
        named * superiority[at],
        named * atlas.size[at] / 12.0,
        missing_third @ atlas.borders.T / 3.0,
        free * steps_to(atlas, np.maximum(missing, missing_third)) / FAR,
        named * bordering,
        (1.0 - named) * broken[at],
        at_victim,
        at_victim / (1.0 + victims.sum(axis=1, keepdims=True)),
        counting * log_armies,
        counting * (armies < np.maximum(atlas.armies, 2.0)[:, None]),
    )
    approach = (atlas.borders * (own * armies)[:, None]).max(axis=0)
    last_there = np.arange(len(owners)) == last
    about_place = (
        share[at],
        log_armies,
        np.log(approach / (armies + 0.5) + 1e-3) if attacks else bordering,
        completed if attacks else np.log1p(atlas.borders @ (foes * armies)),
        broken[at],
        (atlas.value * share)[at],
        atlas.entry,
        superiority[at],
        at == (atlas.value * (BEGUN + share)).argmax(),
        enemies / 4.0,
        last_there,
        atlas.borders @ last_there,
    )
    found = np.empty((atlas.missions, len(owners), len(BY_CARD + BY_PLACE)))
    for number, values in enumerate(about_mission + about_place):
        found[:, :, number] = values
    return found


def campaign_features(state: State, player: int) -> Floats:
    """1 where campaigners would give their next order: of missions by territories by CAMPAIGNS, last without a card."""
    cards = state.game.mission_deck or (None,)
    found = np.zeros((len(cards), len(state.owners), len(CAMPAIGNS) + 1))
    if state.phase in PLANNED:
        expected = ExpectedOrders(state, player)
        weights = (*CAMPAIGNS.values(),)
        for number, card in enumerate(cards):
            for column, weight in enumerate(weights):
                mark(found[number, :, column], expected.place(card, weight))
        mark(found[:, :, -1].T, expected.place(None, 1.0))
    return found


def mark(territories: Floats, place: int) -> None:
    """Write 1 for a territory, if there is one."""
    if place != NOWHERE:
        territories[place] = 1.0


def held_by_others(atlas: MapArrays, owners: Ints, player: int) -> Floats:
    """1 for continents that another player holds."""
    by_owner = atlas.within @ (owners[:, None] == np.arange(owners.max() + 1))
    by_owner[:, player : player + 1] = 0.0
    return np.asarray((by_owner == atlas.size[:, None]).any(axis=1), np.float64)


def third_continents(atlas: MapArrays, share: Floats) -> Ints:
    """For every mission the continent that would fill its free slot: the one most of which is held; else -1."""
    better = np.where(atlas.named > 0.0, -1.0, share - 1e-6 * atlas.size)
    return np.where(atlas.free > 0.0, better.argmax(axis=1), -1)


def nearest_continents(atlas: MapArrays, share: Floats) -> Ints:
    """For every mission the named continent nearest to being held; -1 where all are, or none is named."""
    better = np.where((atlas.named > 0.0) & (share < 1.0), share, -1.0)
    return np.where(better.max(axis=1) >= 0.0, better.argmax(axis=1), -1)


def steps_to(atlas: MapArrays, goals: Floats) -> Floats:
    """For every mission the steps from each territory to the nearest of its goals, at most FAR."""
    return np.asarray(np.where(goals[:, None, :] > 0.0, atlas.steps, FAR).min(axis=2), np.float64)


def territories_count(atlas: MapArrays, owners: Ints, player: int) -> Floats:
    """1 for missions about a number of territories: by their text, or because their victim is gone or the player."""
    gone = (atlas.victim >= 0) & ((atlas.victim == player) | ~np.isin(atlas.victim, owners))
    return np.asarray((atlas.asked > 0.0) | gone, np.float64)


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
