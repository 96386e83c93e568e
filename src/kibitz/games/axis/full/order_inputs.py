"""Orders on the map of the whole game: tap a unit, then where it goes; a strip below has units to buy and to place."""

from collections.abc import Iterator

from kibitz.core import drawing
from kibitz.core.drawing.regions import counter
from kibitz.games.axis.art import unit_art
from kibitz.games.axis.full import orders as verbs
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.orders import Order, number_of
from kibitz.games.axis.full.position import NOBODY

BUTTONS = 12
"""The most orders that get a button; what else may be ordered is typed."""
STRIP = 2.6
"""The height of the strip with units to buy or to place, in cells."""
ROOM = 3.2
"""The room of a unit in it."""
PROMPTS = {
    "research": "Research: choose dice below, or done.",
    "purchase": "Buy: tap a unit below the map and say how many. Then done.",
    "placing of the bid": "Place what you bought: tap a unit below the map, then an area.",
    "bid": "Spend the bid: tap a unit below the map and say how many. Then done.",
    "combat moves": "Attack: tap a unit, then where it goes. Then done.",
    "other moves": "Move: tap a unit, then where it goes. Then done.",
    "placing of units": "Place what you bought: tap a unit below the map, then an area.",
}
"""What a player does in each phase; in others there are buttons."""


def order_inputs(state: FullState) -> Iterator[drawing.Input]:
    """How each order is entered: on the map as far as it can say it, otherwise by a button."""
    ways: dict[tuple[str, str], dict[int, int]] = {}
    buttons: list[Order] = []
    for order in state.orders:
        ends = order_ends(state, order)
        if ends is None:
            buttons.append(order)
        elif order.most == 0 and ends[0] == ends[1]:
            yield drawing.Click(ends[0], number_of(order, 0))
        else:
            numbers = range(min(1, order.most), order.most + 1)
            amounts = {max(1, count): number_of(order, count) for count in numbers}
            ways[ends] = amounts | ways.get(ends, {})  # of several routes or groups the first
    yield from (drawing.FromTo(source, target, actions) for (source, target), actions in ways.items())
    for order in buttons[:BUTTONS]:
        count = min(1, order.most)
        yield drawing.ChoiceButton(state.order_text(order, count), number_of(order, count))


def order_ends(state: FullState, order: Order) -> tuple[str, str] | None:
    """The two shapes that stand for an order, the same twice if one press is enough; None if none do."""
    mover = state.position.mover
    to = f"area-{order.to}"
    match order.verb:
        case verbs.MOVE | verbs.LOADING | verbs.BOARD:
            return f"unit-{order.area}-{mover}-{order.kind}", to
        case verbs.UNLOADING:
            return f"cargo-{order.area}-{mover}-{order.kind}", to
        case verbs.BUY:
            return f"shop-{order.kind}", f"shop-{order.kind}"
        case verbs.PUT:
            return f"shop-{order.kind}", to
        case verbs.FIGHT:
            return f"area-{order.area}", f"area-{order.area}"
        case verbs.RETREAT:
            return to, to
        case verbs.FIRE_ROCKET:
            return f"area-{order.area}", to
    return None


def strip_shapes(state: FullState, y: float) -> Iterator[drawing.AnyShape]:
    """The units that can be bought or placed now, in a strip whose upper edge is at *y*."""
    world, position = state.tables.world, state.position
    kinds = dict.fromkeys(order.kind for order in state.orders if order.verb in (verbs.BUY, verbs.PUT))
    names = world.units.names
    for place, kind in enumerate(kinds):
        x, count = 1.8 + ROOM * place, position.bought[kind]
        price = world.prices[position.mover][kind]
        title = f"{names[kind]}, {price} IPC each, {count} bought"
        look = {"fill": drawing.ink_of(position.mover), "title": title, "symbol": " ", "group": "To buy or to place"}
        yield from counter(f"shop-{kind}", x, y + 0.9, unit_art(names[kind]), max(1, count), size=1.3, **look)
        words = f"{names[kind]}, {price}" if not count else f"{names[kind]}, {price}: {count}"
        yield drawing.Label(id=f"shop-name-{kind}", x=x, y=y + 1.95, text=words, size=0.42)


def has_strip(state: FullState) -> bool:
    """Whether there is anything to buy or to place."""
    return any(order.verb in (verbs.BUY, verbs.PUT) for order in state.orders)


def moving_units(state: FullState) -> set[tuple[int, int]]:
    """The areas and kinds of the units that can be given an order now."""
    moves = (verbs.MOVE, verbs.LOADING, verbs.UNLOADING, verbs.BOARD)
    return {(order.area, order.kind) for order in state.orders if order.verb in moves and order.area != NOBODY}
