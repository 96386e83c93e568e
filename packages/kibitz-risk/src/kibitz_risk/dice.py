"""Dice: exact odds of one roll and of a whole battle, and what a roll costs inside kernels."""

from collections.abc import Mapping
from functools import cache
from itertools import product

import numpy as np

from kibitz.core.kernels import kernel

SIDES = 6
MOST_DICE = 3


@cache
def loss_counts(attackers: int, defenders: int) -> tuple[int, ...]:
    """The number of rolls in which the defender loses 0, 1, 2 … armies; ties are the defender's.

    >>> loss_counts(3, 2)
    (2275, 2611, 2890)
    """
    counts = [0] * (min(attackers, defenders) + 1)
    attacks, defences = sorted_rolls(attackers), sorted_rolls(defenders)
    for attack, ways in attacks.items():
        for defence, others in defences.items():
            counts[sum(a > d for a, d in zip(attack, defence, strict=False))] += ways * others
    return tuple(counts)


@cache
def sorted_rolls(dice: int) -> Mapping[tuple[int, ...], int]:
    """Every roll with the highest die first, and in how many ways it comes up."""
    found: dict[tuple[int, ...], int] = {}
    for roll in product(range(SIDES), repeat=dice):
        key = tuple(sorted(roll, reverse=True))
        found[key] = found.get(key, 0) + 1
    return found


@cache
def loss_odds(attackers: int, defenders: int) -> tuple[float, ...]:
    """How likely the defender is to lose 0, 1, 2 … armies in one roll."""
    counts = loss_counts(attackers, defenders)
    return tuple(count / SIDES ** (attackers + defenders) for count in counts)


def battle_endings(attackers: int, defenders: int, stop: int = 0, defence: int = 2) -> dict[tuple[int, int], float]:
    """How a battle may end: armies left of those that may attack and of the defender, and how likely that is.

    Both roll as many dice as they may, the defender at most *defence*; the attacker stops with *stop* or fewer.
    """
    reached: dict[tuple[int, int], float] = {(attackers, defenders): 1.0}
    endings: dict[tuple[int, int], float] = {}
    for total in range(attackers + defenders, 0, -1):  # every roll costs an army, so no state comes twice
        for armies in [each for each in reached if sum(each) == total]:
            share, (own, other) = reached.pop(armies), armies
            if own <= stop or other == 0:
                endings[armies] = share
                continue
            dice = min(MOST_DICE, own), min(defence, other)
            for lost, chance in enumerate(loss_odds(*dice)):
                after = own - (min(dice) - lost), other - lost
                reached[after] = reached.get(after, 0.0) + share * chance
    return endings


@cache
def win_chances(most: int, defence: int = 2) -> tuple[tuple[float, ...], ...]:
    """How likely the attacker wins a battle, by the armies that may attack and the defender's, up to *most* each."""
    table = [[0.0] * (most + 1) for _ in range(most + 1)]
    for own in range(most + 1):
        table[own][0] = 1.0
        for other in range(1, most + 1 if own else 0):
            dice = min(MOST_DICE, own), min(defence, other)
            table[own][other] = sum(
                chance * table[own - (min(dice) - lost)][other - lost] for lost, chance in enumerate(loss_odds(*dice))
            )
    return tuple(map(tuple, table))


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
