"""A Drawing: shapes with stable ids, inputs that compose actions, and words for its players.

A game's `view.py` turns a state into a Drawing; terminal and web show it without knowing the game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import quoteattr

import msgspec

from kibitz.core.drawing.rendering import is_same_element, look_changes, short_number, svg_shape
from kibitz.core.drawing.shapes import AnyShape, Label, Rect


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


class ChoiceButton(msgspec.Struct, frozen=True, tag=True):
    """A button with *words* beside the picture plays *action*: for what nothing in the picture stands for."""

    words: str
    action: int
    player: int | None = None


class Chip(msgspec.Struct, frozen=True):
    """How one thing that is counted looks: its colour, its letter, and its name."""

    fill: str
    letter: str
    name: str


class Tray(msgspec.Struct, frozen=True):
    """A tray that chips are put into: what it is for, and the chip of each counter that fills it."""

    title: str
    chips: dict[str, Chip]


class Counters(msgspec.Struct, frozen=True, tag=True):
    """A counter per factor, least and most; their values are the digits of the action in the mixed radix *bases*.

    With *trays*, chips are put into trays instead; *done* is on the button that plays the action.
    """

    ranges: dict[str, tuple[int, int]]
    bases: tuple[int, ...]
    player: int | None = None
    trays: tuple[Tray, ...] = ()
    done: str = "Play this"
    start: dict[str, int] = {}
    """What counters show at first; those without show the least."""


Input = Click | FromTo | ChoiceButton | Counters


class PlayerNote(msgspec.Struct, frozen=True):
    """What a page says beside the picture to one player, and about them to all who see this picture."""

    player: int
    prompt: str = ""
    """What they may do now: `attack a neighbour, or stop`."""
    secret: str = ""
    """What only they know, in words; a page shows it to them alone."""
    progress: str = ""
    """How far they are with it."""
    standing: str = ""
    """How they stand, as everyone knows: `14 territories, 2 cards`."""


class Drawing(msgspec.Struct, frozen=True):
    """Shapes in painting order, the inputs of a person, and words for its players."""

    width: float
    height: float
    shapes: tuple[AnyShape, ...]
    inputs: tuple[Input, ...] = ()
    caption: str = ""
    notes: tuple[PlayerNote, ...] = ()

    def patches(self, before: "Drawing") -> list["Patch"]:
        """The changes from *before* to this drawing, in order."""
        old = {shape.id: shape for shape in before.shapes}
        found, previous = [], ""
        for shape in self.shapes:
            known = old.pop(shape.id, None)
            if known is None or not is_same_element(known, shape):
                found.append(Patch(shape.id, svg=svg_shape(shape), after=previous))
            elif known != shape and (changed := look_changes(known, shape)):
                found.append(Patch(shape.id, attributes=changed))
            previous = shape.id
        return [*(Patch(gone) for gone in old), *found]

    def inputs_of(self, player: int) -> tuple[Input, ...]:
        """The inputs of *player*, who is to choose."""
        return tuple(each for each in self.inputs if each.player in (None, player))

    def note_for(self, player: int | None) -> PlayerNote:
        """The words for *player*; empty where there are none."""
        return next(
            (note for note in self.notes if note.player == player), PlayerNote(-1 if player is None else player)
        )


class Patch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of one shape: repainted after the shape *after*, given other *attributes*, or removed."""

    id: str
    svg: str = ""
    after: str = ""
    attributes: dict[str, str] = {}
    """By their SVG names; `title` and `text` are its content."""


def svg(drawing: Drawing, scale: float = 48.0) -> str:
    """The drawing as a self-contained SVG picture."""
    wide, high = short_number(drawing.width), short_number(drawing.height)
    width, height = short_number(drawing.width * scale), short_number(drawing.height * scale)
    body = "\n".join(svg_shape(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
        f' width="{width}" height="{height}" role="img" aria-label={quoteattr(drawing.caption)}>\n'
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>\n'
        f"{body}\n</svg>\n"
    )


def text(drawing: Drawing, columns: int = 3, rows: int = 1, most: int | None = None) -> str:
    """The drawing in characters: every symbol and label at its place, *columns* × *rows* characters a cell.

    A drawing wider than *most* characters is narrowed; where labels then meet, one is shifted or shortened. Below stand
    the buttons of each player.
    """
    narrow = most is not None and round(drawing.width * columns) + 1 > most
    across = (most - 1) / drawing.width if narrow and most is not None else float(columns)
    width, height = round(drawing.width * across) + 1, round(drawing.height * rows)
    grid = [[" "] * width for _ in range(height)]
    for row, middle, words, before in _words_by_row(drawing, across, rows):
        if 0 <= row < height:
            shown, column = _room(grid[row], words, middle, before) if narrow else (words, round(middle - before))
            ends = column + len(shown) if most is None else min(column + len(shown), most)
            if not narrow:  # words may stand out
                grid[row] += [" "] * (ends - len(grid[row]))
            for offset, letter in enumerate(shown):
                if 0 <= column + offset < len(grid[row]):
                    grid[row][column + offset] = letter
    lines = ["".join(line).rstrip() for line in grid] + list(_choice_lines(drawing))
    said = {shape.text for shape in drawing.shapes if isinstance(shape, Label)}
    return "\n".join([*lines, drawing.caption] if drawing.caption and drawing.caption not in said else lines)


def _choice_lines(drawing: Drawing) -> Iterator[str]:
    """The buttons of each player in a line; it names the player if several choose."""
    choices: dict[int | None, list[str]] = {}
    for each in drawing.inputs:
        if isinstance(each, ChoiceButton):
            choices.setdefault(each.player, []).append(f"[{each.words}]")
    for player, words in choices.items():
        yield " ".join([f"player {player}:", *words] if len(choices) > 1 else words)


def _words_by_row(drawing: Drawing, across: float, rows: int) -> Iterator[tuple[int, float, str, float]]:
    """The symbols and labels: row, column of the anchor, words, and how many letters stand before the anchor."""
    for shape in drawing.shapes:
        words = shape.symbol or (shape.text if isinstance(shape, Label) else "")
        if words.strip():
            x, y = shape.centre()
            anchor = shape.anchor if isinstance(shape, Label) else "middle"
            before = {"start": 0.0, "middle": len(words) / 2, "end": float(len(words))}[anchor]
            yield int(y * rows), x * across, words, before


def _room(line: list[str], words: str, middle: float, before: float) -> tuple[str, int]:
    """A label as much as fits beside those of its line, and its column; the label before it is cut where it must be."""
    for length in range(len(words), 0, -1):
        first = round(middle - before) + (len(words) - length) // 2
        for shift in (0, -1, 1, -2, 2):
            start = first + shift
            around = line[max(0, start - 1) : start + length + 1]
            if 0 <= start <= len(line) - length and all(letter == " " for letter in around):
                return words[:length].rstrip(), start
    start = min(max(round(middle), 1), len(line) - 1)
    cut = start - 1
    while cut < len(line) and line[cut] != " ":  # the rest of the label that stands here
        line[cut] = " "
        cut += 1
    return words[: max(1, len(line) - start)], start


def board_squares(columns: int, rows: int, *, x: float = 0.0, y: float = 0.0) -> Iterable[Rect]:
    """The squares of a board, ids `square-COLUMN-ROW` counted from the upper left."""
    for row in range(rows):
        for column in range(columns):
            shade = "board" if (row + column) % 2 == 0 else "shade"
            yield Rect(id=f"square-{column}-{row}", x=x + column, y=y + row, fill=shade, symbol="·")


def counters(
    factors: Mapping[str, Sequence[int]],
    bases: Sequence[int],
    player: int | None = None,
    trays: tuple[Tray, ...] = (),
    done: str = "Play this",
    start: Mapping[str, int] | None = None,
) -> Counters:
    """The input for a lazy product of actions."""
    ranges = {name: (values[0], values[-1]) for name, values in factors.items()}
    return Counters(ranges, tuple(bases), player, trays, done, dict(start or {}))
