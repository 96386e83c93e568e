"""Whole games by one simple policy, the raider, inside a kernel and in plain Python; benchmarks and tests use them.

The raider trades as soon as possible, puts all armies where they are most superior to a neighbour, attacks wherever it
has more armies and as long as it has, moves in with everything unless no enemy is near there, and marches its largest
idle army to the front.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import Draws, draw_below, draw_unit
from kibitz.games.risk import phases
from kibitz.games.risk.dice import MOST_DICE, loss_odds
from kibitz.games.risk.kernels.attacking import capture, end_battle, move_in
from kibitz.games.risk.kernels.layout import Words, armies_at, discards_at, hand_at, territory_count
from kibitz.games.risk.kernels.playing import may_happen, play
from kibitz.games.risk.kernels.reinforcing import begins_set
from kibitz.games.risk.packing import (
    BORDERS_AT,
    COPIES_AT,
    DEFENCE,
    DEFENDED,
    LEFT_TO_DRAW,
    MISSIONS,
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
from kibitz.games.risk.phases import AMOUNTS, CHANCES, pair
from kibitz.games.risk.rules import State
from kibitz.games.risk.rules.attacking import attack_dice

SUPERIOR = 1
"""How many more armies make a raider attack."""
BATTLE = frozenset({phases.ROLL, phases.DEFEND, phases.DICE, phases.CONQUER})
LOSS_ODDS = np.array(
    [
        [[*loss_odds(a, d), *[0.0] * (MOST_DICE - min(a, d))] if a and d else [0.0] * 4 for d in range(MOST_DICE + 1)]
        for a in range(MOST_DICE + 1)
    ]
)


def raid(state: State, draws: Draws) -> int:
    """What the raider does, or chance."""
    phase = state.phase
    if phase in CHANCES:
        return happens(state, draws)
    if phase in (phases.SETUP, phases.DRAFT, phases.CAPITAL):
        legal = state.legal_actions()
        return legal[draws.below(len(legal))]
    if phase in (phases.TRADE, phases.SPOILS):
        return state.legal_actions()[0]
    if phase == phases.PLACE:
        origin, _, _ = best_raid(state, -AMOUNTS)
        return origin * AMOUNTS + state.to_place
    if phase == phases.ATTACK:
        origin, to, lead = best_raid(state, SUPERIOR)
        return pair(origin, to, len(state.owners)) if lead >= SUPERIOR else phases.END_ATTACK
    if phase == phases.ROLL:
        superior = state.armies[state.origin] > state.armies[state.target]
        return attack_dice(state)[-1] if superior else phases.RETREAT
    if phase == phases.FORTIFY:
        return to_the_front(state, draws)
    sizes = state.legal_actions()
    idle = phase == phases.CONQUER and not meets_enemy(state, state.target)
    return sizes[0] if idle else sizes[-1]


def meets_enemy(state: State, place: int) -> bool:
    """Whether the mover could attack from a territory."""
    return any(state.owners[to] != state.mover for to in state.board.neighbours[place])


def to_the_front(state: State, draws: Draws) -> int:
    """March the largest army that meets no enemy next to one, or anywhere."""
    own = [place for place in state.own_territories() if state.armies[place] > 1 and not meets_enemy(state, place)]
    if not own:
        return phases.STAY
    origin = max(own, key=lambda place: (state.armies[place], -place))
    near = state.board.neighbours[origin]
    front = [to for to in near if meets_enemy(state, to)]
    to = front[0] if front else near[draws.below(len(near))]
    return pair(origin, to, len(state.owners)) * AMOUNTS + state.armies[origin] - 1


def best_raid(state: State, least: int) -> tuple[int, int, int]:
    """From where to where the mover is most superior, and by how much, *least* or more; the first of the best."""
    best = (0, 0, least - 1)
    for origin in state.own_territories():
        for to in state.board.neighbours[origin]:
            lead = state.armies[origin] - state.armies[to]
            if state.owners[to] != state.mover and lead > best[2]:
                best = origin, to, lead
    return best


def happens(state: State, draws: Draws) -> int:
    """What chance draws."""
    if state.phase == phases.DICE:
        left = draws.unit()
        odds = loss_odds(*state.rolled)
        for lost, chance in enumerate(odds):
            left -= chance
            if left < 0.0:
                return lost
        return len(odds) - 1
    if state.phase == phases.DRAW:
        cards = state.unseen_cards()
        return cards[draws.below(len(cards))]
    outcomes = state.chance_outcomes()
    return outcomes[draws.below(len(outcomes))][0]


def played_out(state: State, draws: Draws, most: int) -> int:
    """Play raiders to the end, in place, or *most* plies and the rest of a battle; the plies. Twin of `playout`."""
    plies = 0
    while state.phase != phases.OVER and (plies < most or state.phase in BATTLE):
        state.apply_action(raid(state, draws))
        plies += 1
    return plies


@kernel("int64(int64, int64, uint64[::1])")
def kernel_roll(attackers: int, defenders: int, draws: NDArray[np.uint64]) -> int:
    """What a roll costs the defender."""
    left, most = draw_unit(draws), min(attackers, defenders)
    for lost in range(most):
        left -= LOSS_ODDS[attackers, defenders, lost]
        if left < 0.0:
            return lost
    return most


@kernel("int64(int64[::1], int64[::1], int64)")
def nth_card(game: Words, state: Words, number: int) -> int:
    """A card of the deck by its number in their order."""
    kinds = game[TERRITORIES] + 1
    for card in range(kinds):
        number -= game[game[COPIES_AT] + card] - state[discards_at(game) + card]
        for place in range(hand_at(game, 0) + card, discards_at(game), kinds + 1):
            number += state[place]
        if number < 0:
            return card
    return int(kinds - 1)


@kernel("int64(int64[::1], int64[::1], uint64[::1])")
def kernel_happens(game: Words, state: Words, draws: NDArray[np.uint64]) -> int:
    """Twin of `happens`."""
    phase = state[PHASE]
    if phase == phases.DICE:
        return kernel_roll(state[ROLLED], state[DEFENDED], draws)
    if phase == phases.FIRST:
        return draw_below(draws, game[PLAYERS])
    if phase == phases.DRAW:
        return nth_card(game, state, draw_below(draws, state[LEFT_TO_DRAW]))
    if phase == phases.DEAL:
        return nth_territory(game, state, NONE, draws)
    number = draw_below(draws, game[MISSIONS] - state[MISSIONS_DEALT])
    for mission in range(game[MISSIONS]):
        number -= may_happen(game, state, mission)
        if number < 0:
            return mission
    return 0


@kernel("int64(int64[::1], int64[::1], int64, uint64[::1])")
def nth_territory(game: Words, state: Words, owner: int, draws: NDArray[np.uint64]) -> int:
    """One of an owner's territories, any of them."""
    number = territory_count(game, state, owner) if owner != NONE else game[TERRITORIES]
    if owner == NONE:
        for player in range(game[PLAYERS]):
            number -= territory_count(game, state, player)
    number = draw_below(draws, number)
    for place in range(game[TERRITORIES]):
        number -= state[OWNERS + place] == owner
        if number < 0:
            return place
    return 0


@kernel("UniTuple(int64, 3)(int64[::1], int64[::1], int64)")
def kernel_best_raid(game: Words, state: Words, least: int) -> tuple[int, int, int]:
    """Twin of `best_raid`."""
    count, borders, mover = game[TERRITORIES], game[BORDERS_AT], state[MOVER]
    best_origin, best_to, best_lead = 0, 0, least - 1
    for origin in range(count):
        if state[OWNERS + origin] != mover:
            continue
        armies = state[OWNERS + count + origin]
        if armies - 1 <= best_lead:  # every neighbour has at least one army
            continue
        for way in range(game[borders + origin], game[borders + origin + 1]):
            to = game[borders + count + 1 + way]
            if state[OWNERS + to] != mover:
                lead = armies - state[OWNERS + count + to]
                if lead > best_lead:
                    best_origin, best_to, best_lead = origin, to, lead
    return best_origin, best_to, best_lead


@kernel("boolean(int64[::1], int64[::1], int64)")
def kernel_meets_enemy(game: Words, state: Words, place: int) -> bool:
    """Twin of `meets_enemy`."""
    borders = game[BORDERS_AT]
    for way in range(game[borders + place], game[borders + place + 1]):
        if state[OWNERS + game[borders + game[TERRITORIES] + 1 + way]] != state[MOVER]:
            return True
    return False


@kernel("int64(int64[::1], int64[::1], uint64[::1])")
def kernel_to_the_front(game: Words, state: Words, draws: NDArray[np.uint64]) -> int:
    """Twin of `to_the_front`."""
    count, borders = game[TERRITORIES], game[BORDERS_AT]
    origin, most = -1, 1
    for place in range(count):
        armies = state[OWNERS + count + place]
        if state[OWNERS + place] == state[MOVER] and armies > most and not kernel_meets_enemy(game, state, place):
            origin, most = place, armies
    if origin < 0:
        return phases.STAY
    first, last = game[borders + origin], game[borders + origin + 1]
    to = -1
    for way in range(first, last):
        if to < 0 and kernel_meets_enemy(game, state, game[borders + count + 1 + way]):
            to = game[borders + count + 1 + way]
    if to < 0:
        to = game[borders + count + 1 + first + draw_below(draws, last - first)]
    return int((1 + origin * count + to) * AMOUNTS + most - 1)


@kernel("int64(int64[::1], int64[::1])")
def kernel_first_trade(game: Words, state: Words) -> int:
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


@kernel("int64(int64[::1], int64[::1], uint64[::1])")
def kernel_raid(game: Words, state: Words, draws: NDArray[np.uint64]) -> int:
    """Twin of `raid`."""
    phase, count = state[PHASE], game[TERRITORIES]
    if phase in (phases.DICE, phases.DRAW, phases.DEAL, phases.MISSION, phases.FIRST):
        return kernel_happens(game, state, draws)
    if phase == phases.ROLL:
        own, other = state[armies_at(game) + state[ORIGIN]], state[armies_at(game) + state[TARGET]]
        return int(min(MOST_DICE, own - 1)) if own > other else phases.RETREAT
    if phase == phases.DEFEND:
        return int(min(game[DEFENCE], state[armies_at(game) + state[TARGET]]))
    if phase == phases.CONQUER:
        idle = not kernel_meets_enemy(game, state, state[TARGET])
        return int(state[ROLLED] if idle else state[armies_at(game) + state[ORIGIN]] - 1)
    if phase == phases.ATTACK:
        origin, to, lead = kernel_best_raid(game, state, SUPERIOR)
        return int(1 + origin * count + to) if lead >= SUPERIOR else phases.END_ATTACK
    if phase == phases.PLACE:
        return int(kernel_best_raid(game, state, -AMOUNTS)[0] * AMOUNTS + state[TO_PLACE])
    if phase == phases.FORTIFY:
        return kernel_to_the_front(game, state, draws)
    if phase in (phases.TRADE, phases.SPOILS):
        return kernel_first_trade(game, state)
    return nth_territory(game, state, NONE if phase == phases.DRAFT else state[MOVER], draws)


@kernel("int64(int64[::1], int64[::1], uint64[::1])")
def battle(game: Words, state: Words, draws: NDArray[np.uint64]) -> int:
    """Fight the battle that was begun to its end, as raiders do; return the plies it takes."""
    origin, target = armies_at(game) + state[ORIGIN], armies_at(game) + state[TARGET]
    own, other, most = state[origin], state[target], game[DEFENCE]
    attackers = defenders = plies = 0
    while own > other > 0:
        attackers, defenders = min(MOST_DICE, own - 1), min(most, other)
        plies += 2 + (other > 1)
        lost = kernel_roll(attackers, defenders, draws)
        own -= min(attackers, defenders) - lost
        other -= lost
    state[origin], state[target], state[ROLLED], state[DEFENDED] = own, other, attackers, defenders
    if other > 0:
        end_battle(state)
        return int(plies + (own > 1))  # a single army retreats without being asked
    capture(game, state)
    if state[PHASE] == phases.CONQUER:
        move_in(game, state, kernel_raid(game, state, draws))
        plies += 1
    return int(plies)


@kernel("int64(int64[::1], int64[::1], uint64[::1], int64)")
def playout(game: Words, state: Words, draws: NDArray[np.uint64], most: int) -> int:
    """Play raiders to the end, in place, or *most* plies; return how many it took. Twin of `played_out`."""
    plies = 0
    while plies < most and state[PHASE] != phases.OVER:
        attacks = state[PHASE] == phases.ATTACK
        plies += 1
        if play(game, state, kernel_raid(game, state, draws)) == phases.ROLL and attacks:
            plies += battle(game, state, draws)
    return plies


@kernel("int64(int64[::1], int64[::1], uint64[::1], int64, int64, int64[::1])")
def playouts(game: Words, start: Words, draws: NDArray[np.uint64], times: int, most: int, wins: Words) -> int:
    """Play many games from one state; add the wins of every player to *wins*; return the plies of all."""
    plies = 0
    for _ in range(times):
        state = start.copy()
        plies += playout(game, state, draws, most)
        if state[PHASE] == phases.OVER:
            wins[state[MOVER]] += 1
    return plies
