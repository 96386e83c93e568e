"""How likely players pretend: they follow a decoy at first, and from the end of some turn on their own card.

One player's orders hardly tell whether they have turned, as players also stray from their cards. But the players of a
match are mostly of one kind: honest players follow distinct cards and go on with them, so that the others' play speaks
for a player's honesty or against it. The model weighs companies in which few, half and most players pretend.
"""

from copy import copy
from typing import NamedTuple, Self

import numpy as np

from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.evidence import Evidence
from kibitz.games.risk.models.mission_model import IMPOSSIBLE
from kibitz.learn.logistic import log_shares

TURNS = 6
"""The model allows for a change of card in so many first turns only."""
WEIGHT = 0.7
"""Decisions in a row depend on each other, so each says less about a change of card than it would alone."""
LEAST = 1e-12
"""The least probability of another card, however surely one is followed."""


class PlayerGroup(NamedTuple):
    """A kind of company that the players may be."""

    pretend: float
    """The share of players who pretend."""
    give_up: float
    """How likely a pretender turns to their own card after a turn; in the setup they do not."""
    likely: float


COMPANIES = (
    PlayerGroup(0.05, 0.5, 0.4),
    PlayerGroup(0.5, 0.5, 0.1),
    PlayerGroup(0.95, 0.6, 0.25),
    PlayerGroup(0.95, 0.2, 0.25),
)
"""Honest, half honest, pretending for a short time and for a longer one."""


class Deception:
    """The evidence that players have turned to another card after their first turns."""

    def __init__(self, tally: Evidence) -> None:
        players, _, missions, _ = tally.logs.shape
        self.logs = np.zeros((TURNS, *tally.logs.shape))
        """The evidence of each player until the end of their first turn, second turn, and so on."""
        self.before = np.zeros((TURNS, players, missions))
        """The same for each card."""
        self.turns = np.zeros((TURNS, players))
        self.done = np.zeros(players, np.int64)
        """The turns of every player."""

    def clone(self) -> Self:
        copied = copy(self)
        copied.logs, copied.before = self.logs.copy(), self.before.copy()
        copied.turns, copied.done = self.turns.copy(), self.done.copy()
        return copied

    def end_turn(self, player: int, tally: Evidence) -> None:
        """Allow for a change from the decoy to the card; *tally* holds all that was done so far."""
        if self.done[player] < TURNS:
            self.logs[self.done[player], player] = tally.logs[player]
            self.before[self.done[player], player] = tally.card_logs()[player]
            self.turns[self.done[player], player] = tally.turns[player]
        self.done[player] += 1

    def since(self, tally: Evidence) -> list[Evidence]:
        """The evidence since the end of each player's first turn, second turn, and so on."""
        found = []
        for turn in range(TURNS):
            each, ended = tally.clone(), self.done > turn
            each.logs = (tally.logs - self.logs[turn]) * ended[:, None, None, None]
            each.late = tally.late * ended[:, None, None, None]
            each.turns = (tally.turns - self.turns[turn]) * ended
            found.append(each)
        return found

    def scores(self, tally: Evidence, honest: Floats, turned: Floats) -> Floats:
        """The scores in each of COMPANIES, given those of honest players, and of players who turned after each turn."""
        pretend, give_up, likely = np.array(COMPANIES).T[:, :, None, None]
        pretending = self.pretending(tally.card_logs(), turned, give_up)
        mixed = np.logaddexp(np.log(1.0 - pretend) + log_shares(honest), np.log(pretend) + pretending)
        return np.asarray(mixed + np.log(likely) / len(honest), np.float64)  # scores are summed over players

    def pretending(self, spoken: Floats, turned: Floats, give_up: Floats) -> Floats:
        """The logarithm of how likely a pretender with each card acts as observed, relative to an honest player."""
        go_on = np.log(1.0 - give_up)
        after_turns = (np.log(give_up) + np.arange(TURNS)[:, None] * go_on)[..., None]
        ways = np.logaddexp.reduce(after_turns + self.having_turned(spoken, turned), axis=1)
        still = go_on * np.minimum(self.done, TURNS)[:, None] + _others(log_shares(WEIGHT * spoken))
        return np.asarray(np.logaddexp(ways, still), np.float64)

    def having_turned(self, spoken: Floats, turned: Floats) -> Floats:
        """The same for players who gave up pretending after each turn: how much better that explains them, by card."""
        followed, meant = log_shares(WEIGHT * self.before), log_shares(WEIGHT * (spoken - self.before))
        better = _total(meant + _others(followed)) - _total(meant + followed)
        possible = np.where(np.arange(TURNS)[:, None] < self.done, better, IMPOSSIBLE)
        return np.asarray(possible[:, :, None] + log_shares(turned + _others(followed)), np.float64)


def _others(logs: Floats) -> Floats:
    """The logarithm of how likely a player who follows another card holds each card."""
    return np.asarray(np.log(np.maximum(LEAST, -np.expm1(logs)) / max(1, logs.shape[-1] - 1)), np.float64)


def _total(logs: Floats) -> Floats:
    """The logarithm of the sum over all cards."""
    return np.asarray(np.logaddexp.reduce(logs, axis=-1), np.float64)
