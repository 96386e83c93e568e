"""The board and the pawns of Pawns as named fields, and what its words leave open."""

from typing import Any

import msgspec

from kibitz.core.drawing.regions import Square, name, number
from kibitz.core.kit.positions import Fields
from kibitz.games.pawns.kernels import BLACK, WHITE
from kibitz.games.pawns.rules import Pawns, State

SIDES = ("black", "white")
WINNERS = (None, *SIDES, "draw")
"""By outcome."""


class PawnsBoard(msgspec.Struct, frozen=True):
    """The size of the board, the squares of both bases, and the pawns of each side.

    *base*: in `super` a base is one place that pawns leave, in `cells` pawns stand on its squares. *adjacency*:
    `orthogonal` steps, or also diagonal ones like a `king`. After *draw_plies* moves the game is a draw.
    """

    size: int
    bases: dict[str, list[str]]
    base: str
    adjacency: str
    pawns: int
    first: str
    draw_plies: int


class PawnsView(msgspec.Struct, frozen=True):
    """The squares of the pawns outside, the number of pawns at home, who moves, the moves made, and the winner.

    *winner*: `black`, `white`, `draw`, or null while the game goes on.
    """

    pawns: dict[str, list[str]]
    at_home: dict[str, int]
    player: str
    ply: int
    winner: str | None


def word_values(game: Pawns) -> dict[str, Any]:
    """What the words leave open."""
    beside = game.exits(BLACK)[0]
    inside = next(square for square in game.base_squares(BLACK) if beside in game.neighbours(square))
    beyond = next(
        square for square in game.neighbours(beside) if square[0] > beside[0] or square[1] > game.base_size - 1
    )
    step = (beside, beyond) if game.base == "super" else (inside, beside)
    return {
        "corners": (name(game.corner(BLACK)), name(game.corner(WHITE))),
        "home_is_safe": game.base == "cells" and game.home == "exempt",
        "beside": name(beside),
        "step": "-".join(map(name, step)),
    }


def board(game: Pawns) -> PawnsBoard:
    bases = {side: names(game.base_squares(player)) for player, side in enumerate(SIDES)}
    return PawnsBoard(game.size, bases, game.base, game.adjacency, game.pawns, game.first, game.draw_plies)


def view(state: State) -> PawnsView:
    return PawnsView(
        {side: names(squares) for side, squares in zip(SIDES, state.outside, strict=True)},
        dict(zip(SIDES, state.at_home, strict=True)),
        SIDES[state.player],
        state.ply,
        WINNERS[state.outcome],
    )


def names(squares: "frozenset[Square] | list[Square]") -> list[str]:
    """Squares by their names, in the order of their numbers."""
    return [name(square) for square in sorted(squares, key=number)]


FIELDS = Fields(board, view)
