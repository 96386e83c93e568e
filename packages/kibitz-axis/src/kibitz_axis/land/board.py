"""`Board`: areas, powers, units and switchable rules of a scenario, as data that never changes."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec.structs import replace

from kibitz_axis.battle.exact import worked_out
from kibitz_axis.battle.problem import Battle, BattleRules, Order
from kibitz_axis.battle.side import survivors
from kibitz_axis.units import Army, Unit, army_price

FAR = 99
"""Farther than anything flies."""
KEPT = 20_000
"""How many battles are remembered; then all are forgotten."""
"""The ending of names of units that a file has and that are not played, because they are ships or on ships."""
NOBODY: Army = ()
"""The army of a power that has nothing in an area."""
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Area(msgspec.Struct, frozen=True):
    """An area: who holds it at first, what it is worth, and where its neighbours are, by number."""

    name: str
    owner: int | None = None
    value: int = 0
    factory: bool = False
    city: bool = False
    """Whether it counts for victory."""
    sea: bool = False
    closed: bool = False
    """Whether nothing may enter it."""
    neighbours: tuple[int, ...] = ()
    place: tuple[float, float] | None = None


class ScriptedOrder(msgspec.Struct, frozen=True):
    """Units that go to an area: all, or from one area at most *send* of each kind as long as *keep* stay back."""

    to: int
    origin: int | None = None
    send: Army | None = None
    keep: Army | None = None


Script: TypeAlias = tuple[tuple[ScriptedOrder, ...], ...]
"""The orders of every turn; after the last one, no unit moves."""


class Power(msgspec.Struct, frozen=True):
    """A power, which moves its own units; powers of one side fight together."""

    name: str
    side: int
    script: Script | None = None


class Switches(msgspec.Struct, frozen=True):
    """The rules that can be switched; the defaults are those of the thesis."""

    blitz: bool = False
    """Whether tanks go on through empty hostile areas."""
    steps: Whole = 1
    """The most areas of a move; 0 is what each unit can do."""
    noncombat: bool = False
    """Whether moves that attack come first, and moves among friends after the battles."""
    factory_blocks: bool = True
    """Whether a factory or a gun against aircraft stops a blitz."""
    factory_value: Whole = 15
    victory: Whole = 0
    """The number of cities with which a side ends the game after a turn of all powers; 0 is never."""


class Board(msgspec.Struct, frozen=True, dict=True, cache_hash=True):
    """Everything a game is played on. The first side is the one whose gain is counted."""

    name: str
    areas: tuple[Area, ...]
    powers: tuple[Power, ...]
    """In the order they move."""
    sides: tuple[str, str]
    units: tuple[Unit, ...]
    forces: tuple[Army, ...]
    """Of every area the army of every power: area 0 power 0, area 0 power 1 …"""
    turns: Whole = 1
    span: tuple[float, float] | None = None
    """The gains that are worth 0 and 1 to a learner (`range` in files)."""
    switches: Switches = Switches()
    battle_rules: BattleRules = BattleRules()
    about: str = ""

    @cached_property
    def friends(self) -> tuple[tuple[int, ...], ...]:
        """Of every power all powers of its side."""
        return tuple(
            tuple(place for place, other in enumerate(self.powers) if other.side == power.side) for power in self.powers
        )

    @cached_property
    def enemies(self) -> tuple[tuple[int, ...], ...]:
        """Of every power all powers of the other side."""
        return tuple(
            tuple(place for place, other in enumerate(self.powers) if other.side != power.side) for power in self.powers
        )

    @cached_property
    def land(self) -> tuple[int, ...]:
        """The areas a land unit may stand in."""
        return tuple(place for place, area in enumerate(self.areas) if not area.sea and not area.closed)

    @cached_property
    def fighters(self) -> tuple[int, ...]:
        """The kinds of units that fight."""
        return tuple(place for place, unit in enumerate(self.units) if unit.fights)

    @cached_property
    def gaits(self) -> tuple[int, ...]:
        """Of every kind of unit the first kind that goes wherever it goes."""
        gaits = [(unit.domain, unit.move, unit.fights, unit.blitz) for unit in self.units]
        return tuple(map(gaits.index, gaits))

    @cached_property
    def area_values(self) -> tuple[int, ...]:
        """The value of each area with its factory."""
        return tuple(area.value + self.switches.factory_value * area.factory for area in self.areas)

    @cached_property
    def by_land(self) -> tuple[tuple[int, ...], ...]:
        """Of every area the neighbours a land unit may enter."""
        land = set(self.land)
        return tuple(tuple(to for to in area.neighbours if to in land) for area in self.areas)

    @cached_property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """Distances through the air, over land and sea, around closed areas."""
        ways = [[to for to in area.neighbours if not self.areas[to].closed] for area in self.areas]
        return tuple(distances_from(place, ways) for place in range(len(self.areas)))

    @cached_property
    def marches(self) -> tuple[tuple[int, ...], ...]:
        """Distances by land."""
        return tuple(distances_from(place, self.by_land) for place in range(len(self.areas)))

    @cached_property
    def most(self) -> float:
        """The largest gain of either side: everything that can be lost."""
        units = sum(army_price(army, self.units) for army in self.forces if army)
        return float(units + sum(self.area_values)) or 1.0

    def balance(self, forces: Sequence[Army], owners: Sequence[int | None]) -> float:
        """What the first side has more than the second. What can be captured but not destroyed counts half to each."""
        held = sum(self.half_values[owner][place] for place, owner in enumerate(owners) if owner is not None)
        powers = len(self.powers)
        return held + sum(self.balance_value(place % powers, army) for place, army in enumerate(forces) if army)

    @cached_property
    def half_values(self) -> tuple[tuple[float, ...], ...]:
        """Of every power what each area counts in the balance if it is its own."""
        halves = [0.5 if power.side == 0 else -0.5 for power in self.powers]
        return tuple(tuple(half * value for value in self.area_values) for half in halves)

    def balance_value(self, power: int, army: Army) -> float:
        """What an army of a power counts in the balance."""
        price = balance_price(army, self.prices)
        return price if self.powers[power].side == 0 else -price

    @cached_property
    def prices(self) -> tuple[float, ...]:
        """What one unit of each kind counts in the balance."""
        return tuple(float(unit.price) if unit.fights else unit.price / 2 for unit in self.units)

    @cached_property
    def initial_balance(self) -> float:
        """The balance before anything happened."""
        return self.balance(self.forces, [area.owner for area in self.areas])

    def endings(self, attackers: Army, defenders: Army) -> tuple[tuple[Army, Army, float], ...]:
        """How a battle on land may end: what is left of both sides, and how likely that is."""
        known = self._known_endings
        if (attackers, defenders) not in known:
            if len(known) >= KEPT:
                known.clear()
            battle = Battle(attackers, defenders, self.units, self.battle_rules)
            found: dict[tuple[Army, Army], float] = {}
            for (one, other), chance in sorted(worked_out(battle).items(), reverse=True):
                left = survivors(one, self.units), survivors(other, self.units)
                found[left] = found.get(left, 0.0) + chance
            known[attackers, defenders] = tuple((*left, chance) for left, chance in found.items())
        return known[attackers, defenders]

    @cached_property
    def _known_endings(self) -> dict[tuple[Army, Army], tuple[tuple[Army, Army, float], ...]]:
        return {}


def reach(origin: int, ways: Sequence[Sequence[int]]) -> dict[int, int]:
    """The areas to which ways lead from one, with the number of steps."""
    found, edge, distance = {origin: 0}, {origin}, 0
    while edge:
        distance += 1
        edge = {to for area in edge for to in ways[area]} - found.keys()
        found.update(dict.fromkeys(edge, distance))
    return found


def distances_from(origin: int, ways: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The distance from one area to each, FAR to those out of reach."""
    found = reach(origin, ways)
    return tuple(found.get(area, FAR) for area in range(len(ways)))


@lru_cache(maxsize=KEPT)
def balance_price(army: Army, prices: tuple[float, ...]) -> float:
    """What an army counts in the balance, given what a unit of each kind counts."""
    return sum(count * price for count, price in zip(army, prices, strict=True))


@lru_cache(maxsize=32)
def adapt_board(
    board: Board,
    turns: int,
    scripted: bool,
    blitz: bool | None,
    noncombat: bool | None,
    losses: Order | None,
    retreat: int | None,
    low_luck: bool | None,
    victory: int | None,
    span: tuple[float, float] | None,
) -> Board:
    """A board with other rules, one object for all games with these rules; None keeps the board's own."""
    fight = {"attacker_losses": losses, "defender_losses": losses, "retreat": retreat, "low_luck": low_luck}
    moves = {"blitz": blitz, "noncombat": noncombat, "victory": victory}
    powers = board.powers if scripted else tuple(replace(power, script=None) for power in board.powers)
    return replace(
        board,
        switches=replace(board.switches, **_given_options(moves)),
        battle_rules=replace(board.battle_rules, **_given_options(fight)),
        powers=powers,
        turns=turns or board.turns,
        span=span or board.span,
    )


def _given_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
