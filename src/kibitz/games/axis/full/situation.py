"""`Situation`: everything there is to know of the whole game at one moment; it never changes, so undo keeps the old."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self

import msgspec

from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.rules_options import FullRules
from kibitz.games.axis.full.units import KINDS, Arsenal

NOBODY = -1
SUBMERGED, RAIDING, WITHDRAWN, FOUGHT, LOADED_LATE, UNLOADED_EARLY = 1, 2, 4, 8, 16, 32
"""What is marked on units until the turn ends: out of sight, on a raid, out of its battle, was in a battle; of
transports: loaded after the battles, unloaded before them."""
SPENT = 99
"""The movement spent by units that may not move any more in this turn."""
BID, BID_PLACE, RESEARCH, PURCHASE, COMBAT, BATTLE, NONCOMBAT, PLACE, OVER = range(9)
PHASES = (
    "bid",
    "placing of the bid",
    "research",
    "purchase",
    "combat moves",
    "battles",
    "other moves",
    "placing of units",
    "over",
)


class Cargo(NamedTuple):
    """A unit on a transport; *to* is the area it lands in once the battle at sea is won."""

    power: int
    kind: int
    fresh: bool = False
    """Whether it was loaded in this turn."""
    to: int = NOBODY


class Stack(NamedTuple):
    """Equal units in one area: nothing tells one from another."""

    area: int
    power: int
    kind: int
    spent: int = 0
    """The movement spent in this turn."""
    came: int = NOBODY
    """The area they were in before this one, in this turn: where they may retreat to."""
    damage: int = 0
    marks: int = 0
    landed: int = NOBODY
    """The area into which a transport has unloaded in this turn."""
    cargo: tuple[Cargo, ...] = ()


class Overflight(NamedTuple):
    """Aircraft on their way, and the areas whose guns have yet to fire at them."""

    stack: Stack
    number: int
    areas: tuple[int, ...]


class Engagement(NamedTuple):
    """The battle that is being fought: where, in which round, and at which step."""

    area: int
    round: int = 1
    step: int = 0
    hits: tuple[int, int] = (0, 0)
    """Hits that have yet to be taken by attackers and defenders."""
    sneaked: bool = False
    """Whether these are hits of submarines, which only ships can take."""
    doomed: tuple[tuple[tuple[Stack, int], ...], tuple[tuple[Stack, int], ...]] = ((), ())
    """Units that were hit and still fire in this round, of both sides."""
    screened: tuple[bool, bool] = (False, False)
    """Whether each side had a destroyer when the round began."""
    bombards: bool = False
    landing: bool = False
    """Whether attackers came from the sea, so that none but aircraft may retreat."""


class Situation(msgspec.Struct, frozen=True, dict=True):
    """Units, owners, money and technologies, whose turn and phase it is, and what is under way."""

    world: World
    rules: FullRules
    units: tuple[tuple[Stack, int], ...]
    owners: tuple[int, ...]
    money: tuple[int, ...]
    factories: tuple[int, ...]
    technologies: tuple[int, ...]
    round: int = 1
    mover: int = 0
    phase: int = RESEARCH
    bought: tuple[int, ...] = (0,) * KINDS
    placed: tuple[tuple[int, int, int], ...] = ()
    """Kind, area and number of the units placed in this turn."""
    taken: tuple[int, ...] = ()
    """Areas taken in this turn."""
    fought: tuple[int, ...] = ()
    """Areas where a battle was fought in this turn."""
    research: tuple[int, int] = (NOBODY, 0)
    """The technology and the dice that are being rolled for; without dice, the one that works when the turn is over."""
    overflight: Overflight | None = None
    engagement: Engagement | None = None
    raid: int = NOBODY
    """The area whose raid has passed the guns, and now rolls for damage."""
    raided: tuple[tuple[int, int], ...] = ()
    """What raids and rockets have cost each area in this turn."""
    rockets: tuple[tuple[int, int], ...] = ()
    """Which gun areas fire at which areas; -1 where the owner holds fire."""
    purse: int = 0
    """What is left of the bid that is being spent."""
    winner: int = NOBODY
    """The side that has won."""

    # Looking.

    @cached_property
    def by_area(self) -> dict[int, list[tuple[Stack, int]]]:
        """The units of every area that has any."""
        found: dict[int, list[tuple[Stack, int]]] = {}
        for pair in self.units:
            found.setdefault(pair[0].area, []).append(pair)
        return found

    def at(self, area: int) -> list[tuple[Stack, int]]:
        """The units in an area."""
        return self.by_area.get(area, [])

    def own_units(self, area: int, power: int) -> list[tuple[Stack, int]]:
        """The units of a power in an area."""
        return [pair for pair in self.at(area) if pair[0].power == power]

    def enemies(self, area: int, power: int) -> list[tuple[Stack, int]]:
        """The enemies of a power in an area that are not submerged."""
        friendly = self.world.friendly[power]
        return [pair for pair in self.at(area) if not friendly[pair[0].power] and not pair[0].marks & SUBMERGED]

    def defenders(self, area: int, power: int) -> list[tuple[Stack, int]]:
        """The enemies of a power that fight in an area."""
        return [pair for pair in self.enemies(area, power) if pair[0].kind in self.world.units.fighting]

    def is_friendly(self, area: int, power: int) -> bool:
        """Whether an area belongs to a power or its allies."""
        return self.world.friendly[power][self.owners[area]]

    def has_guns(self, area: int, power: int) -> bool:
        """Whether enemies of a power have a gun against aircraft in an area."""
        return any(stack.kind in self.world.units.guns for stack, _ in self.enemies(area, power))

    def count(self, area: int, power: int, kind: int) -> int:
        """How many units of a kind a power has in an area, cargo not counted."""
        return sum(number for stack, number in self.own_units(area, power) if stack.kind == kind)

    def arsenal(self, power: int) -> Arsenal:
        """What the units of a power can do."""
        known = self.technologies[power] if power != NOBODY else 0
        return Arsenal(known, self.rules.lhtr, self.world.units)

    def movement_left(self, stack: Stack) -> int:
        """The movement that units have left."""
        return max(0, self.arsenal(stack.power).move(stack.kind) - stack.spent)

    def holds_capital(self, power: int) -> bool:
        """Whether a power has its own capital; one that has none to lose always does."""
        capital = self.world.capitals[power]
        return capital == NOBODY or self.owners[capital] == power

    def all_of(self, power: int) -> Iterator[tuple[Stack, int]]:
        """All units of a power, cargo aside."""
        return (pair for pair in self.units if pair[0].power == power)

    # Changing: each of these is a new situation.

    def replace(self, **fields: Any) -> Self:
        """This situation with some fields replaced."""
        return msgspec.structs.replace(self, **fields)

    def with_units(self, changes: Mapping[Stack, int], **fields: Any) -> Self:
        """This situation with more (or fewer) of some units."""
        counts = dict(self.units)
        for stack, number in changes.items():
            counts[stack] = counts.get(stack, 0) + number
            if not counts[stack]:
                del counts[stack]
            elif counts[stack] < 0:
                raise ValueError(f"there are not {-number} of {stack}")
        return self.replace(units=tuple(sorted(counts.items())), **fields)

    def map_units(self, change: Any, **fields: Any) -> Self:
        """This situation with every stack replaced by what *change* makes of it; None takes it away."""
        counts: dict[Stack, int] = {}
        for stack, number in self.units:
            changed = change(stack)
            if changed is not None:
                counts[changed] = counts.get(changed, 0) + number
        return self.replace(units=tuple(sorted(counts.items())), **fields)

    def pay(self, power: int, amount: int) -> tuple[int, ...]:
        """The money of all powers after one has paid an amount, or all it has."""
        return tuple(held - min(held, amount) if number == power else held for number, held in enumerate(self.money))


def initial_situation(world: World, rules: FullRules) -> Situation:
    """The start: units, owners and money of the board; a bid comes first where there is one."""
    counts = {Stack(area, power, kind): count for area, power, kind, count in world.forces}
    units = tuple(sorted(counts.items()))
    owners = tuple(NOBODY if area.owner is None else area.owner for area in world.areas)
    factories = tuple(number for number, area in enumerate(world.areas) if area.factory)
    start = Situation(
        world,
        rules,
        units,
        owners,
        world.money,
        factories,
        (0,) * len(world.powers),
        mover=world.turns[0],
        bought=(0,) * len(world.units.kinds),
    )
    bidders = [power for power in world.turns if rules.bids.get(world.powers[power].name)]
    if not bidders:
        return start
    return start.replace(phase=BID, mover=bidders[0], purse=rules.bids[world.powers[bidders[0]].name])


def take_area(situation: Situation, area: int, power: int) -> Situation:
    """An area falls to a power, or back to the ally it was taken from; capitals bring money or free an ally."""
    world, owners = situation.world, list(situation.owners)
    before = owners[area]
    first = world.areas[area].owner
    ally = first is not None and first != power and world.friendly[power][first]
    capital_of = world.capitals.index(area) if area in world.capitals else NOBODY
    capital_of = before if before != NOBODY and world.capitals[before] == area else capital_of
    owner = power
    if first is not None and ally and (situation.holds_capital(first) or capital_of == first):
        owner = first
    owners[area] = owner
    money = situation.money
    if capital_of == before and before != NOBODY:
        loot = money[before]
        money = tuple(
            0 if number == before else held + loot if number == power else held for number, held in enumerate(money)
        )
    returned = {area}
    if capital_of == owner and owner != NOBODY:  # its owner gets back whatever its allies hold of it
        for number, each in enumerate(world.areas):
            if each.owner == owner and world.friendly[owner][owners[number]] and owners[number] != owner:
                owners[number] = owner
                returned.add(number)

    guns = world.units.guns

    def with_guns(stack: Stack) -> Stack:
        """Captured guns go nowhere in this turn."""
        falls = stack.kind in guns and stack.area in returned and stack.power != owners[stack.area]
        return stack._replace(power=owners[stack.area], spent=SPENT) if falls else stack

    taken = tuple(sorted({*situation.taken, area}))
    return situation.map_units(with_guns, owners=tuple(owners), money=money, taken=taken)
