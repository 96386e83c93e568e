"""`risk.mission` inside a kernel, so that whole games can be simulated. Twin of `agents.OnMission`."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.position import zeros
from kibitz.games.risk import phases
from kibitz.games.risk.agents import ATTACKS, PRESSES
from kibitz.games.risk.cards import begins_set
from kibitz.games.risk.dice import MOST_DICE, win_chances
from kibitz.games.risk.game import Risk
from kibitz.games.risk.goals import holds
from kibitz.games.risk.models.arrays import arrays_of
from kibitz.games.risk.phases import AMOUNTS
from kibitz.games.risk.position import ANY_CONTINENT, NOBODY, Position, Setting, Task
from kibitz.games.risk.rules import mark_reachable
from kibitz.games.risk.situation import FAR, LAST, TABLED

Ints = Annotated[NDArray[np.int64], "int64[::1]"]
Floats = Annotated[NDArray[np.float64], "float64[::1]"]
Grid = Annotated[NDArray[np.float64], "float64[:, ::1]"]


class MapKnowledge(NamedTuple):
    """What a player knows of the map and of battles before the game begins."""

    continent: Ints
    """Of every territory."""
    value: Floats
    """Of every continent: its bonus by how many territories must defend it."""
    chances: Grid
    """How likely battles are won, by the armies that may attack and by the defender's."""


def knowledge_of(game: Risk) -> MapKnowledge:
    """What is known of a game from its map."""
    atlas = arrays_of(game)
    return MapKnowledge(atlas.continent, atlas.value, np.array(win_chances(TABLED, game.defence_dice)))


@kernel(lean=True)
def mission_of(position: Position) -> int:
    """The mission of the mover; NOBODY where they have none. Twin of `OnMission.card`."""
    return position.missions[position.mover] if position.mover < position.missions_dealt else NOBODY


@kernel(lean=True)
def hunts(position: Position, task: Task) -> bool:
    """Twin of `OnMission.hunts`."""
    return task.victim not in (NOBODY, position.mover) and position.holdings[task.victim] > 0


@kernel(lean=True)
def share(game: Setting, position: Position, continent: int) -> float:
    """The mover's part of a continent. Twin of `Situation.share`."""
    count = 0
    for place in game.members[continent]:
        count += position.owners[place] == position.mover
    return count / len(game.members[continent])


@kernel(lean=True)
def name_continents(game: Setting, task: Task, shares: Floats, named: Floats) -> None:
    """Mark the continents a mission is about, the nearest for a free slot. Twin of `OnMission.third`."""
    is_free = False
    for slot in task.continents:
        is_free |= slot == ANY_CONTINENT
        if slot >= 0:
            named[slot] = 1.0
    best, size = -1, 0
    for continent in range(game.continents if is_free else 0):
        count = len(game.members[continent])
        nearer = best < 0 or shares[continent] > shares[best] or (shares[continent] == shares[best] and count < size)
        if named[continent] == 0.0 and nearer:
            best, size = continent, count
    if is_free:
        named[best] = 1.0


@kernel
def want(game: Setting, position: Position, lore: MapKnowledge, weight: float, wants: Floats) -> int:
    """Write how much each territory is wanted; how many the mission still takes. Twin of `OnMission.wants`."""
    mover, mission = position.mover, mission_of(position)
    notes = np.zeros((3, game.continents))
    shares, broken, named = notes[0], notes[1], notes[2]
    for number in range(game.continents):
        shares[number] = share(game, position, number)
        first = position.owners[game.members[number][0]]
        if first not in (mover, NOBODY) and holds(game, position, number, first):
            broken[number] = 0.5 * game.bonuses[number]
    victim, continental, hunting = NOBODY, False, False
    if mission != NOBODY:
        task = game.missions[mission]
        victim, continental, hunting = task.victim, task.asks_continents != 0, hunts(position, task)
        if continental:
            name_continents(game, task, shares, named)
    missing = 0
    for place in range(game.territories):
        owner, number = position.owners[place], lore.continent[place]
        spite = broken[number]
        if owner not in (mover, NOBODY) and position.holdings[owner] <= LAST:
            spite += 1.0 + position.hand_sizes[owner]
        is_goal = named[number] > 0.0 if continental else owner == victim if hunting else mission != NOBODY
        missing += is_goal and owner != mover
        wants[place] = (lore.value[number] * (0.2 + shares[number]) + spite) * (weight if is_goal else 1.0)
    if continental or hunting or mission == NOBODY:
        return missing
    return game.missions[mission].territories - position.holdings[mover]


@kernel(lean=True)
def chance(game: Setting, position: Position, chances: Grid, origin: int, to: int, more: int) -> float:
    """Twin of `Situation.chance`."""
    own, other = position.armies[origin] + more - 1, position.armies[to]
    if max(own, other) <= TABLED:
        return float(chances[own, max(1, other)])
    scale = max(own, other) / TABLED
    return float(chances[int(np.rint(own / scale)), max(1, int(np.rint(other / scale)))])


@kernel(lean=True)
def spread_distances(game: Setting, far: Ints) -> int:
    """Turn *far*, 0 at the goals, into the steps from everywhere to the nearest. Twin of `Situation.distances`."""
    count, found = game.territories, True
    while found:
        found = False
        for place in range(count):
            for to in game.neighbours[place]:
                steps = far[to] + 1
                if steps < far[place]:
                    far[place], found = steps, True
    return 0


@kernel(lean=True)
def distances(game: Setting, position: Position, wants: Floats, far: Ints) -> int:
    """Write the steps to the nearest territory that is wanted and not held; how many of these there are."""
    goals = 0
    for place in range(game.territories):
        goal = wants[place] > 0.0 and position.owners[place] != position.mover
        far[place] = 0 if goal else FAR
        goals += goal
    spread_distances(game, far)
    return goals


@kernel(lean=True)
def worth_standing(game: Setting, position: Position, wants: Floats, place: int) -> float:
    """Twin of `Planner.worth_standing`."""
    near = 0.0
    for to in game.neighbours[place]:
        if position.owners[to] != position.mover:
            near += max(0.0, wants[to])
    return float(max(0.0, wants[place]) + near - 0.02 * position.armies[place] * (1.0 + near))


@kernel(lean=True)
def kernel_stand(game: Setting, position: Position, wants: Floats) -> int:
    """Where an army is placed in the setup, or a territory claimed."""
    wanted = NOBODY if position.phase == phases.DRAFT else position.mover
    best, most = -1, 0.0
    for place in range(game.territories):
        if position.owners[place] == wanted:
            worth = worth_standing(game, position, wants, place)
            if best < 0 or worth > most:
                best, most = place, worth
    return best


@kernel(lean=True)
def winning_placement(game: Setting, position: Position) -> int:
    """Armies on a weakly held territory if that ends the game; else NOBODY. Twin of `OnMission.placement`."""
    mission, mover = mission_of(position), position.mover
    if mission == NOBODY:
        return NOBODY
    task = game.missions[mission]
    if task.armies <= 1 or position.holdings[mover] < task.territories:
        return NOBODY
    first, left, armies = NOBODY, task.territories, 0
    for place in range(game.territories):
        left -= position.owners[place] == mover and position.armies[place] >= task.armies
    for lacking in range(1, task.armies):
        for place in range(game.territories):
            is_lacking = position.owners[place] == mover and task.armies - position.armies[place] == lacking
            if left > 0 and is_lacking:
                first = place * AMOUNTS + lacking if first == NOBODY else first
                left, armies = left - 1, armies + lacking
    return first if armies <= position.to_place else NOBODY


@kernel
def meets_enemy(game: Setting, position: Position, place: int) -> bool:
    """Whether the mover could attack from a territory."""
    for to in game.neighbours[place]:  # noqa: SIM110  (kernels have no generators)
        if position.owners[to] != position.mover:
            return True
    return False


@kernel
def first_trade(game: Setting, position: Position) -> int:
    """The first card that a set can be begun or gone on with; else none is traded."""
    hand, held = position.hands[position.mover], zeros(4)
    for card in range(game.kinds):
        held[game.symbols[card]] += hand[card]
    for card in range(game.kinds):
        if hand[card]:
            symbol = game.symbols[card]
            held[symbol] -= 1
            if begins_set(game, position, symbol, held):
                return card
            held[symbol] += 1
    return game.kinds


@kernel
def kernel_placement(game: Setting, position: Position, chances: Grid, wants: Floats) -> int:
    """Twin of `OnMission.placement`."""
    ending = winning_placement(game, position)
    if ending != NOBODY:
        return ending
    count, me = game.territories, position.mover
    best, most = -1, 0.0
    for place in range(count):
        if position.owners[place] == me:
            for to in game.neighbours[place]:
                if position.owners[to] != me:
                    gain = wants[to] * chance(game, position, chances, place, to, position.to_place)
                    if gain > most:
                        best, most = place, gain
    if best < 0:
        far = np.empty(count, np.int64)
        distances(game, position, wants, far)
        least = 0
        for place in range(count):
            if position.owners[place] == me:
                steps = far[place] + (0 if meets_enemy(game, position, place) else 2 * FAR)
                if best < 0 or steps < least:
                    best, least = place, steps
    return best * AMOUNTS + position.to_place


@kernel(lean=True)
def kernel_attack(game: Setting, position: Position, chances: Grid, wants: Floats, boldness: float) -> int:
    """Twin of `Planner.attack`."""
    count, me = game.territories, position.mover
    best, found = 0.0, phases.END_ATTACK
    for origin in range(count):
        if position.owners[origin] == me and position.armies[origin] > 1:
            for to in game.neighbours[origin]:
                if position.owners[to] != me:
                    likely = chance(game, position, chances, origin, to, 0)
                    if likely >= boldness and wants[to] * likely > best:
                        best, found = wants[to] * likely, 1 + origin * count + to
    return found


@kernel(lean=True)
def most_wanted(game: Setting, position: Position, wants: Floats, place: int, least: float) -> float:
    """The most that is wanted of what could be attacked from a territory; *least* where nothing could."""
    found, most = False, least
    for to in game.neighbours[place]:
        if position.owners[to] != position.mover and (not found or wants[to] > most):
            found, most = True, wants[to]
    return most


@kernel
def can_march(game: Setting, position: Position, origin: int, to: int) -> bool:
    """Whether the mover may march from one of their territories to another at the end of the turn."""
    if position.settled[origin] or position.owners[to] != position.mover:
        return False
    reached = zeros(game.territories)
    mark_reachable(game, position, origin, reached)
    return reached[to] > 0


@kernel
def kernel_march(game: Setting, position: Position, wants: Floats, stay: int) -> int:
    """Twin of `Planner.march`."""
    origin, most = -1, stay
    for place in range(game.territories):
        armies = position.armies[place]
        if position.owners[place] == position.mover and armies > most and not meets_enemy(game, position, place):
            origin, most = place, armies
    far = np.empty(game.territories, np.int64)
    if origin < 0 or distances(game, position, wants, far) == 0:
        return phases.STAY
    to = -1
    for near in game.neighbours[origin]:
        if to < 0 or far[near] < far[to] or (far[near] == far[to] and near < to):
            to = near
    if to < 0 or far[to] >= FAR or not can_march(game, position, origin, to):
        return phases.STAY
    return (1 + origin * game.territories + to) * AMOUNTS + most - stay


@kernel
def on_mission(game: Setting, position: Position, lore: MapKnowledge, weight: float) -> int:
    """What `risk.mission` with this weight does. Twin of `OnMission.choice`."""
    phase = position.phase
    if phase == phases.DEFEND:
        return min(game.defence, position.armies[position.target])
    if phase in (phases.TRADE, phases.SPOILS):
        return first_trade(game, position)
    if phase == phases.ROLL:
        presses = chance(game, position, lore.chances, position.origin, position.target, 0) >= PRESSES
        return int(min(MOST_DICE, position.armies[position.origin] - 1)) if presses else phases.RETREAT
    wants = np.empty(game.territories)
    missing = want(game, position, lore, weight, wants)
    if phase == phases.PLACE:
        return kernel_placement(game, position, lore.chances, wants)
    if phase == phases.ATTACK:
        return kernel_attack(game, position, lore.chances, wants, PRESSES if 0 < missing <= LAST else ATTACKS)
    if phase in (phases.DRAFT, phases.SETUP, phases.CAPITAL):
        return kernel_stand(game, position, wants)
    mission = mission_of(position)
    stay = max(1, game.missions[mission].armies) if mission != NOBODY else 1
    if phase == phases.FORTIFY:
        return kernel_march(game, position, wants, stay)
    ahead = most_wanted(game, position, wants, position.target, -1.0)
    on = ahead >= most_wanted(game, position, wants, position.origin, -0.5)
    return max(position.rolled, position.armies[position.origin] - stay) if on else position.rolled
