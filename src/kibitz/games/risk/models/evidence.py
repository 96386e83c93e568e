"""Sums the evidence of decisions about missions, so that models can weigh old against new, and many against few.

No player follows their card all the time. One who strays, to survive or to hinder, acts like one without a mission;
the model tracks how likely that is, and what they do then says less. The card that a player follows may change too:
`followed` forgets gradually, so that a change shows.
"""

from copy import copy
from typing import Self

import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.orders import KINDS

FADING, FADING_FAST = 0.96, 0.9
"""The weight of a decision after the next one."""
STRAYING, STRAYS = 0.1, 0.03
"""How likely a player strays at first, and how often they change between following their card and straying."""
USUAL_DECISIONS, MOST_STRAYING = 20.0, 0.9
"""The number of decisions that the usual rate counts for where a player is remembered, and the highest rate."""
LEAST_CONFIDENCE = 0.2
"""The least weight of a player's scores, however surely they stray."""
CHANGES = 0.01
"""The assumed rate at which players turn to another mission."""
TRUST = 0.5
"""Decisions in a row depend on each other, so each counts less than it would alone."""
TURNS = 12.0
"""The number of turns after which a game is no longer young."""
EVIDENCE = (
    *(f"{how} {kind}" for kind in ("setup", "placements", "attacks", "marches") for how in ("all", "late")),
    *("latest", "followed"),
)


class Evidence:
    """The evidence about all players so far."""

    def __init__(self, players: int, missions: int) -> None:
        self.sums = np.zeros((players, len(KINDS), missions))
        self.faded = np.zeros_like(self.sums)
        self.latest = np.zeros((players, missions))
        self.followed = np.full((players, missions), -np.log(missions))
        self.counts = np.zeros((players, len(KINDS)))
        self.astray = np.full(players, STRAYING)
        self.straying = np.full(players, STRAYING)
        """How often each player strays in general."""
        self.strayed = np.zeros(players)
        """How many decisions of each player strayed, as far as can be told."""
        self.turns = np.zeros(players)

    def clone(self) -> Self:
        copied = copy(self)
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                setattr(copied, name, values.copy())
        return copied

    def add(self, player: int, kind: int, logs: Floats, free: float) -> Floats:
        """Count a decision that has these log likelihoods with each mission, and *free* without any; what it says."""
        astray = self.astray[player]
        likely = np.exp(logs)
        mixed = np.log((1.0 - astray) * likely + astray * np.exp(free))
        gains = np.asarray(mixed - mixed.mean(), np.float64)
        self.sums[player, kind] += gains
        self.counts[player, kind] += 1.0
        self.faded[player, kind] = FADING * self.faded[player, kind] + gains
        self.latest[player] = FADING_FAST * self.latest[player] + gains
        following = float(np.exp(self.followed[player]) @ likely)
        strayed = astray * np.exp(free) / (astray * np.exp(free) + (1.0 - astray) * following)
        self.strayed[player] += strayed
        self.astray[player] = (1.0 - STRAYS) * strayed + STRAYS * self.straying[player]
        shares = (1.0 - CHANGES) * np.exp(self.followed[player]) + CHANGES / len(gains)
        weighed = np.log(shares) + TRUST * gains
        self.followed[player] = weighed - np.log(np.exp(weighed).sum())
        return gains

    def begin_with(self, player: int, strayed: float, decisions: float) -> None:
        """Begin with the decisions of a player in earlier matches: how many, and how many of them strayed."""
        share = (USUAL_DECISIONS * STRAYING + strayed) / (USUAL_DECISIONS + max(decisions, strayed))
        self.astray[player] = self.straying[player] = min(share, MOST_STRAYING)

    def features(self) -> Floats:
        """The evidence of all players and missions."""
        players, missions = self.followed.shape
        found = np.empty((players, missions, len(EVIDENCE)))
        scaled = self.sums / np.sqrt(1.0 + self.counts)[:, :, None]
        for kind in range(len(KINDS)):
            found[:, :, 2 * kind] = scaled[:, kind]
            found[:, :, 2 * kind + 1] = self.faded[:, kind]
        found[:, :, -2] = self.latest
        found[:, :, -1] = self.followed - self.followed.mean(axis=1, keepdims=True)
        return found

    def confidence(self) -> Floats:
        """How far the scores of every player may be trusted: less where they stray (after Masters and Sardina 2021)."""
        return np.asarray(np.clip((1.0 - self.astray) / (1.0 - STRAYING), LEAST_CONFIDENCE, 1.0), np.float64)

    def age(self) -> Floats:
        """How old the game is for every player, from 0 to 1."""
        return np.asarray(np.minimum(self.turns, TURNS) / TURNS, np.float64)
