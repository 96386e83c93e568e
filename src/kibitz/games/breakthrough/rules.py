"""Breakthrough (Dan Troyka, 2000): pieces step forward, take diagonally, and the first on the far row wins.

This is the readable reference, on sets of coordinates. Files a–h and ranks 1–8 are x and y from 0; player 0 begins, at
the bottom, and moves up. The rules are those of OpenSpiel's `breakthrough`, which draws player 0 at the top.
"""

from collections.abc import Sequence
from typing import Annotated, Self

from msgspec import Meta

from kibitz import core
from kibitz.core.drawing.squares import FILES, Square, coordinates, name, number, parse_square

Pieces = tuple[frozenset[Square], frozenset[Square]]
DIRECTIONS = (-1, 0, 1)
"""What a step adds to x; an action is 64 * the place in here + the number of the square it leaves."""


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
        deep = 2 if self.rows >= 6 else 1
        first = frozenset((x, y) for y in range(deep) for x in range(self.columns))
        return State(self, (first, frozenset((x, self.rows - 1 - y) for x, y in first)))

    def rows_advanced(self, square: Square, player: int) -> int:
        """How many rows a piece of *player* has come from its home row."""
        return square[1] if player == 0 else self.rows - 1 - square[1]

    def has(self, square: Square) -> bool:
        """Whether *square* is on the board."""
        return 0 <= square[0] < self.columns and 0 <= square[1] < self.rows


class State(core.State):
    """Where the pieces of both stand, and which player is to move."""

    def __init__(self, game: Breakthrough, pieces: Pieces, player: int = 0, winner: int | None = None) -> None:
        self.game, self.pieces, self.player, self.winner = game, pieces, player, winner

    def current_player(self) -> int:
        return self.player if self.winner is None else core.TERMINAL

    def is_terminal(self) -> bool:
        return self.winner is not None

    def returns(self) -> list[float]:
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.winner is not None or player not in (None, self.player):
            return ()
        return sorted(action for square in self.pieces[self.player] for action in self.steps(square, self.player))

    def steps(self, square: Square, player: int) -> list[int]:
        """What one piece may do: straight on to an empty square, diagonally also onto a piece of the other."""
        found = []
        for direction in DIRECTIONS:
            target = step(square, player, direction)
            straight = direction == 0
            blocked = target in self.pieces[player] or (straight and target in self.pieces[1 - player])
            if self.game.has(target) and not blocked:
                found.append(64 * DIRECTIONS.index(direction) + number(square))
        return found

    def apply_action(self, action: int) -> None:
        mover, other = self.player, 1 - self.player
        origin, target = squares(action, mover)
        own, theirs = self.pieces[mover] - {origin} | {target}, self.pieces[other] - {target}
        self.pieces = (own, theirs) if mover == 0 else (theirs, own)
        self.player = other
        if not theirs or self.game.rows_advanced(target, mover) == self.game.rows - 1:
            self.winner = mover

    def clone(self) -> Self:
        return type(self)(self.game, self.pieces, self.player, self.winner)

    def bitboards(self) -> tuple[int, int]:
        """The pieces of both as words, a bit per square."""
        first, second = (sum(1 << number(square) for square in side) for side in self.pieces)
        return first, second

    def key(self) -> core.Key:
        return self.bitboards(), self.player

    def action_to_string(self, player: int, action: int) -> str:
        origin, target = squares(action, player)
        return f"{name(origin)}{'x' if self.stands(1 - player, target) else '-'}{name(target)}"

    def stands(self, player: int, square: Square) -> bool:
        """Whether *player* has a piece there."""
        return square in self.pieces[player]

    def __str__(self) -> str:
        game, (first, second) = self.game, self.pieces
        lines = []
        for y in reversed(range(game.rows)):
            row = [(x, y) for x in range(game.columns)]
            cells = ["0" if square in first else "1" if square in second else "." for square in row]
            lines.append(f"{y + 1} {' '.join(cells)}")
        turn = f"player {self.player} to move" if self.winner is None else f"player {self.winner} has won"
        return "\n".join([*lines, f"  {' '.join(FILES[: game.columns])}", turn])


def step(square: Square, player: int, direction: int) -> Square:
    """One step forward for *player*, and *direction* to the right."""
    return square[0] + direction, square[1] + (1 if player == 0 else -1)


def squares(action: int, player: int) -> tuple[Square, Square]:
    """From where to where an action of *player* leads."""
    place, origin = divmod(action, 64)
    return coordinates(origin), step(coordinates(origin), player, DIRECTIONS[place])


def position(first: str, second: str, player: int = 0, game: Breakthrough | None = None) -> State:
    """A position by the squares of both sides: `position("a2 b2", "c7")`."""
    sides = [frozenset(map(parse_square, text.split())) for text in (first, second)]
    return State(game or Breakthrough(), (sides[0], sides[1]), player)
