"""The ability `FIELDS`: boards and positions as named fields, for programs that do not know the game.

The board is what never changes in a match; the view is what a position shows. The fields of two views are equal exactly
if their keys are, so they show neither more nor less. Both are structs, and their types make the JSON Schema.
"""

import typing
from collections.abc import Callable
from typing import Any

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.game import Game
from kibitz.core.registry import has_ability, spec_of


class Fields(msgspec.Struct, frozen=True):
    """The two functions of a game; each declares the struct that it returns."""

    board: Callable[[Any], msgspec.Struct]
    """The board of a game: size, map, numbers of rounds, payoffs."""
    view: Callable[[Any], msgspec.Struct]
    """A view of a position, or a full state."""

    @property
    def types(self) -> tuple[Any, Any]:
        """The types of the board and of the views."""
        board, view = (typing.get_type_hints(each)["return"] for each in (self.board, self.view))
        return board, view


def fields_of(game: Game) -> Fields | None:
    """The fields of *game*; None if it does not name them."""
    name = spec_of(game).name
    return ability(name, "FIELDS") if has_ability(name, "FIELDS") else None
