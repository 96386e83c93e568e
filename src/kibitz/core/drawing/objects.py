"""Things made of several shapes: playing cards, dice, stacks of chips, counters with a number, framed names."""

from collections.abc import Iterator

from kibitz.core.drawing.art import CHIP
from kibitz.core.drawing.shapes import AnyShape, Art, Circle, Label, Piece, Rect

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
