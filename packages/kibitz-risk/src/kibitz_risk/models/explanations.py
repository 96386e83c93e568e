"""`risk.explanations`: Khan's recogniser (2013, chapter 3) as the program of the thesis computed it, with its options.

An explanation is a mission of the deck and a way to fulfil it. The model holds a probability of every explanation for
every player. An event multiplies those it speaks for and against, and then the player's probabilities are normalised.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Annotated, Literal, NamedTuple, Self, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz_risk import phases
from kibitz_risk.board import ANY, Board, Mission
from kibitz_risk.events import EventExtractor, GameEvent
from kibitz_risk.game import Risk, State
from kibitz_risk.models.decisions import Order, action_distribution, order_of
from kibitz_risk.models.evidence import MissionModel
from kibitz_risk.models.features import Floats


class Explanation(msgspec.Struct, frozen=True):
    """One way to fulfil a mission: these continents, or this player destroyed, or territories wherever they are."""

    name: str
    mission: int
    """Its number in the deck."""
    continents: tuple[int, ...] = ()
    victim: int | None = None

    def places(self, board: Board, owners: Sequence[int], player: int) -> int:
        """The territories that *player* acts on if this explains them, as bits.

        A player who wants to destroy another acts on the other's territories, and on their own beside them.
        """
        if self.continents:
            return bits(place for each in self.continents for place in board.members[each])
        if self.victim in (None, player) or self.victim not in owners:
            return (1 << len(owners)) - 1
        near = {to for place, owner in enumerate(owners) if owner == self.victim for to in board.approaches[place]}
        return bits(
            place for place, owner in enumerate(owners) if owner == self.victim or (owner == player and place in near)
        )


def bits(places: Iterable[int]) -> int:
    """Territories as the bits of a number."""
    return sum(1 << place for place in places)


def explanations(game: Risk) -> tuple[Explanation, ...]:
    """All explanations, missions in the order of the deck; with Khan's six cards there are twelve."""
    return tuple(each for number, mission in enumerate(game.mission_deck) for each in ways(game.map, number, mission))


def ways(board: Board, number: int, mission: Mission) -> list[Explanation]:
    """The ways to fulfil one mission: a free slot is filled by any continent that is not named."""
    if not mission.asks_continents:
        name = f"Occupy-{mission.territories}-territories"
        if mission.destroy is not None:
            name = f"Destroy-player-{mission.destroy}"
        elif mission.armies > 1:
            name += f"-with-{mission.armies}-armies"
        return [Explanation(name, number, victim=mission.destroy)]
    others = [each for each in range(len(board.continents)) if each not in mission.named_continents]
    chosen = combinations(others, mission.continents.count(ANY))
    return [
        Explanation(explanation_name(board, continents), number, continents)
        for continents in ((*mission.named_continents, *more) for more in chosen)
    ]


def explanation_name(board: Board, continents: Sequence[int]) -> str:
    """What Khan's files call it: `Occupy-Asia-South-America`."""
    return "-".join(["Occupy", *(board.continents[each].name.replace(" ", "-") for each in continents)])


Weighting: TypeAlias = Literal[
    "base", "uniform", "flat", "proportional", "proportional-printed", "tiered", "dynamic", "split"
]
LEFT = 1e-9
"""What is always left for inconsistent actions, however many consistent ones there are."""
FLAT = 0.98
TIERS = ((1 / 10, 0.4), (1 / 4, 0.3), (1 / 2, 0.2), (1.0, 0.1))
"""The fewer attacks are consistent, the more one of them says: up to this fraction of all, this weight."""


class Pending(NamedTuple):
    """The attacks that are open to a player, as one explanation sees them."""

    total: int
    consistent: int
    owned: float = 0.0
    """The fraction of the explanation's territories that the player owns."""

    @property
    def fraction(self) -> float:
        """The fraction of all attacks that is consistent."""
        return self.consistent / self.total if self.total else 0.0


class Factors(NamedTuple):
    """What one consistent and one inconsistent attack count for."""

    consistent: float
    inconsistent: float


def base_weight(weight: float, pending: Pending) -> float:
    """What every attack counts for when *weight* is added to each consistent one (algorithm 3.3.3)."""
    return (1.0 - weight * pending.consistent) / max(1, pending.total)


def base(weight: float, pending: Pending) -> Factors:
    """The weight on top of what is left for all (algorithm 3.3.5), never more than there is."""
    weight = min(weight, (1.0 - LEFT) / pending.consistent) if pending.consistent else weight
    left = base_weight(weight, pending)
    return Factors(left + weight, left)


def uniform(weight: float, pending: Pending) -> Factors:
    """All attacks alike, so that they are no evidence."""
    return Factors(1.0 / max(1, pending.total), 1.0 / max(1, pending.total))


def flat(weight: float, pending: Pending) -> Factors:
    """The same factors whatever the choices were."""
    return Factors(1.0, FLAT)


def proportional(weight: float, pending: Pending) -> Factors:
    """The more attacks are consistent, the less each says."""
    less = 0.1 * pending.fraction
    return Factors(1.0 - less, 0.9 - less)


def proportional_printed(weight: float, pending: Pending) -> Factors:
    """The same as printed (6.1), where the two are swapped."""
    return Factors(*reversed(proportional(weight, pending)))


def by_tier(weight: float, pending: Pending) -> Factors:
    """A weight by how many attacks are consistent."""
    return base(next(tier for most, tier in TIERS if pending.fraction <= most), pending)


def dynamic_weight(fraction: float, owned: float) -> float:
    """The weight of Khan's later program.

    >>> f"{dynamic_weight(1 / 13, 9 / 10):.4f} {dynamic_weight(12 / 13, 4 / 10):.5f}"
    '0.0831 0.00308'
    """
    return 0.1 * (1.0 - fraction) * owned


def dynamic(weight: float, pending: Pending) -> Factors:
    """A weight that grows with what is held, and falls with how many attacks are consistent."""
    return base(dynamic_weight(pending.fraction, pending.owned), pending)


def split(weight: float, pending: Pending) -> Factors:
    """The weight split among the consistent attacks, and the rest among the others."""
    if not 0 < pending.consistent < pending.total:
        return uniform(weight, pending)
    return Factors(weight / pending.consistent, (1.0 - weight) / (pending.total - pending.consistent))


WEIGHTINGS: dict[Weighting, Callable[[float, Pending], Factors]] = {
    "base": base,
    "uniform": uniform,
    "flat": flat,
    "proportional": proportional,
    "proportional-printed": proportional_printed,
    "tiered": by_tier,
    "dynamic": dynamic,
    "split": split,
}


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
        self.events = EventExtractor(self.game.new_initial_state())
        cards = [each.mission for each in self.all]
        self.cards = np.array(cards)
        by_card = self.prior == "cards"
        prior = np.array([1 / cards.count(card) if by_card else 1.0 for card in cards])
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
        for event in self.events.events_of_action(transition.ply, before, action, after):
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
        factors = []
        for each in self.all:
            territories = each.places(self.board, was, player)
            owned = (territories & own).bit_count() / max(1, territories.bit_count())
            pending = Pending(open_to.bit_count(), (open_to & territories).bit_count(), owned)
            factors.append(WEIGHTINGS[self.weighting](weight, pending))
        return factors

    def multiply(self, player: int, factors: Floats, words: str, *, chosen: bool = True) -> None:
        """Weigh the explanations of a player, and normalise them."""
        weighed = self.probabilities[player] * factors
        if weighed.sum() > 0.0:  # an event that no explanation allows is no evidence
            self.probabilities[player] = weighed / weighed.sum()
            self.note(player, words, self.by_card(np.log(factors), np.maximum), chosen=chosen)

    def by_card(self, values: Floats, combine: "np.ufunc") -> Floats:
        """One value for every card, from those of its explanations."""
        by_card = np.full(len(self.names), -np.inf if combine is np.maximum else 0.0)
        combine.at(by_card, self.cards, values)
        return by_card

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
        probabilities = np.zeros(len(order.places))
        factors = self.order_factors(view, player, order)
        for number, each in enumerate(self.all):
            places = each.places(self.board, view.owners, player)
            weights = np.array([factors[number][not places >> place & 1] for place in order.places])
            probabilities += self.probabilities[player, number] * weights / weights.sum()
        return action_distribution(view, player, order, probabilities)

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
