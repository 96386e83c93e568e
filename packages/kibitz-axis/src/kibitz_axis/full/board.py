"""`World`: the board of the whole game, which is that of a land scenario with money, capitals, canals and fleets."""

import tomllib
from collections import Counter
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from kibitz_axis.full.units import REVISED_SET, UnitSet
from kibitz_axis.land.board import FAR, Area, Board, Power, distances_from
from kibitz_axis.land.scenarios import load
from kibitz_axis.units import Unit, read_army

SUPPLEMENTS = {"revised": Path(__file__).parent / "revised.toml"}
"""The scenarios that can be played in full, and what each adds to its land scenario."""


WIDE, HIGH = 4.0, 3.0
"""The room of an area that comes without a place."""
MOST_MADE = 1000
"""The number of units that a factory without a limit makes in a turn, and the most that are bought at once."""


class CanalTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A canal in the file: ships pass between two zones if the land beside it is friendly."""

    name: str
    zones: tuple[str, str]
    land: tuple[str, ...]


class SupplementTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file adds to a land scenario."""

    scenario: str
    money: dict[str, int]
    capitals: dict[str, str]
    canals: tuple[CanalTable, ...]
    fleets: dict[str, dict[str, str]]
    places: dict[str, tuple[float, float]]


class World(msgspec.Struct, frozen=True, dict=True):
    """Areas, powers in the order they move, and how everything stands at the start."""

    areas: tuple[Area, ...]
    powers: tuple[Power, ...]
    sides: tuple[str, ...]
    money: tuple[int, ...]
    capitals: tuple[int, ...]
    """Of every power the area it is ruled from; -1 for a power that has no capital."""
    canals: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Two zones, and the areas that must be friendly for ships to pass."""
    forces: tuple[tuple[int, int, int, int], ...]
    """Area, power (-1 is nobody's), kind and number of the units at the start."""
    units: UnitSet = REVISED_SET
    offers: tuple[tuple[int, ...], ...] = ()
    """Of every power the price of each kind, 0 for what it cannot buy; where it is empty all buy all."""
    order: tuple[int, ...] = ()
    """The powers that have turns, in their order; where it is empty, all."""
    defaults: dict[str, Any] = {}
    """The switches that the file of the board sets."""
    notes: tuple[str, ...] = ()
    """What the file of the board has and is not played."""
    name: str = "revised"

    @cached_property
    def board(self) -> Board:
        """The board as the land scenarios know it, for pictures and descriptions."""
        if self.name in SUPPLEMENTS:
            return load(self.name)
        units = tuple(
            Unit(
                kind.name, kind.attack, kind.defence, kind.price, kind.move, kind.domain, kind.hits,
                blitz=kind.blitz, supports=kind.supports, supported=kind.supported, bombards=kind.bombards,
                surprise=kind.submarine, detects=kind.destroyer, anti_air=kind.gun, also=kind.also,
            )
            for kind in self.units.kinds
        )  # fmt: skip
        armies = [[0] * len(units) for _ in range(len(self.areas) * len(self.powers))]
        for area, power, kind, count in self.forces:
            if power >= 0:
                armies[area * len(self.powers) + power][kind] += count
        first = self.sides[1] if len(self.sides) > 1 else ""
        forces = tuple(tuple(army) for army in armies)
        return Board(self.name, self.areas, self.powers, (self.sides[0], first), units, forces)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The powers that have turns, in their order."""
        return self.order or tuple(range(len(self.powers)))

    @cached_property
    def prices(self) -> tuple[tuple[int, ...], ...]:
        """Of every power what it pays for each kind; 0 is what it cannot buy."""
        return self.offers or (self.units.prices,) * len(self.powers)

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """Of every area how many units a factory there makes in a turn."""
        return tuple(area.value for area in self.areas)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Of every area its number, by name."""
        return {area.name: number for number, area in enumerate(self.areas)}

    @cached_property
    def folded_numbers(self) -> dict[str, int]:
        """Of every area its number, by name in small letters."""
        return {name.casefold(): number for name, number in self.numbers.items()}

    @cached_property
    def friendly(self) -> tuple[tuple[bool, ...], ...]:
        """Whether two powers are on one side; the last column is for nobody."""
        return tuple((*(one.side == other.side for other in self.powers), False) for one in self.powers)

    @cached_property
    def sea(self) -> tuple[bool, ...]:
        """Which areas are sea zones."""
        return tuple(area.sea for area in self.areas)

    @cached_property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """Of every area its neighbours that something may enter."""
        return tuple(
            tuple(to for to in area.neighbours if not self.areas[to].closed) if not area.closed else ()
            for area in self.areas
        )

    @cached_property
    def by_land(self) -> tuple[tuple[int, ...], ...]:
        """Of every land area its open neighbours on land."""
        return tuple(tuple(to for to in ways if not self.sea[to]) for ways in self.ways)

    @cached_property
    def by_sea(self) -> tuple[tuple[int, ...], ...]:
        """Of every area the sea zones beside it."""
        return tuple(tuple(to for to in ways if self.sea[to]) for ways in self.ways)

    @cached_property
    def air(self) -> tuple[tuple[int, ...], ...]:
        """Distances through the air, around closed areas."""
        return tuple(distances_from(start, self.ways) for start in range(len(self.areas)))

    @cached_property
    def marches(self) -> tuple[tuple[int, ...], ...]:
        """Distances on land."""
        return tuple(distances_from(start, self.by_land) for start in range(len(self.areas)))

    @cached_property
    def with_places(self) -> "World":
        """The board itself if all its areas have places, else with places for all.

        There is a column for each number of steps from the first area; what no way leads to comes last.
        """
        if all(area.place is not None for area in self.areas if not area.closed):
            return self
        areas, rows = [], Counter[int]()
        last = max(far for far in self.air[0] if far < FAR) + 1
        for area, far in zip(self.areas, self.air[0], strict=True):
            column = min(far, last)
            place = ((column + 0.6) * WIDE, (rows[column] + 0.6) * HIGH)
            areas.append(msgspec.structs.replace(area, place=place))
            rows[column] += 1
        return msgspec.structs.replace(self, areas=tuple(areas))


def read_world(scenario: str) -> World:
    """The board of the whole game of a scenario: a name, or a map file of TripleA's."""
    if scenario in SUPPLEMENTS:
        return _read_supplement(scenario)
    path = Path(scenario)
    return _read_file(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=8)
def _read_file(path: Path, changed: int) -> World:
    """The board of a map file, read again when the file has *changed*."""
    from kibitz_axis.triplea.map_file import read_map_world

    return read_map_world(path)


@lru_cache(maxsize=8)
def _read_supplement(scenario: str) -> World:
    path = SUPPLEMENTS[scenario]
    table = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), SupplementTable)
    land = load(table.scenario)
    numbers = {area.name: number for number, area in enumerate(land.areas)}
    names = [power.name for power in land.powers]
    forces = [
        (place // len(names), place % len(names), REVISED_SET.names.index(land.units[kind].name), count)
        for place, army in enumerate(land.forces)
        for kind, count in enumerate(army)
        if count
    ]
    for power, fleet in table.fleets.items():
        for zone, army in fleet.items():
            counts = enumerate(read_army(army))
            forces += [(numbers[zone], names.index(power), kind, count) for kind, count in counts if count]
    areas = (msgspec.structs.replace(each, place=table.places.get(each.name, each.place)) for each in land.areas)
    return World(
        tuple(areas),
        land.powers,
        land.sides,
        tuple(table.money[name] for name in names),
        tuple(numbers[table.capitals[name]] for name in names),
        tuple(
            (numbers[each.zones[0]], numbers[each.zones[1]], tuple(numbers[name] for name in each.land))
            for each in table.canals
        ),
        tuple(sorted(forces)),
    )
