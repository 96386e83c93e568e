"""What every front door shows of a match, whatever the game: its picture, and what happened in words."""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core import drawing
from kibitz.core.game import CHANCE, Game, State
from kibitz.core.highlights import with_last_move
from kibitz.core.match import Event
from kibitz.core.registry import ability, entries, has_ability, spec_of
from kibitz.core.transition import Transition

MOST_BUTTONS = 30
"""Who has more choices than these writes his."""
LETTERS = 3.0
"""So many letters of usual size fit into a cell."""

Draw = Callable[[State], drawing.Drawing]


class Deed(msgspec.Struct, frozen=True):
    """What one player did, in words."""

    player: int
    who: str
    words: str


def own_drawing(game: Game) -> Draw | None:
    """How *game* draws itself; None where it does not."""
    name = spec_of(game).name
    if name in entries("game") and has_ability(name, "DRAWING"):
        drawn: Draw = ability(name, "DRAWING")
        return drawn
    return None


def drawn(game: Game, state: State) -> drawing.Drawing:
    """A position as a picture: the game's own, or its words with a button per choice."""
    draw = own_drawing(game)
    return draw(state) if draw is not None else worded(game, state)


def drawn_after(game: Game, event: Event, seat: int | None = None, *, all_seen: bool = True) -> drawing.Drawing:
    """What an event led to as a picture, with what was done marked; from a seat only what may be seen there."""
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
    return with_last_move(drawn(game, after), drawn(game, before), moves)


def worded(game: Game, state: State) -> drawing.Drawing:
    """The words of a position, a line each, and below a row of buttons for everybody who chooses."""
    lines = str(state).splitlines() or [""]
    width = max(map(drawing.button_width, lines))
    shapes: list[drawing.AnyShape] = [
        drawing.Label(id=f"line-{number}", x=len(line) / LETTERS / 2 + 0.5, y=number + 0.5, text=line)
        for number, line in enumerate(lines)
    ]
    inputs: list[drawing.Input] = []
    for row, player in enumerate(game.movers(state), len(lines)):
        legal = state.legal_actions(player)
        x = drawing.button_width(game.player_name(player))
        shapes.append(
            drawing.Label(id=f"player-{player}", x=x / 2, y=row + 0.5, text=game.player_name(player), fill=ink(player))
        )
        for action in legal if len(legal) <= MOST_BUTTONS else ():
            words = state.action_to_string(player, action)
            shapes += drawing.button(f"choice-{player}-{action}", words, x, float(row), stroke=ink(player))
            inputs.append(drawing.Click(f"choice-{player}-{action}", action, player))
            x += drawing.button_width(words)
        width = max(width, x)
    return drawing.Drawing(width, len(lines) + len(game.movers(state)), tuple(shapes), tuple(inputs), lines[0])


def ink(player: int) -> str:
    """The name of a player's colour in the palette."""
    return f"player{player % 6}"


def seen_from(event: Event, seat: int | None) -> Transition:
    """An event as it is shown at a seat; each seat has views of its own."""
    return event.transition(seat, ("shown", -1 if seat is None else seat))


def deeds(event: Event, game: Game, seat: int | None = None, *, all_seen: bool = True) -> list[Deed]:
    """One event in words; from a seat only what may be seen there."""
    state = event.before.state
    seen: Sequence[int | None] = event.actions if all_seen else seen_from(event, seat).actions
    return [
        Deed(
            player,
            "chance" if player == CHANCE else game.player_name(player),
            "something hidden" if action is None else state.action_to_string(player, action),
        )
        for player, action in zip(event.movers, seen, strict=True)
    ]
