"""Choices that nothing in a picture stands for: a page shows a button for each, a terminal a word in brackets."""

from collections.abc import Collection, Iterator

from kibitz.core.drawing.drawing import ChoiceButton
from kibitz.core.game import Game, State

MOST_BUTTONS = 30
"""With more choices than this, the player types the move."""


def button_choices(
    game: Game, state: State, most: int = MOST_BUTTONS, other: Collection[int] = ()
) -> tuple[ChoiceButton, ...]:
    """A button for each choice of each player to move; none for more than *most*.

    The choices in *other* are entered in another way.
    """
    return tuple(_choices(game, state, most, other))


def _choices(game: Game, state: State, most: int, other: Collection[int]) -> Iterator[ChoiceButton]:
    for player in game.movers(state):
        legal = state.legal_actions(player)
        if len(legal) - len(other) <= most:
            for action in legal:
                if action not in other:
                    yield ChoiceButton(state.action_to_string(player, action), action, player)
