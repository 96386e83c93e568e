"""What a power can do now: the board as tables, its legal orders taken apart, and where its units can go."""

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz_axis.commander.kernels.fights import Counts
from kibitz_axis.full.board import World
from kibitz_axis.full.orders import BASES
from kibitz_axis.full.position import NOBODY, Position
from kibitz_axis.full.tables import Row, WorldRules

FAR = 99
OVERSEAS = 0.3
"""How much an area counts as near what lies across water, compared with what lies on the same land."""
AREA_VALUE, CITY_VALUE, FACTORY_VALUE, CAPITAL_VALUE = 3.0, 8.0, 5.0, 20.0
"""What areas are worth in IPC to players who attack, by hand: some turns of income, and more for what decides."""


class Possible(NamedTuple):
    """A legal order, for how many units at most."""

    number: int
    most: int
    verb: int
    area: int
    kind: int
    variant: int
    to: int
    via: int


class Ground(msgspec.Struct, frozen=True, dict=True):
    """What never changes in a match: the board as tables."""

    tables: WorldRules
    steps: Row
    """Ways of one or two moves by land, and by sea."""
    closeness: Counts
    """How near areas are to each other, 1 where they are the same."""
    scale: float
    """The income of all areas."""

    @property
    def world(self) -> World:
        """The board."""
        return self.tables.world

    @property
    def board(self) -> Row:
        """The board and the rules in numbers."""
        return self.tables.row

    @property
    def powers(self) -> int:
        """How many powers there are."""
        return len(self.world.powers)

    @cached_property
    def fights(self) -> NDArray[np.bool_]:
        """Whether each kind of unit fights."""
        return np.array([kind.fights for kind in self.world.units.kinds])

    @cached_property
    def land(self) -> NDArray[np.bool_]:
        """Whether each area is land that can be reached."""
        return np.array([not sea and bool(ways) for sea, ways in zip(self.world.sea, self.world.ways, strict=True)])

    @cached_property
    def printed_values(self) -> Counts:
        """What each area is worth to who attacks it, by what is printed on the board."""
        return np.array([AREA_VALUE * area.value + CITY_VALUE * area.city for area in self.world.areas])

    @cached_property
    def prizes(self) -> Counts:
        """How much each area draws land units to it: cities more than others, the sea not at all."""
        areas = zip(self.world.areas, self.world.sea, strict=True)
        return np.array([0.0 if sea else 0.15 * (area.value > 0) + 0.85 * area.city for area, sea in areas])


def ground_of(game: Any) -> Ground:
    """The tables of a game."""
    return _ground(game.scenario, game)


@lru_cache(maxsize=4)
def _ground(scenario: str, game: Any) -> Ground:
    world: World = game.world
    areas = len(world.areas)
    steps = np.zeros((areas, areas), dtype=np.int64)
    for start, ways in enumerate(world.ways):
        for to in ways:
            steps[start, to] = world.sea[start] == world.sea[to]
    two = ((steps @ steps) > 0) & (steps == 0) & ~np.eye(areas, dtype=bool)
    marches, air = np.array(world.marches), np.array(world.air)
    by_sea = OVERSEAS / (1.0 + air)
    closeness = np.where(marches < FAR, np.maximum(1.0 / (1.0 + marches), by_sea), by_sea)
    scale = float(max(1, sum(area.value for area in world.areas)))
    return Ground(game.tables, steps + 2 * two, closeness, scale)


def plays_here(game: core.Game) -> bool:
    """Whether the whole game is played."""
    return getattr(game, "rules", "") == "full"


class Survey:
    """A position and what its mover may order."""

    def __init__(self, ground: Ground, row: Row) -> None:
        self.ground, self.row, self.fields = ground, row, Position.view(row)
        world = ground.world
        self.mover, self.phase = int(self.fields["mover"]), int(self.fields["phase"])
        self.side = world.powers[self.mover].side
        self.units = np.zeros((len(world.areas), ground.powers + 1, len(world.units.kinds)))
        self.control = np.zeros((len(world.areas), len(world.sides)))
        self.money = self.fields["money"].astype(np.float64)
        stacks, owners = self.fields["stacks"][: self.fields["stacks count"]], self.fields["owners"]
        np.add.at(self.units, (stacks["area"], stacks["power"], stacks["kind"]), stacks["count"])
        owned = np.flatnonzero(owners >= 0)
        self.control[owned, [world.powers[owner].side for owner in owners[owned]]] = 1.0
        self.friends = np.array([power.side == self.side for power in world.powers] + [False])
        self.enemy_units = self.units[:, ~self.friends].sum(axis=1)
        self.own = self.units[:, self.mover]
        self.defended = self.enemy_units[:, ground.fights].sum(axis=1) > 0.0
        self.hostile = ground.land & (self.control[:, self.side] < 1.0)
        self._orders: list[Possible] | None = None

    @property
    def orders(self) -> list[Possible]:
        """The legal orders."""
        if self._orders is None:
            self._orders = legal_orders(self.ground.tables, self.row)
        return self._orders

    def owner(self, area: int) -> int:
        """The power that owns an area."""
        return int(self.fields["owners"][area])

    def has_factory(self, area: int) -> bool:
        """Whether an area has a factory."""
        return bool(self.factories[area])

    def attackable(self, area: int) -> bool:
        """Whether there is something to attack or to take in an area."""
        return bool(self.hostile[area] or self.defended[area])

    @cached_property
    def factories(self) -> NDArray[np.bool_]:
        """Whether each area has a factory."""
        factories: NDArray[np.bool_] = self.fields["factories"] > 0
        return factories

    @cached_property
    def own_factories(self) -> list[int]:
        """The areas in which the mover makes units, the most valuable first."""
        areas = self.ground.world.areas
        own = [area for area in range(len(areas)) if self.factories[area] and self.owner(area) == self.mover]
        return sorted(own, key=lambda area: -areas[area].value)

    @cached_property
    def area_values(self) -> Counts:
        """What each area is worth to who attacks it, by hand."""
        values = self.ground.printed_values + FACTORY_VALUE * self.factories
        for power, capital in enumerate(self.ground.world.capitals):
            if capital != NOBODY:
                values[capital] += CAPITAL_VALUE + self.money[power]
        return values

    @cached_property
    def proximity(self) -> Counts:
        """How near each area is to what each side has yet to take: cities, factories and capitals count most."""
        proximity, prizes = np.zeros_like(self.control), self.ground.prizes.copy()
        for power, capital in enumerate(self.ground.world.capitals):
            if capital != NOBODY and self.owner(capital) == power:
                prizes[capital] = 1.0
        for side in range(proximity.shape[1]):
            proximity[:, side] = (self.ground.closeness * (prizes * (1.0 - self.control[:, side]))).max(axis=1)
        return proximity


def legal_orders(tables: WorldRules, row: Row) -> list[Possible]:
    """The legal orders of a position, taken apart."""
    orders, fields = tables.list_orders(row), []
    rest = orders[:, 0]
    for base in reversed(BASES):
        rest, value = np.divmod(rest, base)
        fields.append(value)
    _, via, to, variant, kind, area, verb = fields
    columns = (orders[:, 0], orders[:, 1], verb, area - 1, kind - 1, variant, to - 1, via - 1)
    return [Possible(*row) for row in np.stack(columns, axis=1).tolist()]
