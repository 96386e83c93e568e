"""Draws the whole board: land as in the land scenarios, sea zones as discs, all units, orders without number.

Tap a unit, then where it goes; a strip below has units to buy and to place.
"""

from collections.abc import Iterator

from kibitz import core
from kibitz.core import drawing
from kibitz.core.pictures import regions as cells
from kibitz.core.pictures.figures import counter
from kibitz_axis.art import unit_art
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.game import FullState
from kibitz_axis.full.movement import item_kind, item_power
from kibitz_axis.full.orders import Order, number_of
from kibitz_axis.full.position import NOBODY, OVER, PHASES
from kibitz_axis.land.view import HIGH, LETTERS, WIDE, cells_of, scenery_of, short


def draw_world(state: core.State) -> drawing.Drawing:
    """The map of the whole game."""
    assert isinstance(state, FullState)
    world = state.tables.world.with_places
    board = world.board
    land = scenery_of(board)
    zones = {n: area.place for n, area in enumerate(world.areas) if area.sea and area.place is not None}
    width = max(place[0] for place in (*land.values(), *zones.values())) + WIDE * 0.6
    height = max(place[1] for place in (*land.values(), *zones.values())) + HIGH * 0.75
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="sea", x=0.0, y=0.0, width=width, height=height, fill="sea"),
        *cells.lane_shapes(cells_of(board).lanes, list(land.values()), width),
    ]
    shapes += [_land(state, area, outline) for area, outline in zip(land, cells_of(board).outlines, strict=True)]
    for zone, (x, y) in zones.items():
        shapes.append(
            drawing.Circle(
                id=f"area-{zone}",
                x=x,
                y=y,
                radius=0.75,
                fill="sea",
                stroke="faint",
                title=_title(state, zone),
                group="the sea",
            )
        )
    for area, (x, y) in {**land, **zones}.items():
        shapes += _words(state, area, x, y)
    if has_strip(state):
        shapes += strip_shapes(state, height)
        height += STRIP
    notes = tuple(_note(state, player) for player in range(len(world.powers)))
    return drawing.Drawing(width, height, tuple(shapes), tuple(order_inputs(state)), caption(state), notes)


def _note(state: FullState, player: int) -> drawing.PlayerNote:
    """Whose phase it is, and the money of the player."""
    position = state.position
    standing = f"{position.money[player]} IPC"
    if state.current_player() != player:
        return drawing.PlayerNote(player, standing=standing)
    usual = f"{PHASES[position.phase].capitalize()}: choose an order."
    prompt = usual if position.battle != NOBODY else PROMPTS.get(PHASES[position.phase], usual)
    return drawing.PlayerNote(player, prompt, standing=standing)


def caption(state: FullState) -> str:
    """Whose turn and phase it is, and the money of all."""
    position, powers = state.position, state.tables.world.powers
    money = ", ".join(f"{power.name} {held} IPC" for power, held in zip(powers, position.money, strict=True))
    if position.phase == OVER:
        return f"over; {money}"
    return f"round {position.round}, {powers[position.mover].name}, {PHASES[position.phase]}; {money}"


def unit_letters(state: FullState, area: int) -> str:
    """What stands in an area: the power's letter, then how many of what, cargo in brackets."""
    found = []
    marks = [(*kind.also, kind.name[:3])[0] for kind in state.tables.world.units.kinds]
    for number, power in enumerate(state.tables.world.powers):
        counts: dict[str, int] = {}
        for stack in state.units_in(area, number):
            cargo = "".join(marks[item_kind(item)] for item in stack.cargo if item)
            mark = f"{marks[stack.kind]}({cargo})" if cargo else marks[stack.kind]
            counts[mark] = counts.get(mark, 0) + stack.count
        if counts:
            found.append(power.name[0] + "".join(f"{count}{mark}" for mark, count in counts.items()))
    return " ".join(found)


def _title(state: FullState, area: int) -> str:
    """An area in words."""
    world, owner = state.tables.world, state.position.owners[area]
    here = world.areas[area]
    holder = world.powers[owner].name if owner != NOBODY else "closed" if here.closed else "nobody"
    factory = ", factory" if state.position.factories[area] else ""
    names = world.units.names
    units = ", ".join(f"{stack.count} {names[stack.kind]}" for stack in state.units_in(area)) or "empty"
    return f"{here.name}: {units}" if here.sea else f"{here.name}, {holder}, worth {here.value}{factory}: {units}"


def _land(state: FullState, area: int, outline: tuple[cells.Point, ...]) -> drawing.Polygon:
    owner, here = state.position.owners[area], state.tables.world.areas[area]
    marked = here.city or state.position.factories[area] > 0
    return drawing.Polygon(
        id=f"area-{area}",
        points=outline,
        fill=f"land{owner}" if owner != NOBODY else "land",
        stroke="ink" if marked else "faint",
        thickness=0.1 if marked else 0.04,
        title=_title(state, area),
        group=state.tables.world.powers[owner].name if owner != NOBODY else "nobody",
    )


def _words(state: FullState, area: int, x: float, y: float) -> Iterator[drawing.AnyShape]:
    here = state.tables.world.areas[area]
    name = here.name.removesuffix(" Sea Zone") if here.sea else short(here.name)
    rise = 0.5 if here.sea else 0.62
    yield drawing.Label(
        id=f"name-{area}",
        x=x,
        y=y - rise,
        text=name,
        symbol=name[:LETTERS],
        size=0.34 if here.sea else 0.4,
        stroke="sea",
        thickness=0.08,
    )
    letters = unit_letters(state, area)
    if not letters:
        return
    yield drawing.Label(id=f"army-{area}", x=x, y=y + rise, text=" ", symbol=letters)
    yield from _units(state, area, x, y)


def _units(state: FullState, area: int, x: float, y: float) -> Iterator[drawing.AnyShape]:
    """A figure with its number for each kind of unit of each power, and smaller ones for what ships carry."""
    world, here = state.tables.world, state.tables.world.areas[area]
    kinds: dict[tuple[str, int, int], int] = {}
    for power in range(len(world.powers)):
        for stack in state.units_in(area, power):
            whose = [("unit", power, stack.kind)]
            whose += [("cargo", item_power(item), item_kind(item)) for item in stack.cargo if item]
            for each in whose:
                kinds[each] = kinds.get(each, 0) + stack.count
    size, moving = min(0.85, (2.4 if here.sea else 3.4) / len(kinds)), moving_units(state)
    for place, ((what, power, kind), count) in enumerate(kinds.items()):
        at, unit = x + size * (place - (len(kinds) - 1) / 2), world.units.names[kind]
        aboard = " aboard ships" if what == "cargo" else ""
        yield from counter(
            f"{what}-{area}-{power}-{kind}",
            at,
            y + 0.25,
            unit_art(unit),
            count,
            fill=drawing.ink_of(power),
            title=f"{count} {unit} of {world.powers[power].name}{aboard} in {here.name}",
            symbol=" ",
            size=(0.7 if aboard else 0.95) * size,
            group="Units that can move" if power == state.position.mover and (area, kind) in moving else "",
        )


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
