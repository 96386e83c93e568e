"""Rows of buttons below a picture, one for each player who is to choose."""

from collections.abc import Collection
from math import inf

import msgspec

from kibitz.core import drawing
from kibitz.core.game import Game, State

MOST_BUTTONS = 30
"""With more choices than this, the player types the move."""


class ButtonRows(msgspec.Struct, frozen=True):
    """The rows of buttons of a position, and their size in cells."""

    shapes: tuple[drawing.AnyShape, ...]
    inputs: tuple[drawing.Input, ...]
    width: float
    height: int


def button_rows(
    game: Game, state: State, y: float, most: int = MOST_BUTTONS, widest: float = inf, other: Collection[int] = ()
) -> ButtonRows:
    """For each player to move, the name and a button per choice, from *y* on; none for more than *most* choices.

    A row that would be wider than *widest* goes on in another line. The choices in *other* are entered in another way.
    """
    shapes: list[drawing.AnyShape] = []
    inputs: list[drawing.Input] = []
    width, top = 0.0, y
    choices = {
        player: [action for action in state.legal_actions(player) if action not in other]
        for player in game.movers(state)
        if len(state.legal_actions(player)) - len(other) <= most
    }
    for row, (player, actions) in enumerate((player, actions) for player, actions in choices.items() if actions):
        name = game.player_name(player)
        start = x = drawing.button_width(name)
        shapes.append(drawing.Label(id=f"chooser-{row}", x=x / 2, y=top + 0.5, text=name, fill=drawing.ink_of(player)))
        for number, action in enumerate(actions):
            words = state.action_to_string(player, action)
            if start < x > widest - drawing.button_width(words):
                x, top = start, top + 1
            shapes += drawing.button(f"choice-{row}-{number}", words, x, top, stroke=drawing.ink_of(player))
            inputs.append(drawing.Click(f"choice-{row}-{number}", action, player))
            x += drawing.button_width(words)
            width = max(width, x)
        top += 1
    return ButtonRows(tuple(shapes), tuple(inputs), width, int(top - y))
