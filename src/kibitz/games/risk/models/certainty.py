"""How sure beliefs about cards may be in a match, by what all its players show together.

Learned weights of evidence are right for the mean of all companies. They are too modest about players who are devoted
to their cards, and too bold about those who hardly follow them. Six signs tell such companies apart, and the scores of
all cards are multiplied by a number that follows from them.
"""

import math

import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.learn.assignment import assignments

CERTAINTY = ("always", "following", "agreement", "distinct cards", "decisions", "contrast", "players")
"""The signs: how much better cards explain the orders than none does, whether kinds of orders speak for the same cards,
whether the players seem to hold distinct ones, how much was decided, how far cards differ, and how many play."""
MOST = math.log(4.0)
"""The most that scores are multiplied by or divided by, as a logarithm."""
FEW_DECISIONS, LITTLE_SAID = 20.0, 5.0
"""What is added where something is divided by decisions or by what they say, so that little evidence is no sign."""


def certainty_signs(by_kind: Floats, heedless: Floats, decisions: int) -> Floats:
    """The values of CERTAINTY after so many *decisions*.

    *by_kind* holds the log likelihoods of players by kinds of orders by cards, and *heedless* those of all orders of
    each player if no card is followed.
    """
    players, _, cards = by_kind.shape
    total, spoken = by_kind.sum(axis=1), by_kind - by_kind.mean(axis=2, keepdims=True)
    whatever = np.logaddexp.reduce(total, axis=1)
    apart, together = (spoken**2).sum(), (spoken.sum(axis=1) ** 2).sum()
    by_chance = math.log(math.perm(cards, players)) - players * math.log(cards)
    return np.array(
        [
            1.0,
            (whatever - math.log(cards) - heedless).sum() / (decisions + FEW_DECISIONS),
            math.tanh((together - apart) / (apart + LITTLE_SAID)),
            (assignments(total)[1] - whatever.sum() - by_chance) / players,
            math.log1p(decisions),
            math.log1p(total.std(axis=1).mean()),
            players,
        ]
    )


def certainty_of(signs: Floats, weights: Floats) -> Floats:
    """What scores are multiplied by; the signs are in the last axis."""
    return np.asarray(np.exp(MOST * np.tanh(signs @ weights / MOST)), np.float64)
