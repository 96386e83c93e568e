"""Reads triggers and objectives from map files of TripleA's into an `EventBook`."""

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from kibitz.core.errors import BadDefinition
from kibitz.games.axis.full.events.book import ALWAYS, Condition, Effect, EventBook, Trigger
from kibitz.games.axis.full.events.map_conditions import (
    OTHERS,
    TESTS,
    UNKNOWABLE,
    ConditionReader,
    Names,
    attached_to,
    chance_of,
    integer,
    is_class,
    option_text,
    parts_of,
)
from kibitz.games.axis.full.events.map_effects import HARMLESS, READERS, UNPLAYED, EffectReader
from kibitz.games.axis.full.events.map_moments import Moments
from kibitz.games.axis.full.map_switches import is_on
from kibitz.games.axis.full.units import UnitSet
from kibitz.games.axis.triplea import Map, attachments
from kibitz.games.axis.xml_nodes import Node

DEEPEST = 100
"""How far conditions may be made of conditions."""


def read_events(
    root: Node,
    found: Map,
    units: UnitSet,
    frontiers: Mapping[str, tuple[int, ...]],
    buys_from: tuple[int, ...],
    order: tuple[int, ...],
    missing: Counter[str],
) -> tuple[EventBook | None, list[tuple[Node, str]]]:
    """The events of a file, if it switches any on, and what of them cannot be played, each with why."""
    reader = EventReader(root, found, units, frontiers, order, missing)
    triggers = [*reader.triggers(), *reader.objectives()]
    if not triggers:
        return None, reader.faults
    book = EventBook(
        reader.all_conditions(),
        tuple(triggers),
        tuple(frontiers.values()),
        buys_from,
        reader.names.stances,
        reader.names.relations(),
    )
    return book, reader.faults


class EventReader:
    """Reads the events of one file; what it cannot read is a fault."""

    def __init__(
        self,
        root: Node,
        found: Map,
        units: UnitSet,
        frontiers: Mapping[str, tuple[int, ...]],
        order: tuple[int, ...],
        missing: Counter[str],
    ) -> None:
        self.root, self.found, self.missing = root, found, missing
        self.names = Names(root, found)
        self.conditions = ConditionReader(self.names, missing)
        self.nodes = [node for node in attachments(root) if is_class(node, "TriggerAttachment", "trigger")]
        self.effects = EffectReader(self.names, units, frontiers, self.conditions, self.nodes, missing)
        self.moments = Moments(root, found, order)
        self.faults: list[tuple[Node, str]] = []

    def triggers(self) -> list[Trigger]:
        """The triggers that do something; each keeps its number, so that others can pull it."""
        if not is_on(self.found, "Use Triggers"):
            self.missing.update({"triggers that the file does not switch on": 1} if self.nodes else {})
            return []
        found = [self.trigger(node) for node in self.nodes]
        late = []
        for trigger, node in zip(found, self.nodes, strict=True):
            late += self.late_parts(trigger) if not option_text(node, "when") else []
        # those without a moment of their own are looked at when TripleA does: most before moves, money after the turn
        found = [
            trigger if option_text(node, "when") else self.early_part(trigger)
            for trigger, node in zip(found, self.nodes, strict=True)
        ]
        return [*found, *late] if any(trigger.effects for trigger in (*found, *late)) else []

    def trigger(self, node: Node) -> Trigger:
        """One trigger; without effects where it has none that are played, or where it has a fault."""
        name, power = node.get("name"), self.names.players.get(attached_to(node), -1)
        silent, told = Trigger(name, power), {each.get("name") for each in node.all("option")}
        if told <= HARMLESS | UNPLAYED:
            only = "only tell something" if told <= HARMLESS else "are about what is not played"
            self.missing[f"triggers that {only}"] += 1
            return silent
        try:
            if power < 0:
                node.wrong(f"there is no player {attached_to(node)[:40]!r}")
            unknown = told - HARMLESS - UNPLAYED - READERS.keys()
            if unknown:
                node.wrong(f"triggers with the option {min(unknown)[:40]!r}")
            parts, least, most = parts_of(node, self.conditions.number)
            effects = self.effects.read(node, power)
        except BadDefinition as error:
            self.faults.append((node, error.why))
            return silent
        inverted = option_text(node, "invert").lower() == "true"
        moments = self.moments.of_trigger(node)
        uses = max(ALWAYS, integer(option_text(node, "uses"), ALWAYS))
        uses = min(abs(uses), 1) if self.moments.happens_once(node) else uses
        return Trigger(name, power, parts, least, most, inverted, effects, moments, uses, chance_of(node))

    def early_part(self, trigger: Trigger) -> Trigger:
        """The effects of a trigger that come before the moves of its power."""
        effects = tuple(each for each in trigger.effects if each.verb not in ("money", "win"))
        return _with_moments(trigger, effects, (("start", trigger.power),))

    def late_parts(self, trigger: Trigger) -> list[Trigger]:
        """The effects of a trigger that come later: money after the turn, victory after the round."""
        found = []
        for verb, moment in (("money", ("end", trigger.power)), ("win", ("end", -1))):
            effects = tuple(each for each in trigger.effects if each.verb == verb)
            found += [_with_moments(trigger, effects, (moment,))] if effects else []
        return found

    def objectives(self) -> list[Trigger]:
        """What conditions earn a power after its turn."""
        if not is_on(self.found, "National Objectives"):
            return []
        found = []
        for number, node in enumerate(self.conditions.nodes):
            worth, power = integer(option_text(node, "objectiveValue")), self.names.players.get(attached_to(node), -1)
            if worth and power >= 0:
                uses = max(ALWAYS, integer(option_text(node, "uses"), ALWAYS))
                earned = (Effect("money", (power,), number=worth),)
                moments = (("end", power),)
                found.append(Trigger(node.get("name"), power, (number,), 1, 1, False, earned, moments, uses))
        return found

    def all_conditions(self) -> tuple[Condition, ...]:
        """All conditions of the file, those with faults among them, which are never met."""
        found = []
        known = {*TESTS, *UNKNOWABLE, *OTHERS}
        for node in self.conditions.nodes:
            try:
                found.append(self.conditions.read(node))
            except BadDefinition as error:
                self.faults.append((node, error.why))
                found.append(Condition(node.get("name"), (0,), never=True))
            self.missing.update(
                f"rule {name}" for each in node.all("option") if (name := each.attributes.get("name", "")) not in known
            )
        for number in endless(found):
            why = f"conditions that lead back to themselves, or are nested deeper than {DEEPEST}"
            self.faults.append((self.conditions.nodes[number], why))
            found[number] = Condition(found[number].name, (0,), never=True)
        return tuple(found)


def _with_moments(trigger: Trigger, effects: tuple[Effect, ...], moments: tuple[tuple[str, int], ...]) -> Trigger:
    return replace(trigger, effects=effects, moments=moments if effects else ())


def endless(conditions: list[Condition]) -> list[int]:
    """The conditions that are made of conditions too deeply, or of themselves."""
    depths = [0 if condition.parts else 1 for condition in conditions]
    for depth in range(1, DEEPEST + 1):
        rising = [
            number
            for number, condition in enumerate(conditions)
            if not depths[number] and all(0 < depths[part] <= depth for part in condition.parts)
        ]
        for number in rising:
            depths[number] = depth + 1
        if not rising:
            break
    return [number for number, depth in enumerate(depths) if not depth]
