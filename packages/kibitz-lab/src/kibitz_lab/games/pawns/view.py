"""Draws the board: bases in the colours of their owners, pawns outside and at home; all of it as named fields, too."""

from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import PAWN, counter
from kibitz_lab.games.bitboards import FILES, Square, coordinates, name, number
from kibitz_lab.games.pawns.kernels import BASE, BLACK, WHITE
from kibitz_lab.games.pawns.rules import Pawns, State

PAINT = {BLACK: "#3b3b3b", WHITE: "#fdfdfd"}
"""The colours of the pawns."""


def draw(state: core.State) -> drawing.Drawing:
    """Rank 1 at the bottom; a base that counts as one square shows its pawns as a number."""
    assert isinstance(state, State)
    size = state.game.size
    shapes: list[drawing.AnyShape] = [_square(state, (x, y)) for y in reversed(range(size)) for x in range(size)]
    for place in range(size):
        shapes.append(drawing.Label(id=f"rank-{place + 1}", x=0.3, y=size - place - 0.5, text=str(place + 1), size=0.3))
        shapes.append(
            drawing.Label(id=f"file-{FILES[place]}", x=place + 1.1, y=size + 0.3, text=FILES[place], size=0.3)
        )
    for player in (BLACK, WHITE):
        shapes += _pawns(state, player)
    caption = f"ply {state.ply}, {state.game.player_name(state.player)} to move"
    notes = tuple(_note(state, player) for player in (BLACK, WHITE))
    return drawing.Drawing(size + 0.7, size + 0.6, tuple(shapes), tuple(_inputs(state)), caption, notes)


def _pawns(state: State, player: int) -> list[drawing.AnyShape]:
    """The pawns of a player: those outside, and one for all at home."""
    title, letter = state.game.player_name(player), "bw"[player]
    shapes: list[drawing.AnyShape] = []
    for square in sorted(state.outside[player]):
        x, y = _place(state, square)
        shapes.append(
            drawing.Piece(
                id=f"pawn-{name(square)}",
                x=x + 0.5,
                y=y + 0.5,
                art=PAWN,
                size=1.05,
                fill=PAINT[player],
                stroke="#111111",
                symbol=letter,
                title=f"{title} pawn on {name(square)}",
            )
        )
    if count := state.at_home[player]:
        x, y = _place(state, state.game.corner(player))
        words = f"{count} {title} at home"
        shapes += counter(
            f"home-{player}", x + 0.5, y + 0.5, PAWN, count, fill=PAINT[player], title=words, symbol=f"{count}{letter}"
        )
    return shapes


def _note(state: State, player: int) -> drawing.PlayerNote:
    home, out = state.at_home[player], len(state.outside[player])
    standing = f"{out} on the board" + (f", {home} at home" if home else "")
    other = state.game.player_name(1 - player)
    prompt = f"Bring a pawn into the base of {other}: tap a pawn, then a marked square."
    return drawing.PlayerNote(player, prompt if state.player == player else "", standing=standing)


def _inputs(state: State) -> list[drawing.Input]:
    inputs: list[drawing.Input] = []
    for action in state.legal_actions():
        origin, target = divmod(action, 64)
        source = f"home-{state.player}" if origin == BASE else f"pawn-{name(coordinates(origin))}"
        inputs.append(drawing.FromTo(source, f"square-{name(coordinates(target))}", {1: action}))
    return inputs


def _square(state: State, square: Square) -> drawing.Rect:
    x, y = _place(state, square)
    player = next((p for p in (BLACK, WHITE) if state.game.distance(square, p) == 0), None)
    shade = "board" if sum(square) % 2 else "shade"
    title = name(square) if player is None else f"{name(square)}, base of {state.game.player_name(player)}"
    return drawing.Rect(
        id=f"square-{name(square)}",
        x=x,
        y=y,
        corner=0.0,
        fill=shade if player is None else f"land{player}",
        symbol="·" if player is None else ":",
        title=title,
    )


def _place(state: State, square: Square) -> tuple[float, float]:
    """The upper left corner of a square in the picture, beside the column of rank numbers."""
    return square[0] + 0.6, float(state.game.size - 1 - square[1])


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
