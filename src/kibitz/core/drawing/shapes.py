"""The shapes a picture is made of, their art, and the colours. Coordinates are in cells, y downwards."""

from collections.abc import Mapping
from typing import Literal

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
    "trace": "#b58900",
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
    "trace": "#e6c84a",
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
    group: str = ""
    """The part of the picture it belongs to, such as a continent; pages list shapes that have one by their titles."""


class Rect(Shape, frozen=True):
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float = 1.0
    height: float = 1.0
    corner: float = 0.06
    """Radius of the corners."""

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
    """Text at a point; drawings in characters use *symbol* instead if it is given. A stroke is a rim around it."""

    x: float
    y: float
    text: str
    size: float = 0.4
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "middle"
    """Which end of the text, or its middle, is at *x*."""

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


class Path(msgspec.Struct, frozen=True):
    """An outline as SVG path data (M, L, C and Z, absolute); empty colours are those of the piece."""

    data: str
    fill: str = ""
    stroke: str = ""


class Art(msgspec.Struct, frozen=True):
    """How a kind of piece looks: paths in a cell around (0, 0), painted in order. Pages know art by its *name*."""

    name: str
    paths: tuple[Path, ...]


class Piece(Shape, frozen=True):
    """A figure by its centre; *size* is how many cells it takes, *fill* and *stroke* colour its art."""

    x: float
    y: float
    art: Art
    size: float = 1.0

    def centre(self) -> tuple[float, float]:
        return self.x, self.y


AnyShape = Rect | Circle | Polygon | Arrow | Label | Piece


def colour(name: str) -> str:
    """The colour of a palette name; any other text is a colour itself."""
    return PALETTE.get(name, name)


def ink_of(player: int) -> str:
    """The name of a player's colour in the palette."""
    return f"player{player % 6}"
