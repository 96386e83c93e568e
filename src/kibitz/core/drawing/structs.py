"""The default drawing of a struct: every number beside its name, lists as squares. For games without their own view."""

from collections.abc import Iterator

from kibitz.core.drawing.drawing import Drawing
from kibitz.core.drawing.shapes import AnyShape, Label, Rect
from kibitz.core.kernels.position import Struct

NAMES = 4.0
"""Cells for the names of fields."""


def draw_struct(struct: Struct, caption: str = "") -> Drawing:
    """All fields of a position but its sizes and what never changes, one below the other."""
    shapes: list[AnyShape] = []
    height, width = 0, 1
    for name, field in struct.FIELDS.items():
        if field.kind in ("size", "lists"):
            continue
        value = getattr(struct, name)
        if field.of:
            value = [
                [n for part in each.key() for n in (part if isinstance(part, tuple) else (part,))] for each in value
            ]
        lines = value if field.of or len(field.shape) == 2 else [value] if field.shape else [[value]]
        shapes.append(Label(id=name, x=0.2, y=height + 0.5, text=name.replace("_", " "), anchor="start"))
        for row, line in enumerate(lines):
            shapes += _squares(f"{name}-{row}", line, height + row)
        height, width = height + max(1, len(lines)), max([width, *map(len, lines)])
    return Drawing(NAMES + width, float(height), tuple(shapes), caption=caption)


def _squares(name: str, numbers: list[int], y: float) -> Iterator[AnyShape]:
    """Numbers in a row of squares."""
    for column, number in enumerate(numbers):
        x = NAMES + column
        yield Rect(id=f"{name}-{column}", x=x, y=y, fill="board", stroke="faint", title=f"{name} {column}: {number}")
        yield Label(id=f"{name}-{column}-number", x=x + 0.5, y=y + 0.5, text=str(number))
