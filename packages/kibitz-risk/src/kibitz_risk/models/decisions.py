"""The orders of players as choices between territories, one after the other, and how they become actions."""

from copy import copy
from typing import NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz_risk import phases
from kibitz_risk.actions import ends, pair, reachable
from kibitz_risk.game import State
from kibitz_risk.models.features import BY_CARD, Floats, MapArrays, campaign_features, order_features
from kibitz_risk.phases import AMOUNTS

KINDS = (phases.SETUP, phases.PLACE, phases.ATTACK, phases.FORTIFY)
"""The phases in which players give orders; what happens in others follows from an order, or is chance."""


class Habits(msgspec.Struct, frozen=True):
    """How often players do the usual thing once they know where: numbers that depend on no mission."""

    end_attack: core.Probability = 0.25
    stay: core.Probability = 0.5
    plainly: core.Probability = 0.8
    """All armies at once, or from the strongest territory."""


class Order(NamedTuple):
    """An order to give: its phase, the territories it may be about, and the plainest action for each of them."""

    kind: int
    places: tuple[int, ...]
    actions: tuple[int, ...]


def order_of(state: State, player: int) -> Order | None:
    """The order that *player* is about to give; None where there is no territory to choose."""
    kind = state.phase
    if state.current_player() != player or kind not in KINDS:
        return None
    if kind == phases.SETUP:
        plain = {place: place for place in state.territories_of(player)}
    elif kind == phases.PLACE:
        plain = {place: place * AMOUNTS + state.to_place for place in state.territories_of(player)}
    else:
        plain = _ways(state, player, kind)
    return Order(kind, tuple(sorted(plain)), tuple(plain[place] for place in sorted(plain))) if plain else None


def _ways(state: State, player: int, kind: int) -> dict[int, int]:
    """For every territory that can be attacked or marched to: the way there from the strongest territory."""
    owners, armies, neighbours, count = state.owners, state.armies, state.board.neighbours, len(state.owners)
    strongest: dict[int, int] = {}
    for origin in state.territories_of(player):
        if armies[origin] > 1 and origin not in state.settled:
            foes = (to for to in neighbours[origin] if owners[to] != player)
            for to in foes if kind == phases.ATTACK else reachable(state.game.setting, state.position, origin):
                if to not in strongest or armies[origin] > armies[strongest[to]]:
                    strongest[to] = origin
    if kind == phases.ATTACK:
        return {to: pair(origin, to, count) for to, origin in strongest.items()}
    return {to: pair(origin, to, count) * AMOUNTS + armies[origin] - 1 for to, origin in strongest.items()}


def place_of(state: State, action: int) -> int | None:
    """The territory that an action is about; None where the player stops attacking or stays."""
    match state.phase:
        case phases.SETUP:
            return action
        case phases.PLACE:
            return action // AMOUNTS
        case phases.ATTACK if action != phases.END_ATTACK:
            return ends(action, len(state.owners))[1]
        case phases.FORTIFY if action != phases.STAY:
            return ends(action // AMOUNTS, len(state.owners))[1]
    return None


def action_distribution(
    state: State, player: int, order: Order, shares: NDArray[np.float64], habits: Habits | None = None
) -> core.Distribution:
    """The distribution of *player*'s actions if they choose territories with these shares."""
    legal, known = state.legal_actions(player), habits or Habits()
    passes = {phases.ATTACK: known.end_attack, phases.FORTIFY: known.stay}.get(order.kind, 0.0)
    named = {phases.END_ATTACK: passes} if passes else {}
    plainly = (1.0 - passes) * (known.plainly if len(legal) > len(order.actions) + len(named) else 1.0)
    named |= {action: plainly * share for action, share in zip(order.actions, shares.tolist(), strict=True)}
    return core.Distribution(named, legal, max(0.0, 1.0 - passes - plainly))


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
