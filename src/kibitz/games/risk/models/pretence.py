"""Who pretends: follows a decoy at first, and from the end of some turn on his own card.

One player's orders hardly tell whether he has turned, as nobody follows his card all the time. But companies are mostly
of one kind: who honestly follow their cards follow distinct ones and go on with them, so that the others' play speaks
for a player's honesty or against it. Companies of which few, half and most pretend are weighed against each other.
"""

from copy import copy
from typing import Self

import numpy as np

from kibitz.games.risk.models.atlas import Floats
from kibitz.games.risk.models.mission_model import IMPOSSIBLE
from kibitz.games.risk.models.tally import Tally
from kibitz.learn.logistic import log_shares

COMPANIES = ((0.05, 0.4), (0.5, 0.1), (0.95, 0.5))
"""How large a part of a company pretends, and how likely it is such a company."""
GIVES_UP = 0.5
"""How likely a pretender turns to his own card after a turn; in the setup he does not."""
TURNS = 4
"""After so many turns nobody is taken to turn any more."""
WEIGHT = 0.4
"""Decisions in a row hang together, so each says less of whether somebody has turned than it would alone."""
LEAST = 1e-12
"""However surely a card is followed, another one is so likely."""


class Pretence:
    """What speaks for it that players have turned to another card after their first turns."""

    def __init__(self, players: int, missions: int) -> None:
        self.since = [Tally(players, missions) for _ in range(TURNS)]
        """What players have done since the end of their first turn, of their second, and so on."""
        self.before = np.zeros((TURNS, players, missions))
        """What had spoken for each card until then."""
        self.done = np.zeros(players, np.int64)
        """The turns of every player."""

    def clone(self) -> Self:
        copied = copy(self)
        copied.since = [each.clone() for each in self.since]
        copied.before, copied.done = self.before.copy(), self.done.copy()
        return copied

    def add(self, player: int, kind: int, logs: Floats, free: float) -> None:
        """Count a decision that has these log likelihoods with each mission, and *free* without any."""
        for since in self.since[: self.done[player]]:
            since.add(player, kind, logs, free)

    def end_turn(self, player: int, tally: Tally) -> None:
        """Allow for a change from the decoy to the card; *tally* holds all that was done so far."""
        for since in self.since[: self.done[player]]:
            since.turns[player] += 1.0
        if self.done[player] < TURNS:
            self.before[self.done[player], player] = tally.sums[player].sum(axis=0)
        self.done[player] += 1

    def scores(self, tally: Tally, honest: Floats, turned: Floats) -> Floats:
        """The scores in each of COMPANIES, given those of who is honest, and of who has turned after each turn."""
        shares, likely = np.array(COMPANIES).T[:, :, None, None]
        pretending = self.pretending(tally.sums.sum(axis=1), turned)
        mixed = np.logaddexp(np.log(1.0 - shares) + log_shares(honest), np.log(shares) + pretending)
        return np.asarray(mixed + np.log(likely) / len(honest), np.float64)  # the scores of all players are added up

    def pretending(self, spoken: Floats, turned: Floats) -> Floats:
        """The logarithm of how likely pretenders do with each card what was done, against how likely the honest do."""
        followed, meant = log_shares(WEIGHT * self.before), log_shares(WEIGHT * (spoken - self.before))
        turns, gone_on = np.arange(TURNS)[:, None], np.log(1.0 - GIVES_UP)
        better = _total(meant + _others(followed)) - _total(meant + followed)
        gave_up = np.where(turns < self.done, np.log(GIVES_UP) + turns * gone_on + better, IMPOSSIBLE)
        has_turned = gave_up[:, :, None] + log_shares(turned + _others(followed))
        pretends_still = gone_on * np.minimum(self.done, TURNS)[:, None] + _others(log_shares(WEIGHT * spoken))
        return np.asarray(np.logaddexp(np.logaddexp.reduce(has_turned), pretends_still), np.float64)


def _others(logs: Floats) -> Floats:
    """The logarithm of how likely each card is held by somebody who follows another one."""
    return np.asarray(np.log(np.maximum(LEAST, -np.expm1(logs)) / max(1, logs.shape[-1] - 1)), np.float64)


def _total(logs: Floats) -> Floats:
    """The logarithm of the sum over all cards."""
    return np.asarray(np.logaddexp.reduce(logs, axis=-1), np.float64)
