"""Rows of buttons below a picture, one for each player who is to choose."""

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


def button_rows(game: Game, state: State, y: float, most: int = MOST_BUTTONS) -> ButtonRows:
    """For each player to move, the name and a button per choice, from *y* on; none for more than *most* choices."""
    shapes: list[drawing.AnyShape] = []
    inputs: list[drawing.Input] = []
    width = 0.0
    rows = [player for player in game.movers(state) if len(state.legal_actions(player)) <= most]
    for row, player in enumerate(rows):
        name, top = game.player_name(player), y + row
        x = drawing.button_width(name)
        shapes.append(drawing.Label(id=f"chooser-{row}", x=x / 2, y=top + 0.5, text=name, fill=drawing.ink_of(player)))
        for number, action in enumerate(state.legal_actions(player)):
            words = state.action_to_string(player, action)
            shapes += drawing.button(f"choice-{row}-{number}", words, x, top, stroke=drawing.ink_of(player))
            inputs.append(drawing.Click(f"choice-{row}-{number}", action, player))
            x += drawing.button_width(words)
        width = max(width, x)
    return ButtonRows(tuple(shapes), tuple(inputs), width, len(rows))
