"""Shapes as SVG elements: what a page puts into its picture, and what it changes there."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from kibitz.core.drawing.shapes import (
    DARK,
    PALETTE,
    AnyShape,
    Arrow,
    Art,
    Circle,
    Label,
    Piece,
    Polygon,
    Rect,
    colour,
)


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
