"""Drawings as pixels, for programs that look at pictures; needs Pillow (extra `bridges`)."""

from math import atan2, cos, pi, sin
from typing import TYPE_CHECKING, Any

from kibitz.core.drawing.art import flatten
from kibitz.core.drawing.drawing import Drawing
from kibitz.core.drawing.shapes import AnyShape, Arrow, Circle, Label, Piece, Polygon, Rect, colour
from kibitz.core.errors import MissingPackage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE = 32.0
"""Pixels of a cell."""
LARGEST = 2048
"""Most pixels of a side; larger drawings have smaller cells."""
HEAD = 0.2
"""Length of an arrow's head in cells."""


def pixels(drawing: Drawing, scale: float = SCALE) -> "NDArray[np.uint8]":
    """The drawing as rows of red, green and blue pixels, on white."""
    import numpy as np

    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise MissingPackage("pillow", "bridges") from None
    scale = min(scale, LARGEST / max(drawing.width, drawing.height, 1.0))
    size = max(1, round(drawing.width * scale)), max(1, round(drawing.height * scale))
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        _paint(canvas, shape, scale)
    return np.asarray(image).copy()


def _paint(canvas: Any, shape: AnyShape, scale: float) -> None:
    """Paint one shape."""
    fill = None if shape.fill == "none" else colour(shape.fill)
    stroke = None if shape.stroke == "none" else colour(shape.stroke)
    width = max(1, round(shape.thickness * scale))
    match shape:
        case Rect():
            corner = (shape.x + max(0.0, shape.width)) * scale, (shape.y + max(0.0, shape.height)) * scale
            canvas.rectangle([(shape.x * scale, shape.y * scale), corner], fill, stroke, width)
        case Circle():
            x, y, radius = shape.x * scale, shape.y * scale, shape.radius * scale
            canvas.ellipse([(x - radius, y - radius), (x + radius, y + radius)], fill, stroke, width)
        case Polygon():
            canvas.polygon([(x * scale, y * scale) for x, y in shape.points], fill, stroke)
        case Piece():
            for path in shape.art.paths:
                inner = colour(path.fill) if path.fill else fill
                edge = None if path.stroke == "none" else stroke
                for loop in flatten(path.data):
                    corners = [
                        ((shape.x + x * shape.size) * scale, (shape.y + y * shape.size) * scale) for x, y in loop
                    ]
                    canvas.polygon(corners, None if inner == "none" else inner, edge)
        case Arrow():
            _paint_arrow(canvas, shape, scale, stroke or fill or colour("ink"), width)
        case Label():
            from PIL import ImageFont

            font = ImageFont.load_default(size=max(6.0, shape.size * scale))
            place = shape.x * scale, shape.y * scale
            canvas.text(place, shape.text, fill or colour("ink"), font=font, anchor="mm")


def _paint_arrow(canvas: Any, shape: Arrow, scale: float, ink: str, width: int) -> None:
    """Paint a line, and the head at its end."""
    end = shape.to_x * scale, shape.to_y * scale
    canvas.line([(shape.x * scale, shape.y * scale), end], ink, width)
    if shape.head:
        angle, length = atan2(shape.to_y - shape.y, shape.to_x - shape.x), HEAD * scale
        sides = [
            (end[0] - length * cos(angle + turn), end[1] - length * sin(angle + turn)) for turn in (-pi / 7, pi / 7)
        ]
        canvas.polygon([end, *sides], ink)
