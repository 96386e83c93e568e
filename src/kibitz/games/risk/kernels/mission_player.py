"""`risk.mission` inside a kernel, so that whole games can be simulated. Twin of `agents.OnMission`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.games.risk import phases
from kibitz.games.risk.agents import ATTACKS, PRESSES
from kibitz.games.risk.dice import MOST_DICE, win_chances
from kibitz.games.risk.kernels.fortifying import can_march
from kibitz.games.risk.kernels.layout import Words, armies_at, counts_at, hand_at, holds, missions_at, territory_count
from kibitz.games.risk.kernels.reinforcing import begins_set
from kibitz.games.risk.models.arrays import arrays_of
from kibitz.games.risk.packing import (
    ANY_SLOT,
    BONUS_AT,
    BORDERS_AT,
    CONTINENTS,
    DEFENCE,
    MEMBERS_AT,
    MISSION_WORDS,
    MISSIONS_AT,
    MISSIONS_DEALT,
    MOVER,
    NONE,
    ORIGIN,
    OWNERS,
    PHASE,
    PLAYERS,
    ROLLED,
    SYMBOL_AT,
    TARGET,
    TERRITORIES,
    TO_PLACE,
)
from kibitz.games.risk.phases import AMOUNTS
from kibitz.games.risk.rules import Risk
from kibitz.games.risk.situation import FAR, LAST, TABLED

Floats = NDArray[np.float64]


class MapKnowledge(NamedTuple):
    """What a player knows of the map and of battles before the game begins."""

    continent: Words
    """Of every territory."""
    value: Floats
    """Of every continent: its bonus by how many territories must defend it."""
    chances: Floats
    """How likely battles are won, by the armies that may attack and by the defender's."""


def knowledge_of(game: Risk) -> MapKnowledge:
    """What is known of a game from its map."""
    atlas = arrays_of(game)
    return MapKnowledge(atlas.continent, atlas.value, np.array(win_chances(TABLED, game.defence_dice)))


@kernel("int64(int64[::1], int64[::1])", lean=True)
def card_at(game: Words, state: Words) -> int:
    """Where the mission of the mover is in the game's row; NONE where they have none. Twin of `OnMission.card`."""
    dealt = state[MOVER] < state[MISSIONS_DEALT]
    mission = state[missions_at(game) + state[MOVER]] if dealt else NONE
    return int(game[MISSIONS_AT] + MISSION_WORDS * mission if mission != NONE else NONE)


@kernel("boolean(int64[::1], int64[::1], int64)", lean=True)
def hunts(game: Words, state: Words, card: int) -> bool:
    """Twin of `OnMission.hunts`."""
    return bool(game[card] not in (NONE, state[MOVER]) and territory_count(game, state, game[card]) > 0)


@kernel("float64(int64[::1], int64[::1], int64)", lean=True)
def share(game: Words, state: Words, continent: int) -> float:
    """The mover's part of a continent. Twin of `Situation.share`."""
    at, held = game[MEMBERS_AT], 0
    members = at + game[CONTINENTS] + 1
    for number in range(game[at + continent], game[at + continent + 1]):
        held += state[OWNERS + game[members + number]] == state[MOVER]
    return float(held / (game[at + continent + 1] - game[at + continent]))


@kernel("int64(int64[::1], int64, float64[::1], boolean[::1])", lean=True)
def name_continents(game: Words, card: int, shares: Floats, named: NDArray[np.bool_]) -> int:
    """Mark the continents a card is about, the nearest for a free slot. Twin of `OnMission.third`."""
    free = False
    for slot in range(card + 3, card + 6):
        free |= game[slot] == ANY_SLOT
        if game[slot] >= 0:
            named[game[slot]] = True
    best, size, at = -1, 0, game[MEMBERS_AT]
    for continent in range(game[CONTINENTS] if free else 0):
        members = game[at + continent + 1] - game[at + continent]
        nearer = best < 0 or shares[continent] > shares[best] or (shares[continent] == shares[best] and members < size)
        if not named[continent] and nearer:
            best, size = continent, members
    if free:
        named[best] = True
    return 0


@kernel("int64(int64[::1], int64[::1], int64[::1], float64[::1], boolean[::1])")
def mark_goals(game: Words, state: Words, continent: Words, shares: Floats, goals: NDArray[np.bool_]) -> int:
    """Mark the territories of the mover's card; how many the mission still takes. Twin of `goals` and `missing`."""
    card, count = card_at(game, state), game[TERRITORIES]
    if card == NONE:
        return 0
    continental, hunting = game[card + 7] != 0, hunts(game, state, card)
    named = np.zeros(game[CONTINENTS], np.bool_)
    if continental:
        name_continents(game, card, shares, named)
    missing = 0
    for place in range(count):
        owner = state[OWNERS + place]
        goals[place] = named[continent[place]] if continental else owner == game[card] if hunting else True
        missing += goals[place] and owner != state[MOVER]
    return int(missing if continental or hunting else game[card + 1] - territory_count(game, state, state[MOVER]))


@kernel("int64(int64[::1], int64[::1], int64[::1], float64[::1], float64, float64[::1])")
def want(game: Words, state: Words, continent: Words, value: Floats, weight: float, wants: Floats) -> int:
    """Write how much each territory is wanted; how many the mission still takes. Twin of `OnMission.wants`."""
    count, me, counts = game[TERRITORIES], state[MOVER], counts_at(game)
    shares, broken = np.empty(game[CONTINENTS]), np.zeros(game[CONTINENTS])
    for number in range(game[CONTINENTS]):
        shares[number] = share(game, state, number)
        first = state[OWNERS + game[game[MEMBERS_AT] + game[CONTINENTS] + 1 + game[game[MEMBERS_AT] + number]]]
        if first not in (me, NONE) and holds(game, state, number, first):
            broken[number] = 0.5 * game[game[BONUS_AT] + number]
    goals = np.zeros(count, np.bool_)
    missing = mark_goals(game, state, continent, shares, goals)
    values = value * (0.2 + shares)
    for place in range(count):
        owner, spite = state[OWNERS + place], broken[continent[place]]
        if owner not in (me, NONE) and state[counts + owner] <= LAST:
            spite += 1.0 + state[counts + game[PLAYERS] + owner]
        wants[place] = (values[continent[place]] + spite) * (weight if goals[place] else 1.0)
    return missing


@kernel("float64(int64[::1], int64[::1], float64[:, ::1], int64, int64, int64)", lean=True)
def chance(game: Words, state: Words, chances: Floats, origin: int, to: int, more: int) -> float:
    """Twin of `Situation.chance`."""
    own, other = state[armies_at(game) + origin] + more - 1, state[armies_at(game) + to]
    if max(own, other) <= TABLED:
        return float(chances[own, max(1, other)])
    scale = max(own, other) / TABLED
    return float(chances[int(np.rint(own / scale)), max(1, int(np.rint(other / scale)))])


@kernel("int64(int64[::1], int64[::1])", lean=True)
def spread_distances(game: Words, far: Words) -> int:
    """Turn *far*, 0 at the goals, into the steps from everywhere to the nearest. Twin of `Situation.distances`."""
    borders, count, found = game[BORDERS_AT], game[TERRITORIES], True
    while found:
        found = False
        for place in range(count):
            for way in range(game[borders + place], game[borders + place + 1]):
                steps = far[game[borders + count + 1 + way]] + 1
                if steps < far[place]:
                    far[place], found = steps, True
    return 0


@kernel("int64(int64[::1], int64[::1], float64[::1], int64[::1])", lean=True)
def distances(game: Words, state: Words, wants: Floats, far: Words) -> int:
    """Write the steps to the nearest territory that is wanted and not held; how many of these there are."""
    goals = 0
    for place in range(game[TERRITORIES]):
        goal = wants[place] > 0.0 and state[OWNERS + place] != state[MOVER]
        far[place] = 0 if goal else FAR
        goals += goal
    spread_distances(game, far)
    return goals


@kernel("float64(int64[::1], int64[::1], float64[::1], int64)", lean=True)
def worth_standing(game: Words, state: Words, wants: Floats, place: int) -> float:
    """Twin of `Planner.worth_standing`."""
    borders, near = game[BORDERS_AT], 0.0
    for way in range(game[borders + place], game[borders + place + 1]):
        to = game[borders + game[TERRITORIES] + 1 + way]
        if state[OWNERS + to] != state[MOVER]:
            near += max(0.0, wants[to])
    return float(max(0.0, wants[place]) + near - 0.02 * state[armies_at(game) + place] * (1.0 + near))


@kernel("int64(int64[::1], int64[::1], float64[::1])", lean=True)
def kernel_stand(game: Words, state: Words, wants: Floats) -> int:
    """Where an army is placed in the setup, or a territory claimed."""
    wanted = NONE if state[PHASE] == phases.DRAFT else state[MOVER]
    best, most = -1, 0.0
    for place in range(game[TERRITORIES]):
        if state[OWNERS + place] == wanted:
            worth = worth_standing(game, state, wants, place)
            if best < 0 or worth > most:
                best, most = place, worth
    return best


@kernel("int64(int64[::1], int64[::1])", lean=True)
def winning_placement(game: Words, state: Words) -> int:
    """Armies on a weakly held territory if that ends the game; else NONE. Twin of `OnMission.placement`."""
    card, count = card_at(game, state), game[TERRITORIES]
    if card == NONE or game[card + 2] <= 1 or territory_count(game, state, state[MOVER]) < game[card + 1]:
        return NONE
    first, left, armies = NONE, game[card + 1], 0
    for place in range(count):
        left -= state[OWNERS + place] == state[MOVER] and state[OWNERS + count + place] >= game[card + 2]
    for lacking in range(1, game[card + 2]):
        for place in range(count):
            held = state[OWNERS + place] == state[MOVER]
            if left > 0 and held and game[card + 2] - state[OWNERS + count + place] == lacking:
                first = place * AMOUNTS + lacking if first == NONE else first
                left, armies = left - 1, armies + lacking
    return int(first if armies <= state[TO_PLACE] else NONE)


@kernel("boolean(int64[::1], int64[::1], int64)")
def meets_enemy(game: Words, state: Words, place: int) -> bool:
    """Whether the mover could attack from a territory."""
    borders = game[BORDERS_AT]
    for way in range(game[borders + place], game[borders + place + 1]):
        if state[OWNERS + game[borders + game[TERRITORIES] + 1 + way]] != state[MOVER]:
            return True
    return False


@kernel("int64(int64[::1], int64[::1])")
def first_trade(game: Words, state: Words) -> int:
    """The first card that a set can be begun or gone on with; else none is traded."""
    count, hand, symbols = game[TERRITORIES], hand_at(game, state[MOVER]), game[SYMBOL_AT]
    held = np.zeros(4, np.int64)
    for card in range(count + 1):
        held[game[symbols + card]] += state[hand + card]
    for card in range(count + 1):
        if state[hand + card]:
            symbol = game[symbols + card]
            held[symbol] -= 1
            if begins_set(game, state, symbol, held):
                return card
            held[symbol] += 1
    return int(count + 1)


@kernel("int64(int64[::1], int64[::1], float64[:, ::1], float64[::1])")
def kernel_placement(game: Words, state: Words, chances: Floats, wants: Floats) -> int:
    """Twin of `OnMission.placement`."""
    ending = winning_placement(game, state)
    if ending != NONE:
        return ending
    count, borders, me = game[TERRITORIES], game[BORDERS_AT], state[MOVER]
    best, most = -1, 0.0
    for place in range(count):
        if state[OWNERS + place] == me:
            for way in range(game[borders + place], game[borders + place + 1]):
                to = game[borders + count + 1 + way]
                if state[OWNERS + to] != me:
                    gain = wants[to] * chance(game, state, chances, place, to, state[TO_PLACE])
                    if gain > most:
                        best, most = place, gain
    if best < 0:
        far = np.empty(count, np.int64)
        distances(game, state, wants, far)
        least = 0
        for place in range(count):
            if state[OWNERS + place] == me:
                steps = far[place] + (0 if meets_enemy(game, state, place) else 2 * FAR)
                if best < 0 or steps < least:
                    best, least = place, steps
    return int(best * AMOUNTS + state[TO_PLACE])


@kernel("int64(int64[::1], int64[::1], float64[:, ::1], float64[::1], float64)", lean=True)
def kernel_attack(game: Words, state: Words, chances: Floats, wants: Floats, boldness: float) -> int:
    """Twin of `Planner.attack`."""
    count, borders, me = game[TERRITORIES], game[BORDERS_AT], state[MOVER]
    best, found = 0.0, phases.END_ATTACK
    for origin in range(count):
        if state[OWNERS + origin] == me and state[OWNERS + count + origin] > 1:
            for way in range(game[borders + origin], game[borders + origin + 1]):
                to = game[borders + count + 1 + way]
                if state[OWNERS + to] != me:
                    likely = chance(game, state, chances, origin, to, 0)
                    if likely >= boldness and wants[to] * likely > best:
                        best, found = wants[to] * likely, 1 + origin * count + to
    return int(found)


@kernel("float64(int64[::1], int64[::1], float64[::1], int64, float64)", lean=True)
def most_wanted(game: Words, state: Words, wants: Floats, place: int, least: float) -> float:
    """The most that is wanted of what could be attacked from a territory; *least* where nothing could."""
    borders, found, most = game[BORDERS_AT], False, least
    for way in range(game[borders + place], game[borders + place + 1]):
        to = game[borders + game[TERRITORIES] + 1 + way]
        if state[OWNERS + to] != state[MOVER] and (not found or wants[to] > most):
            found, most = True, wants[to]
    return float(most)


@kernel("int64(int64[::1], int64[::1], float64[::1], int64)")
def kernel_march(game: Words, state: Words, wants: Floats, stay: int) -> int:
    """Twin of `Planner.march`."""
    count, borders = game[TERRITORIES], game[BORDERS_AT]
    origin, most = -1, stay
    for place in range(count):
        armies = state[OWNERS + count + place]
        if state[OWNERS + place] == state[MOVER] and armies > most and not meets_enemy(game, state, place):
            origin, most = place, armies
    far = np.empty(count, np.int64)
    if origin < 0 or distances(game, state, wants, far) == 0:
        return phases.STAY
    to = -1
    for way in range(game[borders + origin], game[borders + origin + 1]):
        near = game[borders + count + 1 + way]
        if to < 0 or far[near] < far[to] or (far[near] == far[to] and near < to):
            to = near
    if to < 0 or far[to] >= FAR:
        return phases.STAY
    if not can_march(game, state, origin, to, most - stay):
        return phases.STAY
    return int((1 + origin * count + to) * AMOUNTS + most - stay)


@kernel("int64(int64[::1], int64[::1], int64[::1], float64[::1], float64[:, ::1], float64)")
def on_mission(game: Words, state: Words, continent: Words, value: Floats, chances: Floats, weight: float) -> int:
    """What `risk.mission` with this weight does. Twin of `OnMission.choice`."""
    phase = state[PHASE]
    if phase == phases.DEFEND:
        return int(min(game[DEFENCE], state[armies_at(game) + state[TARGET]]))
    if phase in (phases.TRADE, phases.SPOILS):
        return first_trade(game, state)
    if phase == phases.ROLL:
        presses = chance(game, state, chances, state[ORIGIN], state[TARGET], 0) >= PRESSES
        return int(min(MOST_DICE, state[armies_at(game) + state[ORIGIN]] - 1)) if presses else phases.RETREAT
    wants = np.empty(game[TERRITORIES])
    missing = want(game, state, continent, value, weight, wants)
    if phase == phases.PLACE:
        return kernel_placement(game, state, chances, wants)
    if phase == phases.ATTACK:
        return kernel_attack(game, state, chances, wants, PRESSES if 0 < missing <= LAST else ATTACKS)
    if phase in (phases.DRAFT, phases.SETUP, phases.CAPITAL):
        return kernel_stand(game, state, wants)
    card = card_at(game, state)
    stay = max(1, game[card + 2]) if card != NONE else 1
    if phase == phases.FORTIFY:
        return kernel_march(game, state, wants, stay)
    ahead = most_wanted(game, state, wants, state[TARGET], -1.0)
    on = ahead >= most_wanted(game, state, wants, state[ORIGIN], -0.5)
    return int(max(state[ROLLED], state[armies_at(game) + state[ORIGIN]] - stay) if on else state[ROLLED])
