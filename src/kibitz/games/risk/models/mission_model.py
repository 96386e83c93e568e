"""The base of all recognisers of missions: known cards, distinct cards, and the events that are named as reasons."""

from abc import abstractmethod
from copy import copy
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import NAMED, Claim, Explanation, Reason, explanation_of
from kibitz.core.match.watchers import USUAL
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.position import UNKNOWN
from kibitz.learn.assignment import assignment_shares
from kibitz.learn.logistic import log_shares

Floats = NDArray[np.float64]
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


def kibitzer(game: core.Game) -> str:
    """The model that watches a game of Risk where none is named."""
    return "risk.choice" if isinstance(game, Risk) and game.mission_deck else USUAL
