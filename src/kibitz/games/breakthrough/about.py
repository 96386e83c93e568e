"""Breakthrough in words (`ABOUT`), and its pieces as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm
from kibitz.core.abilities.fields import Fields
from kibitz.core.drawing.squares import name, number
from kibitz.games.breakthrough.rules import Breakthrough, State

STRATEGIES = {
    "runner": "sends one piece ahead of all others, at any cost",
    "hoarder": "wins pieces, and leaves none where it can be taken",
    "wall": "advances in ranks that guard each other, and keeps its home row",
}


class BreakthroughBoard(msgspec.Struct, frozen=True):
    """The size of the board: ranks from 1, files from a."""

    rows: int
    columns: int


class BreakthroughView(msgspec.Struct, frozen=True):
    """The squares of both players' pieces, who moves, and the winner (null while the game goes on)."""

    pieces: list[list[str]]
    player: int
    winner: int | None


def about(game: core.Game) -> About:
    """Breakthrough on any board."""
    assert isinstance(game, Breakthrough)
    deep = "two rows" if game.rows >= 6 else "one row"
    row, middle = 2 if game.rows >= 6 else 1, game.rows // 2
    return About(
        title="Breakthrough",
        goal="Bring one of your pieces to the far row, or take all pieces of the other player.",
        rules=(
            f"The board has {game.rows} rows and {game.columns} columns. Each player begins with {deep} full of pieces "
            "at their own end. Player 0 begins at the bottom and moves up; player 1 moves down. Players move in turn, "
            "one piece one step forward: straight ahead or diagonally to an empty square. A diagonal step may also "
            "take a piece of the other player, which is removed; a straight step may not. Pieces never move sideways "
            "or back, and taking is never required. The first player to reach the far row wins, and so does a player "
            "who takes the last piece of the other. There are no draws."
        ),
        players=("player 0, who begins at the bottom and moves up", "player 1, at the top, who moves down"),
        actions=(
            ActionForm("<square>-<square>", "a piece steps to an empty square", (f"a{row}-a{row + 1}",)),
            ActionForm("<square>x<square>", "a piece takes one of the other player's", (f"a{middle}xb{middle + 1}",)),
        ),
        strategies=STRATEGIES,
        minutes=15,
        glossary={"far row": "the row where the other player began; a piece that gets there wins"},
        colours={"dark pieces": "player 1, moving down", "light pieces": "player 0, moving up"},
        opponents={
            "runner": "Sends one piece ahead at any cost: stop it, and you have time.",
            "hoarder": "Takes what it can, and leaves nothing to be taken.",
            "wall": "Advances in ranks that guard each other.",
        },
    )


def board(game: Breakthrough) -> BreakthroughBoard:
    return BreakthroughBoard(game.rows, game.columns)


def view(state: State) -> BreakthroughView:
    pieces = [[name(square) for square in sorted(side, key=number)] for side in state.pieces]
    return BreakthroughView(pieces, state.player, state.winner)


FIELDS = Fields(board, view)
