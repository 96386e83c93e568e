"""Draws the whole board: land as in the land scenarios, sea zones as discs, all units, orders without number."""

from collections.abc import Iterator

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import regions as cells
from kibitz.core.drawing.regions import counter
from kibitz.games.axis.art import unit_art
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.movement import item_kind, item_power
from kibitz.games.axis.full.order_inputs import PROMPTS, STRIP, has_strip, moving_units, order_inputs, strip_shapes
from kibitz.games.axis.full.position import NOBODY, OVER, PHASES
from kibitz.games.axis.view import HIGH, LETTERS, WIDE, cells_of, scenery_of, short


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
