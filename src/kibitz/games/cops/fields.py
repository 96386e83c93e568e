"""The graph and the places of cops and robber as named fields, and what its words leave open."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz.games.cops.graphs import ways
from kibitz.games.cops.rules import NOWHERE, Cops, State


class CopsBoard(msgspec.Struct, frozen=True):
    """The neighbours of every place, by number from 0; how many cops there are, and how many turns they have."""

    neighbours: list[tuple[int, ...]]
    cops: int
    turns: int


class CopsView(msgspec.Struct, frozen=True):
    """Where the cops and the robber are (null: not chosen yet), who moves, and the turns that the cops have had.

    *orders*: the orders given to cops in this turn, each from one place to another; all are carried out together.
    """

    cops: list[int]
    robber: int | None
    player: int
    turn: int
    orders: list[tuple[int, int]]


def word_values(game: Cops) -> dict[str, int]:
    """What the words leave open."""
    return {"near": ways(game.graph, game.size)[0][0]}


def board(game: Cops) -> CopsBoard:
    return CopsBoard(list(ways(game.graph, game.size)), game.cops, game.turns)


def view(state: State) -> CopsView:
    orders = sorted(zip(state.cops, state.orders, strict=False))
    robber = None if state.robber == NOWHERE else state.robber
    return CopsView(list(state.cops), robber, state.player, state.turn, orders)


FIELDS = Fields(board, view)
