"""`FullState`: the whole game as players and programs see it; a group of units gets its order by one action."""

from typing import Any, Self

import numpy as np

from kibitz import core
from kibitz.core.errors import IllegalAction, NotUnderstood
from kibitz.core.kernels.structs import zeros
from kibitz_axis.full.fire import roll_odds
from kibitz_axis.full.movement import item_kind
from kibitz_axis.full.notation import order_text, read_orders, roll_text
from kibitz_axis.full.orders import Order, number_of, order_of_number
from kibitz_axis.full.position import NOBODY, OVER, PHASES, Position, Stack
from kibitz_axis.full.stacks import first_in
from kibitz_axis.full.tables import Row, WorldRules
from kibitz_axis.full.turn import CHANCE, count_cities, play_order, play_result
from kibitz_axis.full.units import TECHNOLOGIES

UNDECIDED = 0.5
"""The share of a victory that a lead in cities is worth when the rounds are over, for all cities."""


class FullState(core.State):
    """The row of a position, and the orders that may be given in it."""

    def __init__(self, game: Any, row: Row) -> None:
        self.game, self.row = game, row
        self._forget()

    def _forget(self) -> None:
        self._position: Position | None = None
        self._orders: Row | None = None
        self._player: int | None = None

    @property
    def position(self) -> Position:
        """The position; it is not changed."""
        if self._position is None:
            self._position = Position.unpack(self.row)
        return self._position

    @property
    def tables(self) -> WorldRules:
        """The board and the rules."""
        tables: WorldRules = self.game.tables
        return tables

    def units_in(self, area: int, power: int | None = None) -> list[Stack]:
        """The units in an area, or those of one power."""
        position = self.position
        here = position.stacks[first_in(position, area) : first_in(position, area + 1)]
        return here if power is None else [stack for stack in here if stack.power == power]

    @property
    def orders(self) -> list[Order]:
        """What may be ordered now."""
        return [order_of_number(first)[0]._replace(most=most) for first, most in self._orders_in_row().tolist()]

    def _orders_in_row(self) -> Row:
        if self._orders is None:
            decides = self.current_player() >= 0
            found = self.tables.list_orders(self.row) if decides else np.empty((0, 2), np.int64)
            self._orders = found[np.argsort(found[:, 0], kind="stable")]
        return self._orders

    def current_player(self) -> int:
        if self._player is None:
            player = self.tables.player_to_move(self.row)
            self._player = player if player >= 0 else core.CHANCE if player == CHANCE else core.TERMINAL
        return self._player

    def legal_actions(self, player: int | None = None) -> core.RangedActions:
        current = self.current_player()
        if current < 0 or player not in (None, current):
            return core.RangedActions([])
        return core.RangedActions(range(first, first + max(1, most)) for first, most in self._orders_in_row().tolist())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        chance = self.current_player() == core.CHANCE
        return list(roll_odds(self.tables.setting, self.position)) if chance else []

    def apply_action(self, action: int) -> None:
        play = play_result if self.current_player() == core.CHANCE else play_order
        self.row = self.tables.play(play, self.row, action)
        self._forget()

    def clone(self) -> Self:
        return type(self)(self.game, self.row)  # what a copy plays is its own

    def returns(self) -> list[float]:
        position, sides = self.position, self.tables.setting.side
        if position.winner != NOBODY:
            return [1.0 if side == position.winner else -1.0 for side in sides]
        held = zeros(self.tables.setting.sides)
        count_cities(self.tables.setting, position, held)
        total, best = max(1, sum(held)), sorted([0, *held])
        ahead = [UNDECIDED * (own - (best[-2] if own == best[-1] else best[-1])) / total for own in held]
        return [ahead[side] + 0.0 for side in sides]

    def key(self) -> core.Key:
        return self.position.key()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.row)

    # Words.

    def order_text(self, order: Order, count: int) -> str:
        """An order in words."""
        return order_text(self.tables.world, self.position.phase, order, count)

    def action_to_string(self, player: int, action: int) -> str:
        if player == core.CHANCE:
            return roll_text(self.tables, self.position, action)
        return self.order_text(*order_of_number(action))

    def string_to_action(self, player: int, text: str) -> int:
        if player == core.CHANCE:
            return super().string_to_action(player, text)
        try:
            found = read_orders(self.tables, self.position, text, self.orders)
        except NotUnderstood as error:
            legal = self.legal_actions(player)
            some = [self.action_to_string(player, action) for action in legal[:9]]
            raise IllegalAction(player, text, some, str(error)) from None
        if len(found) != 1:
            some = [self.order_text(*pair) for pair in found]
            raise IllegalAction(player, text, some)
        return number_of(*found[0])

    def split_notation(self, player: int, text: str) -> list[str]:
        try:
            found = read_orders(self.tables, self.position, text, self.orders)
        except NotUnderstood:
            return [text]
        return [self.order_text(*pair) for pair in found] if len(found) > 1 else [text]

    def __str__(self) -> str:
        position, world = self.position, self.tables.world
        names = world.units.names
        lines = []
        for number, area in enumerate(world.areas):
            units = "; ".join(
                f"{power.name} {text}"
                for place, power in enumerate(world.powers)
                if (text := self._units(number, place))
            )
            owner = position.owners[number]
            if units or owner != NOBODY:
                whose = world.powers[owner].name if owner != NOBODY else "nobody"
                factory = ", factory" if position.factories[number] else ""
                lines.append(f"{area.name} ({whose}{factory}): {units or 'empty'}")
        for place, power in enumerate(world.powers):
            known = [name for bit, name in enumerate(TECHNOLOGIES) if position.known[place] >> bit & 1]
            lines.append(f"{power.name}: {position.money[place]} IPC{''.join(f', {name}' for name in known)}")
        if position.phase == OVER:
            won = f"{world.sides[position.winner]} win" if position.winner != NOBODY else "nobody wins"
            return "\n".join([*lines, f"over after round {position.round - 1}, {won}"])
        fight = f", battle in {world.areas[position.battle].name}, round {position.battle_round}"
        where = fight if position.battle != NOBODY else ""
        when = f"round {position.round}, {world.powers[position.mover].name}, {PHASES[position.phase]}{where}"
        waiting = [f"{number} {names[kind]}" for kind, number in enumerate(position.bought) if number]
        return "\n".join([*lines, when, *([f"bought: {' '.join(waiting)}"] if waiting else [])])

    def _units(self, area: int, power: int) -> str:
        """The units of a power in an area, in words, with what they carry."""
        found, names = [], self.tables.world.units.names
        for stack in self.units_in(area, power):
            cargo = [names[item_kind(item)] for item in stack.cargo if item]
            hurt = " damaged" if stack.damage else ""
            found.append(f"{stack.count} {names[stack.kind]}{hurt}{f' with {chr(32).join(cargo)}' if cargo else ''}")
        return ", ".join(found)


def initial_state(game: Any) -> FullState:
    """The start of the whole game, at the first decision."""
    return FullState(game, game.tables.start())
