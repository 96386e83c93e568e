"""What the choices of a player say about who they are, and how much of that to believe, fitted to known players.

A strategy is known here by weights that describe it roughly, so in some games a learner of the player describes even a
known one better. That must not make them a stranger: with the probability *unlike* a player of any strategy chooses
like somebody to be learned, though not at random. Each choice counts with the power *temper*. Both are fitted on
players of the strategies, each judged once with their strategy among those known and once without it, when they are a
stranger.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from kibitz import core
from kibitz.learn.slices import Floats
from kibitz.models.strangers import new_stranger

TEMPERS = tuple(step / 20 for step in range(4, 21))
UNLIKE = (0.0, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1)
"""What is tried."""
SHARES = (0.5, 0.1)
"""Shares of strangers among all players that the fit is good for."""
NEAR = 0.1
"""A player stays known without their own strategy if another one gave their choices nearly the same probabilities."""
LEAST = 1e-4
"""The least probability of the truth that counts in a fit, so that no single match decides."""
IMPROBABLE = 1e-6
"""The least probability of a choice that counts as evidence."""


def posteriors(logs: Floats, learned: Floats, prior: Floats, temper: float, unlike: float) -> Floats:
    """The probability of each known state and last of a stranger, a row for each row of *logs*.

    *logs* are the logarithms of how likely all choices so far were by each of them, and *learned* is the logarithm of
    how much likelier they were by what was learned of the stranger than by the stranger as a whole.
    """
    weighed = temper * logs
    whole: Floats = weighed.copy()
    if unlike > 0.0:
        described = np.log(1.0 - unlike) + weighed[:, :-1]
        whole[:, :-1] = np.logaddexp(described, (np.log(unlike) + weighed[:, -1] + learned)[:, None])
    found: Floats = prior * np.exp(whole - whole.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return found


def log_shares(shares: Sequence[float] | Floats, strange: float) -> Floats:
    """The logarithms of how likely a choice was by each state and by a stranger."""
    found: Floats = np.log(np.maximum(np.append(shares, strange), IMPROBABLE))
    return found


class JudgedPlayer(msgspec.Struct, frozen=True):
    """A player of one match: *logs* and *learned* after every choice, as in `posteriors`, and the true column."""

    logs: Floats
    learned: Floats
    label: int


class PlayerTrack:
    """Follows one player through a match, with their strategy among those known and without it."""

    def __init__(self, game: core.Game, player: int, states: int, followed: int) -> None:
        self.states, self.followed = states, followed
        self.known, self.left_out = (
            new_stranger(game, player, count, sequences=False) for count in (states, states - 1)
        )
        self.shares: list[Floats] = []
        self.rows: tuple[list[Floats], list[Floats]] = [], []
        self.learned: tuple[list[float], list[float]] = [], []

    def add(self, view: core.State, action: int, policies: Sequence[core.Distribution], again: bool = False) -> None:
        """Take note of a choice; one that is the same *again* says nothing new."""
        shares = np.array([policy.probability(action) for policy in policies])
        self.shares.append(shares)
        others = [policy for state, policy in enumerate(policies) if state != self.followed]
        pairs = ((self.known, policies, shares), (self.left_out, others, np.delete(shares, self.followed)))
        for number, (stranger, shown, own) in enumerate(pairs):
            strange = stranger.learn(view, action, shown)
            self.rows[number].append(log_shares(own, strange) * (not again))
            self.learned[number].append(stranger.learning_gain())

    def judged_players(self) -> list[JudgedPlayer]:
        """The player as somebody known, and as a stranger unless another strategy is near."""
        if not self.shares:
            return []
        logs = [np.cumsum(rows, axis=0) for rows in self.rows]
        found = [JudgedPlayer(logs[0], np.array(self.learned[0]), self.followed)]
        shares = np.array(self.shares)
        others = np.delete(shares, self.followed, axis=1)
        if others.shape[1] and np.abs(others - shares[:, [self.followed]]).mean(axis=0).min() >= NEAR:
            found.append(JudgedPlayer(logs[1], np.array(self.learned[1]), self.states - 1))
        return found


def fit_evidence(players: Sequence[JudgedPlayer]) -> tuple[float, float]:
    """The temper and the share of unlike players with which the truth is believed most, over all moments.

    Matches count alike. It counts where half of the players are strangers and where few are, each at that prior.
    """

    def loss(temper: float, unlike: float, share: float) -> float:
        sums: tuple[list[float], list[float]] = [], []
        for each in players:
            states = each.logs.shape[1] - 1
            prior = np.append(np.full(states, (1.0 - share) / states), share)
            true = posteriors(each.logs, each.learned, prior, temper, unlike)[:, each.label]
            sums[each.label == states].append(float(-np.log(np.maximum(true, LEAST)).mean()))
        known, strange = (sum(part) / max(len(part), 1) for part in sums)
        return (1.0 - share) * known + share * strange

    tried = [(temper, unlike) for temper in TEMPERS for unlike in UNLIKE]
    return min(tried, key=lambda pair: sum(loss(pair[0], pair[1], share) for share in SHARES))
