"""`trails.promises`: how reliable every player has been in this game, and so what they will answer and send."""

from functools import partial
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.insight import Explanation, MoveEvidence, explanation_of
from kibitz.core.player_memory import Learned
from kibitz.core.wording import join_words, percent
from kibitz_trails.board import Board
from kibitz_trails.models.predictors import TRANSFERS, answering, sending
from kibitz_trails.rules import ANSWER, EXCHANGE, State, Trails
from kibitz_trails.situation import BASE_RATES, Exchange, History, reliability, transfer_class

REMEMBERED = 10.0
"""The most answers that count in the next match."""
TITLES = {"none": "none of what they promise", "some": "part of what they promise", "all": "all that they promise"}


class Promises(core.Model):
    """The myopic reliability of every player (Pozin 2010, 3.2.1): what each kept promise was worth to the receiver.

    `belief` says how likely a player sends none, some or all of a promise. It begins with what peer-designed agents
    do, which count as *prior* deals; each deal counts *fading* times as much as the next one.
    """

    answers = ("action",)

    def __init__(self, prior: Annotated[float, Meta(gt=0.0, le=1000.0)] = 1.0, fading: core.Probability = 0.7) -> None:
        self.prior, self.fading = prior, fading

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")
        self.board, self.history = game.layout, History()
        self.evidence = [MoveEvidence() for _ in range(game.players)]
        self.recalled: dict[int, Learned] = {}
        """What earlier matches told of some players: deals by what was kept of them, and answers."""

    def observe(self, transition: core.Transition) -> None:
        before = transition.before
        assert isinstance(before, State)
        deal = before.phase == EXCHANGE and before.offer is not None
        choosing = [each for each in (before.proposer, before.partner) if deal and transition.chose(each)]
        held = {player: self.belief(player) for player in choosing}
        self.history.observe(transition)
        for player, belief in held.items():
            words = partial(deal_words, self.board, self.history.exchanges[-1], player)
            self.evidence[player].add(transition.ply, words, belief, self.belief(player))

    def belief(self, player: int) -> dict[str, float]:
        counts = self.deal_counts(player)
        weights = {name: self.prior * BASE_RATES[name] + counts[name] for name in TRANSFERS}
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def deal_counts(self, player: int) -> dict[str, float]:
        """The deals of a player by how much they kept of their promise, older ones counting less."""
        deals = self.deals(player)
        past = self.recalled.get(player, {})
        counts = {name: past.get(name, 0.0) * self.fading ** len(deals) for name in TRANSFERS}
        for age, deal in enumerate(reversed(deals)):
            counts[transfer_class(reliability(self.board, deal, player))] += self.fading**age
        return counts

    def deals(self, player: int) -> list[Exchange]:
        """The deals in which *player* chose what to send."""
        exchanges = self.history.without_unchosen(player).exchanges
        return [each for each in exchanges if each.promised is not None and player in each.pair]

    def accepts(self, player: int) -> float:
        """How likely the player accepts an offer, by those they have answered."""
        accepted, answered = self.answer_counts(player)
        return (self.prior * BASE_RATES["accept"] + accepted) / (self.prior + answered)

    def answer_counts(self, player: int) -> tuple[float, float]:
        """How many offers a player accepted, and how many they answered."""
        proposals = self.history.without_unchosen(player).proposals
        seen = [each.accepted for each in proposals if each.partner == player]
        answered = [answer for answer in seen if answer is not None]
        past = self.recalled.get(player, {})
        known = past.get("answered", 0.0)
        return sum(answered) + min(past.get("accepted", 0.0), known), len(answered) + known

    def remember(self, player: int) -> Learned:
        accepted, answered = self.answer_counts(player)
        scale = min(1.0, REMEMBERED / answered) if answered else 0.0
        found = {**self.deal_counts(player), "accepted": scale * accepted, "answered": scale * answered}
        return found if any(found.values()) else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.recalled[player] = learned

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        if view.phase == ANSWER:
            return answering(self.accepts(player), view, player)
        if view.phase == EXCHANGE and player in (view.proposer, view.partner):
            return sending(self.belief(player), view, player)
        return super().predict(view, player)

    def explain(self, player: int) -> Explanation:
        deals = self.deals(player)
        kept = [f"{percent(reliability(self.board, each, player))}" for each in deals[-3:]]
        promises = f"the last {len(kept)} promises" if len(kept) > 1 else "the last promise"
        if not kept:
            return Explanation(question="promise", notes=("has promised nothing yet",))
        note = f"kept {join_words(kept)} of the value of {promises}"
        evidence = self.evidence[player]
        return explanation_of(self.belief(player), titles=TITLES, evidence=evidence, question="promise", notes=[note])


def deal_words(board: Board, deal: Exchange, player: int) -> str:
    """What a player kept of a promise."""
    return f"keeping {percent(reliability(board, deal, player))} of a promise"
