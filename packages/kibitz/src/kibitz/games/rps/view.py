"""Rock-paper-scissors for people and programs: two tracks with a piece each, named fields, words."""

from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.kit.positions import Fields
from kibitz.core.pictures.figures import PRINT, counter, token
from kibitz.games.rps.rules import UNLIMITED, RockPaperScissors, State

LONGEST = 24
"""Longer tracks are drawn only so far."""
MARGIN = 1.0


def draw(state: core.State) -> drawing.Drawing:
    """The rounds won: a match ends in the marked squares, if anybody gets there."""
    assert isinstance(state, State)
    game = state.game
    last = min(game.rounds if game.goal in ("points", "tie") else game.wins, LONGEST)
    shapes: list[drawing.AnyShape] = []
    for row, won in enumerate((state.own, state.others)):
        for column in range(last + 1):
            fill = "mark" if column == last else "shade" if (column + row) % 2 else "board"
            x, y, symbol = MARGIN + column, MARGIN + row, "*" if column == last else "·"
            shapes.append(drawing.Rect(id=f"square-{column}-{row}", x=x, y=y, fill=fill, symbol=symbol, corner=0.0))
        x, y, ink = MARGIN + min(won, last) + 0.5, MARGIN + row + 0.5, drawing.ink_of(row)
        title = f"{game.player_name(row)} has won {won}"
        shapes += counter(f"won-{row}", x, y, token(row), 1, fill=ink, title=title, symbol=str(won), size=0.9)
        name = f"won-{row}-text"
        shapes.append(drawing.Label(id=name, x=x, y=y, text=str(won), size=0.3, fill=PRINT, symbol=" ", bold=True))
    prompt = "" if state.is_terminal() else "Choose below; both choose at the same time."
    notes = tuple(drawing.PlayerNote(player, prompt) for player in (0, 1))
    return drawing.Drawing(last + 1 + 2 * MARGIN, 2 + MARGIN + 0.3, tuple(shapes), (), str(state), notes)


class RpsBoard(msgspec.Struct, frozen=True):
    """The rounds to win, the goal of player 0, and the rounds that are played (null: no limit)."""

    wins: int
    goal: str
    rounds: int | None


class RpsView(msgspec.Struct, frozen=True):
    """The rounds each player has won, as far as they count, and the rounds left (null: no limit)."""

    won: tuple[int, int]
    left: int | None


def board(game: RockPaperScissors) -> RpsBoard:
    return RpsBoard(game.wins, game.goal, game.rounds or None)


def view(state: State) -> RpsView:
    return RpsView((state.own, state.others), None if state.left == UNLIMITED else state.left)


def word_values(game: RockPaperScissors) -> dict[str, Any]:
    """Whether player 0 can run out of time."""
    return {"may_be_late": bool(game.rounds) and game.goal in ("first", "ever")}


FIELDS = Fields(board, view)
