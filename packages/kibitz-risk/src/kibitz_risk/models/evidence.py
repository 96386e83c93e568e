"""What decisions tell of the players of a match: how they choose, how they follow their cards, and how sure that is.

No player follows their card all the time, and some hardly ever do. So a player's card is judged together with how
strongly and in which way they follow it, for each kind of order by itself: what a player does who follows no card says
nothing about it. Players of one match tend to be of one kind, so the others' play says how likely each level is.

The base of all recognisers of missions is here, too: known cards, distinct cards, and events that are named as reasons.
"""

import math
from abc import abstractmethod
from copy import copy
from typing import ClassVar, Self

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.insight import NAMED, Claim, Explanation, Reason, explanation_of
from kibitz_lab.learn.assignment import assignment_shares, assignments, log_shares
from kibitz_risk.game import Risk, State
from kibitz_risk.models.decisions import KINDS
from kibitz_risk.models.features import Floats
from kibitz_risk.position import UNKNOWN

IMPOSSIBLE = -1e9
"""The logarithm of a probability of 0, as a finite number."""


class MissionModel(core.Model):
    """Which mission does each player hold? One score for every player and card, after every event.

    What a player did not choose, and the dice that were thrown for it, is no evidence of their mission; the rules may
    still rule one out: a player who would have won with a card does not hold it.

    A watcher in a player's seat knows that player's card. With *joint* the cards are known to be distinct: what one
    player holds no other does.
    """

    answers: ClassVar[tuple[str, ...]] = ("goal", "action")
    follows_lines = True
    game: Risk
    joint: bool

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        if not isinstance(game, Risk) or not game.mission_deck:
            raise core.Unsupported(self, game, "it watches Risk with missions only")
        self.names = [game.map.mission_name(mission) for mission in game.mission_deck]
        self.known: dict[int, int] = {}
        self.evidence: list[list[tuple[int, str, Floats]]] = [[] for _ in range(game.players)]
        """For every player: their orders with plies, and what each added to the score of each card."""
        self.choices = [0] * game.players
        """The number of orders of every player that were weighed."""
        self.ply = 0
        self.own_choice = True
        """Whether the player who acted last chose to; dice are thrown for them."""
        self.shares_now: Floats | None = None

    def observe(self, transition: core.Transition) -> None:
        before, after = transition.before, transition.after
        assert isinstance(before, State)
        assert isinstance(after, State)
        self.shares_now = None
        self.ply = transition.ply
        if transition.player >= 0:
            self.own_choice = transition.chose(transition.player)
        if after.missions != before.missions:
            self.known = {player: card for player, card in enumerate(after.missions) if card != UNKNOWN}
        self.weigh(transition, before, after)

    @abstractmethod
    def weigh(self, transition: core.Transition, before: State, after: State) -> None:
        """Learn from an event."""

    @abstractmethod
    def scores(self) -> Floats:
        """The log likelihood of each player's play with each card, up to a constant per player."""

    def shares(self) -> Floats:
        """How likely every player holds each card."""
        if self.shares_now is None:
            scores = self.scores()
            for player, card in self.known.items():
                held = float(scores[player, card])
                scores[player] = IMPOSSIBLE
                if not self.joint:
                    scores[:, card] = IMPOSSIBLE
                scores[player, card] = held
            self.shares_now = assignment_shares(scores) if self.joint else np.exp(log_shares(scores))
        return self.shares_now

    def belief(self, player: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, share in zip(self.names, self.shares()[player].tolist(), strict=True):
            found[name] = found.get(name, 0.0) + share
        return found

    def note(self, player: int, words: str, gains: Floats, *, chosen: bool = True) -> None:
        """Store what an event did to a player's scores, for `explain`; *chosen*: whether it was an order of theirs."""
        self.evidence[player].append((self.ply, words, gains))
        self.choices[player] += chosen

    def explain(self, player: int) -> Explanation:
        if player in self.known:
            return Explanation((Claim(self.names[self.known[player]], 1.0),), question="mission", known=True)
        shares = self.shares()[player]
        reasons = self.reasons(player, int(shares.argmax()), shares)
        choices = self.choices[player]
        return explanation_of(self.belief(player), reasons=reasons, choices=choices, question="mission")

    def reasons(self, player: int, card: int, shares: Floats) -> list[Reason]:
        """The orders that told most for a card or against it, the strongest first, each named once."""
        others = np.where(np.arange(len(shares)) == card, 0.0, shares)
        rivals = others / others.sum() if others.sum() > 0.0 else np.full(len(shares), 1.0 / len(shares))
        totals: dict[str, Reason] = {}
        for ply, words, gains in self.evidence[player]:
            gain = float(gains[card] - gains @ rivals)
            before = totals.get(words)
            totals[words] = Reason(words, gain + (before.log_odds if before else 0.0), before.ply if before else ply)
        return sorted(totals.values(), key=lambda reason: (-abs(reason.log_odds), reason.what))[:NAMED]

    def clone(self) -> Self:
        copied = copy(self)
        if hasattr(self, "evidence"):
            copied.known, copied.evidence = dict(self.known), [list(each) for each in self.evidence]
            copied.choices = list(self.choices)
        return copied


CERTAINTY = ("always", "following", "agreement", "distinct cards", "decisions", "contrast", "players")
"""The signs: how much better cards explain the orders than none does, whether kinds of orders speak for the same cards,
whether the players seem to hold distinct ones, how much was decided, how far cards differ, and how many play.

Learned weights of evidence are right for the mean of all companies, too modest about players who are devoted to their
cards, and too bold about those who hardly follow them. These signs tell such companies apart."""
MOST = math.log(4.0)
"""The most that scores are multiplied by or divided by, as a logarithm."""
FEW_DECISIONS, LITTLE_SAID = 20.0, 5.0
"""What is added where something is divided by decisions or by what they say, so that little evidence is no sign."""


def certainty_signs(by_kind: Floats, heedless: Floats, decisions: int) -> Floats:
    """The values of CERTAINTY after so many *decisions*.

    *by_kind* holds the log likelihoods of players by kinds of orders by cards, and *heedless* those of all orders of
    each player if no card is followed.
    """
    players, _, cards = by_kind.shape
    total, spoken = by_kind.sum(axis=1), by_kind - by_kind.mean(axis=2, keepdims=True)
    whatever = np.logaddexp.reduce(total, axis=1)
    apart, together = (spoken**2).sum(), (spoken.sum(axis=1) ** 2).sum()
    by_chance = math.log(math.perm(cards, players)) - players * math.log(cards)
    return np.array(
        [
            1.0,
            (whatever - math.log(cards) - heedless).sum() / (decisions + FEW_DECISIONS),
            math.tanh((together - apart) / (apart + LITTLE_SAID)),
            (assignments(total)[1] - whatever.sum() - by_chance) / players,
            math.log1p(decisions),
            math.log1p(total.std(axis=1).mean()),
            players,
        ]
    )


def certainty_of(signs: Floats, weights: Floats) -> Floats:
    """What scores are multiplied by; the signs are in the last axis."""
    return np.asarray(np.exp(MOST * np.tanh(signs @ weights / MOST)), np.float64)


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


class PlayerWeights:
    """How the players of a match choose among territories whatever their cards, learned while they play.

    Their weights are taken as drawn from a population, alike to some degree for the players of one match. Every
    decision moves them, as in an extended Kalman filter: those of its player most, and those of the others as far as
    players are alike.
    """

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
