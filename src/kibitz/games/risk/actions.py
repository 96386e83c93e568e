"""The legal actions of every phase, as ranges in ascending order."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.kernels.position import zeros
from kibitz.games.risk.cards import begins_set, must_trade, unseen_count
from kibitz.games.risk.dice import MOST_DICE
from kibitz.games.risk.phases import (
    AMOUNTS,
    ATTACK,
    CAPITAL,
    CONQUER,
    DEFEND,
    DRAFT,
    END_ATTACK,
    FORTIFY,
    PLACE,
    RETREAT,
    ROLL,
    SETUP,
    SPOILS,
    STAY,
    TRADE,
    pair,
)  # fmt: skip
from kibitz.games.risk.position import NOBODY, Position, Setting
from kibitz.games.risk.rules import mark_reachable


def legal_actions(game: Setting, position: Position) -> Sequence[int]:
    """What the player may choose."""
    phase, armies = position.phase, position.armies
    if phase == ATTACK:
        return attacks(game, position)
    if phase == ROLL:
        return range(RETREAT, min(MOST_DICE, armies[position.origin] - 1) + 1)
    if phase == DEFEND:
        return range(1, min(game.defence, armies[position.target]) + 1)
    if phase == CONQUER:
        return range(position.rolled, armies[position.origin])
    if phase == PLACE:
        starts = [place * AMOUNTS for place in territories_of(position, position.mover)]
        return core.RangedActions([range(start + 1, start + position.to_place + 1) for start in starts])
    if phase == FORTIFY:
        return marches(game, position)
    if phase in (TRADE, SPOILS):
        return trades(game, position)
    assert phase in (SETUP, DRAFT, CAPITAL)
    return territories_of(position, NOBODY if phase == DRAFT else position.mover)


def territories_of(position: Position, player: int) -> list[int]:
    """The territories of a player; unowned ones belong to NOBODY."""
    return [place for place, owner in enumerate(position.owners) if owner == player]


def attacks(game: Setting, position: Position) -> list[int]:
    owners, armies, mover = position.owners, position.armies, position.mover
    actions = [END_ATTACK]
    for origin, owner in enumerate(owners):
        if owner == mover and armies[origin] > 1:
            actions += [pair(origin, to, game.territories) for to in game.neighbours[origin] if owners[to] != mover]
    return actions


def trades(game: Setting, position: Position) -> list[int]:
    """Cards that can begin or continue a set; where a hand is unknown, those it may hold."""
    held = position.hands[position.mover][: game.kinds]
    if position.hands[position.mover][game.kinds]:
        held = [count + unseen_count(game, position, card) for card, count in enumerate(held)]
    counts = zeros(4)
    for card, count in enumerate(held):
        counts[game.symbols[card]] += count
    actions = []
    for card, count in enumerate(held):
        symbol = game.symbols[card]
        counts[symbol] -= 1
        if count and begins_set(game, position, symbol, counts):
            actions.append(card)
        counts[symbol] += 1
    return actions if position.shown or must_trade(game, position) else [*actions, game.kinds]


def marches(game: Setting, position: Position) -> core.RangedActions:
    ranges = [range(STAY, STAY + 1)]
    for origin in territories_of(position, position.mover):
        armies = position.armies[origin]
        if armies > 1 and not position.settled[origin]:
            starts = [pair(origin, to, game.territories) * AMOUNTS for to in reachable(game, position, origin)]
            ranges += [range(start + 1, start + armies) for start in starts]
    return core.RangedActions(ranges)


def reachable(game: Setting, position: Position, origin: int) -> list[int]:
    """Where armies of the mover may march to."""
    reached = zeros(game.territories)
    mark_reachable(game, position, origin, reached)
    return [place for place, mark in enumerate(reached) if mark]
