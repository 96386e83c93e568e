"""Contests as people write them: armies, units of an area (`Ukraine: all vs Caucasus`), waves (`… then …`)."""

import re
from typing import NamedTuple

from kibitz.core.errors import NotUnderstood, closest
from kibitz.games.axis.full.board import SUPPLEMENTS, World, read_world
from kibitz.games.axis.full.notation import read_area
from kibitz.games.axis.scenarios import scenario_units
from kibitz.games.axis.units import AGAINST, REVISED, Army, Unit, army_text, read_army

WAVE = re.compile(r"\s*(?:;|\bthen\b)\s*", re.IGNORECASE)
SOURCE = re.compile(r"(?:^|[,+&;]\s*|\band\s+)([^:,+&;]+):", re.IGNORECASE)
ADVICE = "write attackers, 'vs' and defenders, such as '2 inf 1 tank vs 3 inf' or 'Ukraine: all vs Caucasus'"


class Contest(NamedTuple):
    """Who attacks whom, wave by wave, and what the area is worth."""

    waves: tuple[Army, ...]
    defenders: Army
    units: tuple[Unit, ...]
    value: int = 0


class ContestReader:
    """Reads contests over the units of a scenario, and of its situation at the start."""

    def __init__(self, text: str, scenario: str) -> None:
        self.text = text
        self.scenario = scenario or ("revised" if self.names_areas(text) else "")
        self.units = self.known_units()

    @staticmethod
    def names_areas(text: str) -> bool:
        """Whether a line names areas, so that a situation is needed."""
        return ":" in text

    def known_units(self) -> tuple[Unit, ...]:
        """The units that may be written: those of Revised, of a land scenario, or of a TripleA map."""
        if self.scenario.endswith(".xml"):
            kinds = zip(self.world.board.units, self.world.units.kinds, strict=True)
            return tuple(unit for unit, kind in kinds if not kind.factory)
        return scenario_units(self.scenario) if self.scenario else REVISED

    @property
    def world(self) -> World:
        """The board with its units at the start."""
        if self.scenario not in SUPPLEMENTS and not self.scenario.endswith(".xml"):
            why = f"areas have units in {', '.join(SUPPLEMENTS)} and in TripleA's map files; name one with --scenario"
            raise NotUnderstood(self.text, self.text, why)
        return read_world(self.scenario)

    def contest(self) -> Contest:
        """The contest that the line means."""
        line = self.text.strip()
        first, *later = WAVE.split(line)
        sides = AGAINST.split(first)
        if len(sides) != 2:
            why = ADVICE if len(sides) < 2 else f"more than two sides; {ADVICE}"
            raise NotUnderstood(self.text, first or self.text, why)
        target = self.area_of(sides[1]) if self.names_areas(line) else None
        waves = [self.attackers(each, target) for each in (sides[0], *later)]
        for army, told in zip(waves, (sides[0], *later), strict=True):
            if not any(army):
                raise NotUnderstood(self.text, told or self.text, "the attacker needs at least one unit")
        defenders = read_army(sides[1], self.units) if target is None else self.defenders(target, sides)
        if not any(defenders):
            raise NotUnderstood(self.text, sides[1] or self.text, "the defender needs at least one unit")
        value = 0 if target is None else self.world.areas[target].value
        return Contest(tuple(waves), defenders, self.units, value)

    # Situations.

    def area_of(self, text: str) -> int | None:
        """The area that a side names; None if it is an army."""
        found = read_area(self.world, text)
        if found is None and not re.match(r"\s*\d", text):
            close = closest(text.strip().casefold(), self.world.folded_numbers)
            raise NotUnderstood(self.text, text.strip(), f"no area; did you mean {close!r}?" if close else "no area")
        return found

    def standing(self, area: int) -> dict[int, dict[int, int]]:
        """The units in an area, cargo included: of every power how many of each kind of *units*."""
        world, names = self.world, [unit.name for unit in self.units]
        found: dict[int, dict[int, int]] = {}
        placed = [(p, k, n) for a, p, k, n in world.forces if a == area]
        for a, power, kind, number, items in world.cargo:
            if a == area:
                placed += [(power, kind, number), *((p, k, number) for p, k in items)]
        for power, kind, number in placed:
            name = world.units.kinds[kind].name
            if name in names:
                army = found.setdefault(power, {})
                army[names.index(name)] = army.get(names.index(name), 0) + number
        return found

    def hostile_powers(self, target: int) -> set[int]:
        """The powers that would attack an area."""
        world = self.world
        held = set(self.standing(target)) | ({world.areas[target].owner} - {None})
        holder = next(iter(sorted(held, key=lambda power: power != world.areas[target].owner)), None)
        if holder is None or holder < 0:
            return set(range(len(world.powers)))
        return {power for power in range(len(world.powers)) if not world.friendly[power][holder]}

    def attackers(self, text: str, target: int | None) -> Army:
        """An army, or armies from areas: `Ukraine: all, Germany: 2 tanks`."""
        pieces = SOURCE.split(text)
        if len(pieces) == 1:
            return read_army(text, self.units)
        if pieces[0].strip() or target is None:
            raise NotUnderstood(self.text, text.strip(), ADVICE)
        total = [0] * len(self.units)
        for name, told in zip(pieces[1::2], pieces[2::2], strict=True):
            for kind, number in enumerate(self.part(name, told.strip(" ,+&;"), target)):
                total[kind] += number
        land = any(count and unit.domain == "land" for count, unit in zip(total, self.units, strict=True))
        if not land and not self.world.sea[target]:  # ships fire at land only before a landing
            total = [0 if unit.domain == "sea" else n for n, unit in zip(total, self.units, strict=True)]
        return tuple(total)

    def part(self, name: str, told: str, target: int) -> Army:
        """The units of an area that attack another: all that can, or those told."""
        area = self.area_of(name)
        if area is None:
            raise NotUnderstood(self.text, name.strip(), "no area is called so")
        world, hostile = self.world, self.hostile_powers(target)
        armies = {power: army for power, army in self.standing(area).items() if power in hostile}
        if not armies:
            where, to = world.areas[area].name, world.areas[target].name
            raise NotUnderstood(self.text, name.strip(), f"nobody in {where} is an enemy of those in {to}")
        here = max(armies.values(), key=lambda army: sum(army.values()))
        able = {kind: number for kind, number in here.items() if self.can_attack(kind, area, target)}
        if told.casefold() in ("all", "everything", ""):
            return tuple(able.get(kind, 0) for kind in range(len(self.units)))
        army = read_army(told, self.units)
        for kind, number in enumerate(army):
            if number > able.get(kind, 0):
                has = army_text([able.get(k, 0) for k in range(len(self.units))], self.units)
                raise NotUnderstood(self.text, told, f"{world.areas[area].name} can send {has}")
        return army

    def can_attack(self, kind: int, area: int, target: int) -> bool:
        """Whether a unit of an area takes part in an attack on another."""
        unit, sea = self.units[kind], self.world.sea
        if not unit.fights or unit.domain == "air":
            return unit.fights
        if sea[target]:
            return unit.domain == "sea"
        return unit.domain == "land" or (sea[area] and unit.bombards)

    def defenders(self, target: int, sides: list[str]) -> Army:
        """All units that defend an area."""
        hostile = self.hostile_powers(target)
        total = [0] * len(self.units)
        for power, army in self.standing(target).items():
            for kind, number in army.items() if power not in hostile else ():
                total[kind] += number
        if not any(total):
            name = self.world.areas[target].name
            raise NotUnderstood(self.text, sides[1].strip(), f"nobody defends {name}: it is taken without a battle")
        return tuple(total)
