"""What boards are drawn with: figures, tokens, cards and chips.

A figure fills a cell around (0, 0). Paths without a colour take those of the piece.
"""

from collections.abc import Iterator
from typing import TypeAlias

from kibitz.core.drawing import AnyShape, Art, Circle, Label, Path, Piece, Rect

BOW = 0.5523
"""How far the handles of a curve reach that makes a quarter of a circle of radius 1."""
Corner: TypeAlias = tuple[float, float]


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


WHITE, SKIN = "#ffffff", "#f4d3b0"

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
DIE = Art("die", (Path(box(-0.42, -0.42, 0.84, 0.84, 0.14)),))
"""A die that has not fallen yet."""
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


CARD_WIDTH, CARD_HEIGHT = 1.4, 2.0
PAPER, PRINT = "#fffdf7", "#1d1d1d"
"""The colours of a card, by day and by night."""
HIGHEST = 8
"""Chips drawn on one stack; a number says how many there are."""


def card(name: str, x: float, y: float, face: str, *, title: str, frame: str = "faint") -> Iterator[AnyShape]:
    """A playing card by its upper left corner; an empty *face* is its back."""
    symbol, fill, ink = f"[{face or '?'}]", PAPER if face else "player0", PRINT if face else PAPER
    middle_x, middle_y = x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2
    yield Rect(
        id=name, x=x, y=y, width=CARD_WIDTH, height=CARD_HEIGHT, corner=0.16, fill=fill, stroke=frame, thickness=0.07,
        title=title, symbol=symbol,
    )  # fmt: skip
    if not face:
        yield Rect(
            id=f"{name}-back", x=x + 0.18, y=y + 0.18, width=CARD_WIDTH - 0.36, height=CARD_HEIGHT - 0.36,
            corner=0.08, stroke=PAPER, thickness=0.05,
        )  # fmt: skip
    size = 1.0 if len(face) < 2 else 0.8
    yield Label(id=f"{name}-face", x=middle_x, y=middle_y, text=face or "?", size=size, fill=ink, symbol=" ", bold=True)
    if face:
        for end, away in (("corner", -1), ("foot", 1)):
            at_x, at_y = middle_x + away * (CARD_WIDTH / 2 - 0.25), middle_y + away * (CARD_HEIGHT / 2 - 0.28)
            yield Label(id=f"{name}-{end}", x=at_x, y=at_y, text=face, size=0.36, fill=ink, symbol=" ", bold=True)


def chip_stack(name: str, x: float, y: float, count: int, *, fill: str, title: str) -> Iterator[AnyShape]:
    """A stack of chips by the middle of its lowest one, and how many they are."""
    for number in range(min(count, HIGHEST)):
        yield Piece(
            id=f"{name}-{number}", x=x, y=y - 0.13 * number, art=CHIP, size=0.8, fill=fill, stroke="ink", title=title
        )
    if count:
        yield Label(id=f"{name}-count", x=x + 0.75, y=y - 0.1, text=f"×{count}", size=0.4)


def counter(
    name: str,
    x: float,
    y: float,
    art: Art,
    count: int,
    *,
    fill: str,
    title: str,
    symbol: str = "",
    size: float = 0.9,
    group: str = "",
) -> Iterator[AnyShape]:
    """A figure, with how many of them it stands for if there are several."""
    yield Piece(id=name, x=x, y=y, art=art, size=size, fill=fill, stroke="ink", thickness=0.035, title=title,
                symbol=symbol, group=group)  # fmt: skip
    if count > 1:
        at_x, at_y = x + 0.36 * size, y + 0.34 * size
        yield Circle(id=f"{name}-badge", x=at_x, y=at_y, radius=0.24 * size, fill=PAPER, stroke="ink", thickness=0.03)
        yield Label(id=f"{name}-count", x=at_x, y=at_y, text=str(count), size=0.34 * size, fill=PRINT, symbol=" ",
                    bold=True)  # fmt: skip
