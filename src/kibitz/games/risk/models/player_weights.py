"""How the players of a match choose among territories whatever their cards, learned while they play.

The weights of the features about places (`order_features`) are taken as drawn for each player from a population, alike
to some degree for the players of one match. Every decision moves them, as in an extended Kalman filter: those of its
player most, and those of the others as far as players are alike.
"""

from copy import copy
from typing import Self

import numpy as np

from kibitz.games.risk.models.arrays import Floats


class PlayerWeights:
    """The weights of all players by the kind of order: their means, and how sure they are."""

    def __init__(self, means: Floats, spreads: Floats, alike: float, players: int) -> None:
        self.size = means.shape[1]
        """The number of features."""
        self.means = np.tile(means, (1, players))
        """Of kinds by players and features."""
        company = alike * np.ones((players, players)) + (1.0 - alike) * np.eye(players)
        self.covariances = np.array([np.kron(company, np.diag(row**2)) for row in spreads])

    def clone(self) -> Self:
        copied = copy(self)
        copied.means, copied.covariances = self.means.copy(), self.covariances.copy()
        return copied

    def of(self, player: int, kind: int) -> Floats:
        """The weights of a player, as expected by now."""
        return np.asarray(self.means[kind, self.block(player)], np.float64)

    def block(self, player: int) -> slice:
        """Where the features of a player are."""
        return slice(player * self.size, (player + 1) * self.size)

    def learn(self, player: int, kind: int, features: Floats, chosen: int, expected: Floats) -> None:
        """Learn from a decision between options with these *features*, of which each was *expected* so much."""
        mean = expected @ features
        curvature = (features * expected[:, None]).T @ features - np.outer(mean, mean)
        self.move(player, kind, features[chosen] - mean, curvature)

    def move(self, player: int, kind: int, slope: Floats, curvature: Floats) -> None:
        """Move by an observation of a player's weights, given by the first two derivatives of its log likelihood."""
        covariance, own = self.covariances[kind], self.block(player)
        shared = covariance[:, own]
        gain = np.linalg.inv(np.eye(self.size) + curvature @ covariance[own, own])
        self.means[kind] += shared @ (gain @ slope)
        self.covariances[kind] = covariance - shared @ (gain @ curvature) @ shared.T

    def spread_of(self, player: int, kind: int) -> Floats:
        """How unsure the weights of a player are, as standard deviations."""
        own = self.block(player)
        return np.asarray(np.sqrt(np.maximum(0.0, np.diag(self.covariances[kind][own, own]))), np.float64)

    def recall(self, player: int, kind: int, means: Floats, spreads: Floats) -> None:
        """Begin with what earlier matches told of a player's weights: their means and standard deviations."""
        now, known = self.spread_of(player, kind) ** 2, spreads**2
        precision = np.where((known > 0.0) & (known < now), 1.0 / np.maximum(known, 1e-9) - 1.0 / now, 0.0)
        # the slope that leads to the remembered means if features vary independently
        moved = (means - self.of(player, kind)) * (1.0 / now + precision) * (precision > 0.0)
        self.move(player, kind, moved, np.diag(precision))
