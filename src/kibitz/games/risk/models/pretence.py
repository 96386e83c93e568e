"""Whether somebody pretends: a filter over who plays his card from the start, and who plays a decoy first.

A pretender follows a decoy, and from some turn on his own card for good. Where he is in that is not seen; all ways are
weighed, so that a decoy which no longer explains what he does gives way to the card that does.
"""

from copy import copy
from typing import Self

import numpy as np

from kibitz.games.risk.models.atlas import Floats

PRETENDS = 0.6
"""How likely anybody pretends, for who expects it."""
GIVES_UP = 0.3
"""How likely a pretender turns to his own card after a turn; in the setup he does not."""


class Pretence:
    """How likely every player is honest, still follows a decoy, or has turned to his card, with every card."""

    def __init__(self, players: int, missions: int) -> None:
        decoys = 1.0 - np.eye(missions)
        self.honest = np.full((players, missions), (1.0 - PRETENDS) / missions)
        self.pretending = np.tile(PRETENDS * decoys / max(1.0, decoys.sum()), (players, 1, 1))
        """Of players by cards by decoys."""
        self.turned = np.zeros((players, missions))

    def clone(self) -> Self:
        copied = copy(self)
        copied.honest, copied.pretending = self.honest.copy(), self.pretending.copy()
        copied.turned = self.turned.copy()
        return copied

    def add(self, player: int, gains: Floats) -> None:
        """Count a decision that speaks so much for each mission, as logarithms of likelihoods."""
        likely = np.exp(gains - gains.max())
        ways = self.honest[player], self.pretending[player], self.turned[player]
        for each in ways:
            each *= likely
        total = sum(each.sum() for each in ways)
        for each in ways:
            each /= total

    def end_turn(self, player: int) -> None:
        """Allow for a change from the decoy to the card."""
        self.turned[player] += GIVES_UP * self.pretending[player].sum(axis=1)
        self.pretending[player] *= 1.0 - GIVES_UP

    def weighed(self, shares: Floats) -> Floats:
        """What is believed of cards, where *shares* are believed of who is honest."""
        honest = self.honest.sum(axis=1, keepdims=True)
        return np.asarray(honest * shares + self.pretending.sum(axis=2) + self.turned, np.float64)
