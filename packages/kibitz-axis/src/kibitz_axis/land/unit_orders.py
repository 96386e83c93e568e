"""One order per unit: what teams of automata need to know of a turn."""

from kibitz import core
from kibitz.core.kit.positions import Units
from kibitz_axis.game import Axis
from kibitz_axis.land.rules import State


def units(state: core.State) -> list[str]:
    """The units that get orders in this phase, each by kind and area."""
    assert isinstance(state, State)
    kinds, areas = state.board.units, state.board.areas
    return [f"{kinds[post.kind].name} {areas[post.area].name}" for post in state.posts] if not state.fights else []


def options(state: core.State, unit: int) -> tuple[int, ...]:
    """The orders one of them may get."""
    assert isinstance(state, State)
    return state.posts[unit].options


def next_unit(state: core.State) -> int:
    """The number of the unit that gets its order next."""
    assert isinstance(state, State)
    return len(state.orders)


def span(game: core.Game, player: int) -> tuple[float, float] | None:
    """The scenario's range, as the side of a power sees it."""
    assert isinstance(game, Axis)
    if game.rules == "full":
        raise core.Unsupported("a team of automata", game, "groups of units get orders there, not each unit one")
    if game.board.span is None:
        return None
    low, high = game.board.span
    return (low, high) if game.board.powers[player].side == 0 else (-high, -low)


UNITS = Units(units, options, next_unit, span)
