"""Figures that several games use, and what figures are made of: discs, boxes and outlines as path data.

A figure fills a cell around (0, 0). Paths without a colour take those of the piece.
"""

import re
from functools import cache
from typing import TypeAlias

from kibitz.core.drawing.shapes import Art, Path

BOW = 0.5523
"""How far the handles of a curve reach that makes a quarter of a circle of radius 1."""
Corner: TypeAlias = tuple[float, float]
NUMBER = re.compile(r"[A-Z]|-?[\d.]+")


def disc(x: float, y: float, across: float, down: float | None = None) -> str:
    """A circle, or an ellipse, by its middle and its radii."""
    down = across if down is None else down
    bow_x, bow_y = BOW * across, BOW * down
    return path_data(
        *("M", x - across, y, "C", x - across, y - bow_y, x - bow_x, y - down, x, y - down),
        *("C", x + bow_x, y - down, x + across, y - bow_y, x + across, y),
        *("C", x + across, y + bow_y, x + bow_x, y + down, x, y + down),
        *("C", x - bow_x, y + down, x - across, y + bow_y, x - across, y, "Z"),
    )


def box(x: float, y: float, width: float, height: float, corner: float = 0.0) -> str:
    """A rectangle by its upper left corner, with round corners of a radius."""
    if not corner:
        return outline((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    right, bottom, rest = x + width, y + height, corner * (1 - BOW)
    return path_data(
        *("M", x + corner, y, "L", right - corner, y, "C", right - rest, y, right, y + rest, right, y + corner),
        *("L", right, bottom - corner, "C", right, bottom - rest, right - rest, bottom, right - corner, bottom),
        *("L", x + corner, bottom, "C", x + rest, bottom, x, bottom - rest, x, bottom - corner),
        *("L", x, y + corner, "C", x, y + rest, x + rest, y, x + corner, y, "Z"),
    )


def outline(*corners: Corner) -> str:
    """A polygon."""
    (x, y), *others = corners
    return path_data("M", x, y, *(part for corner in others for part in ("L", *corner)), "Z")


def path_data(*parts: str | float) -> str:
    """Path data from letters and numbers."""
    return " ".join(part if isinstance(part, str) else f"{part:.3g}" for part in parts)


def mirror(art: Art) -> Art:
    """The same figure, facing the other way."""
    return Art(f"{art.name}-left", tuple(Path(_mirror_data(path.data), path.fill, path.stroke) for path in art.paths))


def _mirror_data(data: str) -> str:
    across, parts = True, []
    for token in NUMBER.findall(data):
        if token.isalpha():
            across = True
            parts.append(token)
        else:
            parts.append(f"{-float(token) if across else float(token):.3g}")
            across = not across
    return " ".join(parts)


WHITE, SHADOW, SKIN = "#ffffff", "#00000040", "#f4d3b0"

PAWN = Art(
    "pawn",
    (
        Path("M -0.1 -0.08 C -0.09 0.06 -0.13 0.16 -0.25 0.27 L 0.25 0.27 C 0.13 0.16 0.09 0.06 0.1 -0.08 Z"),
        Path(box(-0.3, 0.25, 0.6, 0.13, 0.05)),
        Path(box(-0.17, -0.13, 0.34, 0.08, 0.04)),
        Path(disc(0.0, -0.26, 0.16)),
        Path(disc(-0.05, -0.31, 0.05), "#ffffff80", "none"),
    ),
)
CHIP = Art(
    "chip",
    (
        Path(disc(0.0, 0.0, 0.44)),
        *(
            Path(box(x - 0.06, y - 0.06, 0.12, 0.12, 0.03), WHITE, "none")
            for x, y in ((0.36, 0.0), (-0.36, 0.0), (0.0, 0.36), (0.0, -0.36))
        ),
        Path(disc(0.0, 0.0, 0.27)),
    ),
)
COIN = Art(
    "coin", (Path(disc(0.0, 0.04, 0.42), "#b8860b"), Path(disc(0.0, 0.0, 0.42)), Path(disc(0.0, 0.0, 0.3), "none"))
)
STAR = Art(
    "star",
    (
        Path(
            outline(
                *((0.0, -0.45), (0.11, -0.15), (0.43, -0.14), (0.18, 0.06), (0.26, 0.36)),
                *((0.0, 0.19), (-0.26, 0.36), (-0.18, 0.06), (-0.43, -0.14), (-0.11, -0.15)),
            )
        ),
    ),
)
PERSON = Art(
    "person",
    (
        Path("M -0.32 0.42 C -0.34 0.12 -0.2 0.0 0.0 0.0 C 0.2 0.0 0.34 0.12 0.32 0.42 Z"),
        Path(disc(0.0, -0.2, 0.19), SKIN),
    ),
)
TANK = Art(
    "tank",
    (
        Path(box(0.05, -0.19, 0.43, 0.08, 0.02)),
        Path(outline((-0.2, -0.02), (-0.14, -0.27), (0.12, -0.27), (0.18, -0.02))),
        Path(outline((-0.44, 0.12), (-0.36, -0.04), (0.36, -0.04), (0.44, 0.12))),
        Path(box(-0.46, 0.1, 0.92, 0.24, 0.12), "#4a4a4a"),
        *(Path(disc(x, 0.22, 0.07), "#c9c9c9", "none") for x in (-0.3, -0.1, 0.1, 0.3)),
    ),
)
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Where the pips of each face of a die are, in steps from its middle."""


@cache
def die(face: int) -> Art:
    """A die that shows *face*; 0 is one that has not fallen yet."""
    pips = (Path(disc(0.22 * x, 0.22 * y, 0.075), WHITE, "none") for x, y in PIPS.get(face, ()))
    return Art(f"die-{face}", (Path(box(-0.42, -0.42, 0.84, 0.84, 0.14)), *pips))


_HEXAGON = outline((-0.46, 0.0), (-0.24, -0.4), (0.24, -0.4), (0.46, 0.0), (0.24, 0.4), (-0.24, 0.4))
_SHIELD = "M -0.4 -0.4 L 0.4 -0.4 L 0.4 0.1 C 0.4 0.3 0.15 0.42 0 0.48 C -0.15 0.42 -0.4 0.3 -0.4 0.1 Z"
_DROP = (
    "M 0 -0.5 C 0.12 -0.3 0.42 -0.15 0.42 0.1 C 0.42 0.34 0.22 0.46 0 0.46 "
    "C -0.22 0.46 -0.42 0.34 -0.42 0.1 C -0.42 -0.15 -0.12 -0.3 0 -0.5 Z"
)
TOKENS = (
    Art("token", (Path(disc(0.0, 0.0, 0.44)),)),
    Art("token-square", (Path(box(-0.4, -0.4, 0.8, 0.8, 0.08)),)),
    Art("token-diamond", (Path(outline((0.0, -0.54), (0.54, 0.0), (0.0, 0.54), (-0.54, 0.0))),)),
    Art("token-hexagon", (Path(_HEXAGON),)),
    Art("token-shield", (Path(_SHIELD),)),
    Art("token-drop", (Path(_DROP),)),
)
"""A shape for each player, so that colours are not all that tells them apart."""


def token(player: int) -> Art:
    """The shape of a player's tokens."""
    return TOKENS[player % len(TOKENS)]
