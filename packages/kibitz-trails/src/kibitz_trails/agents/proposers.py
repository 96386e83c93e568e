"""Proposers and acceptors: the parts of negotiators that make offers and that answer them."""

from math import ceil

import numpy as np

from kibitz import core
from kibitz_trails.agents.negotiator import Acceptor, Offering, Proposer
from kibitz_trails.board import Chips, common, minus, plus
from kibitz_trails.offer_scoring import best_squeeze, chips_of, limit_chips, pack_board, pair_of, parts
from kibitz_trails.offers import Offer
from kibitz_trails.situation import Situation, first_of


class Silent(Proposer, frozen=True):
    """Never offers anything."""

    def offers(self, situation: Situation) -> Offering:
        return {}


class Trade(Proposer, frozen=True):
    """Asks for at most *most* of the chips it lacks and gives *ratio* spare chips for each of them.

    It gives what the other lacks first, or last unless *useful*. With *supplied* it takes the cheapest way
    that the other can supply, without it the cheapest of all.
    """

    most: int | None = None
    ratio: float = 1.0
    useful: bool = True
    supplied: bool = True

    def offers(self, situation: Situation) -> Offering:
        asked = self.asked_chips(situation)
        if situation.own.independent or not any(asked):
            return {}
        return {Offer(self.given_chips(situation, sum(asked)), asked): 1.0}

    def asked_chips(self, situation: Situation) -> Chips:
        """What it asks for: what it lacks and the other has."""
        own = situation.own
        lacking = own.lacking if self.supplied else own.board.lacking(own.place, own.chips)
        wanted = common(lacking or own.lacking, own.others)
        return wanted if self.most is None else first_of(wanted, self.most)

    def given_chips(self, situation: Situation, price: int) -> Chips:
        """What it gives for *price* chips, out of its spare chips."""
        return gift(situation, ceil(price * self.ratio_now(situation) - 1e-9), self.useful)

    def ratio_now(self, situation: Situation) -> float:
        """How many chips it gives for each."""
        return self.ratio


def gift(situation: Situation, count: int, useful: bool = True) -> Chips:
    """*count* of the player's spare chips: those that the other lacks first, or last; then the most plentiful first."""
    spare, wanted = situation.own.spare, common(situation.own.spare, situation.other.lacking)
    first, then = (wanted, minus(spare, wanted)) if useful else (minus(spare, wanted), wanted)
    chosen = plentiful(first, count)
    return plus(chosen, plentiful(then, count - sum(chosen)))


def plentiful(chips: Chips, count: int) -> Chips:
    """*count* of *chips*, one at a time of the most plentiful colour, the first of equals."""
    left, chosen = list(chips), [0] * len(chips)
    for _ in range(min(count, sum(chips))):
        colour = left.index(max(left))
        left[colour] -= 1
        chosen[colour] += 1
    return tuple(chosen)


class Conceding(Trade, frozen=True):
    """Gives little at first and more with every offer it has made: *ratio* grows to *last* over *patience* offers.

    The path is *shape*: below 1 it concedes early, above 1 late (Faratin et al. 1998).
    """

    memory = True

    last: float = 2.0
    patience: int = 4
    shape: float = 1.0

    def ratio_now(self, situation: Situation) -> float:
        conceded: float = (self.offers_made(situation) / self.patience) ** self.shape
        return self.ratio + (self.last - self.ratio) * conceded

    def offers_made(self, situation: Situation) -> int:
        """How many offers it has made so far, at most as many as its patience."""
        return min(len(situation.history.proposed_by(situation.own.player, situation.other.player)), self.patience)

    def history_key(self, situation: Situation) -> core.Key:
        return self.offers_made(situation)


class Lavish(Trade, frozen=True):
    """Asks for what it lacks, and promises all that it holds: an offer of one who will not pay."""

    def given_chips(self, situation: Situation, price: int) -> Chips:
        return situation.own.chips


class Growing(Trade, frozen=True):
    """Asks for one chip at first, and for one more after each deal that both kept; it gives as many."""

    memory = True

    def asked_chips(self, situation: Situation) -> Chips:
        return first_of(super().asked_chips(situation), 1 + self.deals_kept(situation))

    def deals_kept(self, situation: Situation) -> int:
        """How many deals neither player has broken."""
        pair = situation.own.player, situation.other.player
        return sum(not any(map(deal.has_cheated, pair)) for deal in situation.history.deals(*pair))

    def history_key(self, situation: Situation) -> core.Key:
        return self.deals_kept(situation)


class Once(Trade, frozen=True):
    """Makes its offer once, take it or leave it, and never again."""

    memory = True

    def offers(self, situation: Situation) -> Offering:
        return {} if self.history_key(situation) else super().offers(situation)

    def history_key(self, situation: Situation) -> core.Key:
        return bool(situation.history.proposed_by(situation.own.player, situation.other.player))


class Grudging(Trade, frozen=True):
    """Makes no offers after being cheated, for *rounds* rounds or for ever."""

    memory = True

    rounds: int | None = None

    def offers(self, situation: Situation) -> Offering:
        return {} if grudge(situation, self.rounds) else super().offers(situation)

    def history_key(self, situation: Situation) -> core.Key:
        return grudge(situation, self.rounds)


def grudge(situation: Situation, rounds: int | None) -> int:
    """For how many more rounds a cheated player remembers it; 1 where it is for ever."""
    deals = situation.history.deals(situation.own.player, situation.other.player)
    cheated = next((deal.round for deal in deals if deal.has_cheated(situation.other.player)), None)
    if cheated is None:
        return 0
    return 1 if rounds is None else max(0, rounds - (situation.view.round - cheated - 1))


class Hoarding(Trade, frozen=True):
    """Goes on when it needs nothing more: it sells what the other lacks at *price* spare chips for each."""

    price: float = 2.0

    def offers(self, situation: Situation) -> Offering:
        if not situation.own.independent:
            return super().offers(situation)
        return sale_offer(situation, self.price)


def sale_offer(situation: Situation, price: float, most: int = 1) -> Offering:
    """At most *most* spare chips that the other lacks, for *price* times as many of the other's spare chips."""
    given = first_of(common(situation.own.spare, situation.other.lacking), most)
    asked = plentiful(situation.other.spare, ceil(price * sum(given)))
    return {Offer(given, asked): 1.0} if any(given) and any(asked) else {}


class Blackmail(Trade, frozen=True):
    """Once it needs nothing more, it sells a dependent opponent just the chip they cannot move without, at 2 for 1."""

    ratio: float = 0.5

    def offers(self, situation: Situation) -> Offering:
        own, other = situation.own, situation.other
        if not own.independent:
            return super().offers(situation)
        step = other.step_needed()
        if other.independent or step is None or not any(common(own.chips, step)):
            return {}
        return {Offer(step, plentiful(other.spare, 2)): 1.0}


class Bargain(Proposer, frozen=True):
    """Makes the offer that is best for both: by the product of their gains (Nash), or by the smaller gain."""

    by_product: bool = True

    def offers(self, situation: Situation) -> Offering:
        board, places, held = pair_of(situation)
        given, asked = (parts(side) for side in limit_chips(*held))
        scores = pack_board(board).offer_scores(places, held, given, asked)
        gains = np.maximum(scores - scores[0], 0)
        values = gains[:, 0] * gains[:, 1] if self.by_product else gains.min(axis=1)
        best = int(values.argmax())
        if values[best] <= 0:
            return {}
        chosen = given[best // len(asked)], asked[best % len(asked)]
        return {Offer(*(chips_of(word, len(board.colours)) for word in chosen)): 1.0}


class Gaining(Acceptor, frozen=True):
    """Accepts an offer that adds at least *least* points to its BestUse if both keep it."""

    least: int = 1

    def accepts(self, situation: Situation) -> float:
        return float(situation.gain(*situation.proposed_exchange()) >= self.least)


class Anything(Acceptor, frozen=True):
    """Accepts everything."""

    def accepts(self, situation: Situation) -> float:
        return 1.0


class Nothing(Acceptor, frozen=True):
    """Accepts nothing."""

    def accepts(self, situation: Situation) -> float:
        return 0.0


class Dear(Gaining, frozen=True):
    """Accepts an offer that it gains by, if it receives at least *ratio* chips for each that it gives."""

    ratio: float = 1.0

    def accepts(self, situation: Situation) -> float:
        given, received = situation.proposed_exchange()
        return super().accepts(situation) if sum(received) >= self.ratio * sum(given) else 0.0


class GrudgingAcceptor(Gaining, frozen=True):
    """Accepts an offer that it gains by, but after being cheated accepts none for *rounds* rounds, or for ever."""

    memory = True

    rounds: int | None = None

    def accepts(self, situation: Situation) -> float:
        return 0.0 if grudge(situation, self.rounds) else super().accepts(situation)

    def history_key(self, situation: Situation) -> core.Key:
        return grudge(situation, self.rounds)


class Selfish(Gaining, frozen=True):
    """Accepts an offer that it gains more by than the other player does."""

    def accepts(self, situation: Situation) -> float:
        sides = situation.proposed_exchange()
        return float(situation.gain(*sides) >= max(self.least, situation.other_gain(*sides)))


class Squeeze(Proposer, frozen=True):
    """Asks for as much as the other player may give, not meaning to pay, or, if *kept*, meaning to."""

    kept: bool = False

    def offers(self, situation: Situation) -> Offering:
        offer = best_squeeze(*pair_of(situation), self.kept)
        return {} if offer is None else {offer: 1.0}
