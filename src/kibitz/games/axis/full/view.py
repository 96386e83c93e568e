"""Draws the whole board: land as in the land scenarios, sea zones as discs, all units, orders without number."""

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import regions as cells
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.notation import order_number, order_text
from kibitz.games.axis.full.situation import NOBODY, OVER, PHASES
from kibitz.games.axis.view import HIGH, LETTERS, WIDE, cells_of, scenery_of, short

BUTTONS = 12
"""The most orders that get a button; what else may be ordered is typed."""


def draw_world(state: core.State) -> drawing.Drawing:
    """The map of the whole game."""
    assert isinstance(state, FullState)
    world, board = state.situation.world, state.situation.world.board
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
                id=f"area-{zone}", x=x, y=y, radius=0.75, fill="sea", stroke="faint", title=_title(state, zone)
            )
        )
    for area, (x, y) in {**land, **zones}.items():
        shapes += _words(state, area, x, y)
    shapes_of_orders, inputs = _buttons(state, height)
    return drawing.Drawing(width, height + 1.0, (*shapes, *shapes_of_orders), inputs, caption(state))


def caption(state: FullState) -> str:
    """Whose turn and phase it is, and the money of all."""
    situation = state.situation
    powers = situation.world.powers
    money = ", ".join(f"{power.name} {held} IPC" for power, held in zip(powers, situation.money, strict=True))
    if situation.phase == OVER:
        return f"over; {money}"
    return f"round {situation.round}, {powers[situation.mover].name}, {PHASES[situation.phase]}; {money}"


def unit_letters(state: FullState, area: int) -> str:
    """What stands in an area: the power's letter, then how many of what, cargo in brackets."""
    found = []
    marks = [(*kind.also, kind.name[:3])[0] for kind in state.situation.world.units.kinds]
    for number, power in enumerate(state.situation.world.powers):
        counts: dict[str, int] = {}
        for stack, count in state.situation.own_units(area, number):
            cargo = "".join(marks[item.kind] for item in stack.cargo)
            mark = f"{marks[stack.kind]}({cargo})" if cargo else marks[stack.kind]
            counts[mark] = counts.get(mark, 0) + count
        if counts:
            found.append(power.name[0] + "".join(f"{count}{mark}" for mark, count in counts.items()))
    return " ".join(found)


def _title(state: FullState, area: int) -> str:
    """An area in words."""
    situation = state.situation
    here, owner = situation.world.areas[area], situation.owners[area]
    holder = situation.world.powers[owner].name if owner != NOBODY else "closed" if here.closed else "nobody"
    factory = ", factory" if area in situation.factories else ""
    names = situation.world.units.names
    units = ", ".join(f"{count} {names[stack.kind]}" for stack, count in situation.at(area)) or "empty"
    return f"{here.name}: {units}" if here.sea else f"{here.name}, {holder}, worth {here.value}{factory}: {units}"


def _land(state: FullState, area: int, outline: tuple[cells.Point, ...]) -> drawing.Polygon:
    owner, here = state.situation.owners[area], state.situation.world.areas[area]
    marked = here.city or area in state.situation.factories
    return drawing.Polygon(
        id=f"area-{area}",
        points=outline,
        fill=f"land{owner}" if owner != NOBODY else "land",
        stroke="ink" if marked else "faint",
        thickness=0.1 if marked else 0.04,
        title=_title(state, area),
    )


def _words(state: FullState, area: int, x: float, y: float) -> list[drawing.AnyShape]:
    here = state.situation.world.areas[area]
    name = here.name.removesuffix(" Sea Zone") if here.sea else short(here.name)
    rise = 0.25 if here.sea else 0.5
    size = 0.32 if here.sea else 0.42
    label = drawing.Label(id=f"name-{area}", x=x, y=y - rise, text=name, symbol=name[:LETTERS], size=size)
    units = unit_letters(state, area)
    if not units:
        return [label]
    return [label, drawing.Label(id=f"army-{area}", x=x, y=y + rise, text=units, size=size)]


def _buttons(state: FullState, y: float) -> tuple[list[drawing.AnyShape], tuple[drawing.Input, ...]]:
    """Buttons for the orders that have no number."""
    shapes: list[drawing.AnyShape] = []
    inputs: list[drawing.Input] = []
    x = 0.0
    for order in [order for order in state.orders if not order.most][:BUTTONS]:
        words, name = order_text(state.situation, order, 0), f"order-{len(inputs)}"
        shapes += drawing.button(name, words, x, y)
        inputs.append(drawing.Click(name, order_number(order, 0)))
        x += drawing.button_width(words)
    return shapes, tuple(inputs)
