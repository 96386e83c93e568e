"""How players act who give every territory a value: what they want, and how they place, attack and march for it.

`on_mission` is `risk.mission` whole, so that games can be simulated inside kernels.
"""

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.structs import Floats, Ints, zeros
from kibitz_risk import phases
from kibitz_risk.actions import mark_reachable
from kibitz_risk.board import Board
from kibitz_risk.cards import begins_set
from kibitz_risk.dice import MOST_DICE, win_chances
from kibitz_risk.game import Risk
from kibitz_risk.options import ANY_CONTINENT, Setting, Task
from kibitz_risk.phases import AMOUNTS
from kibitz_risk.position import NOBODY, Position
from kibitz_risk.rules import holds

Grid = Annotated[NDArray[np.float64], "float64[:, ::1]"]
ATTACKS, PRESSES = 0.6, 0.5
"""How likely a battle must be won for an agent to begin it, and to go on with it."""
TABLED = 40
"""Armies of larger battles are scaled down to this many; the odds hardly change there."""
FAR = 10_000
LAST = 3
"""A player with so few territories is worth destroying."""


class MapKnowledge(NamedTuple):
    """What a player knows of the map and of battles before the game begins."""

    value: Annotated[NDArray[np.float64], "float64[::1]"]
    """Of every continent: its bonus by how many territories must defend it."""
    chances: Grid
    """How likely battles are won, by the armies that may attack and by the defender's."""


def knowledge_of(game: Risk) -> MapKnowledge:
    """What is known of a game from its map."""
    return _knowledge_of(game.map, game.defence_dice)


@lru_cache(maxsize=16)
def _knowledge_of(board: Board, defence_dice: int) -> MapKnowledge:
    defended = np.array([1.0 + len(entries) for entries in board.entries])
    return MapKnowledge(
        np.array([1.0 + continent.bonus for continent in board.continents]) / defended,
        np.array(win_chances(TABLED, defence_dice)),
    )


@kernel(lean=True)
def hunts(position: Position, task: Task) -> bool:
    """Whether there is a player to destroy."""
    return task.victim not in (NOBODY, position.mover) and position.holdings[task.victim] > 0


@kernel(lean=True)
def owned_fraction(game: Setting, position: Position, continent: int) -> float:
    """The fraction of a continent's territories that the mover owns."""
    count = 0
    for place in game.members[continent]:
        count += position.owners[place] == position.mover
    return count / len(game.members[continent])


@kernel
def value_territories(game: Setting, position: Position, lore: MapKnowledge, values: Floats) -> int:
    """Write what territories are worth to a conqueror: by their continents, and by what their loss costs the owner."""
    mover = position.mover
    for continent in range(game.continents):
        members = game.members[continent]
        value = lore.value[continent] * (0.2 + owned_fraction(game, position, continent))
        first = position.owners[members[0]]
        is_held = first not in (mover, NOBODY) and holds(game, position, continent, first)
        broken = 0.5 * game.bonuses[continent] if is_held else 0.0
        for place in members:
            owner, spite = position.owners[place], broken
            if owner not in (mover, NOBODY) and position.holdings[owner] <= LAST:
                spite += 1.0 + position.hand_sizes[owner]
            values[place] = value + spite
    return 0


@kernel(lean=True)
def free_continent(game: Setting, position: Position, task: Task) -> int:
    """The continent for the free slot of a mission: the one nearest to being held; NOBODY where no slot is free."""
    is_free = False
    for slot in task.continents:
        is_free |= slot == ANY_CONTINENT
    best, most, size = NOBODY, 0.0, 0
    for continent in range(game.continents if is_free else 0):
        is_named = False
        for slot in task.continents:
            is_named |= slot == continent
        if not is_named:
            owned, count = owned_fraction(game, position, continent), len(game.members[continent])
            if best == NOBODY or owned > most or (owned == most and count < size):
                best, most, size = continent, owned, count
    return best


@kernel
def mark_goals(game: Setting, position: Position, task: Task, goals: Ints) -> int:
    """Mark the territories of a mission, all where it only counts them; how many territories it still takes."""
    mover = position.mover
    if task.asks_continents:
        free = free_continent(game, position, task)
        for continent in range(game.continents):
            is_named = continent == free
            for slot in task.continents:
                is_named |= slot == continent
            for place in game.members[continent]:
                goals[place] = int(is_named)
    elif hunts(position, task):
        for place in range(game.territories):
            goals[place] = int(position.owners[place] == task.victim)
    else:
        for place in range(game.territories):
            goals[place] = 1
        return task.territories - position.holdings[mover]
    missing = 0
    for place in range(game.territories):
        missing += goals[place] > 0 and position.owners[place] != mover
    return missing


@kernel(lean=True)
def chance(game: Setting, position: Position, chances: Grid, origin: int, to: int, more: int) -> float:
    """How likely a territory is taken from another, with *more* armies there."""
    own, other = position.armies[origin] + more - 1, position.armies[to]
    if max(own, other) <= TABLED:
        return float(chances[own, max(1, other)])
    scale = max(own, other) / TABLED
    return float(chances[int(np.rint(own / scale)), max(1, int(np.rint(other / scale)))])


@kernel(lean=True)
def spread_distances(game: Setting, far: Ints) -> int:
    """Turn *far*, 0 at the goals, into the steps from everywhere to the nearest."""
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
def standing_value(game: Setting, position: Position, wants: Floats, place: int) -> float:
    """The value of an army in a territory: it is near wanted ones, but not alone there."""
    near = 0.0
    for to in game.neighbours[place]:
        if position.owners[to] != position.mover:
            near += max(0.0, wants[to])
    return float(max(0.0, wants[place]) + near - 0.02 * position.armies[place] * (1.0 + near))


@kernel(lean=True)
def standing(game: Setting, position: Position, wants: Floats) -> int:
    """Where an army is placed in the setup, or a territory claimed."""
    wanted = NOBODY if position.phase == phases.DRAFT else position.mover
    best, most = -1, 0.0
    for place in range(game.territories):
        if position.owners[place] == wanted:
            value = standing_value(game, position, wants, place)
            if best < 0 or value > most:
                best, most = place, value
    return best


@kernel(lean=True)
def winning_placement(game: Setting, position: Position, task: Task) -> int:
    """Armies on a weakly held territory if that ends the game; else NOBODY."""
    mover = position.mover
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
def placement(game: Setting, position: Position, chances: Grid, wants: Floats) -> int:
    """All armies where they make the best attack; where there is none, next to a wanted territory."""
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
        far, least = zeros(count), 0
        distances(game, position, wants, far)
        for place in range(count):
            if position.owners[place] == me:
                steps = far[place] + (0 if meets_enemy(game, position, place) else 2 * FAR)
                if best < 0 or steps < least:
                    best, least = place, steps
    return best * AMOUNTS + position.to_place


@kernel(lean=True)
def attack(game: Setting, position: Position, chances: Grid, wants: Floats, boldness: float) -> int:
    """The best attack that is likely enough to succeed."""
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
def march(game: Setting, position: Position, wants: Floats, stay: int) -> int:
    """A step of the largest army without an enemy near, towards a wanted territory; *stay* armies are left behind."""
    origin, most = -1, stay
    for place in range(game.territories):
        armies = position.armies[place]
        if position.owners[place] == position.mover and armies > most and not meets_enemy(game, position, place):
            origin, most = place, armies
    far = zeros(game.territories)
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
def reaction(game: Setting, position: Position, chances: Grid) -> int:
    """What all do alike: how many dice they roll, and which cards they trade."""
    if position.phase == phases.DEFEND:
        return min(game.defence, position.armies[position.target])
    if position.phase == phases.ROLL:
        presses = chance(game, position, chances, position.origin, position.target, 0) >= PRESSES
        return int(min(MOST_DICE, position.armies[position.origin] - 1)) if presses else phases.RETREAT
    return first_trade(game, position)


@kernel
def order(game: Setting, position: Position, chances: Grid, wants: Floats, boldness: float, stay: int) -> int:
    """What a player does who wants territories so much: who attacks so boldly, and leaves *stay* armies behind."""
    phase = position.phase
    if phase == phases.PLACE:
        return placement(game, position, chances, wants)
    if phase == phases.ATTACK:
        return attack(game, position, chances, wants, boldness)
    if phase == phases.FORTIFY:
        return march(game, position, wants, stay)
    if phase != phases.CONQUER:
        return standing(game, position, wants)
    ahead = most_wanted(game, position, wants, position.target, -1.0)
    on = ahead >= most_wanted(game, position, wants, position.origin, -0.5)
    return max(position.rolled, position.armies[position.origin] - stay) if on else position.rolled


@kernel
def boldness_of(missing: int) -> float:
    """How likely an attack must be to succeed for a player whose mission still takes so many territories."""
    return PRESSES if 0 < missing <= LAST else ATTACKS


@kernel
def on_mission(game: Setting, position: Position, lore: MapKnowledge, weight: float) -> int:
    """What `risk.mission` with this weight does."""
    if position.phase in (phases.DEFEND, phases.ROLL, phases.TRADE, phases.SPOILS):
        return reaction(game, position, lore.chances)
    wants = zeros(game.territories, 0.0)
    value_territories(game, position, lore, wants)
    mission = position.missions[position.mover] if position.mover < position.missions_dealt else NOBODY
    if mission == NOBODY:
        return order(game, position, lore.chances, wants, ATTACKS, 1)
    task, goals = game.missions[mission], zeros(game.territories)
    if position.phase == phases.PLACE:
        ending = winning_placement(game, position, task)
        if ending != NOBODY:
            return ending
    boldness = boldness_of(mark_goals(game, position, task, goals))
    for place in range(game.territories):
        if goals[place]:
            wants[place] *= weight
    return order(game, position, lore.chances, wants, boldness, max(1, task.armies))
