"""Sums the evidence of decisions about missions: for each card, and for each level of following it.

No player follows their card all the time, and some hardly ever do. So a player's card is judged together with how
strongly and in which way they follow it, for each kind of order by itself: what a player does who follows no card says
nothing about it. Players of one match tend to be of one kind, so the others' play says how likely each level is.
"""

from copy import copy
from typing import Self

import msgspec
import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.certainty import certainty_signs
from kibitz.games.risk.models.orders import KINDS

WAYS = 10
"""How many ways of following a card there are for each kind of order, each with weights of its own."""
STRENGTHS = (0.25, 0.5, 1.0, 2.0)
LEVELS = np.array([0.0, *STRENGTHS * WAYS])
"""How strongly players may follow their cards: not at all, or in each way; 1 is as the weights of the way have it."""
WAY = np.array([0, *(way for way in range(WAYS) for _ in STRENGTHS)])
"""The way of each level."""
ROUNDED = 0.01
"""How far probabilities may be from adding up to 1, as files hold rounded ones."""
TURNS = 12.0
"""The number of turns after which a game is no longer young."""
MOST_TOLD = 500.0
"""The most that the others' decisions say of a level, as a logarithm."""
EVIDENCE = ("all", "setup", "placements", "attacks", "marches", "late")


class Traits(msgspec.Struct, frozen=True):
    """What is fitted about kinds of players, besides the weights of orders."""

    levels: tuple[tuple[float, ...], ...] = ((1.0 / len(LEVELS),) * len(LEVELS),) * len(KINDS)
    """How likely each of LEVELS is, for every kind of order."""
    alike: float = 0.5
    """How far the players of one match choose alike, from 0 to 1."""
    company: float = 0.5
    """How likely all players of a match follow their cards in the same way and as strongly, before they are seen."""
    strays: float = 0.1
    """How often players act as if they had no card, however strongly they follow it else."""
    trust: float = 0.5
    """Decisions in a row depend on each other, so each counts less than it would alone."""
    fading: float = 0.96
    """The weight of a decision after the next one, in the evidence of late ones."""

    def is_valid(self) -> bool:
        """Whether all numbers are in their ranges."""
        sizes = len(self.levels) == len(KINDS) and all(len(row) == len(LEVELS) for row in self.levels)
        return (
            sizes
            and all(min(row) > 0.0 and abs(sum(row) - 1.0) < ROUNDED for row in self.levels)
            and 0.0 <= self.alike < 1.0
            and 0.0 <= self.company < 1.0
            and self.trust > 0.0 <= self.strays < 1.0 >= self.fading
        )


class Evidence:
    """The evidence about all players so far."""

    def __init__(self, players: int, missions: int, traits: Traits) -> None:
        self.traits = traits
        self.logs = np.zeros((players, len(KINDS), missions, len(LEVELS)))
        self.late = np.zeros((players, len(KINDS), missions, len(LEVELS)))
        self.levels = np.tile(np.array(traits.levels), (players, 1, 1))
        """How likely each level is for each player and kind of order at first."""
        self.turns = np.zeros(players)
        self.decisions = 0

    def clone(self) -> Self:
        copied = copy(self)
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                setattr(copied, name, values.copy())
        return copied

    def add(self, player: int, kind: int, logs: Floats) -> Floats:
        """Count a decision with these log likelihoods by mission and level; what it says of each mission."""
        gains = np.log((self.level_shares(player, kind) * np.exp(logs)).sum(axis=1))
        self.decisions += 1
        self.logs[player, kind] += logs
        self.late[player] *= self.traits.fading
        self.late[player, kind] += logs
        return np.asarray(gains - gains.mean(), np.float64)

    def level_shares(self, player: int, kind: int) -> Floats:
        """How likely each level is for a kind of order with each mission, by the player's own decisions alone."""
        scores = self.traits.trust * self.logs[player, kind] + np.log(self.levels[player, kind])
        found = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)

    def shares(self, player: int, kind: int) -> Floats:
        """How likely each mission is together with each level for a kind of order, by the same decisions."""
        scores = self.traits.trust * self.logs[player] + np.log(self.levels[player])[:, None]
        cards = np.logaddexp.reduce(scores, axis=2).sum(axis=0)
        found = np.exp(cards - cards.max())
        return np.asarray((found / found.sum())[:, None] * self.level_shares(player, kind), np.float64)

    def company(self) -> Floats:
        """How likely each level is for each player and kind before their own decisions, by those of the others.

        Either all players are of one kind, and their decisions tell its level together, or the others say nothing.
        """
        told = self.traits.trust * self.logs
        own = np.logaddexp.reduce(told, axis=2) - np.log(told.shape[2])  # of players by kinds by levels
        alone = np.logaddexp.reduce(own + np.log(self.levels), axis=2)[:, :, None]
        others = own.sum(axis=0) - own - (alone.sum(axis=0) - alone)
        found = self.levels * (self.traits.company * np.exp(np.minimum(others, MOST_TOLD)) + 1.0 - self.traits.company)
        return np.asarray(found / found.sum(axis=2, keepdims=True), np.float64)

    def features(self) -> tuple[Floats, Floats, Floats]:
        """The evidence for each mission of each player, how strongly they follow theirs, from 0 to 1, and CERTAINTY."""
        scores = self.traits.trust * self.logs + np.log(self.company())[:, :, None]
        by_kind = np.logaddexp.reduce(scores, axis=3)
        total = by_kind.sum(axis=1)
        cards = np.exp(total - np.logaddexp.reduce(total, axis=1)[:, None])
        levels = np.einsum("pc,pkcj->pkj", cards, np.exp(scores - by_kind[:, :, :, None]))
        kinds = np.einsum("pkcj,pkj->pck", self.logs, levels)
        late = np.einsum("pkcj,pkj->pc", self.late, levels)
        found = np.concatenate([total[:, :, None], kinds, late[:, :, None]], axis=2)
        follows = np.log1p(4.0 * (levels.mean(axis=1) @ LEVELS)) / np.log1p(4.0 * LEVELS[-1])
        signs = certainty_signs(by_kind, self.traits.trust * self.logs[:, :, 0, 0].sum(axis=1), self.decisions)
        return found - found.mean(axis=1, keepdims=True), np.asarray(follows, np.float64), signs

    def age(self) -> Floats:
        """How old the game is for every player, from 0 to 1."""
        return np.asarray(np.minimum(self.turns, TURNS) / TURNS, np.float64)
