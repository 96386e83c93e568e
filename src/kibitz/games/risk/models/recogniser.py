"""`risk.explanations`: Khan's recogniser (2013, chapter 3) as the program of the thesis computed it, with its options.

The model holds a probability of every explanation for every player. An event multiplies those it speaks for and
against, and then the player's probabilities are normalised.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.events import EventExtractor, GameEvent
from kibitz.games.risk.game import State
from kibitz.games.risk.models.explanations import bits, explanations
from kibitz.games.risk.models.mission_model import Floats, MissionModel
from kibitz.games.risk.models.orders import Order, action_distribution, order_of
from kibitz.games.risk.models.weightings import WEIGHTINGS, Factors, Pending, Weighting

Weight = Annotated[float, Meta(ge=0.0, le=1000.0)]
Factor = Annotated[float, Meta(gt=0.0, le=10.0)]


class Explanations(MissionModel):
    """Khan's recogniser: each mission, and each way to fulfil it, as an explanation of what a player does.

    Defaults are those of Khan's program. *weighting* says what attacks count for, with *w* for successful and *failed*
    for failed ones; *strayed* is what placing or moving armies elsewhere counts for, *lost* and *defended* what a
    defence does to the explanations it is about (the thesis has .99 and 1.01; 1 leaves defences out). *prior*: all
    explanations alike and the best of a card for the card, or all cards alike and the sum. *pending*: whether attacks
    are counted before or after what happened; with *two_armies* only those from territories that can attack.
    """

    def __init__(
        self,
        weighting: Weighting = "base",
        w: Weight = 0.02,
        failed: Weight = 0.01,
        strayed: Factor = 0.98,
        lost: Factor = 0.98,
        defended: Factor = 1.02,
        prior: Literal["explanations", "cards"] = "explanations",
        pending: Literal["before", "after"] = "after",
        two_armies: bool = False,
        joint: bool = False,
    ) -> None:
        self.weighting, self.w, self.failed = weighting, w, failed
        self.strayed, self.lost, self.defended = strayed, lost, defended
        self.prior, self.pending, self.two_armies, self.joint = prior, pending, two_armies, joint

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.board, self.all = self.game.map, explanations(self.game)
        self.teller = EventExtractor(self.game.new_initial_state())
        ways = [each.mission for each in self.all]
        self.cards = np.array(ways)
        prior = np.ones(len(ways)) if self.prior == "explanations" else np.array([1 / ways.count(way) for way in ways])
        self.probabilities = np.tile(prior / prior.sum(), (game.players, 1))
        self.single = [float(np.float32(value)) for value in (self.strayed, self.lost, self.defended)]
        """Constants of the program are of single precision, where the rest is double."""

    def clone(self) -> Self:
        copied = super().clone()
        if hasattr(self, "probabilities"):
            copied.probabilities = self.probabilities.copy()
        return copied

    def weigh(self, transition: core.Transition, before: State, after: State) -> None:
        if not self.own_choice:
            return
        action = transition.actions[0] or 0  # a hidden action is a card, and no event says which
        for event in self.teller.events_of_action(transition.ply, before, action, after):
            if event.player is not None and event.territory is not None:
                self.hear(event, before, after)

    def hear(self, event: GameEvent, before: State, after: State) -> None:
        """Weigh the explanations of the players who take part in an event."""
        assert event.player is not None
        assert event.territory is not None
        strayed, lost, defended = self.single
        about = self.about(event.player, before, event.territory)
        place = self.board.territories[event.territory].name
        if event.kind in ("territory reinforced", "armies moved"):
            self.multiply(event.player, np.where(about, 1.0, strayed), f"armies to {place}")
        elif event.kind in ("territory occupied", "occupation failed"):
            taken = event.kind == "territory occupied"
            state = after if self.pending == "after" else before
            factors = self.attack_factors(state, event.player, before, self.w if taken else self.failed)
            chosen = [each.consistent if fits else each.inconsistent for each, fits in zip(factors, about, strict=True)]
            self.multiply(event.player, np.array(chosen), f"attack on {place}")
            if event.other is not None:
                about = self.about(event.other, before, event.territory)
                said = f"loss of {place}" if taken else f"defence of {place}"
                self.multiply(event.other, np.where(about, lost if taken else defended, 1.0), said, chosen=False)

    def about(self, player: int, state: State, place: int) -> list[bool]:
        """Which explanations of *player* an action somewhere is consistent with."""
        owners = state.owners
        return [bool(each.places(self.board, owners, player) >> place & 1) for each in self.all]

    def attack_factors(self, state: State, player: int, before: State, weight: float) -> list[Factors]:
        """What attacks count for under each explanation."""
        owners, was = state.owners, before.owners
        open_to = attackable(state, player, two_armies=self.two_armies)
        own = bits(place for place, owner in enumerate(owners) if owner == player)
        found = []
        for each in self.all:
            places = each.places(self.board, was, player)
            held = (places & own).bit_count() / max(1, places.bit_count())
            pending = Pending(open_to.bit_count(), (open_to & places).bit_count(), held)
            found.append(WEIGHTINGS[self.weighting](weight, pending))
        return found

    def multiply(self, player: int, factors: Floats, words: str, *, chosen: bool = True) -> None:
        """Weigh the explanations of a player, and normalise them."""
        weighed = self.probabilities[player] * factors
        if weighed.sum() > 0.0:  # an event that no explanation allows is no evidence
            self.probabilities[player] = weighed / weighed.sum()
            self.note(player, words, self.by_card(np.log(factors), np.maximum), chosen=chosen)

    def by_card(self, values: Floats, combine: "np.ufunc") -> Floats:
        """One value for every card, from those of its explanations."""
        found = np.full(len(self.names), -np.inf if combine is np.maximum else 0.0)
        combine.at(found, self.cards, values)
        return found

    def scores(self) -> Floats:
        combine = np.maximum if self.prior == "explanations" else np.add
        return np.asarray(np.log([self.by_card(row, combine) for row in self.probabilities]), np.float64)

    def explanation_probabilities(self, player: int) -> dict[str, float]:
        """The probability of every explanation of a player, by Khan's names."""
        return dict(zip((each.name for each in self.all), self.probabilities[player].tolist(), strict=True))

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        order = order_of(view, player)
        if order is None:
            return super().predict(view, player)
        shares = np.zeros(len(order.places))
        factors = self.order_factors(view, player, order)
        for number, each in enumerate(self.all):
            places = each.places(self.board, view.owners, player)
            weights = np.array([factors[number][not places >> place & 1] for place in order.places])
            shares += self.probabilities[player, number] * weights / weights.sum()
        return action_distribution(view, player, order, shares)

    def order_factors(self, view: State, player: int, order: Order) -> Sequence[Factors]:
        """What a consistent and an inconsistent order count for under each explanation."""
        if order.kind == phases.ATTACK:
            return self.attack_factors(view, player, view, self.w)
        return [Factors(1.0, self.single[0])] * len(self.all)


def attackable(state: State, player: int, *, two_armies: bool = False) -> int:
    """The territories that *player* could attack, as bits; with *two_armies* only from territories with two armies."""
    owners, armies, board = state.owners, state.armies, state.board
    own = [place for place, owner in enumerate(owners) if owner == player and (armies[place] > 1 or not two_armies)]
    return bits({to for place in own for to in board.neighbours[place] if owners[to] != player})
