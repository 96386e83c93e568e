"""What is inferred about the players of a match while they play: the same steps for the model and for its training."""

from copy import copy
from typing import Self

import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.choice_parameters import ChoiceParameters
from kibitz.games.risk.models.decisions import Decision
from kibitz.games.risk.models.evidence import LEVELS, WAY, Evidence
from kibitz.games.risk.models.order_features import FREE
from kibitz.games.risk.models.player_weights import PlayerWeights
from kibitz.learn.logistic import log_shares

LEAST = 1e-6
"""The least probability of an order, however it is chosen."""


class Inference:
    """The evidence about all players, and how each chooses; an *adaptive* one learns the latter from decisions."""

    def __init__(self, learned: ChoiceParameters, players: int, missions: int, *, adaptive: bool = True) -> None:
        self.adaptive = adaptive
        orders, spreads, _ = learned.arrays()
        self.missions = np.stack([orders[:, :FREE], *np.array(learned.other_ways)], axis=2)
        """What follows from a mission: of kinds of orders by features by ways."""
        self.weights = PlayerWeights(orders[:, FREE:], spreads, learned.traits.alike, players)
        self.evidence = Evidence(players, missions, learned.traits)
        self.remembered: PlayerWeights | None = None
        """The weights that began with earlier matches of the players. They serve predictions alone: what a player did
        for the card that they held then would pass for a habit, and explain away what they do for their card now."""

    def clone(self) -> Self:
        copied = copy(self)
        copied.weights, copied.evidence = self.weights.clone(), self.evidence.clone()
        copied.remembered = self.remembered and self.remembered.clone()
        return copied

    @property
    def expected_weights(self) -> PlayerWeights:
        """The weights that predict best."""
        return self.remembered or self.weights

    def recall_weights(self, player: int, kind: int, means: Floats, spreads: Floats) -> None:
        """Begin with what earlier matches told of a player's weights."""
        self.remembered = self.remembered or self.weights.clone()
        self.remembered.recall(player, kind, means, spreads)

    def weigh(self, decision: Decision) -> tuple[Floats, float]:
        """Learn from a decision; what it says of each mission, and how likely it was."""
        player, kind, chosen = decision.player, decision.kind, decision.chosen
        believed = self.evidence.shares(player, kind)
        shares = self.order_shares(player, kind, decision.features, self.weights)
        expected = np.tensordot(believed, shares, 2)
        gains = self.evidence.add(player, kind, np.log(np.maximum(LEAST, shares[:, :, chosen])))
        if self.adaptive:
            places = decision.features[0, :, FREE:]
            self.weights.learn(player, kind, places, chosen, expected)
            if self.remembered is not None:
                again = self.order_shares(player, kind, decision.features, self.remembered)
                self.remembered.learn(player, kind, places, chosen, np.tensordot(believed, again, 2))
        return gains, float(expected[chosen])

    def order_shares(self, player: int, kind: int, features: Floats, weights: PlayerWeights) -> Floats:
        """How likely a player chooses each territory: of missions by LEVELS by territories."""
        plain = features[0, :, FREE:] @ weights.of(player, kind)
        meant = np.swapaxes(features[:, :, :FREE] @ self.missions[kind], 1, 2)[:, WAY]
        shares = np.exp(log_shares(plain + LEVELS[:, None] * meant))
        strays = self.evidence.traits.strays
        return np.asarray((1.0 - strays) * shares + strays * shares[:, :1], np.float64)  # the first level is none


def card_features(standing: Floats, evidence: Evidence) -> tuple[Floats, Floats]:
    """The features of a player's cards, and the signs of certainty.

    The features are progress and evidence, and the same by age and by how the card is followed.
    """
    told, follows, signs = evidence.features()
    plain = np.concatenate([standing, told], axis=2)
    aspects = (np.ones(len(plain)), evidence.age(), follows)
    return np.concatenate([plain * each[:, None, None] for each in aspects], axis=2), signs
