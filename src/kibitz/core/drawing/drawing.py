"""A Drawing: shapes with stable ids, and inputs that compose actions. Rendered as SVG and as text.

A game's `view.py` turns a state into a Drawing; terminal and web show it without knowing the game. Coordinates are in
cells, y downwards.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

PALETTE: Mapping[str, str] = {  # Okabe & Ito 2008: distinct for any colour vision
    "player0": "#0072b2",
    "player1": "#d55e00",
    "player2": "#009e73",
    "player3": "#cc79a7",
    "player4": "#e69f00",
    "player5": "#56b4e9",
    "board": "#f3ead7",
    "shade": "#e2d3b3",
    "ink": "#222222",
    "faint": "#999999",
    "mark": "#f0e442",
    "land0": "#8dc0e0",
    "land1": "#f0b48a",
    "land2": "#8fd0bb",
    "land3": "#e8c4d6",
    "land4": "#f5d48c",
    "land5": "#c3e4f6",
    "land": "#d9d9d0",
    "sea": "#eef4f8",
    "none": "none",
}
"""Light mode. Land has the colour of its owner, light enough for text."""
DARK: Mapping[str, str] = {
    "player0": "#4aa3dd",
    "player1": "#f0803c",
    "player2": "#2bbf95",
    "player3": "#dd94bb",
    "player4": "#f0b432",
    "player5": "#86cdf3",
    "board": "#3a3833",
    "shade": "#4b4740",
    "ink": "#f2f2f2",
    "faint": "#8a8a8a",
    "mark": "#b8ae1f",
    "land0": "#0b4f7d",
    "land1": "#8a3f08",
    "land2": "#0b6148",
    "land3": "#7d4563",
    "land4": "#7a560a",
    "land5": "#2a6a8c",
    "land": "#4a4a46",
    "sea": "#17222b",
    "none": "none",
}
"""The same for dark mode."""


class Shape(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What all shapes share. *symbol* stands for the shape in text; *title* is for screen readers."""

    id: str
    fill: str = "none"
    stroke: str = "none"
    title: str = ""
    symbol: str = ""
    thickness: float = 0.04
    """Width of the stroke."""


class Rect(Shape, frozen=True):
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float = 1.0
    height: float = 1.0

    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


class Circle(Shape, frozen=True):
    """A disc by its centre."""

    x: float
    y: float
    radius: float = 0.35

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


class Polygon(Shape, frozen=True):
    """A closed outline, such as a territory."""

    points: tuple[tuple[float, float], ...]

    def centre(self) -> tuple[float, float]:
        return sum(x for x, _ in self.points) / len(self.points), sum(y for _, y in self.points) / len(self.points)


class Arrow(Shape, frozen=True):
    """A line from one point to another, with a head at its end unless *head* is off."""

    x: float
    y: float
    to_x: float
    to_y: float
    head: bool = True

    def centre(self) -> tuple[float, float]:
        return (self.x + self.to_x) / 2, (self.y + self.to_y) / 2


class Label(Shape, frozen=True):
    """Text, centred on a point; drawings in characters use *symbol* instead if it is given."""

    x: float
    y: float
    text: str
    size: float = 0.4

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


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


class Counters(msgspec.Struct, frozen=True, tag=True):
    """A counter per factor, least and most; their values are the digits of the action in the mixed radix *bases*."""

    ranges: dict[str, tuple[int, int]]
    bases: tuple[int, ...]
    player: int | None = None


AnyShape = Rect | Circle | Polygon | Arrow | Label
Input = Click | FromTo | Counters


class Drawing(msgspec.Struct, frozen=True):
    """Shapes in painting order, and the inputs of a person."""

    width: float
    height: float
    shapes: tuple[AnyShape, ...]
    inputs: tuple[Input, ...] = ()
    caption: str = ""

    def patches(self, before: "Drawing") -> list["Patch"]:
        """The changes from *before* to this drawing, in order."""
        old = {shape.id: shape for shape in before.shapes}
        found, previous = [], ""
        for shape in self.shapes:
            known = old.pop(shape.id, None)
            if known is None or type(known) is not type(shape):
                found.append(Patch(shape.id, svg=svg_shape(shape), after=previous))
            elif known != shape:
                found.append(Patch(shape.id, attributes=_differences(known, shape)))
            previous = shape.id
        return [*(Patch(gone) for gone in old), *found]

    def inputs_of(self, player: int) -> tuple[Input, ...]:
        """The inputs of *player*, who is to choose."""
        return tuple(each for each in self.inputs if each.player in (None, player))


class Patch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of one shape: repainted after the shape *after*, given other *attributes*, or removed."""

    id: str
    svg: str = ""
    after: str = ""
    attributes: dict[str, str] = {}
    """By their SVG names; `title` and `text` are its content."""


def svg(drawing: Drawing, scale: float = 48.0) -> str:
    """The drawing as a self-contained SVG picture."""
    width, height = drawing.width * scale, drawing.height * scale
    body = "\n".join(svg_shape(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}"'
        f' width="{_n(width)}" height="{_n(height)}" role="img" aria-label={quoteattr(drawing.caption)}>\n'
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>\n'
        f"{body}\n</svg>\n"
    )


def svg_shape(shape: AnyShape) -> str:
    """One shape as an SVG element with the shape's id."""
    tag, look = svg_look(shape)
    inside = escape(look.pop("text", ""))
    title = f"<title>{escape(words)}</title>" if (words := look.pop("title", "")) else ""
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in look.items())
    return f"<{tag} {attributes}>{title}{inside}</{tag}>"


def svg_look(shape: AnyShape) -> tuple[str, dict[str, str]]:
    """The SVG element of a shape: its name, and its attributes with `title` and `text` among them."""
    place: dict[str, Any]
    match shape:
        case Rect():
            tag, place = "rect", {"x": shape.x, "y": shape.y, "width": shape.width, "height": shape.height, "rx": 0.06}
        case Circle():
            tag, place = "circle", {"cx": shape.x, "cy": shape.y, "r": shape.radius}
        case Polygon():
            tag, place = "polygon", {"points": " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)}
        case Arrow():
            tag, place = "line", {"x1": shape.x, "y1": shape.y, "x2": shape.to_x, "y2": shape.to_y}
            place |= {"marker-end": "url(#head)"} if shape.head else {}
        case Label():
            tag, place = "text", {"x": shape.x, "y": shape.y, "font-size": shape.size, "text": shape.text}
            place |= {"text-anchor": "middle", "dominant-baseline": "central", "font-family": "sans-serif"}
    fill = shape.fill if shape.fill != "none" or not isinstance(shape, Label) else "ink"
    look = {"id": shape.id, **place, "fill": colour(fill)}
    if shape.stroke != "none":
        look |= {"stroke": colour(shape.stroke), "stroke-width": shape.thickness, "stroke-linejoin": "round"}
    if shape.title:
        look |= {"title": shape.title}
    return tag, {name: _n(value) for name, value in look.items()}


def _differences(before: AnyShape, after: AnyShape) -> dict[str, str]:
    """The changed attributes; a removed one is empty."""
    old, new = svg_look(before)[1], svg_look(after)[1]
    return {name: new.get(name, "") for name in {**old, **new} if old.get(name) != new.get(name)}


def colour(name: str) -> str:
    """The colour of a palette name; any other text is a colour itself."""
    return PALETTE.get(name, name)


def ink_of(player: int) -> str:
    """The name of a player's colour in the palette."""
    return f"player{player % 6}"


def dark_style(selector: str) -> str:
    """A style sheet that shows the pictures inside *selector* in dark mode."""
    rules = [
        f'{selector} [{part}="{day}"]{{{part}:{DARK[name]}}}'
        for name, day in PALETTE.items()
        for part in ("fill", "stroke")
        if name != "none"
    ]
    return "\n".join(rules)


def text(drawing: Drawing, columns: int = 3, rows: int = 1, most: int | None = None) -> str:
    """The drawing in characters: every symbol and label at its place, *columns* × *rows* characters a cell.

    A drawing wider than *most* characters is narrowed; where labels then meet, one is shifted or shortened.
    """
    narrow = most is not None and round(drawing.width * columns) + 1 > most
    across = (most - 1) / drawing.width if narrow and most is not None else float(columns)
    width, height = round(drawing.width * across) + 1, round(drawing.height * rows)
    grid = [[" "] * width for _ in range(height)]
    for shape in drawing.shapes:
        words = shape.symbol or (shape.text if isinstance(shape, Label) else "")
        x, y = shape.centre()
        row, column = int(y * rows), round(x * across - len(words) / 2)
        if narrow and 0 <= row < height:
            words, column = _room(grid[row], words, column)
        for offset, letter in enumerate(words):
            if 0 <= row < height and 0 <= column + offset < width:
                grid[row][column + offset] = letter
    lines = ["".join(line).rstrip() for line in grid]
    return "\n".join([*lines, drawing.caption] if drawing.caption else lines)


def _room(line: Sequence[str], words: str, column: int) -> tuple[str, int]:
    """A label as much as fits beside those of its line, and its column: shifted a little, and else shortened."""
    for length in range(len(words), 0, -1):
        first = column + (len(words) - length) // 2
        for shift in (0, -1, 1, -2, 2):
            start = first + shift
            around = line[max(0, start - 1) : start + length + 1]
            if 0 <= start <= len(line) - length and all(letter == " " for letter in around):
                return words[:length].rstrip(), start
    return words, column


def board_squares(columns: int, rows: int, *, x: float = 0.0, y: float = 0.0) -> Iterable[Rect]:
    """The squares of a board, ids `square-COLUMN-ROW` counted from the upper left."""
    for row in range(rows):
        for column in range(columns):
            shade = "board" if (row + column) % 2 == 0 else "shade"
            yield Rect(id=f"square-{column}-{row}", x=x + column, y=y + row, fill=shade, symbol="·")


def button(
    name: str, words: str, x: float, y: float, *, width: float | None = None, stroke: str = "ink"
) -> tuple[Rect, Label]:
    """A frame with text, with shape id *name*, by its upper left corner; it is one cell high."""
    width = button_width(words) if width is None else width
    face = Rect(id=name, x=x + 0.1, y=y + 0.1, width=width - 0.2, height=0.8, fill="board", stroke=stroke, title=words)
    return face, Label(id=f"{name}-text", x=x + width / 2, y=y + 0.5, text=f"[{words}]", size=0.36)


def button_width(words: str) -> float:
    """The width in cells of a button with this text."""
    return (len(words) + 3) / 3


def counters(factors: Mapping[str, Sequence[int]], bases: Sequence[int], player: int | None = None) -> Counters:
    """The input for a lazy product of actions."""
    return Counters({name: (values[0], values[-1]) for name, values in factors.items()}, tuple(bases), player)


def _n(value: Any) -> str:
    """A number without needless digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
