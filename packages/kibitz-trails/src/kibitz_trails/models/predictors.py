"""`trails.predictors`: decision trees that predict answers, transfers and offers, learned from recorded games.

The questions are those of Carr et al. (2009): will they accept, will they keep a promise (three classes, as in Pozin
2010), will they make a proposal, and which meta-proposal: an offer by who lacks the chips that change hands, not by
their colours. Expectations are distributions over actions, from shares of these answers.
"""

import copy
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned
from kibitz.core.insight import Explanation
from kibitz.core.wording import count_words
from kibitz_lab.learn.example_tables import TableLayout
from kibitz_lab.learn.examples import Column, Label, Value
from kibitz_lab.learn.programs import Program
from kibitz_trails.board import Board, Chips, all_parts, common, minus, plus, sets_of
from kibitz_trails.offers import PASS, Offer, Offers
from kibitz_trails.rules import ACCEPT, REJECT, State, Trails
from kibitz_trails.situation import (
    BASE_RATES,
    Exchange,
    History,
    Proposal,
    Side,
    TransferClass,
    proposal_on_table,
    reliability,
    transfer_class,
)


class OfferFeatures(msgspec.Struct, frozen=True, rename="camel"):
    """An offer as *player* sees it; the other one of the two is the opponent. In files they have the thesis's names."""

    prev_player_reliability: float | None
    prev_opponent_reliability: float | None
    player_current_best_use_score: float
    player_promised_benefit: float
    """Points that the opponent's chips would add to the player's BestUse."""
    opponent_current_best_use_score: float
    opponent_promised_benefit: float
    prev_player_transfer_class: TransferClass | None
    prev_opponent_transfer_class: TransferClass | None


def offer_features(board: Board, history: History, proposal: Proposal, player: int) -> OfferFeatures:
    """The features of a proposal; of *history* only what came before it counts."""
    opponent = proposal.partner if player == proposal.proposer else proposal.proposer
    last = last_deal(history, proposal, player, opponent)
    own, other = (None if last is None else reliability(board, last, each) for each in (player, opponent))
    return OfferFeatures(
        own,
        other,
        *best_use_and_gain(board, proposal, player, opponent),
        *best_use_and_gain(board, proposal, opponent, player),
        None if own is None else transfer_class(own),
        None if other is None else transfer_class(other),
    )


def last_deal(history: History, proposal: Proposal, player: int, opponent: int) -> Exchange | None:
    """The last deal of the two before a proposal."""
    return next((deal for deal in history.deals(player, opponent) if deal.round < proposal.round), None)


def best_use_and_gain(board: Board, proposal: Proposal, player: int, other: int) -> tuple[float, float]:
    """A player's BestUse before an offer, and what the other's chips would add to it."""
    place, chips = proposal.positions[player], proposal.chips[player]
    now = board.best_use(place, chips)
    return float(now), float(board.best_use(place, plus(chips, proposal.sends(other))) - now)


CLASSES = ("both", "own", "other", "nobody")
"""Who lacks a colour on the cheapest way to the goal: both players, the observer, the other, or neither."""
MOST_NAMED = 400
"""How many offers of one meta-proposal are named at most."""
REMEMBERED = 1 << 14
"""How many answers about sets of chips are kept."""


class MetaProposal(NamedTuple):
    """Chips of each class that the observer receives, less those they give.

    >>> str(MetaProposal(0, 3, -3, 0)), MetaProposal.of("0:3:-3:0").other
    ('0:3:-3:0', -3)
    """

    both: int
    own: int
    other: int
    nobody: int

    def __str__(self) -> str:
        return ":".join(map(str, self))

    @classmethod
    def of(cls, text: str) -> "MetaProposal":
        """The meta-proposal of a text."""
        return cls(*map(int, text.split(":")))


def colour_classes(own: Side, other: Side) -> tuple[int, ...]:
    """The class of every colour from *own*'s side."""
    lacking = zip(own.lacking, other.lacking, strict=True)
    return tuple([0 if mine and theirs else 1 if mine else 2 if theirs else 3 for mine, theirs in lacking])


def meta_proposal(own: Side, other: Side, given: Chips, received: Chips) -> MetaProposal:
    """The meta-proposal of an exchange from *own*'s side."""
    net = [0] * len(CLASSES)
    for place, gives, gets in zip(colour_classes(own, other), given, received, strict=True):
        net[place] += gets - gives
    return MetaProposal(*net)


def plain_offers(own: Side, other: Side, meta: MetaProposal) -> list[Offer]:
    """The offers of *own* that are of a meta-proposal and move chips of each class one way only."""
    classes = colour_classes(own, other)
    asked = sides(other.chips, classes, tuple([max(0, net) for net in meta]))
    given = sides(own.chips, classes, tuple([max(0, -net) for net in meta]))
    return [Offer(gives, asks) for asks, gives in islice(product(asked, given), MOST_NAMED)]


@lru_cache(maxsize=REMEMBERED)
def sides(chips: Chips, classes: tuple[int, ...], counts: tuple[int, ...]) -> tuple[Chips, ...]:
    """The parts of *chips* with the given number of chips of each class; at most as many as are ever named."""
    choices = []
    for number, count in enumerate(counts):
        held = tuple([have if place == number else 0 for have, place in zip(chips, classes, strict=True)])
        choices.append(sets_of(held, count))
    return tuple([tuple(map(sum, zip(*parts, strict=True))) for parts in islice(product(*choices), MOST_NAMED)])


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
    return Question(view.board, pair[1 - pair.index(about)], about, proposal_on_table(view))


SURPRISE = 0.02
"""The probability left for all actions that are not expected at all, gifts for instance."""
NOTHING = 0
"""Sending nothing."""


def answering(accepts: float, view: State, player: int) -> core.Distribution:
    """An answer, by how likely the offer is accepted."""
    return core.Distribution({ACCEPT: accepts, REJECT: 1.0 - accepts}, view.legal_actions(player))


def sending(shares: Mapping[str, float], view: State, player: int) -> core.Distribution:
    """A transfer, by how likely none, some or all of the promise is sent; any part of it is some."""
    legal = view.legal_actions(player)
    assert isinstance(legal, core.ProductActions)
    promise = common(view.promise(player) or (0,) * len(view.board.colours), view.most(player))
    whole = legal.action(promise)
    if whole == NOTHING:
        return add_surprise({NOTHING: 1.0}, legal)
    parts = [legal.action(part) for part in islice(all_parts(promise), MOST_NAMED)]
    some = [part for part in parts if part not in (NOTHING, whole)]
    named = {NOTHING: shares["none"], whole: shares["all"]}
    named |= {part: shares["some"] / len(some) for part in some}
    return add_surprise(named, legal)


def offering(
    proposes: float, metas: Mapping[MetaProposal, float], view: State, question: Question
) -> core.Distribution:
    """An offer, by how likely one is made and which meta-proposal it is; plain offers of each are equally likely."""
    legal = view.legal_actions(question.opponent)
    assert isinstance(legal, Offers)
    own, other = question.side(question.opponent), question.side(question.player)
    named = {PASS: 1.0 - proposes}
    for meta, share in metas.items():
        offers = [legal.of(*offer) for offer in plain_offers(own, other, meta) if legal.allows(*offer)]
        named |= {action: proposes * share / len(offers) for action in offers if action != PASS}
    return add_surprise(named, legal)


def add_surprise(named: dict[int, float], legal: core.ProductActions) -> core.Distribution:
    """Shares of some actions as far as they go, and of all others together at least `SURPRISE`."""
    total = sum(named.values())
    others = len(legal) - len(named)
    if not others:
        return core.Distribution({action: share / total for action, share in named.items()}, legal)
    kept = (1.0 - SURPRISE) / max(total, 1.0)
    found = {action: kept * share for action, share in named.items()}
    return core.Distribution(found, legal, rest=1.0 - sum(found.values()))


FORMAT, VERSION = "kibitz trails predictors", 1
USUAL: dict[str, dict[Label, float]] = {
    "response": {"accept": BASE_RATES["accept"], "reject": 1.0 - BASE_RATES["accept"]},
    "transfer": {name: BASE_RATES[name] for name in TRANSFERS},
    "proposing": {"offer": 0.5, "pass": 0.5},
    "proposal": {},
}
"""What is expected where no game taught anything: the rates of peer-designed agents (Pozin 2010)."""


class PredictorPrograms(msgspec.Struct, frozen=True, dict=True):
    """What was learned: the features, a program for each table, and how it was made."""

    features: FeatureSet
    programs: Mapping[str, Program]
    made: dict[str, Any] = {}

    def shares(self, values: Sequence[Value], tables: Sequence[str]) -> list[dict[Label, float]]:
        """The share of every label of some tables."""
        columns = COLUMNS[self.features]
        row = np.array([[column.encode_value(value, "row") for column, value in zip(columns, values, strict=True)]])
        found = []
        for table in tables:
            if table not in self.programs:
                found.append(dict(USUAL[table]))
                continue
            shares = self.programs[table].coded_distributions(row)[0].tolist()
            found.append(dict(zip(self.programs[table].labels, shares, strict=True)))
        return found


class PredictorFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it."""

    format: str
    version: int
    features: FeatureSet
    programs: dict[str, msgspec.Raw]
    made: dict[str, Any] = {}


def read_predictors(path: Path | str) -> PredictorPrograms:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> PredictorPrograms:
    kept = read_versioned(path, PredictorFile, (FORMAT, VERSION), BadProgram, "predictors of Colored Trails")
    for name in kept.programs:
        if name not in TARGETS:
            raise BadProgram(path, f"the game asks nothing that {name} answers")
    there = [table for table in TARGETS if table in kept.programs]
    if not there:
        raise BadProgram(path, "there is no predictor in it")
    programs = {table: Program.from_json(bytes(kept.programs[table]), f"{path}: {table}") for table in there}
    for table, program in programs.items():
        wanted = layout(table, kept.features)
        if program.columns != wanted.columns or not set(wanted.target.values) <= set(program.labels):
            raise BadProgram(path, f"{table}: its columns or labels are not those of {kept.features} features")
    return PredictorPrograms(kept.features, programs, kept.made)


DATA = Path(__file__).parent.parent / "data"
LIKELY = 6
"""How many of the likeliest meta-proposals are considered."""
NOTHING_KEPT = {"none": 1.0, "some": 0.0, "all": 0.0}
"""What is sent where nothing was promised."""


class Predictors(core.Model):
    """The four predictors of Carr et al. (2009), on the features of Pozin (2010).

    *trained* is a file that `kibitz train` wrote; without it, the file that comes with the game. *features* are the
    eight of the thesis, or those and twenty more.
    """

    answers = ("action",)
    trainer = "kibitz_trails.models.training:train"
    follows_lines = True
    learns_a_file = True
    learns_from_rows = True
    preset: PredictorPrograms | None = None
    """Programs just learned, which no file holds yet."""

    def __init__(self, trained: str = "", features: FeatureSet = "extended") -> None:
        self.trained, self.features = trained, features

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.check_training(game)
        self.history = History()
        try:
            self.learned = self.preset or read_predictors(self.path)
        except BadProgram as error:
            raise core.Unsupported(self, game, error.message) from None
        if self.learned.features != self.features:
            raise core.Unsupported(self, game, f"it was trained with features={self.learned.features}")

    @property
    def path(self) -> Path:
        """The file to read."""
        return Path(self.trained) if self.trained else DATA / f"predictors_{self.features}.json"

    def observe(self, transition: core.Transition) -> None:
        self.history.observe(transition)

    def shares(self, view: State, about: int, *tables: str) -> list[dict[Any, float]]:
        """How likely each label of some tables is for *about* on *view*."""
        values = question_about(view, about).features(self.history.without_unchosen(about), self.features)
        return self.learned.shares(values, tables)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        if player not in (view.proposer, view.partner):
            return super().predict(view, player)
        match view.phase:
            case "offer":
                return self.expected_offer(view, player)
            case "answer":
                (answers,) = self.shares(view, player, "response")
                return answering(answers["accept"], view, player)
            case "exchange":
                (kept,) = self.shares(view, player, "transfer") if view.offer else [NOTHING_KEPT]
                return sending(kept, view, player)
        return super().predict(view, player)

    def expected_offer(self, view: State, player: int) -> core.Distribution:
        """What a proposer offers, if anything."""
        proposing, metas = self.shares(view, player, "proposing", "proposal")
        likely = sorted(metas, key=lambda text: -metas[text])[:LIKELY]
        found = {MetaProposal.of(text): metas[text] for text in likely}
        return offering(proposing["offer"], found, view, question_about(view, player))

    def check_training(self, game: core.Game) -> None:
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")

    def clone(self) -> "Predictors":
        """An independent copy; what was learned is shared."""
        copied = copy.copy(self)
        if "history" in vars(self):  # a match has begun
            copied.history = copy.copy(self.history)
        return copied

    def explain(self, player: int) -> Explanation:
        made = self.learned.made.get("records")
        exchanges = self.history.without_unchosen(player).exchanges
        deals = sum(each.promised is not None and player in each.pair for each in exchanges)
        like = f"is expected to act as players did in {made or 'earlier'} games"
        seen = f"after {count_words(deals, 'deal', 'deals')}" if deals else "before any deal"
        return Explanation(choices=None, question="action", notes=(f"{like} {seen}",))
