"""Orders: the choices of territories that show what a player aims at, and how they become actions."""

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.actions import reachable
from kibitz.games.risk.game import State
from kibitz.games.risk.phases import AMOUNTS, ends, pair

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
