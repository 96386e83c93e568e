"""Marks over a drawing: the last move and the expected next ones, derived from the drawing's inputs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import hypot
from types import MappingProxyType

from msgspec.structs import replace

from kibitz.core.drawing import (
    AnyShape,
    Arrow,
    ChoiceButton,
    Circle,
    Click,
    Drawing,
    FromTo,
    Input,
    Label,
    Rect,
    ink_of,
)

RING = 0.5
"""The radius of the ring around a clicked shape."""
LAST = 0.09
"""The stroke of the mark of the last move."""
SHORTENED = 0.2
"""The share of an arrow that is left out at either end, so that it does not cover what stands there."""
LINE = 1.1
"""The height of a line of choices below the picture."""
THINNEST, THICKEST = 0.04, 0.2
"""The stroke of an unlikely and of a certain move."""


def input_of(drawing: Drawing, player: int, action: int) -> Input | None:
    """The input with which *player* plays *action* here; None if it takes counters or typing."""
    for each in drawing.inputs_of(player):
        played = (
            each.actions.values() if isinstance(each, FromTo) else (each.action,) if isinstance(each, Click) else ()
        )
        if action in played:
            return each
    return None


def with_last_move(drawing: Drawing, before: Drawing, moves: Iterable[tuple[int, int]]) -> Drawing:
    """A drawing with the last *moves* marked, (player, action) pairs on the drawing *before*."""
    marks = [
        mark
        for number, (player, action) in enumerate(moves)
        for mark in _trace(before, player, action, f"last-{number}")
    ]
    return replace(drawing, shapes=(*drawing.shapes, *marks))


def _trace(drawing: Drawing, player: int, action: int, name: str) -> Iterator[AnyShape]:
    """The mark of a move that was made: on a board of squares a frame around both, otherwise as for expected moves."""
    done = input_of(drawing, player, action)
    shapes = {shape.id: shape for shape in drawing.shapes}
    source = shapes.get(done.source) if isinstance(done, FromTo) else None
    target = shapes.get(done.target) if isinstance(done, FromTo) else None
    if source is None or source is target or not isinstance(target, Rect):
        yield from _marks(drawing, player, action, name, "trace", LAST)
        return
    frame = replace(target, fill="none", stroke="trace", thickness=LAST, title="", symbol="")
    x, y = source.centre()
    yield replace(frame, id=f"{name}-from", x=x - frame.width / 2, y=y - frame.height / 2)
    yield replace(frame, id=name)


def with_expectations(
    drawing: Drawing,
    player: int,
    expected: Sequence[tuple[int, float]],
    named: Mapping[int, str] = MappingProxyType({}),
) -> Drawing:
    """A drawing with the expected moves of *player*, as (action, probability): the likelier, the thicker.

    Choices that nothing in the picture stands for are written below it, by their buttons or as they are *named*.
    """
    words = dict(named)
    words |= {each.action: each.words for each in drawing.inputs_of(player) if isinstance(each, ChoiceButton)}
    marks: list[AnyShape] = []
    below = [action for action, _ in expected if action in words and not input_of(drawing, player, action)]
    for number, (action, share) in enumerate(expected):
        name = f"expected-{player}-{number}"
        if action in below:
            x, y = drawing.width * (below.index(action) + 0.5) / len(below), drawing.height + LINE / 3
            marks.append(Label(id=name, x=x, y=y, text=words[action], size=0.3, fill=ink_of(player)))
            marks.append(Label(id=f"{name}-share", x=x, y=y + 0.4, text=f"{share:.0%}", size=0.3))
        else:
            thickness = round(THINNEST + (THICKEST - THINNEST) * share, 3)
            drawn = list(_marks(drawing, player, action, name, ink_of(player), thickness))
            marks += drawn
            marks += [_percent(f"{name}-share", each, share) for each in drawn[:1]]
    height = drawing.height + (LINE if below else 0.0)
    return replace(drawing, height=height, shapes=(*drawing.shapes, *marks))


def _marks(drawing: Drawing, player: int, action: int, name: str, colour: str, thickness: float) -> Iterator[AnyShape]:
    """An arrow from source to target, or a ring around the clicked shape."""
    done = input_of(drawing, player, action)
    shapes = {shape.id: shape for shape in drawing.shapes}
    if isinstance(done, FromTo) and done.source != done.target and {done.source, done.target} <= shapes.keys():
        (x, y), (to_x, to_y) = shapes[done.source].centre(), shapes[done.target].centre()
        aside = min(SHORTENED, 0.6 / max(0.01, hypot(to_x - x, to_y - y)))
        off_x, off_y = aside * (to_x - x), aside * (to_y - y)
        (x, y), (to_x, to_y) = (x + off_x, y + off_y), (to_x - off_x, to_y - off_y)
        yield Arrow(id=name, x=x, y=y, to_x=to_x, to_y=to_y, stroke=colour, thickness=thickness)
        return
    pressed = shapes.get(done.shape if isinstance(done, Click) else done.target if isinstance(done, FromTo) else "")
    if isinstance(pressed, Rect):
        yield replace(pressed, id=name, fill="none", stroke=colour, thickness=thickness, title="", symbol="")
    elif pressed is not None:
        x, y = pressed.centre()
        yield Circle(id=name, x=x, y=y, radius=RING, stroke=colour, thickness=thickness)


def _percent(name: str, mark: AnyShape, share: float) -> Label:
    """The probability, beside an arrow's middle or a ring's edge."""
    x, y = mark.centre()
    return Label(id=name, x=x, y=y - (0.2 if isinstance(mark, Arrow) else RING), text=f"{share:.0%}", size=0.3)
