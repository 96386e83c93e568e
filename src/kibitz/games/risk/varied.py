"""`risk.varied`: players drawn from a wide family, to train and judge models with players that none of them knows.

A character says how a player chooses territories for orders: a softmax over the features of the choice model
(`models.order_features`) with weights drawn independently, wide enough to reach players unlike our agents. Half of the
characters pursue one continent at a time, which their card only makes likelier; so do many programs and people.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.clocks import Clock
from kibitz.core.seeds import stream
from kibitz.games.risk import phases
from kibitz.games.risk.agents import OnMission
from kibitz.games.risk.models.arrays import Floats, arrays_of
from kibitz.games.risk.models.decisions import DecisionReader
from kibitz.games.risk.models.order_features import (
    BEGUN,
    BY_CARD,
    BY_PLACE,
    steps_to,
    third_continents,
)
from kibitz.games.risk.models.orders import KINDS, Order, order_of
from kibitz.games.risk.phases import ends
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.situation import Situation
from kibitz.learn.logistic import log_shares

FOLLOWS = {
    "named": 0.6,
    "named by share": 0.4,
    "distance": -0.6,
    "near": 0.5,
    "missing beside": 0.3,
    "third": 0.5,
    "nearest to completion": 0.4,
    "third beside": 0.4,
    "distance with third": -0.4,
    "named and bordering": 0.4,
    "victim": 1.2,
    "weak victim": 1.0,
    "armies if territories count": -0.5,
    "thin if territories count": 0.5,
}
"""What follows from a card on average, for every kind of order; features that are not named have 0."""
FOLLOWS_SPREAD = 0.4
"""How much this varies between characters."""
PREFERS_SPREAD = {"named by size": 1.5, "named by share": 0.8, "named by superiority": 0.6}
"""How much it varies which continents of their card characters prefer: large, begun, or safe ones, or the opposite."""
LEAST_KEEN, MOST_KEEN, HEEDLESS = 0.08, 3.0, 0.15
"""How strongly characters follow their card, from the least to the most, and how many do not at all."""
PLACES: tuple[dict[str, float], ...] = (
    {"armies": 0.8, "odds or border": 1.5, "enemies beside": 0.5, "again": 1.0, "value by share": 0.8},
    {"armies": 1.0, "odds or border": 3.0, "enemies beside": 0.8, "again": 0.5, "value by share": 0.5},
    {"odds or border": 2.0, "share": 1.0, "broken": 1.5, "again": -2.0, "beside the last": 0.8, "armies": 0.5},
    {"odds or border": 2.0, "entry": 0.7, "enemies beside": -0.8},
)
"""What speaks for a territory on average, by the kind of order."""
PLACES_SPREAD, AGAIN_SPREAD = 0.8, 1.5
"""How much this varies between characters, and how much their habit of going on in the same place does."""
CAREFUL = (0.3, 0.75)
"""The least odds of an attack, from the boldest character to the most careful."""
STOPS = (0.0, 0.3)
"""How often characters stop attacking though a good attack is left."""
TASTES = (0.0, 1.5)
"""How much players favour some continents in a match, whatever their card, so that orders depend on each other."""
PURSUING, PURSUIT = 0.5, (0.3, 2.5)
"""How many characters pursue one continent at a time, and how much a step nearer to it counts for them."""
DRIVE = 2.0
"""How much likelier the card makes a continent to be pursued, for a keenness of 1, as a logarithm."""
TINT = 0.5
"""The most that a card otherwise counts for those who pursue a continent, compared with other characters."""
RICHES, BEGINNINGS, SIZES = (0.0, 1.5), (0.3, 2.5), (-1.5, 0.5)
"""How much the value of a continent, the share that is held and its size make it likelier to be pursued, as powers."""
WHIMS = (0.2, 1.5)
"""How much luck decides which continent is pursued."""
PATIENCE = (0.3, 1.0)
"""How often the same continent is still pursued in the next turn."""
LUMPS = (1.0, 0.8, 0.3, 0.0)
"""How often characters place all armies at once; else they place one."""

NONE = -1


class Character(NamedTuple):
    """How a player acts."""

    orders: Floats
    """The weights of features, by the kind of order."""
    keen: float
    """How strongly they follow the card."""
    careful: float
    stops: float
    tastes: float
    lumps: float
    pursuit: float
    """How much a step nearer to the pursued continent counts; 0 for those who pursue none."""
    whims: float
    patience: float
    riches: float
    beginnings: float
    sizes: float


def draw_character(rng: core.Rng) -> Character:
    """A character of the family."""
    keen = 0.0 if rng.random() < HEEDLESS else float(np.exp(rng.uniform(np.log(LEAST_KEEN), np.log(MOST_KEEN))))
    pursues = rng.random() < PURSUING
    tint = rng.uniform(0.0, TINT) if pursues else 1.0
    orders = np.zeros((len(KINDS), len(BY_CARD + BY_PLACE)))
    direction = np.array([FOLLOWS.get(name, 0.0) for name in BY_CARD])
    varies = np.array([PREFERS_SPREAD.get(name, FOLLOWS_SPREAD) for name in BY_CARD])
    direction = direction + varies * rng.standard_normal(len(direction))
    spread = np.array([AGAIN_SPREAD if name == "again" else PLACES_SPREAD for name in BY_PLACE])
    for kind, means in enumerate(PLACES):
        own = direction + 0.5 * FOLLOWS_SPREAD * rng.standard_normal(len(direction))
        mean = np.array([means.get(name, 0.0) for name in BY_PLACE])
        orders[kind, : len(own)] = tint * keen * rng.uniform(0.5, 1.5) * own
        orders[kind, len(own) :] = mean + spread * rng.standard_normal(len(mean))
    spans = (CAREFUL, STOPS, TASTES, PURSUIT)
    careful, stops, tastes, pursuit = (float(rng.uniform(*span)) for span in spans)
    lumps = LUMPS[int(rng.integers(len(LUMPS)))]
    chooses = (float(rng.uniform(*span)) for span in (WHIMS, PATIENCE, RICHES, BEGINNINGS, SIZES))
    return Character(orders, keen, careful, stops, tastes, lumps, pursuit * pursues, *chooses)


class Varied(OnMission):
    """A player drawn from a wide family: how far it follows its card, where it places, how bold it is, how it defends.

    *character* is its number, so that several players of a match may have the same; with 0 each match draws another.
    Which continents a player likes is drawn for every match.
    """

    supposed = False  # what it does depends on a character that no other player knows

    def __init__(self, character: Annotated[int, Meta(ge=0, le=1_000_000)] = 0) -> None:
        super().__init__()
        self.character = character

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Risk)
        self.reader = DecisionReader(arrays_of(game), game.players)
        self.drawn = draw_character(stream(self.character, "varied") if self.character else rng)
        self.atlas = arrays_of(game)
        self.tastes = self.drawn.tastes * rng.standard_normal(len(game.map.continents))
        self.pursued = NONE
        self.w = float(np.exp(2.0 * self.drawn.keen))

    def observe(self, transition: core.Transition) -> None:
        view, action = transition.before, transition.action_of(self.player)
        if transition.player == self.player and action is not None:
            assert isinstance(view, State)
            self.reader.follow(view, self.player, action)
            if view.phase == phases.FORTIFY and self.rng.random() > self.drawn.patience:
                self.pursued = NONE

    def act(self, view: core.State, clock: Clock) -> int:
        assert isinstance(view, State)
        if len(view.legal_actions(self.player)) > 1 and order_of(view, self.player) is not None:
            self.pursued = self.pursued_in(view, self.rng)
        return self.policy(view).sample(self.rng)

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        legal, order = view.legal_actions(self.player), order_of(view, self.player)
        if len(legal) == 1 or order is None:
            return core.Distribution.certain(legal[0] if len(legal) == 1 else self.choice(view, legal), legal)
        weights, sight = (
            dict(zip(order.actions, self.territory_shares(view, order), strict=True)),
            Situation(view, self.player),
        )
        if order.kind == phases.ATTACK:
            weights = self.good_attacks(sight, weights)
        elif order.kind == phases.FORTIFY:
            weights = {**weights, phases.STAY: max(weights.values())}
        elif order.kind == phases.PLACE and view.to_place > 1:
            weights = self.placements(weights, view.to_place)
        total = sum(weights.values())
        return core.Distribution({action: share / total for action, share in weights.items()}, legal)

    def choice(self, view: State, legal: Sequence[int], sight: Situation | None = None) -> int:
        if view.phase != phases.ROLL:
            return super().choice(view, legal, sight)
        sight = sight or Situation(view, self.player)
        return legal[-1] if sight.chance(sight.origin, sight.target) >= self.drawn.careful else phases.RETREAT

    def territory_shares(self, view: State, order: Order) -> list[float]:
        """How likely each territory is chosen; without a card, by the board alone."""
        features = self.reader.plain_features(view, self.player, order)
        mission = self.mission_in(view)
        weights = self.drawn.orders[KINDS.index(order.kind)]
        if mission < 0:
            weights = np.where(np.arange(len(weights)) < len(BY_CARD), 0.0, weights)
        liked = self.tastes[self.atlas.continent] + self.pursuit(view)
        found: list[float] = np.exp(
            log_shares(features[max(mission, 0)] @ weights + liked[list(order.places)])
        ).tolist()
        return found

    def pursuit(self, view: State) -> Floats:
        """What speaks for each territory because it is near the continent that is pursued."""
        own = np.array(view.owners) == self.player
        if not self.drawn.pursuit:
            return np.zeros(len(own))
        pursued = self.pursued_in(view, deepcopy(self.rng))  # the luck that act will have, which stays undrawn
        lacking = (self.atlas.continent == pursued) * ~own
        return np.asarray(-self.drawn.pursuit * steps_to(self.atlas, lacking[None])[0], np.float64)

    def pursued_in(self, view: State, rng: core.Rng) -> int:
        """The continent that is pursued: the same as before until it is held or given up, then one that *rng* draws."""
        own = np.array(view.owners) == self.player
        if not self.drawn.pursuit or (self.pursued != NONE and not own[self.atlas.continent == self.pursued].all()):
            return self.pursued
        return self.continent_to_pursue(self.atlas.within @ own / self.atlas.size, self.mission_in(view), rng)

    def continent_to_pursue(self, share: Floats, mission: int, rng: core.Rng) -> int:
        """A continent by its riches, size and beginning, by the card, and by luck; none that is held already."""
        drawn, atlas = self.drawn, self.atlas
        wanted = drawn.riches * np.log(atlas.value) + drawn.beginnings * np.log(BEGUN + share)
        wanted += drawn.sizes * np.log(atlas.size) + drawn.whims * rng.gumbel(size=len(share))
        if mission >= 0:
            third = np.arange(len(share)) == third_continents(atlas, share)[mission]
            wanted += DRIVE * drawn.keen * np.maximum(atlas.named[mission], third)
        return int(np.where(share < 1.0, wanted, -np.inf).argmax())

    def mission_in(self, view: State) -> int:
        """The player's card, or NONE."""
        return view.missions[self.player] if self.player < len(view.missions) else NONE

    def good_attacks(self, sight: Situation, weights: dict[int, float]) -> dict[int, float]:
        """Attacks whose odds are good enough, and the end of attacks."""
        count = len(sight.owners)
        good = {
            action: share
            for action, share in weights.items()
            if sight.chance(*ends(action, count)) >= self.drawn.careful
        }
        if not good:
            return {phases.END_ATTACK: 1.0}
        stops = self.drawn.stops / max(1e-9, 1.0 - self.drawn.stops)
        return {**good, phases.END_ATTACK: stops * sum(good.values())}

    def placements(self, weights: dict[int, float], to_place: int) -> dict[int, float]:
        """Placements of all armies, or of one."""
        lumps = self.drawn.lumps
        singly = {action - to_place + 1: (1.0 - lumps) * share for action, share in weights.items()}
        return {**{action: lumps * share for action, share in weights.items()}, **singly}
