"""Who leads in matching pennies, as named fields."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz.games.pennies.rules import Pennies, State


class PenniesBoard(msgspec.Struct, frozen=True):
    """How many rounds a player must be ahead to win."""

    lead: int


class PenniesView(msgspec.Struct, frozen=True):
    """How many rounds the matcher, player 0, is ahead; below 0 the mismatcher is."""

    ahead: int


def board(game: Pennies) -> PenniesBoard:
    return PenniesBoard(game.lead)


def view(state: State) -> PenniesView:
    return PenniesView(state.ahead)


FIELDS = Fields(board, view)
