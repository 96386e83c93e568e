"""The questions that predictors answer about a negotiator at each decision, and the features they use.

They are those of Carr et al. (2009): will they accept, will they keep a promise (three classes, as in Pozin 2010), will
they make a proposal, and which meta-proposal.
"""

from typing import Literal, NamedTuple, get_args

import msgspec

from kibitz import core
from kibitz.games.trails.board import Board, zeros
from kibitz.games.trails.chips import common, minus, plus
from kibitz.games.trails.features import OfferFeatures, last_deal, offer_features
from kibitz.games.trails.history import History, Proposal
from kibitz.games.trails.models.meta_proposals import meta_proposal
from kibitz.games.trails.reliability import TransferClass
from kibitz.games.trails.situation import Side
from kibitz.games.trails.state import Offer, State
from kibitz.learn.example_tables import TableLayout
from kibitz.learn.examples import Column, Value

FeatureSet = Literal["thesis", "extended"]
TRANSFERS: tuple[str, ...] = get_args(TransferClass)
THESIS = tuple(
    Column(field.encode_name, TRANSFERS if field.encode_name.endswith("Class") else ())
    for field in msgspec.structs.fields(OfferFeatures)
)
SIDE = ("Distance", "Chips", "Missing", "Independent", "MissingAfterDeal")
EXTENDED = (
    *THESIS,
    *(Column(f"{who}{what}") for who in ("player", "opponent") for what in SIDE),
    *map(Column, ("round", "counterOffer", "opponentAcceptedShare", "opponentOffers", "chipsAsked", "chipsGiven")),
    *map(Column, ("metaBoth", "metaPlayer", "metaOpponent", "metaNobody")),
)
COLUMNS: dict[FeatureSet, tuple[Column, ...]] = {"thesis": THESIS, "extended": EXTENDED}
TARGETS = {
    "response": Column("response", ("accept", "reject")),
    "transfer": Column("transfer", TRANSFERS),
    "proposing": Column("proposing", ("offer", "pass")),
    "proposal": Column("proposal"),
}
"""What each table predicts; a proposal is a meta-proposal."""


def layout(table: str, features: FeatureSet = "extended") -> TableLayout:
    """What the rows of a table hold."""
    return TableLayout(table, COLUMNS[features], TARGETS[table])


class Question(NamedTuple):
    """A decision of *opponent* as *player* sees it coming, and what is on the table: an empty offer if nothing is."""

    board: Board
    player: int
    opponent: int
    proposal: Proposal

    def features(self, history: History, chosen: FeatureSet = "extended") -> tuple[Value, ...]:
        """The values of the columns; *history* is what happened so far."""
        known = msgspec.to_builtins(offer_features(self.board, history, self.proposal, self.player))
        found: list[Value] = [known[column.name] for column in THESIS]
        if chosen == "extended":
            own, other = self.side(self.player), self.side(self.opponent)
            found += [*self.of_side(own, other), *self.of_side(other, own), *self.of_talk(history)]
            given, received = self.proposal.sends(self.player), self.proposal.sends(self.opponent)
            found += [sum(received), sum(given), *meta_proposal(own, other, given, received)]
        return tuple(found)

    def side(self, player: int) -> Side:
        """One of the two."""
        chips, places = self.proposal.chips, self.proposal.positions
        other = self.opponent if player == self.player else self.player
        return Side(self.board, player, places[player], chips[player], chips[other])

    def of_side(self, side: Side, other: Side) -> list[Value]:
        """How one of the two stands, now and if the deal is kept."""
        sent, got = self.proposal.sends(side.player), self.proposal.sends(other.player)
        given, received = common(sent, side.chips), common(got, other.chips)
        after = side.holding(plus(minus(side.chips, given), received), plus(minus(other.chips, received), given))
        distance = self.board.distances[side.place]
        return [distance, sum(side.chips), side.missing, float(side.independent), after.missing]

    def history_key(self, history: History) -> core.Key:
        """All of *history* that the features depend on."""
        last = last_deal(history, self.proposal, self.player, self.opponent)
        return None if last is None else msgspec.structs.astuple(last), repr(self.of_talk(history))

    def of_talk(self, history: History) -> list[Value]:
        """What was said so far."""
        proposal = self.proposal
        answers = [each.accepted for each in history.proposed_by(self.player, self.opponent)]
        known = [answer for answer in answers if answer is not None]
        counter = any(each.round == proposal.round and each.proposer == proposal.partner for each in history.proposals)
        accepted = sum(known) / len(known) if known else None
        return [proposal.round, float(counter), accepted, len(history.proposed_by(self.opponent, self.player))]


def question_about(view: State, about: int) -> Question:
    """The question about one of the two who talk, on *view*."""
    pair = view.proposer, view.partner
    return Question(view.board, pair[1 - pair.index(about)], about, proposal_or_empty(view))


def proposal_or_empty(view: State) -> Proposal:
    """The offer on the table, or an empty one."""
    offer = view.offer or Offer(zeros(view.board), zeros(view.board))
    chips = tuple(map(view.assumed_chips, range(view.board.players)))
    return Proposal(view.round, view.proposer, view.partner, offer, view.positions, chips)
