"""What terminal and web show of a match in any game: its picture, and its events in words."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from kibitz.core import drawing
from kibitz.core.game import CHANCE, Game, State, Transition
from kibitz.core.kernels.structs import Struct
from kibitz.core.match import Event
from kibitz.core.pictures.highlights import with_last_move
from kibitz.core.registry import kit_of

LETTERS = 3.0
"""Number of letters of usual size that fit into a cell."""

LONGEST_NAME = 12
"""Letters of a player's name in a picture."""

NAMES = 4.0
"""Cells for the names of fields."""


class Deed(msgspec.Struct, frozen=True):
    """What one player did, in words."""

    player: int
    who: str
    words: str


def draw_position(game: Game, state: State) -> drawing.Drawing:
    """A position as a picture: the game's own, or the fields of its position, or its text; with a button per choice."""
    draw = kit_of(game).drawing
    if draw is not None:
        return draw(state)
    position = getattr(state, "position", None)
    return draw_struct(position, str(state)) if isinstance(position, Struct) else text_drawing(game, state)


def private_words(game: Game, view: State, player: int) -> str:
    """What only *player* knows, and how far they are with it, if the game's picture has words for that."""
    draw = kit_of(game).drawing
    note = drawing.PlayerNote(player) if draw is None else draw(view).note_for(player)
    return f"{note.secret} ({note.progress})" if note.secret and note.progress else note.secret


def drawn_after(game: Game, event: Event, seat: int | None = None, *, all_seen: bool = True) -> drawing.Drawing:
    """The picture after an event, with the moves marked; with a seat, only what that seat may see."""
    if all_seen:
        before, after, actions = event.before.state, event.after.state, tuple[int | None, ...](event.actions)
    else:
        seen = seen_from(event, seat)
        before, after, actions = seen.before, seen.after, seen.actions
    moves = [
        (player, action)
        for player, action in zip(event.movers, actions, strict=True)
        if action is not None and player != CHANCE
    ]
    return with_last_move(draw_position(game, after), draw_position(game, before), moves)


def text_drawing(game: Game, state: State) -> drawing.Drawing:
    """The text of a position; pages show a button for each choice beside it."""
    lines = str(state).splitlines() or [""]
    words = [
        drawing.Label(id=f"line-{number}", x=0.5, y=number + 0.5, text=line, anchor="start", symbol=" " + line)
        for number, line in enumerate(lines)
    ]
    width = max(len(line) / LETTERS for line in lines) + 1.0
    return drawing.Drawing(width, float(len(lines)), tuple(words), caption="the position in words")


def draw_struct(struct: Struct, caption: str = "") -> drawing.Drawing:
    """All fields of a position but its sizes and what never changes, one below the other."""
    shapes: list[drawing.AnyShape] = []
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
        shapes.append(drawing.Label(id=name, x=0.2, y=height + 0.5, text=name.replace("_", " "), anchor="start"))
        for row, line in enumerate(lines):
            shapes += _squares(f"{name}-{row}", line, height + row)
        height, width = height + max(1, len(lines)), max([width, *map(len, lines)])
    return drawing.Drawing(NAMES + width, float(height), tuple(shapes), caption=caption)


def _squares(name: str, numbers: list[int], y: float) -> Iterator[drawing.AnyShape]:
    """Numbers in a row of squares."""
    for column, number in enumerate(numbers):
        x = NAMES + column
        yield drawing.Rect(
            id=f"{name}-{column}", x=x, y=y, fill="board", stroke="faint", title=f"{name} {column}: {number}"
        )
        yield drawing.Label(id=f"{name}-{column}-number", x=x + 0.5, y=y + 0.5, text=str(number))


def with_names(drawn: drawing.Drawing, game: Game, names: Sequence[str]) -> drawing.Drawing:
    """A drawing that calls the players by these *names*; long ones are cut."""
    shown = (name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in names)
    called = {game.player_name(player): name for player, name in enumerate(shown)}

    def with_name(shape: drawing.AnyShape) -> drawing.AnyShape:
        if not isinstance(shape, drawing.Label):
            return shape
        for name, other in called.items():
            if shape.text == name or shape.text.startswith((f"{name}:", f"{name} ")):
                return replace(shape, text=other + shape.text[len(name) :])
        return shape

    return replace(drawn, shapes=tuple(map(with_name, drawn.shapes)))


def seen_from(event: Event, seat: int | None) -> Transition:
    """An event as a seat sees it; each seat has its own views."""
    return event.transition(seat, ("shown", -1 if seat is None else seat))


def deeds(event: Event, game: Game, seat: int | None = None, *, all_seen: bool = True) -> list[Deed]:
    """One event in words; with a seat, only what that seat may see."""
    state: State = event.before.state
    seen: Sequence[int | None] = event.actions
    if not all_seen:
        observed = seen_from(event, seat)
        state, seen = observed.before, observed.actions  # an action may look like another one, and is called so
    return [
        Deed(
            player,
            "chance" if player == CHANCE else game.player_name(player),
            "something hidden" if action is None else state.action_to_string(player, action),
        )
        for player, action in zip(event.movers, seen, strict=True)
    ]
