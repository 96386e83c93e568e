"""What chance draws inside kernels: losses by dice, cards, territories, missions, the first player."""

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.games.risk import phases
from kibitz.games.risk.cards import unseen_count
from kibitz.games.risk.dice import MOST_DICE, loss_odds
from kibitz.games.risk.position import NOBODY, Position, Setting

LOSS_ODDS = np.array(
    [
        [[*loss_odds(a, d), *[0.0] * (MOST_DICE - min(a, d))] if a and d else [0.0] * 4 for d in range(MOST_DICE + 1)]
        for a in range(MOST_DICE + 1)
    ]
)
"""The probability that a roll costs the defender so many armies, by the dice of both."""


@kernel
def armies_lost(attackers: int, defenders: int, draw: float) -> int:
    """What a roll costs the defender, by a draw in [0, 1)."""
    most = min(attackers, defenders)
    for lost in range(most):
        draw -= LOSS_ODDS[attackers, defenders, lost]
        if draw < 0.0:
            return lost
    return most


@kernel
def outcome_count(game: Setting, position: Position, action: int) -> int:
    """How many of all equally likely outcomes are this one, dice aside."""
    if position.phase == phases.DRAW:
        return unseen_count(game, position, action)
    if position.phase == phases.DEAL:
        return int(position.owners[action] == NOBODY)
    if position.phase == phases.MISSION:
        for player in range(position.missions_dealt):
            if position.missions[player] == action:
                return 0
    return 1


@kernel
def outcome_kinds(game: Setting, position: Position) -> int:
    """How many different outcomes there may be, dice aside."""
    if position.phase == phases.DRAW:
        return game.kinds
    if position.phase == phases.FIRST:
        return game.players
    return game.deck if position.phase == phases.MISSION else game.territories


@kernel
def chance_outcome(game: Setting, position: Position, draw: float) -> int:
    """The outcome that a draw in [0, 1) falls on. Twin of `drawn_outcome`."""
    if position.phase == phases.DICE:
        return armies_lost(position.rolled, position.defended, draw)
    kinds = outcome_kinds(game, position)
    total, last = 0, 0
    for action in range(kinds):
        total += outcome_count(game, position, action)
    for action in range(kinds):
        count = outcome_count(game, position, action)
        if count:
            last = action
            draw -= count / total
            if draw < 0.0:
                return action
    return last


@kernel
def nth_card(game: Setting, position: Position, number: int) -> int:
    """A card of the deck by its number in their order."""
    for card in range(game.kinds):
        number -= unseen_count(game, position, card)
        if number < 0:
            return card
    return game.kinds - 1
