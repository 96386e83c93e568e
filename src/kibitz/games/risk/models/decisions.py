"""Decisions: the orders of a game as choices between territories, one after the other."""

from copy import copy
from typing import NamedTuple, Self

import numpy as np

from kibitz.games.risk import phases
from kibitz.games.risk.game import State
from kibitz.games.risk.models.arrays import Floats, MapArrays
from kibitz.games.risk.models.order_features import BY_CARD, campaign_features, order_features
from kibitz.games.risk.models.orders import KINDS, Order, order_of, place_of

NOWHERE = -1
CARDS = len(BY_CARD)


class Decision(NamedTuple):
    """What a player chose, and what else there was."""

    player: int
    kind: int
    """Its place in `KINDS`."""
    features: Floats
    """Of missions by territories that could be chosen."""
    chosen: int
    place: int


class DecisionReader:
    """Extracts decisions from the orders of all players, each given those before it."""

    def __init__(self, atlas: MapArrays, players: int) -> None:
        self.atlas = atlas
        self.last = [[NOWHERE] * len(KINDS) for _ in range(players)]
        """Where each player's last order of each kind was; attacks count from the last placement on."""

    def clone(self) -> Self:
        copied = copy(self)
        copied.last = [list(each) for each in self.last]
        return copied

    def read(self, state: State, player: int, action: int) -> Decision | None:
        """The decision behind an action; None where there was no choice, or the same attack goes on."""
        order = order_of(state, player)
        place = None if order is None else place_of(state, action)
        if order is None or place is None or place not in order.places:
            return None
        if order.kind == phases.ATTACK and self.last[player][KINDS.index(order.kind)] == place:
            return None
        features = self.features(state, player, order) if len(order.places) > 1 else None
        self.remember(player, order.kind, place)
        if features is None:
            return None
        return Decision(player, KINDS.index(order.kind), features, order.places.index(place), place)

    def forget(self, player: int) -> None:
        """Forget where a player's last orders were, after one that they did not choose: none continues it."""
        self.last[player] = [NOWHERE] * len(KINDS)

    def features(self, state: State, player: int, order: Order) -> Floats:
        """The FEATURES of every territory that an order may be about."""
        owners, armies = np.array(state.owners), np.array(state.armies)
        plain = order_features(self.atlas, order.kind, owners, armies, player, self.before(player, order.kind))
        planned = campaign_features(state, player)
        parts = plain[:, :, :CARDS], planned[:, :, :-1], plain[:, :, CARDS:], planned[:, :, -1:]
        return np.concatenate(parts, axis=2)[:, list(order.places)]

    def before(self, player: int, kind: int) -> int:
        """Where the order was that this one continues."""
        last, placed = self.last[player][KINDS.index(kind)], self.last[player][KINDS.index(phases.PLACE)]
        if kind == phases.FORTIFY or (kind == phases.ATTACK and last == NOWHERE):
            return placed
        return last

    def remember(self, player: int, kind: int, place: int) -> None:
        """Remember where an order was; a new placement starts a new series of attacks."""
        self.last[player][KINDS.index(kind)] = place
        if kind == phases.PLACE:
            self.last[player][KINDS.index(phases.ATTACK)] = NOWHERE
