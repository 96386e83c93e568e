"""Breakthrough over kernels: the same State, used by default; the reference is for reading and for tests."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Self

from numpy import dtype, empty, int64

from kibitz.core.drawing.squares import Square, coordinates, number
from kibitz.games.breakthrough import rules
from kibitz.games.breakthrough.kernels import MOST_ACTIONS, board_word, list_actions
from kibitz.games.breakthrough.rules import squares

INT64 = dtype(int64)
Step = tuple[int, int, bool]
"""What an action does: the bits that change, the bit it lands on, whether that wins."""


class Breakthrough(rules.Breakthrough):
    __doc__ = rules.Breakthrough.__doc__

    def new_initial_state(self) -> "State":
        return State(self, super().new_initial_state().bitboards())

    @cached_property
    def board(self) -> int:
        """The squares as a word."""
        return board_word(self.rows, self.columns)

    @cached_property
    def steps(self) -> tuple[dict[int, Step], dict[int, Step]]:
        """The steps of each player by their actions."""
        return steps_of(self.rows, self.columns, 0), steps_of(self.rows, self.columns, 1)


@cache
def steps_of(rows: int, columns: int, player: int) -> dict[int, Step]:
    """Every step there is for *player* on a board, by its action."""
    game, found = rules.Breakthrough(rows, columns), {}
    for action in range(3 * 64):
        origin, target = squares(action, player)
        if game.has(origin) and game.has(target):
            landed = 1 << number(target)
            found[action] = 1 << number(origin) | landed, landed, game.rows_advanced(target, player) == rows - 1
    return found


class State(rules.State):
    """A state as words instead of sets, as plain ints: stepping them costs less than calling a kernel."""

    game: Breakthrough

    def __init__(self, game: Breakthrough, boards: tuple[int, int], player: int = 0, winner: int | None = None) -> None:
        self.game, self.boards, self.player, self.winner = game, boards, player, winner

    @property
    def pieces(self) -> rules.Pieces:  # type: ignore[override]
        first, second = (
            frozenset(coordinates(place) for place in range(64) if word >> place & 1) for word in self.boards
        )
        return first, second

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        mover = self.player
        if self.winner is not None or (player is not None and player != mover):
            return ()
        first, second = self.boards
        out = empty(MOST_ACTIONS, INT64)
        found: list[int] = out[: list_actions(first, second, self.game.board, mover, out)].tolist()
        return found

    def apply_action(self, action: int) -> None:
        mover = self.player
        moved, landed, arrived = self.game.steps[mover][action]
        if mover == 0:
            own, other = self.boards
            self.boards = own ^ moved, other & ~landed
        else:
            other, own = self.boards
            self.boards = other & ~landed, own ^ moved
        self.player = 1 - mover
        if arrived or other == landed:
            self.winner = mover

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.game, copied.boards, copied.player, copied.winner = self.game, self.boards, self.player, self.winner
        return copied

    def bitboards(self) -> tuple[int, int]:
        return self.boards

    def stands(self, player: int, square: Square) -> bool:
        return bool(self.boards[player] >> number(square) & 1)
