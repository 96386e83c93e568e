"""Kinds of units of the whole game: those of Revised, priced in `kibitz_axis.units`, or a map's; and technologies."""

from functools import cached_property
from typing import Literal

import msgspec

from kibitz_axis.units import REVISED

INFANTRY, ARTILLERY, TANK, FIGHTER, BOMBER, SUBMARINE, TRANSPORT, DESTROYER, CARRIER, BATTLESHIP, GUN = range(11)
FACTORY = 11
"""The numbers of the kinds of Revised."""

JETS, SUPER_SUBMARINES, LONG_RANGE, ROCKETS, BOMBARDMENT, HEAVY_BOMBERS = range(6)
TECHNOLOGIES = (
    "jet power",
    "super submarines",
    "long range aircraft",
    "rockets",
    "combined bombardment",
    "heavy bombers",
)


class Kind(msgspec.Struct, frozen=True):
    """A kind of unit: its strengths, its price, and what it can do."""

    name: str
    price: int = 0
    attack: int = 0
    defence: int = 0
    move: int = 0
    domain: Literal["land", "air", "sea"] = "land"
    hits: int = 1
    """How many hits destroy one."""
    blitz: bool = False
    supports: bool = False
    """Whether it lifts the attack of one supported unit by 1."""
    supported: bool = False
    submarine: bool = False
    destroyer: bool = False
    bombards: bool = False
    raids: bool = False
    """Whether it may raid factories."""
    gun: bool = False
    """Whether it fires at aircraft, takes part in no battle, and is captured."""
    factory: bool = False
    room: int = 0
    """What it carries, as a transport, and what it takes aboard one (*load*; 0 is no cargo)."""
    load: int = 0
    deck: int = 0
    """What it carries, as a carrier, and what it takes on one (*berth*; 0 may not land there)."""
    berth: int = 0
    also: tuple[str, ...] = ()
    """Other names for it."""

    @property
    def fights(self) -> bool:
        """Whether it takes part in battles; what does not is captured with its area."""
        return not self.gun and not self.factory and (self.attack > 0 or self.defence > 0 or self.domain == "sea")


class UnitSet(msgspec.Struct, frozen=True, dict=True):
    """All kinds of units that a board knows, by number."""

    kinds: tuple[Kind, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of every kind its name."""
        return tuple(kind.name for kind in self.kinds)

    @cached_property
    def prices(self) -> tuple[int, ...]:
        """Of every kind its price."""
        return tuple(kind.price for kind in self.kinds)

    @cached_property
    def land(self) -> frozenset[int]:
        """What moves on land, guns included."""
        return self._numbers(lambda kind: kind.domain == "land" and not kind.factory)

    @cached_property
    def aircraft(self) -> frozenset[int]:
        """What flies."""
        return self._numbers(lambda kind: kind.domain == "air")

    @cached_property
    def flyers(self) -> tuple[int, ...]:
        """The aircraft in their order, in which guns fire at them."""
        return tuple(sorted(self.aircraft))

    @cached_property
    def ships(self) -> frozenset[int]:
        """What swims."""
        return self._numbers(lambda kind: kind.domain == "sea")

    @cached_property
    def fighting(self) -> frozenset[int]:
        """What takes part in battles."""
        return self._numbers(lambda kind: kind.fights)

    @cached_property
    def factories(self) -> frozenset[int]:
        """What makes units."""
        return self._numbers(lambda kind: kind.factory)

    @cached_property
    def submarines(self) -> frozenset[int]:
        """What fires first and submerges."""
        return self._numbers(lambda kind: kind.submarine)

    def _numbers(self, test: "object") -> frozenset[int]:
        assert callable(test)
        return frozenset(number for number, kind in enumerate(self.kinds) if test(kind))


ABILITIES: dict[str, dict[str, int]] = {
    "infantry": {"load": 2},
    "artillery": {"load": 3},
    "tank": {"load": 3},
    "fighter": {"berth": 1},
    "bomber": {"raids": True},
    "transport": {"room": 5},
    "carrier": {"deck": 2},
    "aa gun": {"load": 3, "move": 1},
}
"""What the kinds of Revised can do besides what the land scenarios know."""


def _revised_set() -> UnitSet:
    found = []
    for unit in REVISED:
        fields = {
            "move": unit.move,
            "blitz": unit.blitz,
            "supports": unit.supports,
            "supported": unit.supported,
            "submarine": unit.surprise,
            "destroyer": unit.detects,
            "bombards": unit.bombards,
            "gun": unit.anti_air,
            **ABILITIES.get(unit.name, {}),
        }
        kind = msgspec.convert({"name": unit.name, **fields}, Kind)
        found.append(
            msgspec.structs.replace(
                kind,
                price=unit.price,
                attack=unit.attack,
                defence=unit.defence,
                domain=unit.domain,
                hits=unit.hits,
                also=unit.also,
            )
        )
    return UnitSet((*found, Kind("factory", 15, factory=True, also=("fac", "ic", "factories"))))


REVISED_SET = _revised_set()
KINDS = len(REVISED_SET.kinds)
NAMES, PRICES = REVISED_SET.names, REVISED_SET.prices
