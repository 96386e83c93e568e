"""What the choices of a player say about who they are, and how much of that to believe, fitted to known players.

A strategy is known here by weights that describe it roughly, so in some games a learner of the player describes even a
known one better. That must not make them a stranger: with the probability *unlike* a player of any strategy chooses
like somebody to be learned, though not at random. Each choice counts with a power of its likelihood, and with another
one for each of two questions: which strategy the player follows if they follow one (*temper*), and whether they follow
one at all (*stranger_temper*). All are fitted on players of the strategies, each judged once with their strategy among
those known and once without it, when they are a stranger; and on players who choose at random in the same positions.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import msgspec
import numpy as np

from kibitz import core
from kibitz.models.strangers import new_stranger
from kibitz_lab.learn.slices import Floats

TEMPERS = tuple(step / 20 for step in range(4, 21))
UNLIKE = (0.0, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1)
"""What is tried."""
SHARES = (0.5, 0.1)
"""Shares of strangers among all players that the fit is good for."""
KNOWN, STRANGE, RANDOM = "known", "without their strategy", "random"
"""The kinds of players of a fit."""
RANDOM_SHARE = 0.25
"""The share of strangers who choose at random."""
NEAR = 0.1
"""A player stays known without their own strategy if another one gave their choices nearly the same probabilities."""
LEAST = 1e-4
"""The least probability of the truth that counts in a fit, so that no single match decides."""
IMPROBABLE = 1e-6
"""The least probability of a choice that counts as evidence."""


class Evidence(NamedTuple):
    """How much a choice says."""

    temper: float
    """The power of its likelihood for which strategy a player follows."""
    stranger_temper: float
    """The power for whether they follow one."""
    unlike: float
    """The share of known players who choose like somebody to be learned."""


def posteriors(logs: Floats, learned: Floats, prior: Floats, evidence: Evidence) -> Floats:
    """The probability of each known state and last of a stranger, a row for each row of *logs*.

    *logs* are the logarithms of how likely all choices so far were by each of them, and *learned* is the logarithm of
    how much likelier they were by what was learned of the stranger than by the stranger as a whole.
    """
    found = weigh(prior, log_likelihoods(logs, learned, evidence.stranger_temper, evidence.unlike))
    if evidence.temper != evidence.stranger_temper:
        among = log_likelihoods(logs, learned, evidence.temper, evidence.unlike)[:, :-1]
        found[:, :-1] = weigh(prior[:-1], among) * found[:, :-1].sum(axis=1, keepdims=True)
    return found


def log_likelihoods(logs: Floats, learned: Floats, temper: float, unlike: float) -> Floats:
    """The logarithms of how likely all choices were by each known state and by a stranger, for one power."""
    weighed = temper * logs
    if unlike > 0.0:
        described = np.log(1.0 - unlike) + weighed[:, :-1]
        weighed[:, :-1] = np.logaddexp(described, (np.log(unlike) + weighed[:, -1] + learned)[:, None])
    return weighed


def weigh(prior: Floats, logs: Floats) -> Floats:
    """Bayes' rule in every row."""
    found: Floats = prior * np.exp(logs - logs.max(axis=1, keepdims=True))
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
    random: bool = False
    """Whether they choose at random."""

    @property
    def group(self) -> str:
        """The players whom they are judged with."""
        return RANDOM if self.random else STRANGE if self.label == self.logs.shape[1] - 1 else KNOWN


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


class RandomTrack:
    """Follows a player who chooses at random in the positions of a match."""

    def __init__(self, game: core.Game, player: int, states: int) -> None:
        self.stranger = new_stranger(game, player, states, sequences=False)
        self.rows: list[Floats] = []
        self.learned: list[float] = []

    def add(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> None:
        """Take note of a choice."""
        shares = [policy.probability(action) for policy in policies]
        self.rows.append(log_shares(shares, self.stranger.learn(view, action, policies)))
        self.learned.append(self.stranger.learning_gain())

    def judged_players(self) -> list[JudgedPlayer]:
        """The player, who is a stranger."""
        logs = np.cumsum(self.rows, axis=0)
        return [JudgedPlayer(logs, np.array(self.learned), logs.shape[1] - 1, random=True)]


def fit_evidence(players: Sequence[JudgedPlayer]) -> Evidence:
    """The evidence with which the truth is believed most, over all moments.

    Matches count alike. It counts where half of the players are strangers and where few are, each at that prior; some
    of the strangers are random ones.
    """
    kinds = {KNOWN: 1.0, STRANGE: 1.0 - RANDOM_SHARE, RANDOM: RANDOM_SHARE}
    members = {kind: [each for each in players if each.group == kind] for kind in kinds}
    groups = {kind: JudgedGroup(own) for kind, own in members.items() if own}

    def loss(evidence: Evidence) -> float:
        return sum(
            (1.0 - share if kind == KNOWN else share) * kinds[kind] * group.loss(evidence, share)
            for share in SHARES
            for kind, group in groups.items()
        )

    tried = product(TEMPERS, TEMPERS, UNLIKE)
    return min((Evidence(*each) for each in tried), key=loss)


class JudgedGroup:
    """Players of one kind in one table."""

    def __init__(self, players: Sequence[JudgedPlayer]) -> None:
        rows = [len(each.logs) for each in players]
        self.logs, self.learned = (
            np.concatenate([getattr(each, name) for each in players]) for name in ("logs", "learned")
        )
        self.labels = np.repeat([each.label for each in players], rows)
        self.shares = np.repeat([1.0 / (count * len(rows)) for count in rows], rows)
        self.states = self.logs.shape[1] - 1

    def loss(self, evidence: Evidence, share: float) -> float:
        """The mean log loss of who they are, where this share of all players are strangers."""
        prior = np.append(np.full(self.states, (1.0 - share) / self.states), share)
        found = posteriors(self.logs, self.learned, prior, evidence)
        true = found[np.arange(len(found)), self.labels]
        return float(-self.shares @ np.log(np.maximum(true, LEAST)))
