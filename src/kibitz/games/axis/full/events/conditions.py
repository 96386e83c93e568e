"""Whether the conditions of events are met in a situation."""

from collections.abc import Iterable

from kibitz.games.axis.full.events.book import ALL, AreaTest, Condition, RelationTest, Trigger
from kibitz.games.axis.full.events.moments import events_of, round_of_moment
from kibitz.games.axis.full.situation import NOBODY, Situation

GROUPS = ("controlled", "controlledNoWater", "original", "originalNoWater", "enemy", "all", "map")
"""The areas that a condition may mean without naming them."""


class Judge:
    """Looks at a situation for the conditions of its events, at each of them once."""

    def __init__(self, situation: Situation) -> None:
        self.book, self.events = events_of(situation)
        self.situation, self.round = situation, round_of_moment(situation)
        self.rolled = dict(self.events.rolled)
        self.found: dict[int, bool] = {}
        self.numbers: dict[int, int] = {}
        """Of conditions that count each area, how many there are."""
        self.switched = {which: bool(on) for what, which, _, on in self.events.changes if what == "switch"}

    def holds(self, part: "Condition | Trigger") -> bool:
        """Whether as many of its parts are met as a trigger, or a condition made of others, asks for."""
        if not part.parts:
            return not part.inverted
        met = sum(self.is_met(number) for number in part.parts)
        return (part.least <= met <= part.most) != part.inverted

    def is_met(self, number: int) -> bool:
        """Whether a condition is met; what its dice said counts, where it has a chance."""
        if number not in self.found:
            self.found[number] = False  # a condition that leads back to itself is not met
            condition = self.book.conditions[number]
            plain = self._is_plainly_met(condition, number)
            if plain and condition.chance[0] < condition.chance[1]:
                plain = self.rolled.get(number, False)
            self.found[number] = plain != condition.inverted
        return self.found[number]

    def dice_of(self, parts: Iterable[int], seen: set[int]) -> int | None:
        """The first condition with a chance among these and their parts whose dice were not rolled yet."""
        for number in parts:
            if number in seen:
                continue
            seen.add(number)
            condition = self.book.conditions[number]
            below = self.dice_of(condition.parts, seen)
            if below is not None:
                return below
            unsure = 0 < condition.chance[0] < condition.chance[1]
            if unsure and number not in self.rolled and self._is_plainly_met(condition, number):
                return number
        return None

    def multiple(self, trigger: Trigger) -> int:
        """How often the effects of a trigger happen: once, or once for every area that its conditions count."""
        for number in trigger.parts:
            self.is_met(number)
        return max([1, *(self.numbers.get(number, 1) for number in trigger.parts)])

    def _is_plainly_met(self, condition: Condition, number: int) -> bool:
        """Whether all that a condition says is so, dice and inversion apart."""
        if condition.never or not self.switched.get(number, condition.on):
            return False
        if condition.rounds and not any(a <= self.round <= b for a, b in condition.rounds):
            return False
        if condition.parts and not condition.least <= sum(map(self.is_met, condition.parts)) <= condition.most:
            return False
        if condition.enemies and not self._at_war(condition):
            return False
        if condition.technologies and not self._knows(condition):
            return False
        if not all(map(self._are_related, condition.relations)):
            return False
        return all(self._passes(condition, test, number) for test in condition.tests)

    def _at_war(self, condition: Condition) -> bool:
        wars = sum(self._stance(condition.powers[0], enemy) == "war" for enemy in condition.enemies)
        return wars >= condition.wars if condition.wars else not wars

    def _knows(self, condition: Condition) -> bool:
        held = self.situation.technologies[condition.powers[0]]
        known = sum(held >> bit & 1 for bit in condition.technologies)
        return known >= condition.known if condition.known else not known

    def relation(self, one: int, other: int) -> int:
        """The number of the relation between two powers."""
        if "relations" not in self.__dict__:
            self.relations = {pair[:2]: pair[2] for pair in self.book.relations}
            self.relations |= {(a, int(b)): kind for what, a, b, kind in self.events.changes if what == "relation"}
        return self.relations.get((min(one, other), max(one, other)), ALL)

    def _are_related(self, test: RelationTest) -> bool:
        """Whether two powers have the relation of a test, and had it for as many rounds as it asks for."""
        pair = min(test.one, test.other), max(test.one, test.other)
        told = (when for what, a, b, when in self.events.changes if what == "since" and (a, int(b)) == pair)
        lasts = test.rounds <= 0 or self.round - next(told, 1) >= test.rounds
        return lasts and self.relation(*pair) in test.types

    def _stance(self, one: int, other: int) -> str:
        if NOBODY in (one, other):
            return "war"
        return "allied" if one == other else self.book.types[self.relation(one, other)]

    def _passes(self, condition: Condition, test: AreaTest, number: int) -> bool:
        """Whether enough areas are as a test says."""
        areas = self._group(condition, test) if test.group else test.areas
        least = len(areas) if test.least == ALL else test.least
        if test.each:
            self.numbers[number] = sum(self._is_so(condition, test.what, area) for area in areas)
            return self.numbers[number] >= least
        there = self.situation.by_area if not test.what.startswith(("no ", "own", "allied")) else {}
        left, held = len(areas), least
        for area in areas:
            if held <= 0 or left < held:
                break
            left -= 1
            if not there or area in there or area in self.situation.factories:
                held -= self._is_so(condition, test.what, area)
        return held <= 0

    def _group(self, condition: Condition, test: AreaTest) -> list[int]:
        """The areas of a group: by who holds them, or held them first."""
        situation, powers, sea = self.situation, set(condition.powers), self.situation.world.sea
        places = range(len(situation.owners))
        if test.group == "map":
            return list(places)
        if test.group == "enemy" or (test.group == "original" and test.what == "allied"):
            stance = "war" if test.group == "enemy" else "allied"
            everyone = range(len(situation.world.powers))
            powers = {other for other in everyone if any(self._stance(one, other) == stance for one in powers)}
        own = {area for area in places if situation.owners[area] in powers}
        first = {area for area in places if situation.world.areas[area].owner in powers}
        found = {"controlled": own, "controlledNoWater": own, "all": own | first}.get(test.group, first)
        return [area for area in sorted(found) if not (test.group.endswith("NoWater") and sea[area])]

    def _is_so(self, condition: Condition, what: str, area: int) -> bool:
        """Whether one area is as a test says."""
        powers = condition.powers
        if what == "own":
            return self.situation.owners[area] in powers
        if what == "allied":
            owner = self.situation.owners[area]
            return owner != NOBODY and any(self._stance(power, owner) == "allied" for power in powers)
        absent = what.startswith("no ")
        counts: dict[int, int] = {}
        for stack, number in self.situation.at(area):
            for power, kind in ((stack.power, stack.kind), *((item.power, item.kind) for item in stack.cargo)):
                if self._counts(what.removeprefix("no "), powers, power, kind, absent):
                    counts[kind] = counts.get(kind, 0) + number
        if area in self.situation.factories and what.removeprefix("no ") != "surface":
            for kind in list(self.situation.world.units.factories)[:1]:
                if self._counts(what.removeprefix("no "), powers, self.situation.owners[area], kind, absent):
                    counts[kind] = counts.get(kind, 0) + 1
        if not counts or not condition.units:
            return absent != bool(counts)
        sums = (
            (sum(n for kind, n in counts.items() if not kinds or kind in kinds), wanted)
            for kinds, wanted in condition.units
        )
        return all(there <= wanted if absent else there >= wanted for there, wanted in sums)

    def _counts(self, whose: str, powers: tuple[int, ...], power: int, kind: int, absent: bool) -> bool:
        """Whether a unit is one of those that a test asks for."""
        if whose == "direct":
            return power in powers
        if whose == "ally":
            own = power in powers
            return not (absent and own) and any(self._stance(one, power) == "allied" for one in powers)
        hostile = any(self._stance(one, power) == "war" for one in powers)
        if whose == "surface":
            each = self.situation.world.units.kinds[kind]
            return hostile and each.domain == "sea" and not each.submarine and not (each.room and not each.attack)
        return hostile


def judge_of(situation: Situation) -> Judge:
    """The judge of a situation, made once for it."""
    if "judge" not in situation.__dict__:
        situation.__dict__["judge"] = Judge(situation)
    found: Judge = situation.__dict__["judge"]
    return found
