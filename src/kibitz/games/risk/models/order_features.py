"""What speaks for giving an order somewhere, with each mission: the features of the choice model.

The first of them are about the mission; those from FREE on are the same for all missions.
"""

import numpy as np

from kibitz.games.risk import phases
from kibitz.games.risk.campaigns.expected import NOWHERE, PLANNED, ExpectedOrders
from kibitz.games.risk.game import State
from kibitz.games.risk.models.arrays import FAR, Floats, Ints, MapArrays

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
