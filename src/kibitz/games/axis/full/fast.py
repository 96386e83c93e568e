"""The whole game over kernels: the same state, used by default; the reference is for reading and for tests."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.games.axis import rules
from kibitz.games.axis.full.game import REMEMBERED, FullState, initial_state
from kibitz.games.axis.full.kernels.packing import board_words, fits_kernels, situation_of, situation_words
from kibitz.games.axis.full.kernels.turns import (
    MOST_ORDERS,
    list_orders,
    play_order,
    play_result,
    player_to_move,
)
from kibitz.games.axis.full.situation import Situation


class ArrayAxis(rules.Axis):
    __doc__ = rules.Axis.__doc__

    def new_initial_state(self) -> Any:
        if self.rules != "full" or not fits_kernels(self.world):
            return super().new_initial_state()
        board = board_words(self.world, self.full_rules)
        return FastState(self, board, situation_words(board, initial_state(self).situation))


class FastState(FullState):
    """A situation as numbers; the readable one is made from them where words or pictures need it."""

    def __init__(self, game: core.Game, board: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        self.game, self.board_numbers, self.numbers = game, board, numbers
        self.trail: Any = []
        self._forget()

    def _forget(self) -> None:
        self._situation: Situation | None = None
        self._orders = self._player = None

    @property
    def situation(self) -> Situation:  # type: ignore[override]
        if self._situation is None:
            game: Any = self.game
            self._situation = situation_of(game.world, game.full_rules, self.board_numbers, self.numbers)
        return self._situation

    def current_player(self) -> int:
        if self._player is None:
            self._player = {-1: core.CHANCE, -2: core.TERMINAL}.get(found := self._mover(), found)
        return self._player

    def _mover(self) -> int:
        return int(player_to_move(self.board_numbers, self.numbers))

    def legal_actions(self, player: int | None = None) -> core.RangedActions:
        current = self.current_player()
        if current < 0 or player not in (None, current):
            return core.RangedActions([])
        orders = np.empty((MOST_ORDERS, 2), dtype=np.int64)
        count = list_orders(self.board_numbers, self.numbers, orders)
        found = orders[:count]
        found = found[np.argsort(found[:, 0], kind="stable")]
        return core.RangedActions(range(first, first + max(1, most)) for first, most in found.tolist())

    def apply_action(self, action: int) -> None:
        self.trail.append(self.numbers)
        del self.trail[:-REMEMBERED]
        numbers, orders = self.numbers.copy(), np.empty((MOST_ORDERS, 2), dtype=np.int64)
        if self.current_player() == core.CHANCE:
            play_result(self.board_numbers, numbers, action, orders)
        else:
            play_order(self.board_numbers, numbers, action, orders)
        self.numbers = numbers
        self._forget()

    def undo_action(self, player: int, action: int) -> None:
        self.numbers = self.trail.pop()
        self._forget()

    def clone(self) -> Self:
        return type(self)(self.game, self.board_numbers, self.numbers)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.board_numbers, self.numbers)
