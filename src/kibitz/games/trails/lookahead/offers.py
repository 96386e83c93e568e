"""The offers worth making: for each level of the other player's gain, the best for the proposer.

Plans: simple ways to play on. Look-ahead chooses among them by what it will have observed of the other by then.
Two are agents of their own, too, so that one can see what they earn alone: `trails.rob` and `trails.wait_and_trade`.
"""

from functools import lru_cache
from itertools import product
from math import inf

import msgspec
import numpy as np

from kibitz.games.trails.agents.negotiator import Design, Negotiator, Offering, Patient, Proposer, Sender
from kibitz.games.trails.agents.proposers import Gaining, Growing, Lavish, Trade, limit_chips
from kibitz.games.trails.agents.senders import Deceives, Grudge, Keeps, KeepsWhileDependent, Reneges
from kibitz.games.trails.board import Board, Chips
from kibitz.games.trails.packed_board import chips_of, pack_board, parts, word
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import Offer

RATIOS = (0.0, 1.0, 2.0)
"""Levels of the least chips that they should receive for each that they give."""


class Bargains:
    """The offers that the other player gains by if both keep them, and the proposer if the proposer pays nothing.

    `own` and `other` are what both gain if both keep the offer, `robbing` the proposer's gain if only the other keeps
    it, and `ratio` the chips the other receives for each that they give.
    """

    def __init__(self, board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> None:
        given, asked = (parts(side) for side in limit_chips(*held))
        scores = pack_board(board).offer_scores(places, held, given, asked)
        gains = scores - scores[0]
        robbing = gains[: len(asked), 0]  # the first of all sets to give is nothing
        found = np.flatnonzero((gains[:, 1] > 0) & (np.tile(robbing, len(given)) > 0))
        first, second = np.divmod(found, len(asked))
        self.colours = len(held[0])
        self.given, self.asked = given[first], asked[second]
        self.own, self.other, self.robbing = gains[found, 0], gains[found, 1], robbing[second]
        sizes = [side.view(np.uint8).reshape(-1, 8).sum(axis=1) for side in (given, asked)]  # a byte for each colour
        self.ratio = sizes[0][first] / sizes[1][second]
        self.size = sizes[1][second]
        """How many chips the other gives."""

    def best(
        self, kept: bool, least: float = 1, ratio: float = 0.0, fair: bool = False, most: float = inf
    ) -> Offer | None:
        """The best offer for the proposer, of equals the best for the other, if the proposer means to keep it, or not.

        The other must gain *least* points, receive *ratio* chips for each, give at most *most* chips, and if *fair*
        gain the more of the two.
        """
        fits = (self.other >= least) & (self.ratio >= ratio) & (self.size <= most)
        if kept:
            fits &= self.own > 0
        if fair:
            fits &= self.other >= self.own
        if not fits.any():
            return None
        worth = np.where(fits, (self.own if kept else self.robbing) * 1000 + self.other, -1)
        best = worth.argmax()
        return Offer(chips_of(self.given[best], self.colours), chips_of(self.asked[best], self.colours))

    def front(self, gains: tuple[int, ...]) -> list[Offer]:
        """The best offer for every level of what the other player may want, each once."""
        levels = product((False, True), gains, RATIOS, (False, True))
        return [offer for offer in dict.fromkeys(self.best(*level) for level in levels) if offer is not None]


@lru_cache(maxsize=8)
def bargains(board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> Bargains:
    """The offers of a position; they take megabytes, so few are kept."""
    return Bargains(board, places, held)


@lru_cache(maxsize=4096)
def front(
    board: Board, places: tuple[int, int], held: tuple[Chips, Chips], gains: tuple[int, ...]
) -> tuple[Offer, ...]:
    """The offers worth making in a position, for some levels of what the other gains."""
    return tuple(bargains(board, places, held).front(gains))


@lru_cache(maxsize=4096)
def best_squeeze(board: Board, places: tuple[int, int], held: tuple[Chips, Chips], kept: bool) -> Offer | None:
    """The best offer for the proposer that the other gains anything from."""
    return bargains(board, places, held).best(True) if kept else best_robbery(board, places, held)


def best_robbery(board: Board, places: tuple[int, int], held: tuple[Chips, Chips]) -> Offer | None:
    """The best offer for a proposer who pays nothing. Twin of `Bargains.best(kept=False)`.

    More chips are never worth less, so the other gains most if all that the proposer holds is offered to them.
    """
    given, asked = limit_chips(*held)
    wanted = parts(asked)
    packed, whole = pack_board(board), np.array([word(given)])
    nothing = packed.offer_scores(places, held, whole * 0, wanted)
    gains = packed.offer_scores(places, held, whole, wanted)[:, 1] - nothing[0, 1]
    robbing = nothing[:, 0] - nothing[0, 0]
    worth = np.where((gains > 0) & (robbing > 0), robbing * 1000 + gains, -1)
    best = worth.argmax()
    return Offer(given, chips_of(wanted[best], len(given))) if worth[best] > 0 else None


def pair_of(situation: Situation) -> tuple[Board, tuple[int, int], tuple[Chips, Chips]]:
    """Where both stand and what they hold, the proposer first."""
    own, other = situation.own, situation.other
    return situation.board, (own.place, other.place), (own.chips, other.chips)


class Squeeze(Proposer, frozen=True):
    """Asks for as much as the other player may give, not meaning to pay, or, if *kept*, meaning to."""

    kept: bool = False

    def offers(self, situation: Situation) -> Offering:
        offer = best_squeeze(*pair_of(situation), self.kept)
        return {} if offer is None else {offer: 1.0}


STOPS, PATIENT = Patient(stop_rule=True), Patient()
"""Moves at no loss, and even so, to keep the game going."""


class Rob(Negotiator):
    """Asks for as much as the other may give, and sends nothing."""

    supposed = False  # plans were made for look-ahead, and models take nobody for one
    design = Design(Squeeze(), Gaining(), Reneges(), STOPS)


class WaitAndTrade(Negotiator):
    """Trades for all that it lacks, never makes the other independent, and keeps the game going."""

    supposed = False
    design = Design(Trade(), Gaining(), Deceives(), PATIENT)


PLANS = {
    "rob": Rob.design,
    "wait_and_rob": Design(Lavish(), Gaining(), Reneges(), PATIENT),
    "buy_trust": Design(Growing(ratio=2.0, useful=False), Gaining(), KeepsWhileDependent(last=True), PATIENT),
    "one_by_one_deceiver": Design(Trade(most=1), Gaining(), Deceives(), STOPS),
    "build_trust": Design(Growing(), Gaining(), KeepsWhileDependent(last=True), PATIENT),
    "wait_and_trade": WaitAndTrade.design,
    "squeeze_and_keep": Design(Squeeze(kept=True), Gaining(), Keeps(), STOPS),
    "trade_and_deceive": Design(Trade(), Gaining(), Deceives(), STOPS),
    "trade_and_keep": Design(Trade(), Gaining(), Keeps(), STOPS),
    "squeeze_and_deceive": Design(Squeeze(), Gaining(), Deceives(), STOPS),
    "keep_while_dependent": Design(Trade(most=1), Gaining(), KeepsWhileDependent(), STOPS),
    "two_for_one": Design(Trade(ratio=2.0, useful=False), Gaining(), Deceives(), STOPS),
    "promise_all": Design(Lavish(), Gaining(), Reneges(), STOPS),
}
"""Look-ahead tries the first few on every action, the others on the best actions only."""


class Composition(Negotiator):
    """A negotiator of any four parts."""

    supposed = False

    def __init__(self, design: Design) -> None:
        self.design = design


def careful_plans() -> list[Negotiator]:
    """The plans that an agent follows, each once: they free no opponent, and pay no player who cheated."""
    careful = (msgspec.structs.replace(each, sender=grudging(deceiving(each.sender))) for each in PLANS.values())
    return [Composition(design) for design in dict.fromkeys(careful)]


def grudging(sender: Sender) -> Sender:
    """The same sender, who pays nothing to a player who cheated it."""
    return sender if isinstance(sender, Reneges) else Grudge(sender=sender)


def deceiving(sender: Sender) -> Sender:
    """The same sender, less what would make a dependent opponent independent."""
    return sender if isinstance(sender, (Reneges, Deceives)) else Deceives(sender)
