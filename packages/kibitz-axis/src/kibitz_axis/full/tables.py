"""`WorldRules`: a board and its rules for plain Python and for compiled code, and what compiled rules make of a row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import are_compiled, machine_code
from kibitz_axis.full.board import World
from kibitz_axis.full.position import Position, Work, first_position, setting_of, work_of
from kibitz_axis.full.rules_options import FullRules
from kibitz_axis.full.turn import advance, list_orders, player_to_move

Row = NDArray[np.int64]


class WorldRules:
    """A board and its rules as its rules know them."""

    def __init__(self, world: World, rules: FullRules) -> None:
        self.world, self.rules, self.setting = world, rules, setting_of(world, rules)
        self.row, self.work = self.setting.pack(), work_of(world).pack()

    def player_to_move(self, row: Row) -> int:
        """Who decides now, or `CHANCE`, or `NO_PLAYER`."""
        if is_compiled(player_to_move):
            return int(machine_code(player_to_move)(self.row, row))
        return player_to_move(self.setting, Position.unpack(row))

    def list_orders(self, row: Row) -> Row:
        """The orders of a position, each by its number for one unit and for how many units it may be given."""
        if is_compiled(list_orders):
            numbers = self.work.copy()
            machine_code(list_orders)(self.row, row, numbers)
            found = Work.view(numbers)
            count = int(found["orders"])
            return np.stack((found["order"][:count], found["most"][:count]), axis=1)
        work = work_of(self.world)
        list_orders(self.setting, Position.unpack(row), work)
        return np.array((work.order[: work.orders], work.most[: work.orders]), np.int64).T

    def play(self, rule: Callable[..., None], row: Row, *arguments: int) -> Row:
        """The position after an order, a result of dice, or what needs neither."""
        if is_compiled(rule):
            after = row.copy()
            machine_code(rule)(self.row, after, *arguments, self.work.copy())
            return after
        position = Position.unpack(row)
        rule(self.setting, position, *arguments, work_of(self.world))
        return position.pack()

    def start(self) -> Row:
        """The row of the first position with a decision."""
        return self.play(advance, first_position(self.world, self.rules).pack())


def is_compiled(rule: Callable[..., Any]) -> bool:
    """Whether there is machine code of a rule; if not, it is played plain until there is."""
    return are_compiled(rule.kernel)  # type: ignore[attr-defined]
