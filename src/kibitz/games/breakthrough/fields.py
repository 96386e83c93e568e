"""The pieces of Breakthrough as named fields, and what its words leave open."""

from typing import Any

import msgspec

from kibitz.core.drawing.regions import name, number
from kibitz.core.kit.positions import Fields
from kibitz.games.breakthrough.rules import Breakthrough, State


class BreakthroughBoard(msgspec.Struct, frozen=True):
    """The size of the board: ranks from 1, files from a."""

    rows: int
    columns: int


class BreakthroughView(msgspec.Struct, frozen=True):
    """The squares of both players' pieces, who moves, and the winner (null while the game goes on)."""

    pieces: list[list[str]]
    player: int
    winner: int | None


def word_values(game: Breakthrough) -> dict[str, Any]:
    """What the words leave open."""
    row, middle = 2 if game.rows >= 6 else 1, game.rows // 2
    return {"deep_rows": row, "step": f"a{row}-a{row + 1}", "taking": f"a{middle}xb{middle + 1}"}


def board(game: Breakthrough) -> BreakthroughBoard:
    return BreakthroughBoard(game.rows, game.columns)


def view(state: State) -> BreakthroughView:
    pieces = [[name(square) for square in sorted(side, key=number)] for side in state.pieces]
    return BreakthroughView(pieces, state.player, state.winner)


FIELDS = Fields(board, view)
