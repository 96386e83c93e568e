"""Breakthrough (Dan Troyka, 2000): pieces step forward, take diagonally, and the first on the far row wins.

Here is the board; `kernels` moves the pieces. Files a–h and ranks 1–8 are x and y from 0; player 0 begins, at the
bottom, and moves up. The rules are those of OpenSpiel's `breakthrough`, which draws player 0 at the top.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.kit.compiled import GOES_ON, CompiledState, Words
from kibitz_lab.games.bitboards import FILES, Square, coordinates, name, number, parse_square, squares_of, word_of
from kibitz_lab.games.breakthrough.kernels import KERNELS


class Breakthrough(core.Game):
    """Breakthrough: bring a piece to the far row, or take all the others.

    Each side begins with two full rows; boards of fewer than six *rows* leave room for one only.
    """

    action_bound = 3 * 64

    def __init__(
        self, rows: Annotated[int, Meta(ge=3, le=8)] = 8, columns: Annotated[int, Meta(ge=2, le=8)] = 8
    ) -> None:
        self.rows, self.columns = rows, columns

    def new_initial_state(self) -> "State":
        return State(self, self.first_words)

    @cached_property
    def first_words(self) -> Words:
        """The words of the first state."""
        deep = 2 if self.rows >= 6 else 1
        first = [(x, y) for y in range(deep) for x in range(self.columns)]
        return self.position_words(first, [(x, self.rows - 1 - y) for x, y in first])

    def position_words(self, first: Iterable[Square], second: Iterable[Square], player: int = 0) -> Words:
        """The words of a position with these pieces."""
        board = [(x, y) for y in range(self.rows) for x in range(self.columns)]
        return np.array([word_of(first), word_of(second), player, word_of(board)], np.uint64)

    def rows_advanced(self, square: Square, player: int) -> int:
        """How many rows a piece of *player* has come from its home row."""
        return square[1] if player == 0 else self.rows - 1 - square[1]


class State(CompiledState):
    """Where the pieces of both stand, and which player is to move."""

    game: Breakthrough
    kernels = KERNELS

    @property
    def pieces(self) -> tuple[frozenset[Square], frozenset[Square]]:
        """The squares of both players' pieces."""
        first, second = self.words[:2].tolist()
        return squares_of(first), squares_of(second)

    @property
    def winner(self) -> int | None:
        """The winner; None while the game goes on."""
        return None if self.outcome == GOES_ON else self.outcome - 1

    def key(self) -> core.Key:
        first, second, meta, _ = self.words.tolist()
        return (first, second), meta & 1

    def action_to_string(self, player: int, action: int) -> str:
        origin, target = squares(action, player)
        return f"{name(origin)}{'x' if self.stands(1 - player, target) else '-'}{name(target)}"

    def stands(self, player: int, square: Square) -> bool:
        """Whether *player* has a piece there."""
        return bool(int(self.words[player]) >> number(square) & 1)

    def __str__(self) -> str:
        game, (first, second) = self.game, self.pieces
        lines = []
        for y in reversed(range(game.rows)):
            row = [(x, y) for x in range(game.columns)]
            cells = ["0" if square in first else "1" if square in second else "." for square in row]
            lines.append(f"{y + 1} {' '.join(cells)}")
        turn = f"player {self.player} to move" if self.winner is None else f"player {self.winner} has won"
        return "\n".join([*lines, f"  {' '.join(FILES[: game.columns])}", turn])


def squares(action: int, player: int) -> tuple[Square, Square]:
    """From where to where an action of *player* leads."""
    direction, origin = divmod(action, 64)
    x, y = coordinates(origin)
    return (x, y), (x + direction - 1, y + (1 if player == 0 else -1))


def position(first: str, second: str, player: int = 0, game: Breakthrough | None = None) -> State:
    """A position by the squares of both sides: `position("a2 b2", "c7")`."""
    rules = game or Breakthrough()
    pieces = [[parse_square(each) for each in text.split()] for text in (first, second)]
    return State(rules, rules.position_words(pieces[0], pieces[1], player))
