"""Sums the evidence of decisions about missions: for each card, and for each level of following it.

No player follows their card all the time, and some hardly ever do. So a player's card is judged together with how
strongly they follow it: what a player does who follows no card says nothing about it. Players of one match tend to be
of one kind, so the others' play says how likely each level is.
"""

from copy import copy
from typing import Self

import msgspec
import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.orders import KINDS

WAYS = 2
"""How many ways of following a card there are, each with weights of its own."""
STRENGTHS = (0.1, 0.25, 0.5, 1.0, 2.0)
LEVELS = np.array([0.0, *STRENGTHS * WAYS])
"""How strongly players may follow their cards: not at all, or in each way; 1 is as the weights of the way have it."""
WAY = np.array([0, *(way for way in range(WAYS) for _ in STRENGTHS)])
"""The way of each level."""
TURNS = 12.0
"""The number of turns after which a game is no longer young."""
EVIDENCE = ("all", "setup", "placements", "attacks", "marches", "late")


class Traits(msgspec.Struct, frozen=True):
    """What is fitted about kinds of players, besides the weights of orders."""

    levels: tuple[float, ...] = (1.0 / len(LEVELS),) * len(LEVELS)
    """How likely each of LEVELS is."""
    alike: float = 0.5
    """How far the players of one match choose alike, from 0 to 1."""
    company: float = 1.0
    """How many players the population counts for where the others of a match tell how likely levels are."""
    strays: float = 0.1
    """How often players act as if they had no card, however strongly they follow it else."""
    trust: float = 0.5
    """Decisions in a row depend on each other, so each counts less than it would alone."""
    fading: float = 0.96
    """The weight of a decision after the next one, in the evidence of late ones."""

    def is_valid(self) -> bool:
        """Whether all numbers are in their ranges."""
        shares = len(self.levels) == len(LEVELS) and min(self.levels) > 0.0 and abs(sum(self.levels) - 1.0) < 1e-6
        return (
            shares
            and 0.0 <= self.alike < 1.0
            and self.company > 0.0
            and self.trust > 0.0 <= self.strays < 1.0 >= self.fading
        )


class Evidence:
    """The evidence about all players so far."""

    def __init__(self, players: int, missions: int, traits: Traits) -> None:
        self.traits = traits
        self.logs = np.zeros((players, len(KINDS), missions, len(LEVELS)))
        self.late = np.zeros((players, missions, len(LEVELS)))
        self.levels = np.tile(np.array(traits.levels), (players, 1))
        """How likely each level is for each player at first."""
        self.turns = np.zeros(players)

    def clone(self) -> Self:
        copied = copy(self)
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                setattr(copied, name, values.copy())
        return copied

    def add(self, player: int, kind: int, logs: Floats) -> Floats:
        """Count a decision with these log likelihoods by mission and level; what it says of each mission."""
        weights = self.shares(player)
        weights = weights / weights.sum(axis=1, keepdims=True)
        gains = np.log((weights * np.exp(logs)).sum(axis=1))
        self.logs[player, kind] += logs
        self.late[player] = self.traits.fading * self.late[player] + logs
        return np.asarray(gains - gains.mean(), np.float64)

    def shares(self, player: int) -> Floats:
        """How likely each mission and level is by the player's own decisions alone."""
        scores = self.traits.trust * self.logs[player].sum(axis=0) + np.log(self.levels[player])
        found = np.exp(scores - scores.max())
        return np.asarray(found / found.sum(), np.float64)

    def company(self) -> Floats:
        """How likely each level is for each player before their own decisions, by those of the others."""
        found = np.array([self.shares(player).sum(axis=0) for player in range(len(self.logs))])
        seen = np.where(np.abs(self.logs).sum(axis=(1, 2, 3))[:, None] > 0.0, found, 0.0)
        others = self.traits.company * self.levels + (seen.sum(axis=0) - seen)
        return np.asarray(others / others.sum(axis=1, keepdims=True), np.float64)

    def card_logs(self) -> Floats:
        """The log likelihood of each card of each player, each decision in full, up to a constant for the player."""
        found = np.logaddexp.reduce(self.logs.sum(axis=1) + np.log(self.levels)[:, None], axis=2)
        return np.asarray(found - found.mean(axis=1, keepdims=True), np.float64)

    def features(self) -> tuple[Floats, Floats]:
        """The evidence for each mission of each player, and how strongly they follow theirs, from 0 to 1."""
        scores = self.traits.trust * self.logs.sum(axis=1) + np.log(self.company())[:, None]
        weights = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
        levels = weights.sum(axis=1) / weights.sum(axis=(1, 2))[:, None]
        total = np.logaddexp.reduce(scores, axis=2)
        kinds = np.einsum("pkcj,pj->pck", self.logs, levels)
        late = np.einsum("pcj,pj->pc", self.late, levels)
        found = np.concatenate([total[:, :, None], kinds, late[:, :, None]], axis=2)
        follows = np.log1p(4.0 * (levels @ LEVELS)) / np.log1p(4.0 * LEVELS[-1])
        return found - found.mean(axis=1, keepdims=True), np.asarray(follows, np.float64)

    def age(self) -> Floats:
        """How old the game is for every player, from 0 to 1."""
        return np.asarray(np.minimum(self.turns, TURNS) / TURNS, np.float64)
