"""Draws the map: areas in the colours of their owners, units, the moves of the unit that gets an order."""

from collections.abc import Iterator
from functools import lru_cache
from math import cos, pi, sin
from typing import Any

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.about import read_texts
from kibitz.core.kit.positions import Preview
from kibitz.core.pictures import regions as cells
from kibitz.core.pictures.figures import counter
from kibitz_axis.art import unit_art
from kibitz_axis.game import Axis
from kibitz_axis.land.board import Board
from kibitz_axis.land.changes import add_armies
from kibitz_axis.land.rules import State
from kibitz_axis.units import Army

WIDE, HIGH = 4.0, 3.0
"""The room an area takes, in cells."""
LETTERS = 11
"""How many characters of text fit into it."""
SHORTER = {
    " S.S.R.": "",
    " National Okrug": "",
    " Islands": " Is",
    " Island": " Is",
    "Western ": "W ",
    "Eastern ": "E ",
    "Central ": "C ",
    "Southern ": "S ",
    "United States": "USA",
    "United ": "Utd ",
    "Italian ": "It ",
    " Africa": " Afr",
    "Equatorial ": "Eq ",
    "French ": "Fr ",
    "Union of ": "",
}


def draw(state: core.State) -> drawing.Drawing:
    """Areas with a place of their own are there, others in a ring; sea zones are left out."""
    if not isinstance(state, State):
        from kibitz_axis.full.view import draw_world

        return draw_world(state)
    board = state.board
    places = places_of(board)
    drawn = scenery_of(board)
    width, height = (max(place[axis] for place in drawn.values()) for axis in (0, 1))
    grown = cells_of(board)
    shapes: list[drawing.AnyShape] = [
        drawing.Rect(id="sea", x=0.0, y=0.0, width=width + WIDE * 0.6, height=height + HIGH * 0.75, fill="sea"),
        *cells.lane_shapes(grown.lanes, list(drawn.values()), width),
    ]
    shapes += [_land(state, area, outline) for area, outline in zip(drawn, grown.outlines, strict=True)]
    for area, (x, y) in drawn.items():
        shapes += _words(state, area, x, y)
    shapes += _orders(state, places)
    inputs, marks = _inputs(state, places)
    told = next(line for line in str(state).splitlines() if line.startswith(("turn ", "over")))
    notes = tuple(_note(state, player) for player in range(len(board.powers)))
    size = width + WIDE * 0.6, height + HIGH * 0.75
    return drawing.Drawing(*size, (*shapes, *marks), inputs, f"{board.name}: {told}", notes)


@lru_cache(maxsize=16)
def cells_of(board: Board) -> cells.Cells:
    """The outline of the whole picture."""
    drawn = scenery_of(board)
    numbers = {area: number for number, area in enumerate(drawn)}
    open_ways = tuple(tuple(numbers[to] for to in board.by_land[area] if to in numbers) for area in drawn)
    ways = tuple(tuple(numbers[to] for to in board.areas[area].neighbours if to in numbers) for area in drawn)
    grown = cells.grow_cells(cells.around(tuple(drawn.values()), ways), ways)
    return cells.Cells(grown.outlines, tuple(pair for pair in grown.lanes if pair[1] in open_ways[pair[0]]))


def scenery_of(board: Board) -> dict[int, tuple[float, float]]:
    """The places of all drawn areas: those a land unit may stand in, and closed ones that have a place."""
    closed = {number: area.place for number, area in enumerate(board.areas) if area.closed and area.place is not None}
    return {**places_of(board), **closed}


def places_of(board: Board) -> dict[int, tuple[float, float]]:
    """The places of the areas that a land unit may stand in."""
    given = {area: place for area in board.land if (place := board.areas[area].place) is not None}
    if len(given) == len(board.land):
        return given
    radius = max(1.0, len(board.land) * WIDE / 5.0)
    return {
        area: (radius * (1.0 + sin(angle)) + WIDE / 2, radius * (1.0 - cos(angle)) * HIGH / WIDE + HIGH / 2)
        for number, area in enumerate(board.land)
        for angle in [2.0 * pi * number / len(board.land)]
    }


def army_letters(board: Board, area: int, state: State) -> str:
    """What stands in an area: the power's letter, then how many of what, `G3i2t`."""
    found = []
    for number, power in enumerate(board.powers):
        army = state.army(area, number)
        if army:
            counts = zip(army, board.units, strict=True)
            found.append(
                power.name[0].upper() + "".join(f"{n}{(*unit.also, unit.name[0])[0]}" for n, unit in counts if n)
            )
    return " ".join(found)


def short(name: str) -> str:
    """A name with its long words cut."""
    for words, shorter in SHORTER.items():
        name = name.replace(words, shorter)
    return name


def _land(state: State, area: int, outline: tuple[cells.Point, ...]) -> drawing.Polygon:
    """The cell of an area in its owner's colour."""
    board, owner, here = state.board, state.owners[area], state.board.areas[area]
    holder = board.powers[owner].name if owner is not None else "closed" if here.closed else "nobody"
    factory = ", factory" if here.factory else ""
    units = ", ".join(_armies_words(state, area)) or "empty"
    return drawing.Polygon(
        id=f"area-{area}",
        points=outline,
        fill=f"land{owner}" if owner is not None else "land",
        stroke="ink" if here.city or here.factory else "faint",
        thickness=0.1 if here.city or here.factory else 0.04,
        title=f"{here.name}, {holder}, worth {board.area_values[area]}{factory}: {units}",
        group=holder,
    )


def _armies_words(state: State, area: int) -> Iterator[str]:
    """What stands in an area, in words: `2 infantry of Germany`."""
    for number, power in enumerate(state.board.powers):
        for count, unit in zip(state.army(area, number), state.board.units, strict=False):
            if count:
                yield f"{count} {unit.name} of {power.name}"


def _words(state: State, area: int, x: float, y: float) -> Iterator[drawing.AnyShape]:
    """The name of an area, what it is worth, and below what stands there."""
    here, board = state.board.areas[area], state.board
    name = short(here.name)
    yield drawing.Label(
        id=f"name-{area}", x=x, y=y - 0.75, text=name, symbol=name[:LETTERS], size=0.42, stroke="sea", thickness=0.1
    )
    if here.closed:
        return
    worth = f"{board.area_values[area]} IPC"
    yield drawing.Label(id=f"worth-{area}", x=x, y=y - 0.28, text=worth, size=0.28, symbol=" ")
    letters = army_letters(board, area, state) or "-"
    yield drawing.Label(id=f"army-{area}", x=x, y=y + 0.5, text=" ", symbol=letters)
    kinds = [
        (power, kind, count)
        for power in range(len(board.powers))
        for kind, count in enumerate(state.army(area, power))
        if count
    ]
    for place, (power, kind, count) in enumerate(kinds):
        unit, size = board.units[kind].name, min(1.0, 3.4 / len(kinds))
        at = x + size * (place - (len(kinds) - 1) / 2)
        title = f"{count} {unit} of {board.powers[power].name} in {here.name}"
        yield from counter(
            f"unit-{area}-{power}-{kind}",
            at,
            y + 0.4,
            unit_art(unit),
            count,
            fill=drawing.ink_of(power),
            title=title,
            symbol=" ",
            size=0.95 * size,
        )


def _orders(state: State, places: dict[int, tuple[float, float]]) -> Iterator[drawing.AnyShape]:
    """The orders given so far in this phase, as arrows."""
    areas = len(state.board.areas)
    for number, (post, order) in enumerate(zip(state.posts, state.orders, strict=False)):
        to = order % areas
        if to != post.area and {to, post.area} <= places.keys():
            (x, y), (to_x, to_y) = places[post.area], places[to]
            words = f"{state.board.units[post.kind].name} goes to {state.board.areas[to].name}"
            yield drawing.Arrow(
                id=f"order-{number}", x=x, y=y, to_x=to_x, to_y=to_y, stroke=drawing.ink_of(state.mover),
                thickness=0.14, title=words,
            )  # fmt: skip


def _inputs(
    state: State, places: dict[int, tuple[float, float]]
) -> tuple[tuple[drawing.Input, ...], list[drawing.AnyShape]]:
    """From the unit's area to where it may go; a blitz is clicked at the area it takes on its way."""
    if state.current_player() < 0:
        return (), []
    areas = len(state.board.areas)
    origin = state.posts[len(state.orders)].area
    inputs: list[drawing.Input] = []
    marks: list[drawing.AnyShape] = []
    for action in state.legal_actions():
        via, to = divmod(action, areas)
        if not via:
            inputs.append(drawing.FromTo(f"area-{origin}", f"area-{to}", {1: action}))
            continue
        (x, y), (to_x, to_y) = places[via - 1], places[to]
        mark = f"blitz-{via - 1}-{to}"
        marks.append(drawing.Arrow(id=mark, x=x, y=y, to_x=to_x, to_y=to_y, stroke="mark", title="blitz"))
        inputs.append(drawing.Click(mark, action))
    return tuple(inputs), marks


def _note(state: State, player: int) -> drawing.PlayerNote:
    """What the player may do, and what their side has won so far."""
    gain = state.returns()[player]
    held = sum(owner == player for owner in state.owners)
    standing = f"{held} {'area' if held == 1 else 'areas'}, {gain + 0.0:+g} IPC"
    if state.fights:
        return drawing.PlayerNote(
            player, f"Battle for {state.board.areas[state.fights[0].area].name}.", standing=standing
        )
    if state.current_player() != player:
        return drawing.PlayerNote(player, standing=standing)
    post = state.posts[len(state.orders)]
    unit, here = state.board.units[post.kind].name, state.board.areas[post.area].name
    step = f"Order {len(state.orders) + 1} of {len(state.posts)}"
    prompt = f"{step}: where does the {unit} in {here} go? Tap a marked area; {here} itself means stay."
    return drawing.PlayerNote(player, prompt, standing=standing)


def preview(state: core.State, player: int, action: int) -> Preview | None:
    """The odds where the unit attacks, with all units already sent to the same area."""
    if not isinstance(state, State) or state.current_player() != player:
        return None
    board, to = state.board, action % len(state.board.areas)
    here, post = board.areas[to].name, state.posts[len(state.orders)]
    unit = board.units[post.kind].name
    if to == post.area:
        return Preview(f"The {unit} stays in {here}.")
    defenders = state.defenders(to)
    if not any(defenders):
        owner = state.owners[to]
        taken = owner is not None and board.powers[owner].side != board.powers[player].side
        words = f"takes {here}, worth {board.area_values[to]} IPC, without a battle" if taken else f"goes to {here}"
        return Preview(f"The {unit} {words}.", good=True if taken else None)
    attackers = arriving_army(state, to, post.kind)
    won = sum(chance for own, other, chance in board.endings(attackers, defenders) if any(own) and not any(other))
    words = f"{army_words(state, attackers)} against {army_words(state, defenders)} in {here}: you win {won:.0%}."
    return Preview(words, f"{won:.0%}", won >= 0.5)


def arriving_army(state: State, to: int, kind: int) -> Army:
    """A unit of *kind*, and all units that were sent to an area before it."""
    areas, none = len(state.board.areas), (0,) * len(state.board.units)
    kinds = [kind]
    for post, order in zip(state.posts, state.orders, strict=False):
        if order % areas == to != post.area:
            kinds.append(post.kind)
    army: Army = none
    for each in kinds:
        army = add_armies(army, (*none[:each], 1, *none[each + 1 :]))
    return army


def army_words(state: State, army: Army) -> str:
    """An army in words: `2 infantry and 1 tank`."""
    counts = [f"{count} {unit.name}" for count, unit in zip(army, state.board.units, strict=True) if count]
    return " and ".join(filter(None, [", ".join(counts[:-1]), *counts[-1:]]))


def word_values(game: Axis) -> dict[str, Any]:
    """The powers and sides of a scenario or of the whole game, and orders that can be given at its beginning."""
    texts = read_texts("kibitz_axis:words.toml")["texts"]
    if game.rules == "full":
        powers, sides = game.world.powers, game.world.sides
        names = [[power.name for power in powers if power.side == side] for side in range(len(sides))]
        values: dict[str, Any] = {"opposed": texts["against"].join(map(", ".join, names))}
    else:
        powers, sides, switches = game.board.powers, game.board.sides, game.board.switches
        values = {"blitz": switches.blitz, "steps": switches.steps, "cities": switches.victory, **order_examples(game)}
    players = [texts["power"].format(name=power.name, side=sides[power.side]) for power in powers]
    return {"players": players, "sides": (sides[0], sides[-1]), **values}


def order_examples(game: Axis) -> dict[str, str]:
    """Orders to the first units that have a choice: the notation of one of each kind."""
    state = game.new_initial_state()
    while state.legal_actions() and len(state.legal_actions()) < 2 and not state.fights:
        state.apply_action(state.legal_actions()[0])
    found = {"going": "", "staying": "", "through": ""}
    for action in reversed(state.legal_actions()):
        notation = state.action_to_string(state.mover, action)
        kind = "staying" if " > " not in notation else "through" if action >= len(game.board.areas) else "going"
        found[kind] = notation
    return found
