"""A Drawing: shapes with stable ids, and inputs that compose actions. Rendered as SVG and as text.

A game's `view.py` turns a state into a Drawing; terminal and web show it without knowing the game. Coordinates are in
cells, y downwards; a cell is as large as a person needs.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

PALETTE: Mapping[str, str] = {  # Okabe & Ito 2008: told apart with any colour vision
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
    "none": "none",
}


class Shape(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What all shapes share. *symbol* stands for the shape in text; *title* is what a screen reader says."""

    id: str
    fill: str = "none"
    stroke: str = "none"
    title: str = ""
    symbol: str = ""


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
    """Words, centred on a point."""

    x: float
    y: float
    text: str
    size: float = 0.4

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


class Click(msgspec.Struct, frozen=True, tag=True):
    """A click on *shape* plays *action*."""

    shape: str
    action: int


class FromTo(msgspec.Struct, frozen=True, tag=True):
    """*source*, then *target*, then one of the amounts, plays the action of that amount."""

    source: str
    target: str
    actions: dict[int, int]


class Counters(msgspec.Struct, frozen=True, tag=True):
    """A counter per factor, least and most; together they play the number they make in the mixed radix *bases*."""

    ranges: dict[str, tuple[int, int]]
    bases: tuple[int, ...]


AnyShape = Rect | Circle | Polygon | Arrow | Label
Input = Click | FromTo | Counters


class Drawing(msgspec.Struct, frozen=True):
    """Shapes in the order they are painted, and what a person can do with them."""

    width: float
    height: float
    shapes: tuple[AnyShape, ...]
    inputs: tuple[Input, ...] = ()
    caption: str = ""

    def changes(self, before: "Drawing") -> list[AnyShape]:
        """The shapes that are new or different since *before*; what a page must repaint."""
        old = {shape.id: shape for shape in before.shapes}
        return [shape for shape in self.shapes if old.get(shape.id) != shape]


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
            tag, place = "text", {"x": shape.x, "y": shape.y, "font-size": shape.size}
            place |= {"text-anchor": "middle", "dominant-baseline": "central", "font-family": "sans-serif"}
    fill = shape.fill if shape.fill != "none" or not isinstance(shape, Label) else "ink"
    look: dict[str, Any] = {"id": shape.id, **place, "fill": colour(fill)}
    if shape.stroke != "none":
        look |= {"stroke": colour(shape.stroke), "stroke-width": 0.04}
    attributes = " ".join(f"{name}={quoteattr(_n(value))}" for name, value in look.items())
    inside = escape(shape.text) if isinstance(shape, Label) else ""
    title = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    return f"<{tag} {attributes}>{title}{inside}</{tag}>"


def colour(name: str) -> str:
    """A name of the palette as a colour; anything else is taken as a colour itself."""
    return PALETTE.get(name, name)


def text(drawing: Drawing, columns: int = 3, rows: int = 1) -> str:
    """The drawing in characters: every symbol and label at its place, *columns* × *rows* characters a cell."""
    width, height = round(drawing.width * columns) + 1, round(drawing.height * rows)
    grid = [[" "] * width for _ in range(height)]
    for shape in drawing.shapes:
        words = shape.text if isinstance(shape, Label) else shape.symbol
        x, y = shape.centre()
        row, column = int(y * rows), round(x * columns - len(words) / 2)
        for offset, letter in enumerate(words):
            if 0 <= row < height and 0 <= column + offset < width:
                grid[row][column + offset] = letter
    lines = ["".join(line).rstrip() for line in grid]
    return "\n".join([*lines, drawing.caption] if drawing.caption else lines)


def chequered(columns: int, rows: int, *, x: float = 0.0, y: float = 0.0) -> Iterable[Rect]:
    """The squares of a board, ids `square-COLUMN-ROW` counted from the upper left."""
    for row in range(rows):
        for column in range(columns):
            shade = "board" if (row + column) % 2 == 0 else "shade"
            yield Rect(id=f"square-{column}-{row}", x=x + column, y=y + row, fill=shade, symbol="·")


def counters(factors: Mapping[str, Sequence[int]], bases: Sequence[int]) -> Counters:
    """The input for a lazy product of actions."""
    return Counters({name: (values[0], values[-1]) for name, values in factors.items()}, tuple(bases))


def _n(value: Any) -> str:
    """A number without needless digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
