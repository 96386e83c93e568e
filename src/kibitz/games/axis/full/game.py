"""`FullState`: the whole game as players and programs see it; a group of units gets its order by one action."""

from collections import deque
from typing import Any, Self

import msgspec

from kibitz import core
from kibitz.core.errors import IllegalAction, NotUnderstood
from kibitz.games.axis.full.notation import order_number, order_of_number, order_text, read_orders, roll_text
from kibitz.games.axis.full.orders import Order
from kibitz.games.axis.full.situation import NOBODY, OVER, PHASES, Situation, initial_situation
from kibitz.games.axis.full.turn import advance, apply_order, apply_roll, cities, current_orders, mover, roll
from kibitz.games.axis.full.units import TECHNOLOGIES

REMEMBERED = 500
"""How many actions can be taken back."""
UNDECIDED = 0.5
"""The share of a victory that a lead in cities is worth when the rounds are over, for all cities."""


class FullState(core.State):
    """A situation, and the orders that may be given in it."""

    def __init__(self, game: core.Game, situation: Situation) -> None:
        self.game, self.situation = game, situation
        self.trail: deque[Situation] = deque(maxlen=REMEMBERED)
        self._orders: list[Order] | None = None
        self._player: int | None = None

    @property
    def orders(self) -> list[Order]:
        """What may be ordered now."""
        if self._orders is None:
            self._orders = current_orders(self.situation)
        return self._orders

    def current_player(self) -> int:
        if self._player is None:
            situation = self.situation
            if situation.phase == OVER:
                self._player = core.TERMINAL
            else:
                self._player = core.CHANCE if roll(situation) is not None else mover(situation)
        return self._player

    def legal_actions(self, player: int | None = None) -> core.RangedActions:
        current = self.current_player()
        if current < 0 or player not in (None, current):
            return core.RangedActions([])
        return core.RangedActions(
            range(order_number(order, min(1, order.most)), order_number(order, order.most) + 1) for order in self.orders
        )

    def chance_outcomes(self) -> list[tuple[int, float]]:
        rolled = roll(self.situation) if self.current_player() == core.CHANCE else None
        return list(rolled.odds) if rolled is not None else []

    def apply_action(self, action: int) -> None:
        self.trail.append(self.situation)
        if self.current_player() == core.CHANCE:
            self.situation = apply_roll(self.situation, action)
        else:
            self.situation = apply_order(self.situation, *order_of_number(action))
        self._orders = self._player = None

    def undo_action(self, player: int, action: int) -> None:
        self.situation = self.trail.pop()
        self._orders = self._player = None

    def clone(self) -> Self:
        copied = super().clone()
        copied.trail = deque(maxlen=REMEMBERED)  # what a copy plays is its own
        return copied

    def returns(self) -> list[float]:
        situation = self.situation
        powers = situation.world.powers
        if situation.winner != NOBODY:
            return [1.0 if power.side == situation.winner else -1.0 for power in powers]
        held = cities(situation)
        total, best = max(1, sum(held)), sorted([0, *held])
        ahead = [UNDECIDED * (own - (best[-2] if own == best[-1] else best[-1])) / total for own in held]
        return [ahead[power.side] + 0.0 for power in powers]

    def key(self) -> core.Key:
        return msgspec.structs.astuple(self.situation)[2:]

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_state, (self.game, self.key())

    # Words.

    def action_to_string(self, player: int, action: int) -> str:
        if player == core.CHANCE:
            return roll_text(self.situation, action)
        return order_text(self.situation, *order_of_number(action))

    def string_to_action(self, player: int, text: str) -> int:
        if player == core.CHANCE:
            return super().string_to_action(player, text)
        try:
            found = read_orders(self.situation, text, self.orders)
        except NotUnderstood as error:
            legal = self.legal_actions(player)
            some = [self.action_to_string(player, action) for action in legal[:9]]
            raise IllegalAction(player, text, some, str(error)) from None
        if len(found) != 1:
            some = [order_text(self.situation, *pair) for pair in found]
            raise IllegalAction(player, text, some)
        return order_number(*found[0])

    def split_notation(self, player: int, text: str) -> list[str]:
        try:
            found = read_orders(self.situation, text, self.orders)
        except NotUnderstood:
            return [text]
        return [order_text(self.situation, *pair) for pair in found] if len(found) > 1 else [text]

    def __str__(self) -> str:
        situation, world = self.situation, self.situation.world
        names = world.units.names
        lines = []
        for number, area in enumerate(world.areas):
            units = "; ".join(
                f"{power.name} {text}"
                for place, power in enumerate(world.powers)
                if (text := self._units(number, place))
            )
            owner = situation.owners[number]
            if units or owner != NOBODY:
                whose = world.powers[owner].name if owner != NOBODY else "nobody"
                factory = ", factory" if number in situation.factories else ""
                lines.append(f"{area.name} ({whose}{factory}): {units or 'empty'}")
        for place, power in enumerate(world.powers):
            known = [name for bit, name in enumerate(TECHNOLOGIES) if situation.technologies[place] >> bit & 1]
            lines.append(f"{power.name}: {situation.money[place]} IPC{''.join(f', {name}' for name in known)}")
        if situation.phase == OVER:
            won = f"{world.sides[situation.winner]} win" if situation.winner != NOBODY else "nobody wins"
            return "\n".join([*lines, f"over after round {situation.round - 1}, {won}"])
        fight = situation.engagement
        where = f", battle in {world.areas[fight.area].name}, round {fight.round}" if fight is not None else ""
        when = f"round {situation.round}, {world.powers[situation.mover].name}, {PHASES[situation.phase]}{where}"
        waiting = [f"{number} {names[kind]}" for kind, number in enumerate(situation.bought) if number]
        return "\n".join([*lines, when, *([f"bought: {' '.join(waiting)}"] if waiting else [])])

    def _units(self, area: int, power: int) -> str:
        """The units of a power in an area, in words, with what they carry."""
        found, names = [], self.situation.world.units.names
        for stack, number in self.situation.own_units(area, power):
            cargo = f" with {' '.join(names[item.kind] for item in stack.cargo)}" if stack.cargo else ""
            hurt = " damaged" if stack.damage else ""
            found.append(f"{number} {names[stack.kind]}{hurt}{cargo}")
        return ", ".join(found)


def initial_state(game: Any) -> FullState:
    """The start of the whole game, at the first decision."""
    return FullState(game, advance(initial_situation(game.world, game.full_rules)))


def restore_state(game: Any, fields: tuple[Any, ...]) -> FullState:
    """A state from its game and its key."""
    return FullState(game, Situation(game.world, game.full_rules, *fields))
