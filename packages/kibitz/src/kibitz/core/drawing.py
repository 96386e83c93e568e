"""A Drawing: shapes with stable ids, inputs that compose actions, and words for its players.

A game's `view.py` turns a state into a Drawing; terminal and web show it without knowing the game. Shapes have art and
colours, and become SVG. Coordinates are in cells, y downwards.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

import msgspec

COLOURS: Mapping[str, tuple[str, str]] = {  # Okabe & Ito 2008: distinct for any colour vision
    "player0": ("#0072b2", "#4aa3dd"),
    "player1": ("#d55e00", "#f0803c"),
    "player2": ("#009e73", "#2bbf95"),
    "player3": ("#cc79a7", "#dd94bb"),
    "player4": ("#e69f00", "#f0b432"),
    "player5": ("#56b4e9", "#86cdf3"),
    "board": ("#f3ead7", "#3a3833"),
    "shade": ("#e2d3b3", "#4b4740"),
    "ink": ("#222222", "#f2f2f2"),
    "faint": ("#999999", "#8a8a8a"),
    "mark": ("#f0e442", "#b8ae1f"),
    "trace": ("#b58900", "#e6c84a"),
    "land0": ("#8dc0e0", "#0b4f7d"),
    "land1": ("#f0b48a", "#8a3f08"),
    "land2": ("#8fd0bb", "#0b6148"),
    "land3": ("#e8c4d6", "#7d4563"),
    "land4": ("#f5d48c", "#7a560a"),
    "land5": ("#c3e4f6", "#2a6a8c"),
    "land": ("#d9d9d0", "#4a4a46"),
    "sea": ("#eef4f8", "#17222b"),
    "none": ("none", "none"),
}
"""By day and in dark mode. Land has the colour of its owner, light enough for text by day.

Pages take theirs from here as CSS variables (`--player0`), plots by name.
"""
TERMINAL = ("blue", "dark_orange", "green", "magenta", "yellow", "cyan")
"""The players' colours as a terminal has them."""
PALETTE = {name: day for name, (day, _) in COLOURS.items()}
DARK = {name: night for name, (_, night) in COLOURS.items()}


class Shape(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What all shapes share. *symbol* stands for the shape in text; *title* is for screen readers."""

    id: str
    fill: str = "none"
    stroke: str = "none"
    title: str = ""
    symbol: str = ""
    thickness: float = 0.04
    """Width of the stroke."""
    group: str = ""
    """The part of the picture it belongs to, such as a continent; pages list shapes that have one by their titles."""


class Placed(Shape, frozen=True, kw_only=True):
    """A shape at a point."""

    x: float
    y: float

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


class Rect(Placed, frozen=True):
    """A rectangle by its upper left corner."""

    width: float = 1.0
    height: float = 1.0
    corner: float = 0.06
    """Radius of the corners."""

    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


class Circle(Placed, frozen=True):
    """A disc by its centre."""

    radius: float = 0.35


class Polygon(Shape, frozen=True):
    """A closed outline, such as a territory."""

    points: tuple[tuple[float, float], ...]

    def centre(self) -> tuple[float, float]:
        return sum(x for x, _ in self.points) / len(self.points), sum(y for _, y in self.points) / len(self.points)


class Arrow(Placed, frozen=True):
    """A line from one point to another, with a head at its end unless *head* is off."""

    to_x: float
    to_y: float
    head: bool = True

    def centre(self) -> tuple[float, float]:
        return (self.x + self.to_x) / 2, (self.y + self.to_y) / 2


class Label(Placed, frozen=True):
    """Text at a point; drawings in characters use *symbol* instead if it is given. A stroke is a rim around it."""

    text: str
    size: float = 0.4
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "middle"
    """Which end of the text, or its middle, is at *x*."""


class Path(msgspec.Struct, frozen=True):
    """An outline as SVG path data (M, L, C and Z, absolute); empty colours are those of the piece."""

    data: str
    fill: str = ""
    stroke: str = ""


class Art(msgspec.Struct, frozen=True):
    """How a kind of piece looks: paths in a cell around (0, 0), painted in order. Pages know art by its *name*."""

    name: str
    paths: tuple[Path, ...]


class Piece(Placed, frozen=True):
    """A figure by its centre; *size* is how many cells it takes, *fill* and *stroke* colour its art."""

    art: Art
    size: float = 1.0


AnyShape = Rect | Circle | Polygon | Arrow | Label | Piece


def colour(name: str) -> str:
    """The colour of a palette name; any other text is a colour itself."""
    return PALETTE.get(name, name)


def ink_of(player: int) -> str:
    """The name of a player's colour in the palette."""
    return f"player{player % len(TERMINAL)}"


def svg_shape(shape: AnyShape) -> str:
    """One shape as an SVG element with the shape's id."""
    tag, look = svg_look(shape)
    inside = svg_art(shape.art) if isinstance(shape, Piece) else escape(look.pop("text", ""))
    title = f"<title>{escape(words)}</title>" if (words := look.pop("title", "")) else ""
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in look.items())
    return f"<{tag} {attributes}>{title}{inside}</{tag}>"


def svg_art(art: Art) -> str:
    """The paths of a piece as SVG elements; they inherit the colours that they do not name."""
    found = []
    for path in art.paths:
        paint = {"fill": path.fill, "stroke": path.stroke}
        given = "".join(f" {part}={quoteattr(colour(value))}" for part, value in paint.items() if value)
        found.append(f"<path d={quoteattr(path.data)}{given}/>")
    return "".join(found)


def svg_look(shape: AnyShape) -> tuple[str, dict[str, str]]:
    """The SVG element of a shape: its name, and its attributes with `title` and `text` among them."""
    tag, place = _place(shape)
    fill = shape.fill if shape.fill != "none" or not isinstance(shape, Label) else "ink"
    look = {"id": shape.id, **place, "fill": colour(fill)}
    if shape.stroke != "none":
        thickness = shape.thickness / shape.size if isinstance(shape, Piece) else shape.thickness
        look |= {"stroke": colour(shape.stroke), "stroke-width": thickness, "stroke-linejoin": "round"}
        look |= {"paint-order": "stroke"} if isinstance(shape, Label) else {}
    look |= {"title": shape.title} if shape.title else {}
    look |= {"data-group": shape.group} if shape.group else {}
    return tag, {name: short_number(value) for name, value in look.items()}


def _place(shape: AnyShape) -> tuple[str, dict[str, Any]]:
    """The name of the element, and the attributes that say where it is."""
    match shape:
        case Rect():
            size = {"width": shape.width, "height": shape.height, "rx": shape.corner}
            return "rect", {"x": shape.x, "y": shape.y, **size}
        case Circle():
            return "circle", {"cx": shape.x, "cy": shape.y, "r": shape.radius}
        case Polygon():
            return "polygon", {"points": " ".join(f"{short_number(x)},{short_number(y)}" for x, y in shape.points)}
        case Arrow():
            head = {"marker-end": "url(#head)"} if shape.head else {}
            return "line", {"x1": shape.x, "y1": shape.y, "x2": shape.to_x, "y2": shape.to_y, **head}
        case Piece():
            x, y, scale = map(short_number, (shape.x, shape.y, shape.size))
            return "g", {"transform": f"translate({x} {y}) scale({scale})", "data-art": shape.art.name}
        case Label():
            look = {"text-anchor": shape.anchor, "dominant-baseline": "central", "font-family": "sans-serif"}
            look |= {"font-weight": "bold"} if shape.bold else {}
            return "text", {"x": shape.x, "y": shape.y, "font-size": shape.size, "text": shape.text, **look}


def is_same_element(before: AnyShape, after: AnyShape) -> bool:
    """Whether a shape can become another by a change of attributes."""
    if isinstance(before, Piece) and isinstance(after, Piece):
        return before.art == after.art
    return type(before) is type(after)


def look_changes(before: AnyShape, after: AnyShape) -> dict[str, str]:
    """The changed attributes; a removed one is empty."""
    old, new = svg_look(before)[1], svg_look(after)[1]
    return {name: new.get(name, "") for name in {**old, **new} if old.get(name) != new.get(name)}


def dark_style(selector: str) -> str:
    """A style sheet that shows the pictures inside *selector* in dark mode."""
    rules = [
        f'{selector} [{part}="{day}"]{{{part}:{DARK[name]}}}'
        for name, day in PALETTE.items()
        for part in ("fill", "stroke")
        if name != "none"
    ]
    return "\n".join(rules)


def short_number(value: Any) -> str:
    """A number without needless digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Click(msgspec.Struct, frozen=True, tag=True):
    """A click on *shape* plays *action*. Here and below, *player* may do it; None is the player to move."""

    shape: str
    action: int
    player: int | None = None


class FromTo(msgspec.Struct, frozen=True, tag=True):
    """*source*, then *target*, then one of the amounts, plays the action of that amount."""

    source: str
    target: str
    actions: dict[int, int]
    player: int | None = None


class ChoiceButton(msgspec.Struct, frozen=True, tag=True):
    """A button with *words* beside the picture plays *action*: for what nothing in the picture stands for."""

    words: str
    action: int
    player: int | None = None


class Chip(msgspec.Struct, frozen=True):
    """How one thing that is counted looks: its colour, its letter, and its name."""

    fill: str
    letter: str
    name: str


class Tray(msgspec.Struct, frozen=True):
    """A tray that chips are put into: what it is for, and the chip of each counter that fills it."""

    title: str
    chips: dict[str, Chip]


class Counters(msgspec.Struct, frozen=True, tag=True):
    """A counter per factor, least and most; their values are the digits of the action in the mixed radix *bases*.

    With *trays*, chips are put into trays instead; *done* is on the button that plays the action.
    """

    ranges: dict[str, tuple[int, int]]
    bases: tuple[int, ...]
    player: int | None = None
    trays: tuple[Tray, ...] = ()
    done: str = "Play this"
    start: dict[str, int] = {}
    """What counters show at first; those without show the least."""


Input = Click | FromTo | ChoiceButton | Counters


class PlayerNote(msgspec.Struct, frozen=True):
    """What a page says beside the picture to one player, and about them to all who see this picture."""

    player: int
    prompt: str = ""
    """What they may do now: `attack a neighbour, or stop`."""
    secret: str = ""
    """What only they know, in words; a page shows it to them alone."""
    progress: str = ""
    """How far they are with it."""
    standing: str = ""
    """How they stand, as everyone knows: `14 territories, 2 cards`."""


class Drawing(msgspec.Struct, frozen=True):
    """Shapes in painting order, the inputs of a person, and words for its players."""

    width: float
    height: float
    shapes: tuple[AnyShape, ...]
    inputs: tuple[Input, ...] = ()
    caption: str = ""
    notes: tuple[PlayerNote, ...] = ()

    def patches(self, before: "Drawing") -> list["Patch"]:
        """The changes from *before* to this drawing, in order."""
        old = {shape.id: shape for shape in before.shapes}
        found, previous = [], ""
        for shape in self.shapes:
            known = old.pop(shape.id, None)
            if known is None or not is_same_element(known, shape):
                found.append(Patch(shape.id, svg=svg_shape(shape), after=previous))
            elif known != shape and (changed := look_changes(known, shape)):
                found.append(Patch(shape.id, attributes=changed))
            previous = shape.id
        return [*(Patch(gone) for gone in old), *found]

    def inputs_of(self, player: int) -> tuple[Input, ...]:
        """The inputs of *player*, who is to choose."""
        return tuple(each for each in self.inputs if each.player in (None, player))

    def note_for(self, player: int | None) -> PlayerNote:
        """The words for *player*; empty where there are none."""
        return next(
            (note for note in self.notes if note.player == player), PlayerNote(-1 if player is None else player)
        )


class Patch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of one shape: repainted after the shape *after*, given other *attributes*, or removed."""

    id: str
    svg: str = ""
    after: str = ""
    attributes: dict[str, str] = {}
    """By their SVG names; `title` and `text` are its content."""


def svg(drawing: Drawing, scale: float = 48.0) -> str:
    """The drawing as a self-contained SVG picture."""
    wide, high = short_number(drawing.width), short_number(drawing.height)
    width, height = short_number(drawing.width * scale), short_number(drawing.height * scale)
    body = "\n".join(svg_shape(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
        f' width="{width}" height="{height}" role="img" aria-label={quoteattr(drawing.caption)}>\n'
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>\n'
        f"{body}\n</svg>\n"
    )


def text(drawing: Drawing, columns: int = 3, most: int | None = None) -> str:
    """The drawing in characters: every symbol and label at its place, *columns* characters a cell.

    A drawing wider than *most* characters is narrowed; where labels then meet, one is shifted or shortened. Below stand
    the buttons of each player.
    """
    narrow = most is not None and round(drawing.width * columns) + 1 > most
    across = (most - 1) / drawing.width if narrow and most is not None else float(columns)
    width, height = round(drawing.width * across) + 1, round(drawing.height)
    grid = [[" "] * width for _ in range(height)]
    for row, middle, words, before in _words_by_row(drawing, across):
        if 0 <= row < height:
            shown, column = _room(grid[row], words, middle, before) if narrow else (words, round(middle - before))
            ends = column + len(shown) if most is None else min(column + len(shown), most)
            if not narrow:  # words may stand out
                grid[row] += [" "] * (ends - len(grid[row]))
            for offset, letter in enumerate(shown):
                if 0 <= column + offset < len(grid[row]):
                    grid[row][column + offset] = letter
    lines = ["".join(line).rstrip() for line in grid] + list(_choice_lines(drawing))
    said = {shape.text for shape in drawing.shapes if isinstance(shape, Label)}
    return "\n".join([*lines, drawing.caption] if drawing.caption and drawing.caption not in said else lines)


def _choice_lines(drawing: Drawing) -> Iterator[str]:
    """The buttons of each player in a line; it names the player if several choose."""
    choices: dict[int | None, list[str]] = {}
    for each in drawing.inputs:
        if isinstance(each, ChoiceButton):
            choices.setdefault(each.player, []).append(f"[{each.words}]")
    for player, words in choices.items():
        yield " ".join([f"player {player}:", *words] if len(choices) > 1 else words)


def _words_by_row(drawing: Drawing, across: float) -> Iterator[tuple[int, float, str, float]]:
    """The symbols and labels: row, column of the anchor, words, and how many letters stand before the anchor."""
    for shape in drawing.shapes:
        words = shape.symbol or (shape.text if isinstance(shape, Label) else "")
        if words.strip():
            x, y = shape.centre()
            anchor = shape.anchor if isinstance(shape, Label) else "middle"
            before = {"start": 0.0, "middle": len(words) / 2, "end": float(len(words))}[anchor]
            yield int(y), x * across, words, before


def _room(line: list[str], words: str, middle: float, before: float) -> tuple[str, int]:
    """A label as much as fits beside those of its line, and its column; the label before it is cut where it must be."""
    for length in range(len(words), 0, -1):
        first = round(middle - before) + (len(words) - length) // 2
        for shift in (0, -1, 1, -2, 2):
            start = first + shift
            around = line[max(0, start - 1) : start + length + 1]
            if 0 <= start <= len(line) - length and all(letter == " " for letter in around):
                return words[:length].rstrip(), start
    start = min(max(round(middle), 1), len(line) - 1)
    cut = start - 1
    while cut < len(line) and line[cut] != " ":  # the rest of the label that stands here
        line[cut] = " "
        cut += 1
    return words[: max(1, len(line) - start)], start


def board_squares(columns: int, rows: int, *, x: float = 0.0, y: float = 0.0) -> Iterable[Rect]:
    """The squares of a board, ids `square-COLUMN-ROW` counted from the upper left."""
    for row in range(rows):
        for column in range(columns):
            shade = "board" if (row + column) % 2 == 0 else "shade"
            yield Rect(id=f"square-{column}-{row}", x=x + column, y=y + row, fill=shade, symbol="·")


def counters(
    factors: Mapping[str, Sequence[int]],
    bases: Sequence[int],
    player: int | None = None,
    trays: tuple[Tray, ...] = (),
    done: str = "Play this",
    start: Mapping[str, int] | None = None,
) -> Counters:
    """The input for a lazy product of actions."""
    ranges = {name: (values[0], values[-1]) for name, values in factors.items()}
    return Counters(ranges, tuple(bases), player, trays, done, dict(start or {}))
