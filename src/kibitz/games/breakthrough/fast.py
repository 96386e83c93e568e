"""Breakthrough over kernels: the same State, used by default; the reference is for reading and for tests."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np

from kibitz.games.breakthrough import kernels, rules
from kibitz.games.breakthrough.rules import coordinates, number, squares

INT64 = np.dtype(np.int64)
Steps = tuple[dict[int, tuple[int, int, bool]], dict[int, tuple[int, int, bool]]]


class Breakthrough(rules.Breakthrough):
    __doc__ = rules.Breakthrough.__doc__

    def new_initial_state(self) -> "State":
        return State(self, super().new_initial_state().bitboards())

    @cached_property
    def board(self) -> int:
        """The squares as a word."""
        return kernels.board_word(self)

    @cached_property
    def steps(self) -> Steps:
        """What every action of each player does: the bits that change, the bit it lands on, whether that wins."""
        first, second = ({action: self.step(action, player) for action in range(3 * 64)} for player in (0, 1))
        return first, second

    def step(self, action: int, player: int) -> tuple[int, int, bool]:
        """What one action does; nothing where it leaves the board."""
        origin, target = squares(action, player)
        if not (self.has(origin) and self.has(target)):
            return 0, 0, False
        landed = 1 << number(target)
        return 1 << number(origin) | landed, landed, self.advanced(target, player) == self.rows - 1


class State(rules.State):
    """Words instead of sets, as plain ints: a step of them costs less than a call of a kernel."""

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
        if self.winner is not None or player == 1 - self.player:
            return ()
        first, second = self.boards
        out = np.empty(kernels.MOST_ACTIONS, INT64)
        found: list[int] = out[: kernels.list_actions(first, second, self.game.board, self.player, out)].tolist()
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
